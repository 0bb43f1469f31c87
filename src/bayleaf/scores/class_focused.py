"""Scores of the classifier that a graph makes of a table: the base class, and what such a score declares."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from bayleaf.data import Table
from bayleaf.network.costs import LossLike, cost_matrix


@dataclass(frozen=True)
class RowLoss:
    """What a row costs under a network's class posterior.

    Parameters
    ----------
    kind : {"error", "log_loss", "cost"}
        One for a wrong class; -log P(true class); the cost of the decision with the smallest expected cost.
    costs : ndarray of shape (classes, decisions), optional
        For "cost": what a decision costs in each true class.

    Examples
    --------
    >>> RowLoss("error").costs is None
    True
    """

    kind: Literal["error", "log_loss", "cost"]
    costs: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, loss: LossLike | None, table: Table, owner: str) -> "RowLoss":
        """Return the loss that a user asks for by costs: errors, if by none."""
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


class ClassFocusedScore(BaseEstimator, ABC):  # type: ignore[misc]
    """A score of the classifier that a graph makes of a table.

    The score only declares what counts, by ``criterion``; `bayleaf.search.evaluator_at` starts to count at a graph.
    """

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""

    @abstractmethod
    def criterion(self, table: Table) -> Criterion:
        """Return how networks are valued on a table whose class is known in every row."""


def check_classes(table: Table) -> Table:
    """Return a table in which every row has a class; refuse one that a class-focused score cannot use.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> check_classes(Table.from_codes((Variable("c", ("a", "b")),), [[0], [-1]], target=0))
    Traceback (most recent call last):
        ...
    ValueError: A class-focused score needs the class of every row: the target has missing values.
    """
    if table.target is None:
        raise ValueError("A class-focused score needs a class: the table has no target column.")
    if table.n_rows == 0:
        raise ValueError("A class-focused score needs rows to predict: the table has none.")
    if table.has_missing[table.target]:
        raise ValueError("A class-focused score needs the class of every row: the target has missing values.")
    if table.total_weight == 0:
        raise ValueError("A class-focused score needs rows that count: every weight is zero.")
    return table
