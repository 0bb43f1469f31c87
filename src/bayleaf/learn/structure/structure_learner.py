"""What structure learners share: the contracts, augmented naive Bayes graphs, and constraints on arcs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import Needs, WithSettings, declared, whole
from bayleaf._util.words import counted
from bayleaf.counts import required_target
from bayleaf.counts.contingency import Countable
from bayleaf.data import Table
from bayleaf.graph import DAG, Arc
from bayleaf.graph.parents import constraint_arcs
from bayleaf.learn.scores import ClassFocusedScore, ClassificationRate, CrossValidatedRisk
from bayleaf.learn.scores.class_focused import check_classes
from bayleaf.learn.search import Evaluator, Search, SearchDiary, SearchTrace, evaluator_at
from bayleaf.learn.search.evaluators import is_class_focused
from bayleaf.network import BayesNet
from bayleaf.network.council import Vote
from bayleaf.network.predictors import Predictor


class StructureLearner(Protocol):
    """What a classifier asks of a structure learner, bayleaf's own or anyone's."""

    def learn(self, table: Table, rng: np.random.Generator) -> DAG:
        """Return a graph over the table's variables."""
        ...


@runtime_checkable
class PredictingLearner(Protocol):
    """A structure learner for which the network alone does not say how to predict.

    `bayleaf.network.predictors` says what its predictor must have, and what makes it saveable.
    """

    def predictor(self, table: Table, network: BayesNet, parameters: object) -> Predictor | None:
        """Return what predicts instead of the network, or None if the network does."""
        ...


class SearchingLearner(WithSettings, ABC):
    """A structure learner that says how it came to its graph: ``search`` finds it, ``learn`` is the graph alone."""

    # Whether the graph is found without a search. By default its tables then are tuned, for which it is learned again
    # from parts of the rows.
    learned_at_once = False

    @abstractmethod
    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return a graph over the table's variables, and the steps that led to it, where there are any."""

    @property
    def needs(self) -> Needs:
        """What the learner needs of the rows: "pairs", "counts", "distinct rows" or "rows".

        With "pairs" or "counts" it takes any `bayleaf.counts.CountSource`, and rows need not fit into memory; with
        "pairs", which promises families of the class and two features at most, it can learn by ``partial_fit``.
        """
        return "rows"

    def learn(self, table: Table, rng: np.random.Generator) -> DAG:
        """Return the graph for a table."""
        return self.search(table, rng).dag


@dataclass(frozen=True)
class MemberGraph:
    """One graph of several, and when and how much its network counts."""

    dag: DAG
    weight: float = 1.0  # above zero
    level: int = 0  # members of level 1 answer where all of level 0 call a row impossible, and so on
    superparents: tuple[int, ...] = ()  # columns of which only some states are possible to this member
    seen: NDArray[np.bool_] | None = None  # which states these are, one axis per super-parent; None for all


class SeveralLearner(WithSettings, ABC):
    """A learner of several graphs. ``vote`` says how their networks answer together.

    "joint": their joint probabilities are averaged; "average": their class probabilities are.
    """

    vote: Vote = "joint"
    draws = False  # whether random numbers decide on the graphs

    @abstractmethod
    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return the graphs for a table that has a class; one at least."""


def search_graph(learner: StructureLearner, table: Table, rng: np.random.Generator) -> Search:
    """Learn a graph, with the trace of the search where the learner keeps one.

    A learner derived from one of bayleaf's may have a ``learn`` of its own, which then is what counts.
    """
    own_learn = isinstance(learner, SearchingLearner) and type(learner).learn is not SearchingLearner.learn
    if own_learn or not callable(getattr(learner, "search", None)):
        return Search(learner.learn(table, rng))
    found: Search = learner.search(table, rng)  # type: ignore[attr-defined]
    return found


def graph_learner(learner: StructureLearner, rng: np.random.Generator) -> Callable[[Table], DAG]:
    """Return a function that learns a graph from some of a table's rows, each time with the same random numbers."""
    seed = int(rng.integers(2**63))
    return lambda table: learner.learn(table, np.random.default_rng(seed))


Candidate = TypeVar("Candidate")
# Candidates in memory at a time, and those of one choice that anyone would wait for.
BATCH = 2**16
MOST_CANDIDATES = 50_000_000


