"""K-dependence Bayesian classifiers: features in an order, each with the strongest of those before it as parents.

A k-dependence graph is an augmented naive Bayes graph in which each feature has at most k feature parents, all of
them earlier in some order. `KDB` and `FKDB` differ in the order alone: in both a feature takes the k earlier features
that it depends on most. `SKDB` asks left-out rows how many features to use, and how many parents; `ESKDB` does so for
many random orders.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import Needs, declared, flag, number, whole
from bayleaf._util.progress import track
from bayleaf.counts import FunctionalDependencies, PairInformation, class_information, count, required_target
from bayleaf.counts.contingency import DECIMALS, Countable
from bayleaf.data import Table
from bayleaf.graph import Arc
from bayleaf.learn.scores.class_focused import check_classes
from bayleaf.learn.search import Search, SearchDiary
from bayleaf.network import BayesNet, CountedFamilies, InstanceNetwork
from bayleaf.network.council import Vote

from .structure_learner import ArcConstraints, MemberGraph, SearchingLearner, SeveralLearner, checked_class

Candidates = list[list[int]]
INFORMATION = "sum of I(X;C) + I(X;Y|C) in nats"


class KDependenceLearner(SearchingLearner):
    """What KDB and FKDB share: everything but the order of the features."""

    learned_at_once = True
    settings = declared(
        k=whole(low=0),
        functional_dependencies=flag,
        min_count=number(above=0),
        smoothing=number(low=0),
    )

    def __init__(
        self,
        k: int = 2,
        functional_dependencies: bool = False,
        min_count: float = 100,
        smoothing: float = 0.0,
        required: Iterable[Arc] | None = None,
        forbidden: Iterable[Arc] | None = None,
    ) -> None:
        self.k = k
        self.functional_dependencies = functional_dependencies
        self.min_count = min_count
        self.smoothing = smoothing
        self.required = required
        self.forbidden = forbidden

    @abstractmethod
    def order(self, relevance: NDArray[np.float64], dependence: NDArray[np.float64]) -> list[int]:
        """Order the features, by I(X_i; C) of every feature and I(X_i; X_j | C) of every pair."""

    @property
    def needs(self) -> Needs:
        """Counts; of pairs of features for one feature parent, and rows for functional dependencies."""
        if self.functional_dependencies:
            return "rows"
        return "pairs" if self.k <= 1 else "counts"

    def search(self, table: Countable, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        target, features = checked_class(self, table), table.features
        constraints = ArcConstraints.read(table, self.required, self.forbidden, most=self.k)
        relevance, dependence = measured(table, self.smoothing)
        order = constraints.arranged(self.order(relevance, dependence))
        candidates = strongest_before(order, dependence, constraints)
        diary = SearchDiary(table.names, INFORMATION, [()] * table.n_variables, 0.0)
        total = 0.0
        for position, feature in enumerate(order):
            chosen = candidates[feature][: self.k]
            total += float(relevance[feature] + dependence[feature, chosen].sum())
            arcs = [
                (parent, features[feature]) for parent in (target, *(features[other] for other in chosen))
            ]
            diary.change(arcs, [], total, position)
        return diary.search()

    def candidates(self, table: Countable) -> Candidates:
        """For each feature the possible parents, best first: those before it in the order."""
        relevance, dependence = measured(table, self.smoothing)
        constraints = ArcConstraints.read(table, self.required, self.forbidden, most=self.k)
        return strongest_before(
            constraints.arranged(self.order(relevance, dependence)), dependence, constraints
        )

    def predictor(self, table: Table, network: BayesNet, parameters: object) -> InstanceNetwork | None:
        """Return what predicts instead of the network where parents depend on the row, else None."""
        if not self.functional_dependencies:
            return None
        return instance_network(
            table, network, parameters, self.candidates(table), k=self.k, min_count=self.min_count
        )


class KDB(KDependenceLearner):
    """K-dependence Bayesian classifier (Sahami).

    1. Order the features by decreasing I(X_i; C).
    2. Each takes as parents the k features before it with the largest I(X_i; X_j | C), or all if there are fewer.
    3. Make the class a parent of every feature.

    Ties are broken by feature order, so that results are deterministic.

    Parameters
    ----------
    k : int, default=2
        The most feature parents; 0 gives naive Bayes.
    functional_dependencies : bool, default=False
        Let parents depend on the row: a parent whose value is determined by that of another parent is left out and
        the next-best earlier feature takes its place (Wang and Zhao). The classifier lists the dependencies found
        as ``functional_dependencies_``.
    min_count : float, default=100
        Rows with a value that are needed before it counts as determining another.
    smoothing : float, default=0.0
        Imaginary rows spread over each joint table when information is measured; 1 for the Laplace estimate.
    required, forbidden : list of (parent, child), optional
        Arcs between features that the graph must or must not have; the order of the features is changed for them as
        little as possible.

    References
    ----------
    M. Sahami. Learning limited dependence Bayesian classifiers. Knowledge Discovery and Data Mining, 1996.

    L. Wang and H. Zhao. Learning a flexible K-dependence Bayesian classifier from the chain rule of joint
    probability distribution. Entropy 17, 2015.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]], target=2)
    >>> KDB(k=1).learn(table, np.random.default_rng(0)).parents("a")
    ('b', 'class')
    """

    def order(self, relevance: NDArray[np.float64], dependence: NDArray[np.float64]) -> list[int]:
        """Order the features by decreasing I(X_i; C)."""
        return order_by_relevance(relevance)


class FKDB(KDependenceLearner):
    """Flexible k-dependence Bayesian classifier (Wang and Zhao).

    1. S starts with the feature that has the largest I(X_i; C).
    2. Repeat: of the features outside S choose the one with the largest I(X_i; C) + the sum of its k
       largest I(X_i; X_j | C), X_j in S (all of them while S has fewer); those X_j become its parents; add it to S.
    3. Make the class a parent of every feature.

    Ties are broken by feature order, so that results are deterministic.

    Parameters
    ----------
    k, functional_dependencies, min_count, smoothing, required, forbidden
        As in `KDB`.

    Notes
    -----
    This is the paper's Algorithm 1. The FKDB of its experiments, ``bl.classifier("FKDB")``, also has functional
    dependencies, with ``min_count`` 100, and information smoothed by 1.

    References
    ----------
    L. Wang and H. Zhao. Learning a flexible K-dependence Bayesian classifier from the chain rule of joint
    probability distribution. Entropy 17, 2015.

    Examples
    --------
    >>> from bayleaf.data import Table, Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]], target=2)
    >>> FKDB(k=1).learn(table, np.random.default_rng(0)).parents("a")
    ('b', 'class')
    """

    def order(self, relevance: NDArray[np.float64], dependence: NDArray[np.float64]) -> list[int]:
        """Order the features so that each in turn draws the most information from the class and its parents."""
        n = len(relevance)
        order: list[int] = []
        outside = np.ones(n, dtype=bool)
        # The k largest I(X_i; X_j | C), X_j in S, of each feature; zeros while S has fewer members.
        strongest = np.zeros((n, min(self.k, n)))  # S never has more than n members
        while outside.any():
            information = relevance + strongest.sum(axis=1)
            chosen = int(np.where(outside, information, -np.inf).argmax())
            order.append(chosen)
            outside[chosen] = False
            strongest = np.sort(np.column_stack([strongest, dependence[chosen]]), axis=1)[:, 1:]
        return order


def measured(table: Countable, smoothing: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return I(X_i; C) of every feature, and I(X_i; X_j | C) of every pair."""
    pairs = PairInformation.of(table, smoothing=smoothing)
    return class_information(table, pairs, smoothing=smoothing), pairs.given_class()


