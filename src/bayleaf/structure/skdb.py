"""Selective k-dependence Bayesian classifier: left-out rows say how many features, and how many parents."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import check_param
from bayleaf.data import Table
from bayleaf.search import Search, SearchDiary
from bayleaf.search.prefixes import bounded, prefix_losses

from .kdb import measured, order_by_relevance, strongest_before
from .structure_learner import SearchingLearner, require_target

LOSS = "minus the mean squared error of left-out rows"


class SKDB(SearchingLearner):
    """Selective k-dependence Bayesian classifier (Martinez, Webb, Chen and Zaidi).

    1. Order the features by decreasing I(X_i; C); the candidate parents of each are those before it, by decreasing
       I(X_i; X_j | C): as in `KDB`.
    2. Leave every row out in turn, and classify it by the first i features, each with the class and its first k
       candidates, for all i = 0 ... n and all k = 0 ... K at once.
    3. Keep the i and k with the smallest mean of (1 - P(own class | x))^2; of equals the fewest features, then the
       fewest parents. The other features have no arcs.

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
    A family in which a row has a missing value says nothing about it while it is left out.

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

    def __init__(self, k: int = 5, smoothing: float = 1.0) -> None:
        self.k = k
        self.smoothing = smoothing

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "k", self.k, int, low=0)
        check_param(self, "smoothing", self.smoothing, float, low=0, low_open=True)

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph and the steps that led to it."""
        self.check_params()
        require_target(table)
        relevance, dependence = measured(table, 0.0)
        return selective_search(table, order_by_relevance(relevance), dependence, self.k, self.smoothing)


def selective_search(
    table: Table, order: Sequence[int], dependence: NDArray[np.float64], most: int, smoothing: float
) -> Search:
    """Return the k-dependence graph over the first features of an order that classifies left-out rows best.

    Parameters
    ----------
    table : Table
    order : sequence of int
        Numbers of features.
    dependence : ndarray
        I(X_i; X_j | C).
    most : int
        Parents at most.
    smoothing : float
        Imaginary rows per configuration of the parents.
    """
    target, features = require_target(table), table.features
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
