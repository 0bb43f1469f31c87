"""Averaged one-dependence estimators: every feature in turn is a parent of all others."""

import numpy as np

from bayleaf._util.params import check_param
from bayleaf.data import Table

from .several import MemberGraph, SeveralLearner, check_cells, last_resort, superparent_members
from .structure_learner import require_target


class AODE(SeveralLearner):
    """Averaged one-dependence estimators (Webb, Boughton and Wang).

    P(c, x) is proportional to the sum, over the features i whose value x_i was seen in at least ``min_count``
    training rows, of

        P(c, x_i) prod_{j != i} P(x_j | c, x_i).

    Where no value was seen so often, naive Bayes answers.

    Parameters
    ----------
    min_count : float, default=1
        Rows with the value of a super-parent that are needed before its network speaks. The paper has 30; later work
        of its authors, and Weka, 1.

    Notes
    -----
    P(c, x_i) is one table, smoothed as one, where tables are estimated in closed form (`Laplace`, as in the paper,
    `MEstimate`, ...); other parameter learners, as `Shrinkage`, have P(c) P(x_i | c).

    Differs from the paper in missing values: they are summed out exactly in every network, that of the feature
    itself included; the paper leaves that network out.

    References
    ----------
    G. I. Webb, J. R. Boughton and Z. Wang. Not so naive Bayes: aggregating one-dependence estimators. Machine
    Learning 58, 2005.

    Examples
    --------
    >>> import bayleaf as bl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> aode = bl.AveragedClassifier(bl.AODE()).fit(X, y)
    >>> len(aode.estimators_), aode.estimators_[2].network_.children("petal length (cm)")
    (4, ('sepal length (cm)', 'sepal width (cm)', 'petal width (cm)'))
    """

    def __init__(self, min_count: float = 1) -> None:
        self.min_count = min_count

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "min_count", self.min_count, float, low=0, low_open=True)

    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return a graph for every feature as the super-parent."""
        self.check_params()
        require_target(table)
        sets = [(feature,) for feature in range(len(table.features))]
        check_cells(self, table, sets, "KDB(k=1)")
        members = superparent_members(table, sets, [1.0] * len(sets), min_count=self.min_count)
        return members + last_resort(table, members)
