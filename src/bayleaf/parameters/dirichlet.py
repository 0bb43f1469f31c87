"""Posterior means under a Dirichlet prior."""

import math

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bayleaf._util.params import check_param
from bayleaf.counts import Counts, family_counts
from bayleaf.graph import DAG
from bayleaf.table import Table

from .likelihood import Tables


class Dirichlet(BaseEstimator):  # type: ignore[misc]
    """Expected parameters given the data, with an equivalent sample size spread over each table.

    theta_ijk = (N_ijk + s / (r_i q_i)) / (N_ij + s / q_i), with r_i states, q_i parent configurations and
    equivalent sample size s: the estimate that belongs to the BDeu score.

    Parameters
    ----------
    ess : float, default=1.0
        Equivalent sample size s.

    References
    ----------
    W. L. Buntine. Theory refinement on Bayesian networks. Uncertainty in Artificial Intelligence, 1991.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]])
    >>> Dirichlet(ess=1.0).fit(table, DAG(["x"]))[0]
    array([0.625, 0.375])
    """

    def __init__(self, ess: float = 1.0) -> None:
        self.ess = ess

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "ess", self.ess, float, low=0, low_open=True, high=math.inf, high_open=True)

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node: one axis per parent, then the node's own."""
        self.check_params()
        return tuple(self.estimate(counts) for counts in family_counts(table, dag))

    def estimate(self, counts: Counts) -> NDArray[np.float64]:
        """Estimate one table from the counts of its family: parents first, the node last."""
        estimate: NDArray[np.float64] = (counts + self.ess / counts.size) / (
            counts.sum(axis=-1, keepdims=True) + self.ess * counts.shape[-1] / counts.size
        )
        return estimate