def strongest_before(
    order: Sequence[int], dependence: NDArray[np.float64], constraints: ArcConstraints | None = None
) -> Candidates:
    """For each feature the features before it in the order, those with the largest dependence first.

    Ties go to the one that comes first in the order. Required parents come before all others, and
    forbidden ones are left out.
    """
    candidates: Candidates = [[] for _ in order]
    for position, feature in enumerate(order):
        earlier = np.array(order[:position], dtype=np.int64)
        ranked = earlier[np.argsort(-dependence[feature, earlier], kind="stable")]
        found: list[int] = ranked.tolist()
        candidates[feature] = found if constraints is None else constraints.ranked(feature, found)
    return candidates


def order_by_relevance(relevance: NDArray[np.float64]) -> list[int]:
    """Features by decreasing I(X_i; C); ties go to the first."""
    order: list[int] = np.argsort(-relevance, kind="stable").tolist()
    return order


def instance_network(
    table: Table, network: BayesNet, parameters: object, candidates: Candidates, *, k: int, min_count: float
) -> InstanceNetwork:
    """Let the parents of a network depend on the row, by the functional dependencies of the training rows.

    ``candidates`` has the possible parents of each feature, best first; the network has the first k. ``parameters``
    estimates the tables of other families from their counts.
    """
    estimate = getattr(parameters, "estimate", None)
    if estimate is None:
        raise TypeError(
            f"functional_dependencies=True needs a parameter learner that estimates each table from its own counts "
            f"(Laplace, Dirichlet, MaximumLikelihood). Got {parameters!r} instead."
        )
    features = table.features
    by_column: list[list[int]] = [[] for _ in table.variables]
    for feature, ranked in zip(features, candidates, strict=True):
        by_column[feature] = [features[number] for number in ranked]
    dependencies = FunctionalDependencies.find(table, min_count)
    return InstanceNetwork(network, dependencies, by_column, k, CountedFamilies(table, estimate))


