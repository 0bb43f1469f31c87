"""Scores that sum log-probabilities of the class: CLL, CMDL, cross-validated log-loss, prequential."""

from bayleaf._util.params import check_param
from bayleaf.data import Table
from bayleaf.parameters import ClosedForm, Laplace, MaximumLikelihood, ParameterLearner

from .class_focused import ClassFocusedScore, Criterion, Folds, RowLoss, RowsBefore
from .likelihood import parameter_price


class ConditionalLogLikelihood(ClassFocusedScore):
    """CLL: the sum over training rows of log P(c | x), natural logarithm.

    Parameters
    ----------
    parameters : parameter learner, optional
        As in `ClassificationRate`.

    Notes
    -----
    In a row with missing values, families that miss one are left out, here as in counting; a classifier sums the
    missing values out instead, so that its accuracy on such rows may be another.

    References
    ----------
    D. Grossman and P. Domingos. Learning Bayesian network classifiers by maximizing conditional likelihood.
    ICML 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from bayleaf.data import Variable
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.search import evaluator_at
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [0, 1], [1, 1], [1, 0]], target=1)
    >>> alone = DAG(table.names)
    >>> round(evaluator_at(ConditionalLogLikelihood(), table, alone, np.random.default_rng(0)).value, 4)
    -2.7726
    """

    def __init__(self, parameters: ParameterLearner | None = None) -> None:
        self.parameters = parameters

    def criterion(self, table: Table) -> Criterion:
        """Return how networks are valued on a table."""
        parameters = self.parameters or MaximumLikelihood()
        return Criterion(RowLoss("log_loss"), parameters, mean=False, any_learner=True)


class CMDL(ClassFocusedScore):
    """Conditional MDL, negated: CLL - (log N / 2) dim(G), where dim counts the free parameters of all nodes.

    N is the weight of all rows; where that is below one, parameters are free.

    Parameters
    ----------
    parameters : MaximumLikelihood, Laplace or Dirichlet, optional

    References
    ----------
    D. Grossman and P. Domingos. Learning Bayesian network classifiers by maximizing conditional likelihood.
    ICML 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from bayleaf.data import Variable
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.search import evaluator_at
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [0, 1], [1, 1], [1, 0]], target=1)
    >>> alone = DAG(table.names)
    >>> round(evaluator_at(CMDL(), table, alone, np.random.default_rng(0)).value, 4)
    -4.1589
    """

    def __init__(self, parameters: ClosedForm | None = None) -> None:
        self.parameters = parameters

    def criterion(self, table: Table) -> Criterion:
        """Return how networks are valued on a table."""
        parameters = self.parameters or MaximumLikelihood()
        return Criterion(RowLoss("log_loss"), parameters, mean=False, price=parameter_price(table))


class CrossValidatedLogLoss(ClassFocusedScore):
    """CV_K: the sum over rows of log P(c | x) under tables that do not know the row's fold.

    Parameters
    ----------
    folds : int, default=10
    parameters : MaximumLikelihood, Laplace or Dirichlet, optional
        `MaximumLikelihood` by default.

    References
    ----------
    R. Kelner and B. Lerner. Learning Bayesian network classifiers by risk minimization. International Journal of
    Approximate Reasoning 53, 2012.

    Examples
    --------
    >>> from bayleaf import HillClimbing
    >>> HillClimbing(CrossValidatedLogLoss(folds=5), start="naive")
    HillClimbing(score=CrossValidatedLogLoss(folds=5), start='naive')
    """

    def __init__(self, folds: int = 10, parameters: ClosedForm | None = None) -> None:
        self.folds = folds
        self.parameters = parameters

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "folds", self.folds, int, low=2, high=250)

    def criterion(self, table: Table) -> Criterion:
        """Return how networks are valued on a table."""
        parameters = self.parameters or MaximumLikelihood()
        return Criterion(RowLoss("log_loss"), parameters, Folds(self.folds), mean=False)


class Prequential(ClassFocusedScore):
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
    >>> import numpy as np
    >>> from bayleaf.data import Variable
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.search import evaluator_at
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [0, 0], [1, 1]], target=1)
    >>> alone = DAG(table.names)
    >>> value = evaluator_at(Prequential(), table, alone, np.random.default_rng(0)).value
    >>> round(float(np.exp(value)), 4) == round(1 / 2 * 2 / 3 * 1 / 4, 4)
    True
    """

    def __init__(self, shuffle: bool = False, parameters: ClosedForm | None = None) -> None:
        self.shuffle = shuffle
        self.parameters = parameters

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "shuffle", self.shuffle, bool)

    def criterion(self, table: Table) -> Criterion:
        """Return how networks are valued on a table."""
        parameters = self.parameters or Laplace()
        return Criterion(RowLoss("log_loss"), parameters, RowsBefore(self.shuffle), mean=False)
