"""The columns of whatever the user has: arrays, lists, any DataFrame that Arrow or narwhals understands.

What the user says that columns are counts more than what they look like. Arrays of small whole numbers have ways of
their own: an array keeps its rows together, so that reading one column moves eight times its bytes or more.
"""

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from numbers import Real
from threading import Lock
from typing import Any, Literal, get_args

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_array

from bayleaf._native import _core
from bayleaf._util.words import counted, guesses, listing

from .raw_columns import (
    Column,
    NumberColumn,
    array_column,
    refuse_equal_names,
    series_column,
    table_from_stream,
)
from .table import OwnCodes, Table, check_code_range
from .variable import Variable


class Columns:
    """The columns of X, each read when it is asked for, so that they need not be in memory all at once."""

    times: NDArray[np.float64] | None = None  # how many rows each row stands for, where that is not one

    def __init__(self, X: Any) -> None:
        self._frame = as_frame(X)
        self._array = as_array(X) if self._frame is None else None
        self._blocks = None if self._array is None else NarrowBlocks(self._array)

    def __len__(self) -> int:
        data = self._array if self._array is not None else self._frame
        return int(data.shape[1]) if data is not None else 0

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        data = self._array if self._array is not None else self._frame
        return int(data.shape[0]) if data is not None else 0

    def holds_numbers(self, j: int) -> bool:
        """Tell whether the type of a column says that it holds numbers or booleans, and nothing else."""
        if self._frame is not None:
            dtype = self._frame[:, j].dtype
            return bool(dtype.is_numeric() or dtype == nw.Boolean)
        return self._array is not None and self._array.dtype.kind in "biuf"

    def __iter__(self) -> Iterator[Column]:
        return (self[j] for j in range(len(self)))

    def __getitem__(self, j: int) -> Column:
        if not 0 <= j < len(self):
            raise IndexError(j)
        if self._frame is not None:
            # By position: names may be anything until they are checked elsewhere.
            return series_column(str(self._frame.columns[j]), self._frame[:, j])
        assert self._blocks is not None
        return array_column(f"x{j}", self._blocks.column(j))


class ReadColumns(Columns):
    """Columns that have been read already, in which each row may stand for several."""

    def __init__(self, columns: Sequence[Column], times: NDArray[np.float64] | None = None) -> None:
        self._read = list(columns)
        self.times = times

    def __len__(self) -> int:
        return len(self._read)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self._read[0])

    def holds_numbers(self, j: int) -> bool:
        """Tell whether a column holds numbers, and nothing else."""
        column = self._read[j]
        return isinstance(column, NumberColumn) and not column.parts

    def __getitem__(self, j: int) -> Column:
        return self._read[j]


def read_columns(X: Any) -> list[Column]:
    """Split X into columns, all of them read.

    Examples
    --------
    >>> [type(column).__name__ for column in read_columns([[1.5, "a"], [2.5, "b"]])]
    ['NumberColumn', 'LabelColumn']
    """
    return list(Columns(X))


def as_frame(X: Any) -> "nw.DataFrame[Any] | None":
    """Return X as a narwhals DataFrame if it is any kind of DataFrame, else None."""
    if isinstance(X, np.ndarray):
        return None
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError:
        refuse_equal_names(list(getattr(X, "column_names", X.columns)))  # of pyarrow, of the others
        raise
    if isinstance(frame, nw.DataFrame):
        return frame
    if hasattr(X, "collect") and hasattr(X, "lazy"):
        raise TypeError(f"X is a lazy {type(X).__name__}: call .collect() on it first.")
    table = None if isinstance(frame, nw.Series) else table_from_stream(X)
    return None if table is None else nw.from_native(table, eager_only=True)


def as_array(X: Any) -> NDArray[Any]:
    """Return X as a two-dimensional dense array; X may be a nested list."""
    if isinstance(X, Mapping) and not issparse(X):  # one kind of sparse matrix is a dict
        raise TypeError("X is a dict: pass the columns as a DataFrame, such as pandas.DataFrame(X).")
    given = _rows_as_array(X) if isinstance(X, list | tuple) else X
    if isinstance(given, np.ma.MaskedArray):
        masked, given = np.ma.getmaskarray(given), np.array(given.data, dtype=object)
        given[masked] = None
    array: NDArray[Any] = check_array(given, dtype=None, ensure_all_finite=False, ensure_min_samples=1)
    if array.dtype.kind not in "biufUSOmM":
        raise TypeError(
            f"X has type {array.dtype}, which is not supported: use numbers, strings, booleans or dates."
        )
    return array


