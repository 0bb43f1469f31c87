"""Semi-naive Bayes by selecting and joining features: forward and backward.

Joined features are one variable with a state for every combination of theirs. In the graph they are a clique: each of
them has the class and the joined features before it as parents.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from bayleaf._util.params import declared
from bayleaf._util.progress import track
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.learn.parameters import Laplace
from bayleaf.learn.scores import ClassFocusedScore, ClassificationRate, CrossValidatedRisk
from bayleaf.learn.scores.class_focused import check_classes
from bayleaf.learn.search import Search, SearchDiary, evaluator_at

from .structure_learner import SearchingLearner, check_class_focused, naive_bayes

# Columns that are joined, in the order in which they were.
Group = tuple[int, ...]
Partition = tuple[Group, ...]
Change = dict[int, tuple[int, ...]]
# A further partition of the features, and what it changes.
Candidate = tuple[Partition, Change]
FOLDS = 5
# Features are not joined where a table would have more cells.
MOST_CELLS = 2_000_000


class JoiningLearner(SearchingLearner):
    """What forward and backward joining share: the score, and steps as long as one improves it."""

    settings = declared(score=check_class_focused)

    def __init__(self, score: ClassFocusedScore | None = None) -> None:
        self.score = score

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        self.check_params()
        check_classes(table)
        score = default_score(table) if self.score is None else self.score
        groups, dag = self.start(table)
        network = evaluator_at(score, table, dag, rng)
        diary = SearchDiary(table.names, score, network.parents, network.value)
        for _ in track(range(3 * len(table.features)), "Joining features"):
            candidates = [each for each in self.neighbours(table, groups) if fits(table, each[1])]
            found = network.best_change([change for _, change in candidates], network.value)
            if found is None:
                break
            groups, change = candidates[found[0]]
            network.commit(change)
            diary.now(network.parents, network.value, len(candidates))
        return diary.search()

    @abstractmethod
    def start(self, table: Table) -> tuple[Partition, DAG]:
        """Return the features that are used at first, and their graph."""

    @abstractmethod
    def neighbours(self, table: Table, groups: Partition) -> Iterator[Candidate]:
        """Yield what may come next."""


class FSSJ(JoiningLearner):
    """Forward sequential selection and joining (Pazzani): start with no feature, and add or join one at a time.

    1. Try every unused feature X: added to the others, independent of them given the class; and joined with each
       feature, or group of joined features, that is used.
    2. Take the best; stop where none improves the score.

    Joined features are a clique: the last one has the class and all others of its group as parents.

    Parameters
    ----------
    score : class-focused score, optional
        `CrossValidatedRisk` with five folds and `Laplace` tables by default.

    Notes
    -----
    Differs from the paper in the score (leave-one-out accuracy there; ``CrossValidatedRisk(folds=...)`` comes close
    with many folds) and in smoothing: a group's table is the product of its members' tables, each smoothed by itself.
    Features are not joined where the table would have more than 2,000,000 cells.

    References
    ----------
    M. J. Pazzani. Constructive induction of Cartesian product attributes. Information, Statistics and Induction in
    Science, 1996.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "noise", "class"))
    >>> rows = [[a, b, noise, a ^ b] for a in (0, 1) for b in (0, 0, 0, 1) for noise in (0, 1)]
    >>> table = Table.from_codes(variables, rows * 5, target=3)
    >>> FSSJ().learn(table, np.random.default_rng(0)).arcs
    (('class', 'a'), ('a', 'b'), ('class', 'b'))
    """

    def start(self, table: Table) -> tuple[Partition, DAG]:
        """Return no feature, and the graph without arcs."""
        return (), DAG(table.names)

    def neighbours(self, table: Table, groups: Partition) -> Iterator[Candidate]:
        """Yield every unused feature alone, then joined with every group."""
        used = {feature for group in groups for feature in group}
        unused = [feature for feature in table.features if feature not in used]
        for feature in unused:
            yield (*groups, (feature,)), family_changes(table, (feature,))
        for feature in unused:
            for place, group in enumerate(groups):
                joined = (*groups[:place], (*group, feature), *groups[place + 1 :])
                yield joined, {feature: family_changes(table, (*group, feature))[feature]}


class BSEJ(JoiningLearner):
    """Backward sequential elimination and joining (Pazzani): start with naive Bayes, and remove or join.

    1. Try to remove every feature, and to join every two features or groups of joined features.
    2. Take the best; stop where none improves the score.

    Joined features are a clique: each has the class and those before it in its group as parents. A removed feature
    has no arcs.

    Parameters
    ----------
    score : class-focused score, optional
        `CrossValidatedRisk` with five folds and `Laplace` tables by default.

    Notes
    -----
    Differs from the paper as `FSSJ` does. A feature can be removed from a group, as in bnclassify; the paper removes
    groups.

    References
    ----------
    M. J. Pazzani. Constructive induction of Cartesian product attributes. Information, Statistics and Induction in
    Science, 1996.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> xor = Table.from_codes(variables, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 10, target=2)
    >>> BSEJ().learn(xor, np.random.default_rng(0)).arcs
    (('class', 'a'), ('a', 'b'), ('class', 'b'))
    """

    def start(self, table: Table) -> tuple[Partition, DAG]:
        """Return all features, and naive Bayes."""
        return tuple((feature,) for feature in table.features), naive_bayes(table)

    def neighbours(self, table: Table, groups: Partition) -> Iterator[Candidate]:
        """Yield the removal of every feature, then every two groups joined."""
        for place, group in enumerate(groups):
            for feature in group:
                rest = tuple(other for other in group if other != feature)
                left = (*groups[:place], *((rest,) if rest else ()), *groups[place + 1 :])
                after = group[group.index(feature) + 1 :]
                changes = family_changes(table, rest)
                yield left, {feature: (), **{other: changes[other] for other in after}}
        for place, group in enumerate(groups):
            for other in groups[place + 1 :]:
                joined = (*group, *other)
                others = tuple(each for each in groups if each not in (group, other))
                changes = family_changes(table, joined)
                yield (*others, joined), {feature: changes[feature] for feature in other}


def default_score(table: Table) -> ClassFocusedScore:
    """Return cross-validated accuracy, or training accuracy of a single row."""
    folds = min(FOLDS, table.n_rows)
    return ClassificationRate(Laplace()) if folds < 2 else CrossValidatedRisk(folds, parameters=Laplace())


def family_changes(table: Table, group: Sequence[int]) -> Change:
    """Return the parents of joined features: the class, and those before each."""
    assert table.target is not None
    return {feature: (table.target, *group[:place]) for place, feature in enumerate(group)}


def fits(table: Table, change: Change) -> bool:
    """Whether the tables of changed families stay small."""
    return all(
        prod(int(table.arities[column]) for column in (feature, *parents)) <= MOST_CELLS
        for feature, parents in change.items()
    )
