"""Scores that look at the class: how well the network's posterior of the class does on rows."""

import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bayleaf._util.params import check_param
from bayleaf.parameters import MaximumLikelihood
from bayleaf.table import Table

from .exchange import COSTS, ERRORS, EVERY_ROW, LOG_LOSS, NOT_JUDGED, Folding, LogJoint


class ClassFocusedScore(Protocol):
    """What a search asks of a class-focused score."""

    def log_joint(self, table: Table, rng: np.random.Generator) -> LogJoint:
        """Return the log-joint to search with, its rows judged as the score says."""
        ...


def _parameters(given: Any) -> Any:
    return MaximumLikelihood() if given is None else given


class ConditionalLogLikelihood(BaseEstimator):  # type: ignore[misc]
    """Conditional log-likelihood of the class, on the training rows."""

    penalty = 0.0

    def __init__(self, parameters: Any = None) -> None:
        self.parameters = parameters

    def log_joint(self, table: Table, rng: np.random.Generator) -> LogJoint:
        return LogJoint(table, EVERY_ROW, _parameters(self.parameters), LOG_LOSS)


class CMDL(ConditionalLogLikelihood):
    """0.5 dim log N - CLL."""

    def parameter_price(self, table: Table) -> float:
        return 0.5 * math.log(max(1.0, table.total_weight))


class CrossValidatedRisk(BaseEstimator):  # type: ignore[misc]
    """Mean validation loss over fixed folds."""

    def __init__(self, folds: int = 4, loss: Any = None, parameters: Any = None) -> None:
        self.folds = folds
        self.loss = loss
        self.parameters = parameters

    def log_joint(self, table: Table, rng: np.random.Generator) -> LogJoint:
        check_param(self, "folds", self.folds, int, low=2, high=254)
        fold = stratified_folds(table, self.folds, rng)
        kind = ERRORS if self.loss is None else COSTS
        return LogJoint(table, Folding(fold, self.folds), _parameters(self.parameters), kind, self.loss)


class HoldoutRisk(BaseEstimator):  # type: ignore[misc]
    """Loss on a hold-out."""

    def __init__(
        self, fraction: float = 0.25, fixed: bool = True, loss: Any = None, parameters: Any = None
    ) -> None:
        self.fraction = fraction
        self.fixed = fixed
        self.loss = loss
        self.parameters = parameters

    @property
    def fresh(self) -> bool:
        return not self.fixed

    def log_joint(self, table: Table, rng: np.random.Generator) -> LogJoint:
        held = np.full(table.n_rows, NOT_JUDGED, dtype=np.uint8)
        held[rng.permutation(table.n_rows)[: max(1, round(self.fraction * table.n_rows))]] = 0
        kind = ERRORS if self.loss is None else COSTS
        return LogJoint(table, Folding(held, 1), _parameters(self.parameters), kind, self.loss)


def stratified_folds(table: Table, folds: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Fold of each row; every class is spread evenly."""
    truth = table.codes[:, table.target]
    shuffled = rng.permutation(table.n_rows)
    order = shuffled[np.argsort(truth[shuffled], kind="stable")]
    fold = np.empty(table.n_rows, dtype=np.uint8)
    fold[order] = np.arange(table.n_rows) % folds
    return fold
