"""Scores that sum log-probabilities of the class: CLL, CMDL, cross-validated log-loss."""

from collections.abc import Sequence
from math import prod

import numpy as np
from sklearn.base import BaseEstimator

from bayleaf._util.params import check_param
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.parameters import MaximumLikelihood
from bayleaf.search.log_joint import Judgement, LogJointEvaluator
from bayleaf.search.refit import ParameterLearner, RefitEvaluator
from bayleaf.search.samples import ClosedForm, stratified_folds

from .likelihood import parameter_price
from .score import Evaluator, check_judged


class ConditionalLogLikelihood(BaseEstimator):  # type: ignore[misc]
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
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [0, 1], [1, 1], [1, 0]], target=1)
    >>> alone = DAG(table.names)
    >>> round(ConditionalLogLikelihood().evaluator(table, alone, np.random.default_rng(0)).value, 4)
    -2.7726
    """

    def __init__(self, parameters: ParameterLearner | None = None) -> None:
        self.parameters = parameters

    def evaluator(self, table: Table, dag: DAG, rng: np.random.Generator) -> Evaluator:
        """Start a search at a graph."""
        parameters = self.parameters or MaximumLikelihood()
        if not isinstance(parameters, ClosedForm):
            return RefitEvaluator(table, dag, parameters, "log_loss")
        return LogJointEvaluator(table, dag, parameters, Judgement("log_loss"), mean=False)


class CMDL(BaseEstimator):  # type: ignore[misc]
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
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [0, 1], [1, 1], [1, 0]], target=1)
    >>> alone = DAG(table.names)
    >>> round(CMDL().evaluator(table, alone, np.random.default_rng(0)).value, 4)
    -4.1589
    """

    def __init__(self, parameters: ClosedForm | None = None) -> None:
        self.parameters = parameters

    def evaluator(self, table: Table, dag: DAG, rng: np.random.Generator) -> Evaluator:
        """Start a search at a graph."""
        per_parameter = parameter_price(check_judged(table))
        arities = [int(arity) for arity in table.arities]

        def penalty(parents: Sequence[Sequence[int]]) -> float:
            return per_parameter * sum(
                prod(arities[p] for p in of_node) * (arities[node] - 1)
                for node, of_node in enumerate(parents)
            )

        parameters = self.parameters or MaximumLikelihood()
        return LogJointEvaluator(table, dag, parameters, Judgement("log_loss"), mean=False, penalty=penalty)


class CrossValidatedLogLoss(BaseEstimator):  # type: ignore[misc]
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
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [0, 1], [1, 1], [1, 0]] * 5, target=1)
    >>> alone = DAG(table.names)
    >>> round(CrossValidatedLogLoss(folds=5).evaluator(table, alone, np.random.default_rng(0)).value, 4)
    -13.8629
    """

    def __init__(self, folds: int = 10, parameters: ClosedForm | None = None) -> None:
        self.folds = folds
        self.parameters = parameters

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "folds", self.folds, int, low=2, high=250)

    def evaluator(self, table: Table, dag: DAG, rng: np.random.Generator) -> Evaluator:
        """Start a search at a graph."""
        self.check_params()
        fold = stratified_folds(table, self.folds, rng, type(self).__name__)
        parameters = self.parameters or MaximumLikelihood()
        return LogJointEvaluator(table, dag, parameters, Judgement("log_loss"), fold=fold, mean=False)
