"""The training rows of a pool as all its members see them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Table
from bayleaf.tuning.folds import class_codes, doubt_about

from .grids import FineColumns, FloatArray, IntArray


@dataclass(frozen=True)
class PoolRows:
    """Rows of fine codes, with all that members ask of them.

    Attributes
    ----------
    fine : ndarray of shape (rows, columns)
        Fine codes, the largest of the type for a missing value.
    places : tuple of int
        Which columns of the table these are: those that tell rows apart.
    columns : FineColumns
    values : tuple of ndarray
        What the intervals of each column stand for, in numbers; empty for categories.
    target : int32 array of shape (rows,)
    classes : int
    weights : float64 array of shape (rows,), optional
    n_jobs : int, optional
    """

    fine: NDArray[Any]
    places: tuple[int, ...]
    columns: FineColumns
    values: tuple[FloatArray, ...]
    target: NDArray[np.int32]
    classes: int
    weights: FloatArray | None = None
    n_jobs: int | None = None

    @classmethod
    def of(cls, table: Table, centres: Mapping[int, FloatArray]) -> "PoolRows":
        """Take the rows of a table whose last column is the class; ``centres`` has the numbers of its intervals.

        Examples
        --------
        >>> from bayleaf.data import Variable
        >>> variables = (Variable("a", (1, 2)), Variable("b", (1,)), Variable("class", (0, 1)))
        >>> PoolRows.of(Table.from_codes(variables, [[0, 0, 0], [1, 0, 1]], target=2), {}).places
        (0,)
        """
        counts = [_counts(table, j) for j in table.features]
        places = tuple(j for j in table.features if np.count_nonzero(counts[j]) > 1)
        values = tuple(centres.get(j, np.empty(0)) for j in places)
        return cls(
            fine=np.asfortranarray(table.codes[:, list(places)]),
            places=places,
            columns=FineColumns(tuple(counts[j] for j in places), tuple(map(len, values))),
            values=values,
            target=class_codes(table),
            classes=int(table.arities[-1]),
            weights=table.weights,
            n_jobs=table.n_jobs,
        )

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.target)

    @property
    def n_columns(self) -> int:
        """The number of columns that tell rows apart."""
        return len(self.places)

    @property
    def numeric(self) -> list[int]:
        """The columns that are numbers."""
        return [j for j, intervals in enumerate(self.columns.intervals) if intervals]

    @property
    def class_weights(self) -> FloatArray:
        """What the rows of each class weigh together."""
        return np.bincount(self.target, self.weights, minlength=self.classes).astype(np.float64)

    @property
    def doubt(self) -> FloatArray:
        """How much of a row's label is doubted, by class."""
        return doubt_about(self.target, self.classes, self.weights)

    def take(self, rows: IntArray | slice) -> "PoolRows":
        """Return some of the rows; what is known of the columns stays."""
        return replace(
            self,
            fine=np.asfortranarray(self.fine[rows]),
            target=np.ascontiguousarray(self.target[rows]),
            weights=None if self.weights is None else np.ascontiguousarray(self.weights[rows]),
        )

    def numbers(self, values: Mapping[int, FloatArray]) -> FloatArray:
        """Return the numbers that the codes of some columns stand for, [column, row]; 0 for a missing value."""
        found = np.zeros((len(values), self.n_rows))
        for row, (j, own) in zip(found, values.items(), strict=True):
            np.take(np.append(own, 0.0), self.fine[:, j], mode="clip", out=row)
        return found


@dataclass(frozen=True)
class FoldOrder:
    """Rows in the order of their folds.

    Examples
    --------
    >>> folds = FoldOrder.of(np.array([1, 0, 1], dtype=np.uint8), 2)
    >>> folds.order.tolist(), folds.starts.tolist()
    ([1, 0, 2], [0, 1, 3])
    """

    fold: NDArray[np.uint8]
    order: IntArray
    starts: IntArray

    @classmethod
    def of(cls, fold: NDArray[np.uint8], folds: int) -> "FoldOrder":
        """Sort rows by their fold."""
        sizes = np.bincount(fold, minlength=folds)
        return cls(fold, np.argsort(fold, kind="stable"), np.concatenate([[0], np.cumsum(sizes)]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def n_rows(self) -> int:
        """The number of rows that have a fold."""
        return len(self.order)

    def rows(self, fold: int) -> IntArray:
        """Return the rows of a fold."""
        return self.order[self.starts[fold] : self.starts[fold + 1]]


def _counts(table: Table, column: int) -> FloatArray:
    """Return what the rows of each fine code weigh."""
    arity = int(table.arities[column])
    codes = np.minimum(table.codes[:, column], arity)
    return np.bincount(codes, table.weights, arity + 1)[:-1].astype(np.float64)
