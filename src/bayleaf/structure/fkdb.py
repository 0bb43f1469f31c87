"""Flexible k-dependence Bayesian classifier: the order is found along with the parents."""

import numpy as np
from numpy.typing import NDArray

from .kdb import KDependenceLearner


class FKDB(KDependenceLearner):
    """Flexible k-dependence Bayesian classifier (Wang and Zhao).

    1. S starts with the feature that has the largest I(X_i; C).
    2. Repeat: of the features outside S choose the one with the largest I(X_i; C) + the sum of its k
       largest I(X_i; X_j | C), X_j in S (all of them while S has fewer); those X_j become its parents; add it to S.
    3. Make the class a parent of every feature.

    Ties are broken by feature order, so that results are deterministic.

    Parameters
    ----------
    k : int, default=2
        The most feature parents; 0 gives naive Bayes.
    functional_dependencies : bool, default=False
        Let parents depend on the row: a parent whose value is determined by that of another parent is left out and
        the next-best earlier feature takes its place. The classifier lists the dependencies found as
        ``functional_dependencies_``.
    min_count : float, default=100
        Rows with a value that are needed before it counts as determining another.
    smoothing : float, default=0.0
        Imaginary rows spread over each joint table when information is measured; 1 for the Laplace estimate.
    required, forbidden : list of (parent, child), optional
        Arcs between features that the graph must or must not have; the order of the features is changed for them as
        little as possible.

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
        return flexible_order(relevance, dependence, self.k)


def flexible_order(relevance: NDArray[np.float64], dependence: NDArray[np.float64], k: int) -> list[int]:
    """Order the features so that each in turn draws the most information from the class and its parents.

    Parameters
    ----------
    relevance : ndarray of shape (n,)
        I(X_i; C).
    dependence : ndarray of shape (n, n)
        I(X_i; X_j | C).
    k : int
        The most parents.

    Examples
    --------
    >>> dependence = np.array([[0.0, 0.1, 0.3], [0.1, 0.0, 0.2], [0.3, 0.2, 0.0]])
    >>> flexible_order(np.array([0.5, 0.4, 0.3]), dependence, k=2)
    [0, 2, 1]
    """
    n = len(relevance)
    order: list[int] = []
    outside = np.ones(n, dtype=bool)
    # The k largest I(X_i; X_j | C), X_j in S, of each feature; zeros while S has fewer members.
    strongest = np.zeros((n, min(k, n)))  # S never has more than n members
    while outside.any():
        information = relevance + strongest.sum(axis=1)
        chosen = int(np.where(outside, information, -np.inf).argmax())
        order.append(chosen)
        outside[chosen] = False
        strongest = np.sort(np.column_stack([strongest, dependence[chosen]]), axis=1)[:, 1:]
    return order
