"""Columns of an array of whole numbers, several at once and in one byte each.

An array keeps its rows together, so that one column of it lies in as many places as there are rows, and reading it
moves eight times its bytes or more. Neighbouring columns are in the same places: read together, they cost little more
than one.
"""

from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDTH = 20  # columns of a block: they stand beside the codes in memory, a byte a value
_FEWEST_ROWS = 10_000
_ROWS = 2048  # at a time, so that they stay in the processor's cache


class NarrowBlocks:
    """Columns of an array by position, small whole numbers in one byte; others as they are in the array.

    Several threads may ask, about neighbouring columns at about the same time: the last block is kept.

    Examples
    --------
    >>> blocks = NarrowBlocks(np.arange(60_000).reshape(20_000, 3) % 5)
    >>> blocks.column(1)[:4], blocks.column(1).dtype
    (array([1, 4, 2, 0], dtype=int8), dtype('int8'))
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array
        self._first = -1
        self._block: NDArray[np.int8] | None = None
        self._lock = Lock()
        rows, columns = array.shape
        whole = array.dtype.kind in "iu" and array.dtype.itemsize > 1
        self._serves = whole and rows >= _FEWEST_ROWS and columns > 1 and array.flags.c_contiguous

    def column(self, j: int) -> NDArray[Any]:
        """Return a column."""
        if not self._serves:
            return self._array[:, j]
        first = j - j % WIDTH
        with self._lock:
            if first != self._first:
                self._first, self._block = first, None  # the old one may go before the new one comes
                self._block = narrowed(self._array[:, first : first + WIDTH])
            block = self._block
        return self._array[:, j] if block is None else block[j - first]


def narrowed(part: NDArray[Any]) -> NDArray[np.int8] | None:
    """Return columns of whole numbers one after the other in one byte a value; None if some value needs more.

    Examples
    --------
    >>> narrowed(np.array([[1, -2], [3, 4]]))
    array([[ 1,  3], [-2,  4]], dtype=int8)
    >>> narrowed(np.array([[1, 128]])) is None
    True
    """
    columns = np.empty(part.shape[::-1], dtype=np.int8)
    for start in range(0, len(part), _ROWS):
        rows = np.ascontiguousarray(part[start : start + _ROWS])
        if rows.min() < -128 or rows.max() > 127:
            return None
        columns[:, start : start + _ROWS] = rows.astype(np.int8).T
    return columns