LOSS = "minus the mean squared error of left-out rows"


class SKDB(SearchingLearner):
    """Selective k-dependence Bayesian classifier (Martinez, Webb, Chen and Zaidi).

    1. Order the features by decreasing I(X_i; C); the candidate parents of each are those before it, by decreasing
       I(X_i; X_j | C): as in `KDB`.
    2. Leave every row out in turn, and classify it by the first i features, each with the class and its first k
       candidates, for all i = 0 ... n and all k = 0 ... K at once.
    3. Keep the i and k with the smallest mean of (1 - P(own class | x))^2; ties go to the fewest features, then
       to the fewest parents. The other features have no arcs.

    Parameters
    ----------
    k : int, default=5
        K, the most feature parents that are tried.
    smoothing : float, default=1.0
        Imaginary rows m per configuration of the parents while rows are left out: (N_ijk + m / r_i) / (N_ij + m), as
        `MEstimate` has it.

    Notes
    -----
    Differs from the paper where tables would have more than 2,000,000 cells: a feature then takes no further parent.
    A row is classified without the families in which it has a missing value.

    References
    ----------
    A. M. Martinez, G. I. Webb, S. Chen and N. A. Zaidi. Scalable learning of Bayesian network classifiers. Journal of
    Machine Learning Research 17, 2016.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "noise", "class"))
    >>> rows = [[a, b, noise, a ^ b] for a in (0, 1) for b in (0, 1) for noise in (0, 1)]
    >>> table = Table.from_codes(variables, rows * 5, target=3)
    >>> SKDB().learn(table, np.random.default_rng(0)).arcs
    (('class', 'a'), ('a', 'b'), ('class', 'b'))
    """

    settings = declared(k=whole(low=0), smoothing=number(above=0))

    def __init__(self, k: int = 5, smoothing: float = 1.0) -> None:
        self.k = k
        self.smoothing = smoothing

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        checked_class(self, table)
        relevance, dependence = measured(table, 0.0)
        return selective_search(table, order_by_relevance(relevance), dependence, self.k, self.smoothing)


def selective_search(
    table: Table, order: Sequence[int], dependence: NDArray[np.float64], most: int, smoothing: float
) -> Search:
    """Return the k-dependence graph over the first features of an order that classifies left-out rows best."""
    target, features = required_target(table, "KDB"), table.features
    candidates = strongest_before(order, dependence)
    families = [
        (features[number], bounded(table, features[number], [features[j] for j in candidates[number]], most))
        for number in order
    ]
    found = prefix_losses(table, families, most, smoothing)
    parents, used = found.best
    losses = -found.losses[parents]
    diary = SearchDiary(table.names, LOSS, [()] * table.n_variables, losses[0])
    for position, (feature, possible) in enumerate(families[:used], 1):
        arcs = [(parent, feature) for parent in (target, *possible[:parents])]
        diary.change(arcs, [], losses[position], found.losses.size if position == 1 else 0)
    return diary.search()


# A feature takes no further parent where its table would have more cells.
MOST_CELLS = 2_000_000


@dataclass(frozen=True)
class PrefixLosses:
    """Leave-one-out losses of the classifiers over the first features of an order.

    ``losses[k, i]`` is the mean of (1 - P(own class | x))^2 over the rows, each left out of all counts, where every
    feature has its first k parents and only the first i features are used.
    """

    losses: NDArray[np.float64]

    @property
    def best(self) -> tuple[int, int]:
        """How many parents and features lose least; ties go to the fewest features, then to the fewest parents."""
        by_features = self.losses.T.round(DECIMALS)
        features, parents = divmod(int(by_features.argmin()), by_features.shape[1])
        return parents, features


