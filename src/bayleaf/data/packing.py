"""Codes of a table under construction, and the fast ways for integers.

The functions named "pack" return None whenever the array is anything else; the general way then takes it.

An array keeps its rows together, so that one column of it lies in as many places as there are rows, and reading it
moves eight times its bytes or more. Neighbouring columns are in the same places: blocks of them, read together, cost
little more than one.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core

from .table import Codes, OwnCodes, Table, check_code_range
from .variable import Variable

BYTE_MISSING, WIDE_MISSING = 255, 65535
# Codes on their way into a table: -1 for missing, in the narrowest type that holds them.
SignedCodes = NDArray[np.signedinteger[Any]]
# Integers of a wider range than this, and than the number of rows, are sorted instead of counted.
COUNTED_RANGE = 1 << 16


class CodeBuffer:
    """Codes of a table under construction: one byte per value, two where a column has more than 255 states."""

    def __init__(self, rows: int, columns: int) -> None:
        self._bytes = np.empty((rows, columns), dtype=np.uint8, order="F")
        self._wide: dict[int, NDArray[np.uint16]] = {}

    def put(self, j: int, codes: NDArray[np.integer[Any]], arity: int) -> None:
        """Store a column of codes in which -1, or the greatest number of the type it is stored in, means missing."""
        if arity <= BYTE_MISSING:
            self._bytes[:, j] = codes  # -1 becomes 255
        else:
            self._wide[j] = codes.astype(np.uint16, copy=False)  # -1 becomes 65535

    def codes(self, columns: int | None = None) -> Codes:
        """Return all columns, or the first ones, in the narrowest type that holds them."""
        filled = self._bytes[:, :columns]
        if not self._wide:
            return filled
        wide = filled.astype(np.uint16, order="F")
        wide[wide == BYTE_MISSING] = WIDE_MISSING
        for j, column in self._wide.items():
            wide[:, j] = column
        return wide


def assemble(
    variables: tuple[Variable, ...],
    columns: Sequence[SignedCodes],
    target: int | None = None,
) -> Table:
    """Put encoded columns (-1 for missing) together as a table.

    Examples
    --------
    >>> assemble((Variable("x", ("a", "b")),), [np.array([1, -1])]).codes.ravel()
    array([  1, 255], dtype=uint8)
    """
    buffer = CodeBuffer(len(columns[0]), len(variables))
    for j, (variable, codes) in enumerate(zip(variables, columns, strict=True)):
        buffer.put(j, codes, variable.arity)
    return Table(variables, buffer.codes(), target=target, own=OwnCodes())


def translate(
    codes: SignedCodes, lookup: Sequence[int] | NDArray[Any], states: int | None = None
) -> SignedCodes:
    """Replace each code by the lookup's; -1 stays -1.

    The result has the narrowest type for so many states, or int64 where no number of them is given.

    Examples
    --------
    >>> translate(np.array([0, 1, -1]), [1, 0], states=2)
    array([ 1,  0, -1], dtype=int8)
    """
    out: SignedCodes = np.empty(len(codes), dtype=np.int64 if states is None else _signed_type(states))
    _core.translate(np.ascontiguousarray(codes), np.array(lookup, dtype=np.int32), out)
    return out


def _signed_type(states: int) -> type[np.signedinteger[Any]]:
    return np.int8 if states <= 128 else np.int16 if states <= 32768 else np.int32


def number_values(values: NDArray[Any]) -> tuple[list[Any], SignedCodes]:
    """Return the different values of an array of numbers, ascending, and the position of each row's among them.

    Examples
    --------
    >>> levels, codes = number_values(np.array([7, 3, 7]))
    >>> levels, codes.tolist()
    ([3, 7], [1, 0, 1])
    """
    counted = count_integers(values)
    if counted is not None:
        low, present = counted
        levels = np.flatnonzero(present)
        lookup = (np.cumsum(present, dtype=np.int32) - 1).astype(np.int32)
        codes: SignedCodes = np.empty(len(values), dtype=_signed_type(len(levels)))
        _core.number_integers(values, low, lookup, codes)
        return (levels + low).tolist(), codes
    different, positions = np.unique(values, return_inverse=True)
    return different.tolist(), positions


def count_integers(values: NDArray[Any]) -> tuple[int, NDArray[np.uint8]] | None:
    """Return the least of some integers, and which of the numbers from it on occur; None where these are too many.

    Examples
    --------
    >>> count_integers(np.array([7, 5, 7]))
    (5, array([1, 0, 1], dtype=uint8))
    """
    if values.dtype.kind not in "iu" or not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    if high - low >= max(COUNTED_RANGE, len(values)) or high >= 2**63:
        return None
    present = np.zeros(high - low + 1, dtype=np.uint8)
    _core.mark_integers(values, low, present)
    return low, present


_PACKABLE = (np.int64, np.int32, np.int8, np.uint8)


def pack_categories(
    X: Any,
    names: Sequence[str],
    y: NDArray[np.int64],
    target: Variable,
    weights: NDArray[np.float64] | None,
    n_jobs: int | None,
) -> Table | None:
    """Learn the categories of every column of an integer array and encode it, the class as the last column.

    Examples
    --------
    >>> class_codes, target = np.array([0, 1]), Variable("class", ("no", "yes"))
    >>> pack_categories(np.array([[3], [7]]), ["x"], class_codes, target, None, 1).variables[0].states
    (3, 7)
    """
    if target.arity > BYTE_MISSING:
        return None
    result = _pack_bytes(X, len(names), 1, n_jobs)
    if result is None:
        return None
    packed, largest = result
    variables = []
    states_of_columns = _states(packed[:, : len(names)], largest, n_jobs)
    for j, (name, states) in enumerate(zip(names, states_of_columns, strict=True)):
        if len(states) <= largest[j]:  # gaps: close them up
            packed[:, j] = _numbering(states)[packed[:, j]]
        variables.append(Variable(name, tuple(states.tolist()), None, "integer", n_missing=0))
    packed[:, -1] = y
    missing = np.zeros(packed.shape[1], dtype=bool)
    missing[-1:] = check_code_range(packed[:, -1:], [target], n_jobs)
    return Table((*variables, target), packed, weights, len(names), n_jobs, own=OwnCodes(missing))


def pack_labels(labels: NDArray[Any], n_jobs: int | None) -> tuple[NDArray[Any], NDArray[np.int64]] | None:
    """Find the sorted classes and the code of each row of integer labels without sorting the rows.

    Examples
    --------
    >>> pack_labels(np.array([7, 3, 7]), 1)
    (array([3, 7]), array([1, 0, 1]))
    """
    result = _pack_bytes(labels.reshape(-1, 1), 1, 0, n_jobs)
    if result is None:
        return None
    packed, largest = result
    (classes,) = _states(packed, largest, n_jobs)
    return classes.astype(labels.dtype), _numbering(classes).astype(np.int64)[packed[:, 0]]


def pack_known(X: Any, variables: tuple[Variable, ...], n_jobs: int | None) -> Table | None:
    """Encode an integer array whose columns hold only categories that the variables know.

    Examples
    --------
    >>> variables = (Variable("x", (3, 7), None, "integer"),)
    >>> pack_known(np.array([[7], [3]]), variables, 1).codes.ravel().tolist()
    [1, 0]
    """
    simple = all(v.cuts is None and v.dtype == "integer" and v.arity <= 255 for v in variables)
    result = _pack_bytes(X, len(variables), 0, n_jobs) if simple else None
    if result is None:
        return None
    packed, largest = result
    for j, variable in enumerate(variables):
        if variable.states != tuple(range(variable.arity)) or largest[j] >= variable.arity:
            number = {state: k for k, state in enumerate(variable.value_states)}
            unknown = BYTE_MISSING if variable.other is None else variable.other
            lookup = np.array([number.get(value, unknown) for value in range(256)], dtype=np.uint8)
            if variable.other is None and not set(np.unique(packed[:, j]).tolist()) <= set(number):
                return None  # the general way reports unknown categories
            packed[:, j] = lookup[packed[:, j]]
    complete = np.zeros(len(variables), dtype=bool)
    return Table(variables, packed, n_jobs=n_jobs, own=OwnCodes(complete))


def _states(
    packed: NDArray[np.uint8], largest: NDArray[np.uint8], n_jobs: int | None
) -> list[NDArray[np.int64]]:
    """Return the values that occur in each column, ascending."""
    present = np.zeros((packed.shape[1], BYTE_MISSING), dtype=np.uint8)
    _core.present_states(packed, largest, present, n_jobs)
    return [np.flatnonzero(column) for column in present]


def _numbering(states: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the number of each state, by the state."""
    numbers = np.zeros(BYTE_MISSING + 1, dtype=np.uint8)
    numbers[states] = np.arange(len(states))
    return numbers


def _pack_bytes(
    X: Any, features: int, spare: int, n_jobs: int | None
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]] | None:
    """Copy an integer array into columns of bytes, with the largest value of each; None if it does not fit.

    ``spare`` more columns are left uninitialised.
    """
    plain = isinstance(X, np.ndarray) and not isinstance(X, np.ma.MaskedArray)
    if not (plain and X.ndim == 2 and X.dtype in _PACKABLE and X.shape[1] == features and X.size > 0):
        return None
    packed = np.empty((X.shape[0], features + spare), dtype=np.uint8, order="F")
    largest = np.zeros(features, dtype=np.uint8)
    fits = _core.pack_integers(X, packed[:, :features], largest, n_jobs)
    return (packed, largest) if fits else None


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
