"""Averaged two-dependence estimators: every pair of features in turn is a parent of all others."""

from itertools import combinations

import numpy as np

from bayleaf._util.params import check_param
from bayleaf.counts import PairInformation
from bayleaf.data import Table

from .several import MemberGraph, SeveralLearner, check_cells, last_resort, may_be_silent, superparent_members
from .structure_learner import require_target
from .waode import or_equal


class A2DE(SeveralLearner):
    """Averaged two-dependence estimators (Webb et al.): AnDE with n = 2.

    P(c, x) is proportional to the sum, over the pairs of features i < j whose values were seen together in at least
    ``min_count`` training rows, of

        P(c, x_i, x_j) prod_{k not in {i, j}} P(x_k | c, x_i, x_j).

    Where no pair of values was seen so often, `AODE` answers, and then naive Bayes.

    Parameters
    ----------
    min_count : float, default=1
        Rows with the values of a pair of super-parents that are needed before its network speaks.
    weighted : bool, default=False
        Weigh each network by I(X_i, X_j; C), as `WAODE` weighs those of single features.

    Notes
    -----
    n features make n (n - 1) / 2 networks: predictions take so many times those of one. Tables and missing values are
    as in `AODE`; the weights are not in the paper.

    References
    ----------
    G. I. Webb, J. R. Boughton, F. Zheng, K. M. Ting and H. Salem. Learning by extrapolation from marginal to
    full-multivariate probability distributions: decreasingly naive Bayesian classification. Machine Learning 86,
    2012.

    Examples
    --------
    >>> import bayleaf as bl
    >>> X = [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 10
    >>> X = [[str(value) for value in row] for row in X]
    >>> y = [int(row[0] != row[1]) for row in X]
    >>> model = bl.AveragedClassifier(bl.A2DE()).fit(X, y)
    >>> model.score(X, y), len(model.estimators_)
    (1.0, 3)
    """

    def __init__(self, min_count: float = 1, weighted: bool = False) -> None:
        self.min_count = min_count
        self.weighted = weighted

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "min_count", self.min_count, float, low=0, low_open=True)
        check_param(self, "weighted", self.weighted, bool)

    def learn_all(self, table: Table, rng: np.random.Generator) -> list[MemberGraph]:
        """Return a graph for every pair of features as the super-parents."""
        self.check_params()
        require_target(table)
        features = range(len(table.features))
        pairs = list(combinations(features, 2))
        check_cells(self, table, pairs, "AODE()")
        weights = [1.0] * len(pairs)
        if self.weighted and pairs:
            information = PairInformation.of(table).joint_with_class()
            weights = or_equal(np.array([information[pair] for pair in pairs]))
        members = superparent_members(table, pairs, weights, min_count=self.min_count)
        if may_be_silent(members):
            single, level = [(feature,) for feature in features], int(bool(members))
            members += superparent_members(
                table, single, [1.0] * len(single), min_count=self.min_count, level=level
            )
        return members + last_resort(table, members)
