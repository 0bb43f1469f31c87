"""K-dependence Bayesian classifier: features in the order of their information about the class.

A k-dependence graph is an augmented naive Bayes graph in which each feature has at most k feature parents, all of
them earlier in some order. KDB and FKDB differ in the order alone: in both a feature takes the k earlier features
that it depends on most.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import check_param
from bayleaf.counts import FunctionalDependencies, PairInformation, class_information
from bayleaf.data import Table
from bayleaf.graph import Arc
from bayleaf.network import BayesNet, CountedFamilies, InstanceNetwork
from bayleaf.search import Search, SearchDiary

from .constraints import ArcConstraints
from .structure_learner import SearchingLearner, require_target

Candidates = list[list[int]]
INFORMATION = "sum of I(X;C) + I(X;Y|C) in nats"


def measured(table: Table, smoothing: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return I(X_i; C) of every feature, and I(X_i; X_j | C) of every pair."""
    pairs = PairInformation.of(table, smoothing=smoothing)
    return class_information(table, pairs, smoothing=smoothing), pairs.given_class()


def strongest_before(
    order: Sequence[int], dependence: NDArray[np.float64], constraints: ArcConstraints | None = None
) -> Candidates:
    """For each feature the features before it in the order, those with the largest dependence first.

    Of equals the one that comes first in the order is preferred. Required parents come before all others, and
    forbidden ones are left out.

    Examples
    --------
    >>> dependence = np.array([[0.0, 0.1, 0.3], [0.1, 0.0, 0.2], [0.3, 0.2, 0.0]])
    >>> strongest_before([2, 0, 1], dependence)
    [[2], [2, 0], []]
    """
    candidates: Candidates = [[] for _ in order]
    for position, feature in enumerate(order):
        earlier = np.array(order[:position], dtype=np.int64)
        ranked = earlier[np.argsort(-dependence[feature, earlier], kind="stable")]
        found: list[int] = ranked.tolist()
        candidates[feature] = found if constraints is None else constraints.ranked(feature, found)
    return candidates


def k_dependence_search(
    table: Table,
    order: Sequence[int],
    relevance: NDArray[np.float64],
    dependence: NDArray[np.float64],
    k: int,
    constraints: ArcConstraints | None = None,
) -> Search:
    """Give each feature in turn the class and the k strongest features before it; add up what they tell."""
    target, features = require_target(table), table.features
    candidates = strongest_before(order, dependence, constraints)
    diary = SearchDiary(table.names, INFORMATION, [()] * table.n_variables, 0.0)
    total = 0.0
    for position, feature in enumerate(order):
        chosen = candidates[feature][:k]
        total += float(relevance[feature] + dependence[feature, chosen].sum())
        arcs = [(parent, features[feature]) for parent in (target, *(features[other] for other in chosen))]
        diary.change(arcs, [], total, position)
    return diary.search()


def instance_network(
    table: Table, network: BayesNet, parameters: object, candidates: Candidates, *, k: int, min_count: float
) -> InstanceNetwork:
    """Let the parents of a network depend on the row, by the functional dependencies of the training rows.

    Parameters
    ----------
    table : Table
        The training rows.
    network : BayesNet
        Over the variables of the table, each feature with its first k candidates as parents.
    parameters : parameter learner
        With a method ``estimate(counts)`` for the tables of other families.
    candidates : list of lists of int
        For each feature (in the order of ``table.features``) its possible parents, best first.
    k : int
        The most feature parents.
    min_count : float
        Rows with a value that are needed before it counts as determining another.
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


class KDependenceLearner(SearchingLearner):
    """What KDB and FKDB share: everything but the order of the features."""

    learned_at_once = True
    added_settings = ("required", "forbidden")

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

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "k", self.k, int, low=0)
        check_param(self, "functional_dependencies", self.functional_dependencies, bool)
        check_param(self, "min_count", self.min_count, float, low=0, low_open=True)
        check_param(self, "smoothing", self.smoothing, float, low=0)

    @abstractmethod
    def order(self, relevance: NDArray[np.float64], dependence: NDArray[np.float64]) -> list[int]:
        """Order the features, by I(X_i; C) of every feature and I(X_i; X_j | C) of every pair."""

    @property
    def learns_from_counts(self) -> bool:
        """Whether counts are all that it asks for."""
        return not self.functional_dependencies

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        require_target(table)
        self.check_params()
        constraints = ArcConstraints.read(table, self.required, self.forbidden, most=self.k)
        relevance, dependence = measured(table, self.smoothing)
        order = constraints.arranged(self.order(relevance, dependence))
        return k_dependence_search(table, order, relevance, dependence, self.k, constraints)

    def candidates(self, table: Table) -> Candidates:
        """For each feature the possible parents, best first: those before it in the order."""
        relevance, dependence = measured(table, self.smoothing)
        constraints = ArcConstraints.read(table, self.required, self.forbidden, most=self.k)
        return strongest_before(
            constraints.arranged(self.order(relevance, dependence)), dependence, constraints
        )

    def predictor(self, table: Table, network: BayesNet, parameters: object) -> InstanceNetwork | None:
        """Return what predicts in place of the network where parents depend on the row, else None."""
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


def order_by_relevance(relevance: NDArray[np.float64]) -> list[int]:
    """Features by decreasing I(X_i; C), the first of equals first.

    Examples
    --------
    >>> order_by_relevance(np.array([0.1, 0.3, 0.1]))
    [1, 0, 2]
    """
    order: list[int] = np.argsort(-relevance, kind="stable").tolist()
    return order
