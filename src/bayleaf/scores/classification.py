"""Scores that count wrong decisions: training accuracy, cross-validated risk, hold-out risk."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bayleaf._util.params import check_param
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.network.costs import LossLike, cost_matrix
from bayleaf.parameters import MaximumLikelihood
from bayleaf.search.log_joint import Judgement, LogJointEvaluator
from bayleaf.search.refit import ParameterLearner, RefitEvaluator
from bayleaf.search.samples import ClosedForm, holdout, stratified_folds

from .score import Change, Evaluator


class ClassificationRate(BaseEstimator):  # type: ignore[misc]
    """Training accuracy (CR): the share of rows that the network, fitted to them, classifies rightly.

    Parameters
    ----------
    parameters : parameter learner, optional
        Parameters of the networks that are judged; `MaximumLikelihood` by default. `MaximumLikelihood`, `Laplace`
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
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [1, 1], [1, 1], [1, 0]], target=1)
    >>> naive = DAG(table.names, [("class", "x")])
    >>> ClassificationRate().evaluator(table, naive, np.random.default_rng(0)).value
    0.75
    """

    def __init__(self, parameters: ParameterLearner | None = None) -> None:
        self.parameters = parameters

    def evaluator(self, table: Table, dag: DAG, rng: np.random.Generator) -> Evaluator:
        """Start a search at a graph."""
        parameters = self.parameters or MaximumLikelihood()
        if not isinstance(parameters, ClosedForm):
            return RefitEvaluator(table, dag, parameters, "error")
        return LogJointEvaluator(table, dag, parameters, Judgement("error"), offset=1.0)


class CrossValidatedRisk(BaseEstimator):  # type: ignore[misc]
    """Minus the mean loss of rows that are judged by tables which do not know their fold (RMCV).

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
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [1, 1]] * 4, target=1)
    >>> naive = DAG(table.names, [("class", "x")])
    >>> CrossValidatedRisk(folds=2).evaluator(table, naive, np.random.default_rng(0)).value
    0.0
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

    def evaluator(self, table: Table, dag: DAG, rng: np.random.Generator) -> Evaluator:
        """Start a search at a graph."""
        self.check_params()
        judgement = _judgement(self.loss, table, type(self).__name__)
        fold = stratified_folds(table, self.folds, rng, type(self).__name__)
        return LogJointEvaluator(table, dag, self.parameters or MaximumLikelihood(), judgement, fold=fold)


class HoldoutRisk(BaseEstimator):  # type: ignore[misc]
    """Minus the mean loss of a held-out part of the rows, judged by tables of the rest (RMHO).

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
    With ``fixed=False``, a step compares the neighbours, judged on the rows just drawn, with the score by which the
    current graph was chosen, on the rows drawn before. That is the paper's algorithm taken literally: a graph and its
    score "are kept as the current graph and score", and a random hold-out is selected in each step. So the score
    falls with every step and the search ends; judging the current graph anew on each draw would let it circle. A
    lucky draw is hard to beat and may end the search early. Added arcs that leave the class posterior alone are never
    tried, though on another draw even they may look better. Hold-outs are stratified by class here; the paper does
    not say.

    References
    ----------
    R. Kelner and B. Lerner. Learning Bayesian network classifiers by risk minimization. International Journal of
    Approximate Reasoning 53, 2012.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [1, 1]] * 4, target=1)
    >>> naive = DAG(table.names, [("class", "x")])
    >>> HoldoutRisk().evaluator(table, naive, np.random.default_rng(0)).value
    0.0
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

    def evaluator(self, table: Table, dag: DAG, rng: np.random.Generator) -> Evaluator:
        """Start a search at a graph."""
        self.check_params()
        judgement = _judgement(self.loss, table, type(self).__name__)
        parameters = self.parameters or MaximumLikelihood()

        def draw(current: DAG) -> LogJointEvaluator:
            fold = holdout(table, self.fraction, rng)
            return LogJointEvaluator(table, current, parameters, judgement, fold=fold)

        return draw(dag) if self.fixed else _FreshHoldout(draw, dag)


class _FreshHoldout:
    """An evaluator that holds out other rows after every step."""

    def __init__(self, draw: Callable[[DAG], LogJointEvaluator], dag: DAG) -> None:
        self._draw = draw
        self._nodes = dag.nodes
        self._now = draw(dag)

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        return self._now.parents

    @property
    def value(self) -> float:
        return self._now.value

    def scores(self, node: int, parent_sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        return self._now.scores(node, parent_sets)

    def best(self, node: int, parent_sets: Sequence[Sequence[int]], above: float) -> tuple[int, float] | None:
        return self._now.best(node, parent_sets, above)

    def change_scores(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        return self._now.change_scores(changes)

    def best_change(self, changes: Sequence[Change], above: float) -> tuple[int, float] | None:
        return self._now.best_change(changes, above)

    def commit(self, change: Change) -> None:
        parents = [change.get(node, known) for node, known in enumerate(self._now.parents)]
        self._now = self._draw(DAG.from_parents(self._nodes, parents))


def _judgement(loss: LossLike | None, table: Table, owner: str) -> Judgement:
    if loss is None or table.target is None:
        return Judgement("error")
    return Judgement("cost", cost_matrix(loss, table.variables[table.target].states, owner))
