"""Which columns of a batch are which, and which of its rows count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf.data.columns import ColumnType, complete_rows, resolve_column_types
from bayleaf.data.target import categorical_mask

from .class_labels import ClassLabels

Weights = NDArray[np.float64] | None


@dataclass(frozen=True)
class Labelled:
    """The rows of a batch that count, with the numbers of their classes and their weights.

    Parameters
    ----------
    frame : polars.DataFrame
    target : ndarray of int
    weights : ndarray, optional
    without_class : int
        Rows of the batch that have no class.
    """

    frame: pl.DataFrame
    target: NDArray[np.int64]
    weights: Weights
    without_class: int


@dataclass(frozen=True)
class RowRules:
    """What is asked of every batch, wherever it is read.

    Parameters
    ----------
    features : tuple of str
    target : str
        The column of the class.
    weight : str, optional
        The column of the rows' weights.
    types : tuple
        What each feature is said to be, None where nothing is said.
    categorical : ndarray of bool
        Which features are categories whatever they look like.
    identifiers : bool
        Whether columns that look like identifiers are looked for.
    complete : bool
        Whether rows with a gap are left out.

    Examples
    --------
    >>> rules = RowRules(("x",), "y", None, (None,), np.zeros(1, dtype=bool), False, False)
    >>> rows = rules.labelled(pl.DataFrame({"x": [1, 2], "y": ["a", None]}), ClassLabels("y"), grow=True)
    >>> rows.frame.height, rows.without_class
    (1, 1)
    """

    features: tuple[str, ...]
    target: str
    weight: str | None
    types: tuple[ColumnType | None, ...]
    categorical: NDArray[np.bool_]
    identifiers: bool
    complete: bool

    @classmethod
    def of(cls, owner: Any, features: Sequence[str], target: str, weight: str | None) -> Self:
        """Return the rules that the settings of an estimator mean."""
        types = tuple(resolve_column_types(owner.column_types, list(features), has_names=True))
        mask = categorical_mask(owner.categorical_features, list(features), has_names=True)
        return cls(
            tuple(features),
            target,
            weight,
            types,
            mask | np.array([each == "category" for each in types]),
            owner.identifiers == "drop",
            owner.missing == "drop",
        )

    @property
    def columns(self) -> list[str]:
        """All columns that are read."""
        return [*self.features, self.target, *([] if self.weight is None else [self.weight])]

    def labelled(self, frame: pl.DataFrame, labels: ClassLabels, *, grow: bool = False) -> Labelled:
        """Return the rows of a batch that count; ``grow`` says whether new class labels may come."""
        codes = labels.codes(frame[self.target], grow=grow)
        counts = codes >= 0
        without_class = int(np.count_nonzero(~counts))
        weights = None if self.weight is None else row_weights(frame[self.weight])
        if weights is not None:
            counts &= weights > 0
        if self.complete and frame.height:
            counts &= complete_rows(frame.select(self.features))
        if not counts.all():
            frame, codes = frame.filter(pl.Series(counts)), codes[counts]
            weights = None if weights is None else weights[counts]
        return Labelled(frame, codes, weights, without_class)


def row_weights(column: pl.Series) -> NDArray[np.float64]:
    """Return the weights of a batch of rows; refuse what is no weight.

    Examples
    --------
    >>> row_weights(pl.Series("w", [1, 2]))
    array([1., 2.])
    """
    if not column.dtype.is_numeric():
        raise TypeError(f"The weights in '{column.name}' must be numbers; the column holds {column.dtype}.")
    weights = column.cast(pl.Float64).to_numpy()
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"The weights in '{column.name}' must be finite numbers from zero on, in every row.")
    return weights
