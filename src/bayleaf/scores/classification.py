"""Scores that count wrong decisions: training accuracy, cross-validated risk, hold-out risk."""

from bayleaf._util.params import check_param
from bayleaf.data import Table
from bayleaf.network.costs import LossLike
from bayleaf.parameters import ClosedForm, MaximumLikelihood, ParameterLearner

from .class_focused import ClassFocusedScore, Criterion, Folds, Holdout, RowLoss


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
    >>> import numpy as np
    >>> from bayleaf.data import Variable
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.search import evaluator_at
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [1, 1], [1, 1], [1, 0]], target=1)
    >>> naive = DAG(table.names, [("class", "x")])
    >>> evaluator_at(ClassificationRate(), table, naive, np.random.default_rng(0)).value
    0.75
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

    def __init__(
        self, folds: int = 4, loss: LossLike | None = None, parameters: ClosedForm | None = None
    ) -> None:
        self.folds = folds
        self.loss = loss
        self.parameters = parameters

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "folds", self.folds, int, low=2, high=250)

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

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "fraction", self.fraction, float, low=0, high=1, low_open=True, high_open=True)
        check_param(self, "fixed", self.fixed, bool)

    def criterion(self, table: Table) -> Criterion:
        """Return how networks are valued on a table."""
        loss = RowLoss.of(self.loss, table, type(self).__name__)
        return Criterion(loss, self.parameters or MaximumLikelihood(), Holdout(self.fraction, self.fixed))
