"""The rows that cuts are learned from: their classes and weights, made ready once for all columns."""

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        kind = np.uint8 if len(counts) <= 256 else np.uint32
        codes = self.target if occurs.all() else numbers[self.target]
        return RowClasses(codes.astype(kind), np.cumsum(counts) - counts, len(counts))

    @cached_property
    def n_log_n(self) -> FloatArray:
        """Return n log2 n for every number of rows."""
        assert self.target is not None
        n = np.arange(len(self.target) + 1.0)
        logarithms = np.log2(np.maximum(n, 1.0))
        return np.multiply(n, logarithms, out=n)

    def work_space(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return room for one column, and for the largest of its classes; the same for all columns of a thread."""
        if not hasattr(self._spaces, "column"):  # fresh memory costs as much as half a sort
            counts = np.diff(self.classes.starts, append=len(self.classes.codes))
            self._spaces.column = np.empty(len(self.classes.codes), dtype=np.uint64)
            self._spaces.largest = np.empty(counts.max(initial=0), dtype=np.uint64)
        return self._spaces.column, self._spaces.largest

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