def _rows_as_array(rows: Sequence[Any]) -> NDArray[Any]:
    """Turn nested lists into an array in which each column keeps its own type."""
    lengths = [len(row) for row in rows if isinstance(row, list | tuple)]
    if len(set(lengths)) > 1:
        other = next(k for k, length in enumerate(lengths) if length != lengths[0])
        raise ValueError(
            f"X has rows of different lengths: the first has {counted(lengths[0], 'value')}, row {other + 1} has "
            f"{lengths[other]}."
        )
    array = np.asarray(rows)
    first = rows[0] if len(rows) and isinstance(rows[0], list | tuple) else ()
    # Rows of text and numbers would become all text, rows of booleans and numbers all numbers.
    mixed = array.dtype.kind in "US" or (
        array.dtype.kind in "iuf" and any(isinstance(value, bool) for value in first)
    )
    return np.array(rows, dtype=object) if mixed else array


def check_rows(X: Any) -> Any:
    """Return an array as a checked array, and a DataFrame that has rows and columns."""
    frame = as_frame(X)
    if frame is None:
        return as_array(X)
    rows, columns = frame.shape
    if rows == 0 or columns == 0:
        what = "sample(s)" if rows == 0 else "feature(s)"
        raise ValueError(
            f"Found array with 0 {what} (shape={(rows, columns)}) while a minimum of 1 is required: the table is "
            "empty."
        )
    return frame.to_native()


def complete_rows(
    X: Any, seen_as: Callable[[int, Column], Column] = lambda _, column: column
) -> NDArray[np.bool_]:
    """Return a mask of the rows of X that have every value; ``seen_as`` says what each column is read as."""
    complete: NDArray[np.bool_] | None = None
    for j, column in enumerate(Columns(X)):
        known = ~seen_as(j, column).missing
        complete = known if complete is None else complete & known
    assert complete is not None
    return complete


