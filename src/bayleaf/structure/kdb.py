"""K-dependence Bayesian classifier: features in the order of what they tell about the class."""

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bayleaf.graph import DAG, Search
from bayleaf.network import BayesNet, InstanceNetwork
from bayleaf.table import Table

from .augmented import require_target
from .ranked import (
    Candidates,
    check_k_dependence,
    instance_network,
    k_dependence_search,
    measured,
    strongest_before,
)


class KDB(BaseEstimator):  # type: ignore[misc]
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

    References
    ----------
    M. Sahami. Learning limited dependence Bayesian classifiers. Knowledge Discovery and Data Mining, 1996.

    L. Wang and H. Zhao. Learning a flexible K-dependence Bayesian classifier from the chain rule of joint
    probability distribution. Entropy 17, 2015.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 1, 1]], target=2)
    >>> KDB(k=1).learn(table, np.random.default_rng(0)).parents("a")
    ('b', 'class')
    """

    def __init__(
        self,
        k: int = 2,
        functional_dependencies: bool = False,
        min_count: float = 100,
        smoothing: float = 0.0,
    ) -> None:
        self.k = k
        self.functional_dependencies = functional_dependencies
        self.min_count = min_count
        self.smoothing = smoothing

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_k_dependence(self)

    def learn(self, table: Table, rng: np.random.Generator) -> DAG:
        """Return the graph for a table that has a class."""
        return self.search(table, rng).dag

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        require_target(table)
        self.check_params()
        relevance, dependence = measured(table, self.smoothing)
        return k_dependence_search(table, order_by_relevance(relevance), relevance, dependence, self.k)

    def candidates(self, table: Table) -> Candidates:
        """For each feature the possible parents, best first: those before it in the order."""
        relevance, dependence = measured(table, self.smoothing)
        return strongest_before(order_by_relevance(relevance), dependence)

    def predictor(self, table: Table, network: BayesNet, parameters: object) -> InstanceNetwork | None:
        """Return what predicts in place of the network where parents depend on the row, else None."""
        if not self.functional_dependencies:
            return None
        return instance_network(
            table, network, parameters, self.candidates(table), k=self.k, min_count=self.min_count
        )


def order_by_relevance(relevance: NDArray[np.float64]) -> list[int]:
    """Features by decreasing I(X_i; C), the first of equals first.

    Examples
    --------
    >>> order_by_relevance(np.array([0.1, 0.3, 0.1]))
    [1, 0, 2]
    """
    order: list[int] = np.argsort(-relevance, kind="stable").tolist()
    return order