def augment(table: Countable, feature_parents: Sequence[Iterable[int | None]]) -> DAG:
    """Superimpose the class on a graph over the features.

    ``feature_parents`` has, for each feature in the order of ``table.features``, the numbers of its feature parents;
    None is skipped.
    """
    target, features = required_target(table, "An augmented graph"), table.features
    parents: list[list[int]] = [[] for _ in range(table.n_variables)]
    for feature, chosen in zip(features, feature_parents, strict=True):
        parents[feature] = [target, *(features[k] for k in chosen if k is not None)]
    return DAG.from_parents(table.names, parents)


def augment_by_tree(
    table: Countable, parents: Sequence[int | None], weights: NDArray[np.float64], measure: str
) -> Search:
    """Superimpose the class on a tree or forest: ``parents`` has the parent of each feature, or None.

    In the trace the arcs come in the order of their weights [parent, child], whose sum is called ``measure``.
    """

    def trace() -> SearchTrace | None:
        diary = SearchDiary(table.names, measure, naive_bayes(table).parent_indices, 0.0)
        features, total = table.features, 0.0
        arcs = [(parent, child) for child, parent in enumerate(parents) if parent is not None]
        for parent, child in sorted(arcs, key=lambda arc: -weights[arc]):
            total += float(weights[parent, child])
            diary.change([(features[parent], features[child])], [], total)
        return diary.search().trace

    return Search(augment(table, [(parent,) for parent in parents]), trace)


def checked_class(learner: WithSettings, table: Countable) -> int:
    """Check the settings of a learner, and return the class column of a table, or say that it has none."""
    learner.check_params()
    return required_target(table, type(learner).__name__)


def feature_number(table: Countable, name: str, what: str) -> int:
    """Return the number of a feature among the features of a table, by its name."""
    names = [table.names[j] for j in table.features]
    if name not in names:
        raise ValueError(f"{what} '{name}' is not a feature; the features are {_shown(names)}.")
    return names.index(name)


def _shown(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:10]) + (", ..." if len(names) > 10 else "")


def naive_bayes(table: Countable) -> DAG:
    """Return the graph in which the class is the only parent of every feature."""
    return augment(table, [()] * len(table.features))


def check_class_focused(owner: object, name: str, score: object) -> None:
    """Refuse a score that does not judge the classifier that a graph makes; None is the default."""
    if score is not None and (isinstance(score, type) or not is_class_focused(score)):
        raise TypeError(
            f"{type(owner).__name__} cannot search with {score!r}: it needs a class-focused score, such as "
            "ClassificationRate() or CrossValidatedRisk(), or an object with 'evaluator(table, dag, rng)'."
        )


class DiscriminativeLearner(SearchingLearner):
    """What learners of augmented graphs by a class-focused score share: they start from naive Bayes."""

    settings = declared(k=whole(low=1), score=check_class_focused)

    def __init__(
        self,
        k: int = 1,
        score: ClassFocusedScore | None = None,
        required: Iterable[Arc] | None = None,
        forbidden: Iterable[Arc] | None = None,
    ) -> None:
        self.k = k
        self.score = score
        self.required = required
        self.forbidden = forbidden

    def begin(
        self, table: Table, rng: np.random.Generator, required: Iterable[tuple[int, int]] = ()
    ) -> tuple[Evaluator, SearchDiary]:
        """Return naive Bayes with the required arcs (of columns), to be changed step by step, and a diary of steps.

        Without a score of the user's it is training accuracy for one feature parent, and cross-validation for more.
        """
        check_classes(table)
        folds = min(5, table.n_rows)
        default = ClassificationRate() if self.k == 1 or folds < 2 else CrossValidatedRisk(folds=folds)
        score = default if self.score is None else self.score
        parents = [list(own) for own in naive_bayes(table).parent_indices]
        for parent, child in required:
            parents[child].append(parent)
        network = evaluator_at(score, table, DAG.from_parents(table.names, parents), rng)
        return network, SearchDiary(table.names, score, network.parents, network.value)


def first_best(
    candidates: Iterable[Candidate],
    best_of: Callable[[list[Candidate], float], tuple[int, float] | None],
    above: float,
) -> tuple[Candidate, float] | None:
    """Return the first best of candidates and its score, or None if none scores above a threshold.

    There may be millions of candidates: some at a time are given to ``best_of``, which returns the number and the
    score of the first best of them.
    """
    left, best = iter(candidates), None
    while some := list(islice(left, BATCH)):
        found = best_of(some, above)
        if found is not None:
            above = found[1]
            best = some[found[0]], above
    return best