def take_rows(data: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a table or of labels, in the library they came in."""
    if isinstance(data, list | tuple):
        return [data[row] for row in rows.tolist()]
    native: Any = nw.from_native(data, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame | nw.Series):
        return native[rows].to_native()
    return data[rows] if hasattr(data, "shape") else np.asarray(data)[rows]


AbsentColumns = Literal["error", "missing"]


def with_absent(X: Any, names: Sequence[str], may_lack: Container[str]) -> Any:
    """Return a DataFrame with a column of missing values for each one that it lacks and may lack."""
    frame = as_frame(X)
    if frame is None:
        return X
    given = frame.columns
    lacking = [name for name in names if name not in given]
    if not lacking or not all(name in may_lack for name in lacking):
        return frame.to_native()
    if len(lacking) == len(names):
        shown = ", ".join(f"'{name}'" for name in given[:10])
        raise ValueError(f"X has none of the columns that fit has seen; it has {shown}.")
    filled = frame.with_columns(nw.lit(None).alias(name) for name in lacking)
    known = set(names)
    return filled.select([*names, *(name for name in given if name not in known)]).to_native()


ColumnType = Literal["category", "number", "date", "text", "identifier"]
# Whether numbers are written as text is seen when they are read.
SAME_TYPE: dict[str, ColumnType] = {"text-number": "number"}
COLUMN_TYPES: tuple[str, ...] = (*get_args(ColumnType), *SAME_TYPE)


def check_column_types(column_types: Any) -> None:
    """Refuse what is not a dict from columns to types."""
    if column_types is None:
        return
    if not isinstance(column_types, Mapping):
        raise TypeError(
            "column_types must be a dict from columns to types, such as {'zip': 'category'}. "
            f"Got {column_types!r} instead."
        )
    for column, wanted in column_types.items():
        if isinstance(column, bool) or not isinstance(column, str | int):
            raise TypeError(f"column_types names columns by name or position. Got {column!r} instead.")
        if wanted not in COLUMN_TYPES:
            raise ValueError(
                f"column_types says {wanted!r} of the column {column!r}; the types are {', '.join(COLUMN_TYPES)}."
            )


def check_missing_values(missing_values: Any) -> None:
    """Refuse what is not a list of texts and numbers."""
    if missing_values is None:
        return
    if isinstance(missing_values, str) or not isinstance(missing_values, Collection):
        raise TypeError(
            "missing_values must be a list of what marks missing values, such as ['-', -99]. "
            f"Got {missing_values!r} instead."
        )
    for mark in missing_values:
        if isinstance(mark, bool) or not isinstance(mark, str | Real):
            raise TypeError(f"missing_values must be texts and numbers. Got {mark!r}.")


def given_marks(missing_values: Collection[Any]) -> tuple[str | float, ...]:
    """Return what marks missing values: a number also as it may be written, and a text that is one as the number.

    Examples
    --------
    >>> given_marks(["-", "-99", 999])
    ('-', '-99', -99.0, '999', 999.0)
    """
    marks: dict[str | float, None] = {}
    for mark in missing_values:
        marks[mark if isinstance(mark, str) else f"{mark:.15g}"] = None
        try:
            number = float(mark)
        except ValueError:
            continue
        if number == number:
            marks[number] = None
    return tuple(marks)


def resolve_column_types(
    column_types: Mapping[str | int, ColumnType] | None, names: Sequence[str], *, has_names: bool
) -> list[ColumnType | None]:
    """Return the type that the user gives each column; None where its values decide."""
    check_column_types(column_types)
    types: list[ColumnType | None] = [None] * len(names)
    for column, wanted in (column_types or {}).items():
        types[_position(column, names, has_names)] = SAME_TYPE.get(wanted, wanted)
    return types


def _position(column: str | int, names: Sequence[str], has_names: bool) -> int:
    if isinstance(column, int):
        if not 0 <= column < len(names):
            raise ValueError(f"column_types has the position {column}; the data has {len(names)} columns.")
        return column
    if not has_names:
        raise ValueError(
            f"column_types has the name {column!r}, but the data has no column names: use positions."
        )
    if column not in names:
        near = " or ".join(map(repr, guesses(column, names)))
        hint = f"Did you mean {near}?" if near else f"There are {listing(names)}."
        raise ValueError(f"column_types names the column {column!r}, which the data lacks. {hint}")
    return names.index(column)


WIDTH = 20  # columns of a block: they stand beside the codes in memory, a byte a value
_FEWEST_ROWS = 10_000
_ROWS = 2048  # at a time, so that they stay in the processor's cache


class NarrowBlocks:
    """Columns of an array by position, small whole numbers in one byte, others as they are.

    Neighbouring columns of an array lie in the same places of memory, so a block of them is read at once. Several
    threads may ask for neighbouring columns at about the same time: the last block is kept.
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
    """Return columns of whole numbers one after the other, a byte a value; None if some value needs more."""
    columns = np.empty(part.shape[::-1], dtype=np.int8)
    for start in range(0, len(part), _ROWS):
        rows = np.ascontiguousarray(part[start : start + _ROWS])
        if rows.min() < -128 or rows.max() > 127:
            return None
        columns[:, start : start + _ROWS] = rows.astype(np.int8).T
    return columns


BYTE_MISSING, WIDE_MISSING = 255, 65535
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

    None for any other X, which the general way then takes.
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
    """Return the sorted classes and the code of each row of integer labels, without sorting rows; None for others."""
    result = _pack_bytes(labels.reshape(-1, 1), 1, 0, n_jobs)
    if result is None:
        return None
    packed, largest = result
    (classes,) = _states(packed, largest, n_jobs)
    return classes.astype(labels.dtype), _numbering(classes).astype(np.int64)[packed[:, 0]]


def pack_known(X: Any, variables: tuple[Variable, ...], n_jobs: int | None) -> Table | None:
    """Encode an integer array whose columns hold only categories that the variables know; None for any other X."""
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
