"""The prequential score: each row is predicted from the rows before it."""

import numpy as np
from sklearn.base import BaseEstimator

from bayleaf._util.params import check_param
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.parameters import Laplace
from bayleaf.search.log_joint import Judgement, LogJointEvaluator
from bayleaf.search.samples import ClosedForm

from .score import Evaluator


class Prequential(BaseEstimator):  # type: ignore[misc]
    """Prequential local criterion (LC): the sum over rows of log P(c_m | x_m, rows before m).

    Parameters
    ----------
    shuffle : bool, default=False
        Draw a random order of the rows first; otherwise the order of the data counts.
    parameters : MaximumLikelihood, Laplace or Dirichlet, optional
        `Laplace` by default: after few rows, relative frequencies are too sure of themselves.

    References
    ----------
    P. Kontkanen, P. Myllymaki, T. Silander and H. Tirri. On supervised selection of Bayesian networks. Uncertainty in
    Artificial Intelligence, 1999.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [0, 0], [1, 1]], target=1)
    >>> alone = DAG(table.names)
    >>> value = Prequential().evaluator(table, alone, np.random.default_rng(0)).value
    >>> round(float(np.exp(value)), 4) == round(1 / 2 * 2 / 3 * 1 / 4, 4)
    True
    """

    def __init__(self, shuffle: bool = False, parameters: ClosedForm | None = None) -> None:
        self.shuffle = shuffle
        self.parameters = parameters

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "shuffle", self.shuffle, bool)

    def evaluator(self, table: Table, dag: DAG, rng: np.random.Generator) -> Evaluator:
        """Start a search at a graph."""
        self.check_params()
        if self.shuffle:
            table = table.take(rng.permutation(table.n_rows))
        parameters = self.parameters or Laplace()
        return LogJointEvaluator(table, dag, parameters, Judgement("log_loss"), rows_before=True, mean=False)