def bounded(table: Table, feature: int, parents: Sequence[int], most: int) -> list[int]:
    """Return the first parents of a feature, the strongest first, as long as its table stays small."""
    assert table.target is not None
    cells = int(table.arities[table.target]) * int(table.arities[feature])
    kept: list[int] = []
    for parent in parents[:most]:
        cells *= int(table.arities[parent])
        if cells > MOST_CELLS:
            break
        kept.append(parent)
    return kept


def prefix_losses(
    table: Table, families: Sequence[tuple[int, Sequence[int]]], most_parents: int, smoothing: float = 1.0
) -> PrefixLosses:
    """Leave every row out in turn, and measure all k-dependence classifiers over the first features of an order.

    P(x | pa, c) = (N(x, pa, c) + m / r) / (N(pa, c) + m) with m imaginary rows (``smoothing``) and r states. A family
    in which a row has a missing value says nothing about it. A weight of two counts as two rows, of which one is left
    out. ``families`` has each feature with its parents, the strongest first.
    """
    target = check_classes(table).target
    assert target is not None
    sets = [
        [*parents[:known], feature, target]
        for feature, parents in families
        for known in range(len(parents) + 1)
    ]
    counts = [cells.astype(np.float64) for cells in count(table, [*sets, [target]])]
    class_counts = counts.pop()
    totals = [cells.sum(axis=-2) for cells in counts]
    sums = np.zeros((most_parents + 1, len(families) + 1))
    columns = [[*parents, feature] for feature, parents in families]
    _core.prefix_losses(
        table.codes,
        table.arities,
        target,
        np.array([column for own in columns for column in own], dtype=np.int64),
        _starts([len(own) for own in columns]),
        _starts([cells.size for cells in counts]),
        _starts([cells.size for cells in totals]),
        np.concatenate([np.zeros(0), *(cells.ravel() for cells in counts)]),
        np.concatenate([np.zeros(0), *(cells.ravel() for cells in totals)]),
        class_counts,
        table.weights,
        float(smoothing),
        sums,
        table.n_jobs,
    )
    return PrefixLosses(sums / table.total_weight)


def _starts(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


class ESKDB(SeveralLearner):
    """Ensemble of selective k-dependence Bayesian classifiers (Zhang, Petitjean and Buntine).

    Each network is that of `SKDB` for an order of the features that is drawn: the next feature is X_i with a
    probability proportional to I(X_i; C), of those that are left. The networks' class probabilities are averaged.

    Parameters
    ----------
    n_members : int, default=20
        How many networks.
    k, smoothing
        As in `SKDB`.

    Notes
    -----
    Differs from the paper in the tables: there they are smoothed by hierarchical Dirichlet processes, whose
    parameters are sampled. `Shrinkage`, which backs off in the same way and finds its strengths from counts, replaces
    them in ``bl.classifier("ESKDB")``.

    References
    ----------
    H. Zhang, F. Petitjean and W. Buntine. Bayesian network classifiers using ensembles and smoothing. Knowledge and
    Information Systems 62, 2020.

    Examples
    --------
    >>> import bayleaf as bl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = bl.classifier("ESKDB", n_members=5, random_state=0).fit(X, y)
    >>> len(model.estimators_), round(model.score(X, y), 2)
    (5, 0.95)
    """

    vote: Vote = "average"
    draws = True
    settings = declared(n_members=whole(low=1), k=whole(low=0), smoothing=number(above=0))

    def __init__(self, n_members: int = 20, k: int = 5, smoothing: float = 1.0) -> None:
        self.n_members = n_members
        self.k = k
        self.smoothing = smoothing

    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return a graph for every order drawn."""
        checked_class(self, table)
        relevance, dependence = measured(table, 0.0)
        members = []
        for _ in track(range(self.n_members), "Learning networks"):
            order = drawn_order(relevance, rng)
            found = selective_search(table, order, dependence, self.k, self.smoothing)
            members.append(MemberGraph(found.dag))
        return members


def drawn_order(relevance: NDArray[np.float64], rng: np.random.Generator) -> list[int]:
    """Draw features one after the other, in proportion to their information; those without any come last."""
    # The smallest of exponential waiting times is the next with a probability in proportion to its rate.
    waiting = rng.exponential(size=len(relevance))
    informative = relevance > 0
    waiting[informative] /= relevance[informative]
    order: list[int] = np.lexsort((waiting, ~informative)).tolist()
    return order
