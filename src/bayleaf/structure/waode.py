"""Weighted average of one-dependence estimators: those of informative features count more."""

import numpy as np

from bayleaf.counts import class_information
from bayleaf.data import Table

from .several import MemberGraph, SeveralLearner, check_cells, last_resort, superparent_members
from .structure_learner import require_target


class WAODE(SeveralLearner):
    """Weighted average of one-dependence estimators (Jiang and Zhang).

    As `AODE`, with the network of each super-parent weighed by what the feature tells about the class:

        P(c, x) = sum_i I(X_i; C) P(c, x_i) prod_{j != i} P(x_j | c, x_i) / sum_i I(X_i; C).

    Where no feature tells anything, all count alike.

    Notes
    -----
    Tables and missing values are as in `AODE`; the paper has `MEstimate`. Every network speaks in every row, whether
    the value of its super-parent was seen or not.

    References
    ----------
    L. Jiang and H. Zhang. Weightily averaged one-dependence estimators. PRICAI 2006.

    Examples
    --------
    >>> import bayleaf as bl
    >>> X = [["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"], ["b", "x"]]
    >>> model = bl.AveragedClassifier(bl.WAODE()).fit(X, ["no", "no", "yes", "yes", "yes"])
    >>> model.weights_.round(2)
    array([0.98, 0.02])
    """

    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return a graph for every feature as the super-parent."""
        require_target(table)
        sets = [(feature,) for feature in range(len(table.features))]
        check_cells(self, table, sets, "KDB(k=1)")
        members = superparent_members(table, sets, or_equal(class_information(table)), min_count=0.0)
        return members + last_resort(table, members)


def or_equal(weights: np.ndarray) -> list[float]:
    """Return the weights, or ones where all are zero.

    Examples
    --------
    >>> or_equal(np.array([0.2, 0.0])), or_equal(np.zeros(2))
    ([0.2, 0.0], [1.0, 1.0])
    """
    given: list[float] = weights.tolist() if (weights > 0).any() else np.ones(len(weights)).tolist()
    return given