def check_number(candidates: int, what: str) -> int:
    """Return how many candidates there are, or say that they are too many."""
    if candidates > MOST_CANDIDATES:
        raise ValueError(f"{candidates:,} {what} are too many: use a smaller k.")
    return candidates


Pair = tuple[int, int]


@dataclass(frozen=True)
class ArcConstraints:
    """Required and forbidden arcs (parent, child) between features, by number."""

    names: tuple[str, ...]
    required: tuple[Pair, ...] = ()
    forbidden: tuple[Pair, ...] = ()

    @classmethod
    def read(
        cls,
        table: Countable,
        required: Iterable[Arc] | None,
        forbidden: Iterable[Arc] | None,
        most: int | None = None,
    ) -> "ArcConstraints":
        """Check constraints given by name: no contradictions, no cycle, and not too many parents of a feature."""
        names = tuple(table.names[j] for j in table.features)
        wanted = feature_arcs(table, () if required is None else required, "required")
        unwanted = feature_arcs(table, () if forbidden is None else forbidden, "forbidden")
        for parent, child in wanted:
            if (parent, child) in unwanted:
                raise ValueError(
                    f"The arc '{names[parent]}' -> '{names[child]}' is both required and forbidden."
                )
        found = cls(names, tuple(dict.fromkeys(wanted)), tuple(dict.fromkeys(unwanted)))
        if most is not None:
            for child, name in enumerate(names):
                parents = len(found.required_parents(child))
                if parents > most:
                    raise ValueError(
                        f"'{name}' has {counted(parents, 'required parent')}; here a feature can have {most}."
                    )
        found.arranged(range(len(names)))  # says where required arcs form a cycle
        return found

    def required_parents(self, child: int) -> list[int]:
        """Return the parents that a feature must have, in feature order."""
        return sorted(parent for parent, other in self.required if other == child)

    def allows(self, parent: int, child: int) -> bool:
        """Whether an arc is neither forbidden nor the reverse of a required one."""
        return (parent, child) not in self.forbidden and (child, parent) not in self.required

    def arranged(self, order: Iterable[int]) -> list[int]:
        """Change an order as little as possible, so that required parents come before their children.

        Where an arc is forbidden in one direction only, its parent waits for its child too, if it can: in the order
        given, the other direction might be out of reach.
        """
        left = list(order)
        if not self.required and not self.forbidden:
            return left
        before: dict[int, set[int]] = {feature: set() for feature in left}
        rather: dict[int, set[int]] = {feature: set() for feature in left}
        for parent, child in self.required:
            before[child].add(parent)
        unwanted = set(self.forbidden)
        for parent, child in self.forbidden:
            if (child, parent) not in unwanted:
                rather[parent].add(child)
        arranged: list[int] = []
        placed: set[int] = set()
        while left:
            able = [feature for feature in left if before[feature] <= placed]
            if not able:
                raise ValueError(
                    f"The required arcs form a cycle through '{self.names[left[0]]}': drop one of them."
                )
            chosen = next((feature for feature in able if rather[feature] <= placed), able[0])
            arranged.append(chosen)
            placed.add(chosen)
            left.remove(chosen)
        return arranged

    def ranked(self, child: int, candidates: Sequence[int]) -> list[int]:
        """Return the candidates that may be parents of a feature, those required first."""
        required = self.required_parents(child)
        return [
            *required,
            *(each for each in candidates if each not in required and self.allows(each, child)),
        ]

    def by_column(self, table: Countable) -> "ArcConstraints":
        """Return the same constraints by the numbers of the columns."""
        column = table.features
        required, forbidden = (
            tuple((column[parent], column[child]) for parent, child in arcs)
            for arcs in (self.required, self.forbidden)
        )
        return ArcConstraints(tuple(table.names), required, forbidden)


def feature_arcs(table: Countable, arcs: Iterable[Arc], what: str) -> list[Pair]:
    """Arcs by name become pairs of feature numbers; arcs of the class are not the user's to choose."""
    target = required_target(table, "A constraint")
    number = {column: feature for feature, column in enumerate(table.features)}
    pairs = []
    for arc in constraint_arcs(arcs, table.names, what):
        if target in arc:
            parent, child = (table.names[end] for end in arc)
            raise ValueError(
                f"The arc '{parent}' -> '{child}' touches the class '{table.names[target]}', which is always a "
                "parent of every feature here: constrain arcs between features only."
            )
        pairs.append((number[arc[0]], number[arc[1]]))
    return pairs
