"""Feature weights by conditional likelihood: WANBIA, and weighted trees."""

import math

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator

from bayleaf._util.params import check_param
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.parameters import ParameterLearner, Tables
from bayleaf.parameters.conditional_objective import Objective

from .folds import FloatArray
from .weighted import check_start, start_tables, weighted_tables


class WANBIA(BaseEstimator):  # type: ignore[misc]
    """Weigh every feature by what that does to the conditional likelihood of the classes (Zaidi et al.).

        P(c | x) is proportional to P(c) prod_i P(x_i | c, pa_i)^{w_i}

    with tables P that stay as they are estimated, and weights w_i that maximise

        sum over rows of log P(c | x) - penalty / 2 |w - 1|^2,   0 <= w_i <= bound,

    by L-BFGS-B from w = 1. With `NaiveBayes` this is WANBIA, with `TAN` a weighted TAN. The result is an ordinary
    network of the same graph: tables are normalised, and the class absorbs what is left over.

    Parameters
    ----------
    start : parameter learner, optional
        The tables that are weighed; `Laplace` by default. It must leave no zero.
    bound : float or None, default=1.0
        The largest weight; None for no bound.
    penalty : float, default=0.0
        How strongly weights are drawn to 1.
    max_iter : int, default=200
        Iterations at most.

    Notes
    -----
    Differs from the paper, which has naive Bayes only, in that any graph may be weighed in which the parents of each
    node are connected. The class is not weighed. In a row with missing values, families that miss one are left out of
    the likelihood.

    References
    ----------
    N. A. Zaidi, J. Cerquides, M. J. Carman and G. I. Webb. Alleviating naive Bayes attribute independence assumption
    by attribute weighting. Journal of Machine Learning Research 14, 2013.

    Examples
    --------
    >>> import bayleaf as bl
    >>> X = [["a", "a"], ["a", "a"], ["b", "b"], ["a", "a"], ["b", "b"], ["b", "b"]] * 5  # the same thing twice
    >>> y = [0, 0, 1, 1, 1, 0] * 5
    >>> naive = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace()).fit(X, y)
    >>> weighed = bl.BayesNetClassifier(bl.NaiveBayes(), bl.WANBIA()).fit(X, y)
    >>> naive.predict_proba([["a", "a"]]).round(2), weighed.predict_proba([["a", "a"]]).round(2)
    (array([[0.77, 0.23]]), array([[0.67, 0.33]]))
    """

    def __init__(
        self,
        start: ParameterLearner | None = None,
        bound: float | None = 1.0,
        penalty: float = 0.0,
        max_iter: int = 200,
    ) -> None:
        self.start = start
        self.bound = bound
        self.penalty = penalty
        self.max_iter = max_iter

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_start(self, self.start)
        check_param(self, "bound", self.bound, float, low=0, low_open=True, allow_none=True)
        check_param(self, "penalty", self.penalty, float, low=0, high=math.inf, high_open=True)
        check_param(self, "max_iter", self.max_iter, int, low=0)

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node: one axis per parent, then the node's own."""
        self.check_params()
        tables = start_tables(self, self.start, table, dag)
        return weighted_tables(dag, tables, self._optimised(table, dag, tables))

    def weights(self, table: Table, dag: DAG) -> dict[str, float]:
        """Return the weight of every feature of a graph, by name."""
        self.check_params()
        found = self._optimised(table, dag, start_tables(self, self.start, table, dag))
        return {name: float(found[k]) for k, name in enumerate(dag.nodes) if k != table.target}

    def _optimised(self, table: Table, dag: DAG, tables: Tables) -> FloatArray:
        """Return the weight of every node, 1 for the class."""
        objective = Objective.of(table, dag, tables, every_cell=True)
        sizes = [part.size for part in tables]
        owner = np.repeat(np.arange(len(tables)), sizes)
        logarithms, rows = objective.start, max(objective.rows, 1.0)
        fixed = np.arange(len(tables)) == table.target

        def loss(weights: FloatArray) -> tuple[float, FloatArray]:
            value, by_cell = objective.by_cell(weights[owner] * logarithms)
            gradient = np.bincount(owner, by_cell * logarithms, minlength=len(tables))
            away = weights - 1.0
            return (-value + 0.5 * self.penalty * float(away @ away)) / rows, np.where(
                fixed, 0.0, (self.penalty * away - gradient) / rows
            )

        ones = np.ones(len(tables))
        if self.max_iter == 0 or objective.rows == 0:
            return ones
        found = minimize(
            loss,
            np.minimum(ones, np.where(fixed, 1.0, self.bound or math.inf)),
            jac=True,
            method="L-BFGS-B",
            bounds=[(1.0, 1.0) if own else (0.0, self.bound) for own in fixed],
            options={"maxiter": self.max_iter, "ftol": 1e-12, "gtol": 1e-7},
        )
        return np.asarray(found.x)
