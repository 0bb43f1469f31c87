"""The rows that cuts are learned from: their classes and weights, made ready once for all columns."""

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_KERNEL_NUMBERS = frozenset(np.dtype(code) for code in "bhilqBHILQfd")


@dataclass(frozen=True)
class RowClasses:
    """Classes numbered without gaps."""

    codes: NDArray[np.uint8] | NDArray[np.uint32]
    starts: IntArray  # where the rows of each class would begin, if one class lay after the other
    n_classes: int


class TrainingRows:
    """Classes and weights of the rows of a table.

    Parameters
    ----------
    target : integer array of shape (n,), optional
        Class codes 0, 1, ...
    weights : float64 array of shape (n,), optional
        How many rows each row stands for, more than 0; None means one each.

    Examples
    --------
    >>> rows = TrainingRows(np.array([3, 0, 3]))
    >>> rows.classes.codes.tolist(), rows.classes.starts.tolist()
    ([1, 0, 1], [0, 1])
    """

    def __init__(self, target: IntArray | None, weights: FloatArray | None = None) -> None:
        self.target = target
        self.weights = None if weights is None or (weights == 1).all() else weights
        self._spaces = threading.local()

    @cached_property
    def classes(self) -> RowClasses:
        """The classes that occur."""
        assert self.target is not None
        counts = np.bincount(self.target)
        occurs = counts > 0
        numbers = np.cumsum(occurs) - 1
        counts = counts[occurs]
        codes = self.target if occurs.all() else numbers[self.target]
        narrow = codes.astype(np.uint8) if len(counts) <= 256 else codes.astype(np.uint32)
        return RowClasses(narrow, np.cumsum(counts) - counts, len(counts))

    @cached_property
    def class_weights(self) -> FloatArray:
        """Weight of the rows of each class, by its code."""
        assert self.target is not None
        return np.bincount(self.target, self.weights).astype(np.float64)

    def sorting_space(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return room for one column, and for the largest of its classes; the same for all columns of a thread."""
        largest = np.diff(self.classes.starts, append=len(self.classes.codes)).max(initial=0)
        return self._space("column", len(self.classes.codes)), self._space("class", int(largest))

    def side_by_side(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return a column whose numbers lie side by side: itself, or a copy until the thread asks for the next.

        In an array of rows, each look at a number fetches its neighbours as well: one look at each is enough.
        """
        if values.flags.c_contiguous or values.itemsize != 8 or not values.dtype.isnative:
            return values
        copy = self._space("copy", len(values)).view(values.dtype)
        copy[:] = values
        return copy

    def _space(self, name: str, size: int) -> NDArray[np.uint64]:
        space: NDArray[np.uint64] | None = getattr(self._spaces, name, None)
        if space is None or len(space) != size:  # fresh memory costs as much as half a sort
            space = np.empty(size, dtype=np.uint64)
            setattr(self._spaces, name, space)
        return space

    def known(self, missing: NDArray[np.bool_]) -> tuple[IntArray | None, FloatArray | None]:
        """Return classes and weights of the rows that are not missing."""
        if not missing.any():
            return self.target, self.weights
        known = ~missing
        return (
            None if self.target is None else self.target[known],
            None if self.weights is None else self.weights[known],
        )


def as_kernel_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as the kernels take them: as they are where they can be read in place, else as floats."""
    if values.dtype not in _KERNEL_NUMBERS:
        values = values.astype(np.float64)
    in_place = values.flags.aligned and all(step % values.itemsize == 0 for step in values.strides)
    return values if in_place else values.copy()


def sorted_numbers(values: NDArray[Any]) -> FloatArray:
    """Return the numbers that are not missing, in order.

    Examples
    --------
    >>> sorted_numbers(np.array([3, 1, 2]))
    array([1., 2., 3.])
    """
    one_class = np.zeros(len(values), dtype=np.uint8)
    ordered, spare = np.empty((2, len(values)), dtype=np.uint64)
    count = np.empty(1, dtype=np.int64)
    _core.sort_by_class(
        as_kernel_numbers(values), one_class, np.zeros(1, dtype=np.int64), ordered, spare, count
    )
    return ordered.view(np.float64)[: int(count[0])]
