"""Scores of the classifier that a graph makes of a table: what such a score declares, and the scores.

First those that count wrong decisions (training accuracy, cross-validated and hold-out risk), then those that sum
log-probabilities of the class (CLL, CMDL, cross-validated log-loss, prequential).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import WithSettings, declared, flag, number, whole
from bayleaf.counts import required_classes
from bayleaf.data import Table
from bayleaf.learn.parameters import ClosedForm, Laplace, MaximumLikelihood, ParameterLearner
from bayleaf.network.decisions import LossLike, cost_matrix

from .likelihood import parameter_price


@dataclass(frozen=True)
class RowLoss:
    """What a row costs under a network's class posterior.

    Parameters
    ----------
    kind : {"error", "log_loss", "cost"}
        One for a wrong class; -log P(true class); the cost of the decision with the smallest expected cost.
    costs : ndarray of shape (classes, decisions), optional
        For "cost": what a decision costs in each true class.
    """

    kind: Literal["error", "log_loss", "cost"]
    costs: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, loss: LossLike | None, table: Table, owner: str) -> "RowLoss":
        """Return the loss for the costs that a user gives; errors, if none are given."""
        if loss is None or table.target is None:
            return cls("error")
        return cls("cost", cost_matrix(loss, table.variables[table.target].states, owner))


@dataclass(frozen=True)
class Folds:
    """Predict each row from tables of the rows in other folds; folds are drawn once, each class alike."""

    number: int


@dataclass(frozen=True)
class Holdout:
    """Predict a part of the rows from tables of the rest: always the same part, or another one after every step."""

    fraction: float
    fixed: bool


@dataclass(frozen=True)
class RowsBefore:
    """Predict each row from tables of the rows before it, in the order of the data or in a random one."""

    shuffle: bool


@dataclass(frozen=True)
class Criterion:
    """How a class-focused score values a network: declared by the score, computed by a search.

    Parameters
    ----------
    loss : RowLoss
    parameters : parameter learner
        How the networks' tables are estimated.
    split : Folds, Holdout or RowsBefore, optional
        Which rows are predicted from tables of which; by default all of them from tables of all.
    mean : bool
        Whether the score is minus the mean loss of the rows, or minus their sum.
    offset : float
        Added to the score.
    price : float
        Taken off once per free parameter.
    any_learner : bool
        Whether parameters without a closed form are accepted; each candidate is then fitted from scratch.
    """

    loss: RowLoss
    parameters: Any
    split: Folds | Holdout | RowsBefore | None = None
    mean: bool = True
    offset: float = 0.0
    price: float = 0.0
    any_learner: bool = False


class ClassFocusedScore(WithSettings, ABC):
    """A score of the classifier that a graph makes of a table.

    The score only declares what counts, by ``criterion``; `bayleaf.learn.search.evaluator_at` starts to count at
    a graph.
    """

    @abstractmethod
    def criterion(self, table: Table) -> Criterion:
        """Return how networks are valued on a table whose class is known in every row."""


def check_classes(table: Table) -> Table:
    """Return a table in which every row has a class; refuse one that a class-focused score cannot use."""
    required_classes(table, "A class-focused score")
    if table.n_rows == 0:
        raise ValueError("A class-focused score needs rows to predict: the table has none.")
    if table.total_weight == 0:
        raise ValueError("A class-focused score needs rows that count: every weight is zero.")
    return table


class ClassificationRate(ClassFocusedScore):
    """Training accuracy (CR): the share of rows that the network, fitted to them, classifies correctly.

    Parameters
    ----------
    parameters : parameter learner, optional
        Parameters of the networks that are compared; `MaximumLikelihood` by default. `MaximumLikelihood`, `Laplace`
        and `Dirichlet` are fast; any other learner (`ConditionalLikelihood`) is fitted anew for every candidate.

    Notes
    -----
    In a row with missing values, families that miss one are left out, here as in counting; a classifier sums the
    missing values out instead, so that its accuracy on such rows may be another.

    References
    ----------
    E. J. Keogh and M. J. Pazzani. Learning augmented Bayesian classifiers: a comparison of distribution-based and
    classification-based approaches. AISTATS 1999.

    Examples
    --------
    >>> from bayleaf import HillClimbing
    >>> HillClimbing(ClassificationRate(), start="naive")
    HillClimbing(score=ClassificationRate(), start='naive')
    """

    def __init__(self, parameters: ParameterLearner | None = None) -> None:
        self.parameters = parameters

    def criterion(self, table: Table) -> Criterion:
        """Return how networks are valued on a table."""
        parameters = self.parameters or MaximumLikelihood()
        return Criterion(RowLoss("error"), parameters, offset=1.0, any_learner=True)


class CrossValidatedRisk(ClassFocusedScore):
    """Minus the mean loss of rows that are predicted from tables which do not know their fold (RMCV).

    Folds are drawn once, at the start of a search. The tables of a fold are the counts of all rows minus those of
    the fold: no model is ever fitted twice.

    Parameters
    ----------
    folds : int, default=4
    loss : matrix, DataFrame or function, optional
        Cost [true class, decision] in the order of the sorted labels, a DataFrame labelled by them, or a function of
        the two labels; decisions then minimise expected cost. One for each wrong decision by default. Costs
        may be negative, but none of a mistake may lie below that of the right decision. A matrix with more or fewer
        columns than classes has decisions of its own, such as "ask an expert".
    parameters : MaximumLikelihood, Laplace or Dirichlet, optional
        `MaximumLikelihood` by default.

    References
    ----------
    R. Kelner and B. Lerner. Learning Bayesian network classifiers by risk minimization. International Journal of
    Approximate Reasoning 53, 2012.

    Examples
    --------
    >>> from bayleaf import HillClimbing
    >>> HillClimbing(CrossValidatedRisk(folds=10), start="naive")
    HillClimbing(score=CrossValidatedRisk(folds=10), start='naive')
    """

    settings = declared(folds=whole(low=2, high=250))

    def __init__(
        self, folds: int = 4, loss: LossLike | None = None, parameters: ClosedForm | None = None
    ) -> None:
        self.folds = folds
        self.loss = loss
        self.parameters = parameters

    def criterion(self, table: Table) -> Criterion:
        """Return how networks are valued on a table."""
        loss = RowLoss.of(self.loss, table, type(self).__name__)
        return Criterion(loss, self.parameters or MaximumLikelihood(), Folds(self.folds))


class HoldoutRisk(ClassFocusedScore):
    """Minus the mean loss of a held-out part of the rows, predicted from tables of the rest (RMHO).

    Parameters
    ----------
    fraction : float, default=0.25
        Part of the rows that is held out.
    fixed : bool, default=True
        Hold out the same rows during the whole search (RMHO-f), or draw others after every step (RMHO).
    loss : matrix, DataFrame or function, optional
        As in `CrossValidatedRisk`.
    parameters : MaximumLikelihood, Laplace or Dirichlet, optional

    Notes
    -----
    With ``fixed=False``, a step compares the neighbours, scored on the rows just drawn, with the score by which the
    current graph was chosen, on the rows drawn before. That is the paper's algorithm taken literally: a graph and its
    score "are kept as the current graph and score", and a random hold-out is selected in each step. So the score
    falls with every step and the search ends; scoring the current graph anew on each draw would let it circle. A
    lucky draw is hard to beat and may end the search early. Added arcs that leave the class posterior alone are never
    tried, though on another draw even they may look better. Hold-outs are stratified by class here; the paper does
    not say.

    References
    ----------
    R. Kelner and B. Lerner. Learning Bayesian network classifiers by risk minimization. International Journal of
    Approximate Reasoning 53, 2012.

    Examples
    --------
    >>> from bayleaf import HillClimbing
    >>> HillClimbing(HoldoutRisk(fraction=0.5), start="naive")
    HillClimbing(score=HoldoutRisk(fraction=0.5), start='naive')
    """

    settings = declared(fraction=number(above=0, below=1), fixed=flag)

    def __init__(
        self,
        fraction: float = 0.25,
        fixed: bool = True,
        loss: LossLike | None = None,
        parameters: ClosedForm | None = None,
    ) -> None:
        self.fraction = fraction
        self.fixed = fixed
        self.loss = loss
        self.parameters = parameters

    def criterion(self, table: Table) -> Criterion:
        """Return how networks are valued on a table."""
        loss = RowLoss.of(self.loss, table, type(self).__name__)
        return Criterion(loss, self.parameters or MaximumLikelihood(), Holdout(self.fraction, self.fixed))


class ConditionalLogLikelihood(ClassFocusedScore):
    """CLL: the sum over training rows of log P(c | x), natural logarithm.

    Parameters
    ----------
    parameters : parameter learner, optional
        As in `ClassificationRate`, and so are missing values.

    References
    ----------
    D. Grossman and P. Domingos. Learning Bayesian network classifiers by maximizing conditional likelihood.
    ICML 2004.

    Examples
    --------
    >>> from bayleaf import HillClimbing
    >>> HillClimbing(ConditionalLogLikelihood(), start="naive")
    HillClimbing(score=ConditionalLogLikelihood(), start='naive')
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
    >>> from bayleaf import HillClimbing
    >>> HillClimbing(CMDL(), start="naive")
    HillClimbing(score=CMDL(), start='naive')
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

    settings = declared(folds=whole(low=2, high=250))

    def __init__(self, folds: int = 10, parameters: ClosedForm | None = None) -> None:
        self.folds = folds
        self.parameters = parameters

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
    >>> from bayleaf import HillClimbing
    >>> HillClimbing(Prequential(shuffle=True), start="naive")
    HillClimbing(score=Prequential(shuffle=True), start='naive')
    """

    settings = declared(shuffle=flag)

    def __init__(self, shuffle: bool = False, parameters: ClosedForm | None = None) -> None:
        self.shuffle = shuffle
        self.parameters = parameters

    def criterion(self, table: Table) -> Criterion:
        """Return how networks are valued on a table."""
        parameters = self.parameters or Laplace()
        return Criterion(RowLoss("log_loss"), parameters, RowsBefore(self.shuffle), mean=False)
