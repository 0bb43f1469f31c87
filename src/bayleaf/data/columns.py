"""Reading columns out of whatever the user has: arrays, lists, and any DataFrame that narwhals understands.

Each column becomes either numbers (float or integer, with a mask of missing values) or labels (a list of
levels and the level number of each row). Every spelling of "missing" ends here: None, NaN, NaT, pandas.NA,
null.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.utils import check_array

from bayleaf._native import _core

from .arrow import column_from_stream, refuse_equal_names, table_from_stream
from .packing import SignedCodes, translate
from .variable import DType, State

# Position of a missing value in LabelColumn.codes.
ABSENT = -1


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers."""

    name: str
    values: NDArray[Any]  # float64, with NaN for missing, or any integer type without missing values
    dtype: DType  # "integer", "float", or "untyped" without any value

    def __len__(self) -> int:
        return len(self.values)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which values are missing."""
        if self.values.dtype.kind == "f":
            absent: NDArray[np.bool_] = np.isnan(self.values)
            return absent
        return np.zeros(len(self.values), dtype=bool)

    @property
    def is_empty(self) -> bool:
        """Whether no value is known."""
        return bool(self.missing.all())


@dataclass(frozen=True)
class LabelColumn:
    """A column of labels, factorised."""

    name: str
    levels: list[State]
    codes: SignedCodes  # index into levels, ABSENT for missing
    dtype: DType
    declared: tuple[State, ...] | None = None  # categories the column's type declares, seen or not

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which values are missing."""
        mask: NDArray[np.bool_] = self.codes == ABSENT
        return mask

    @property
    def is_empty(self) -> bool:
        """Whether no value is known."""
        return not self.levels

    def __len__(self) -> int:
        return len(self.codes)


Column = NumberColumn | LabelColumn


class Columns:
    """The columns of X, each read when it is asked for, so that they need not be in memory all at once."""

    def __init__(self, X: Any) -> None:
        self._frame = as_frame(X)
        self._array = as_array(X) if self._frame is None else None

    def __len__(self) -> int:
        data = self._array if self._array is not None else self._frame
        return int(data.shape[1]) if data is not None else 0

    def __iter__(self) -> Iterator[Column]:
        return (self[j] for j in range(len(self)))

    def __getitem__(self, j: int) -> Column:
        if not 0 <= j < len(self):
            raise IndexError(j)
        if self._frame is not None:
            # By position: names may be anything until they are checked elsewhere.
            return _series_column(str(self._frame.columns[j]), self._frame[:, j])
        assert self._array is not None
        return array_column(f"x{j}", self._array[:, j])


def read_columns(X: Any) -> list[Column]:
    """Split X into columns, all of them read.

    Examples
    --------
    >>> [type(column).__name__ for column in read_columns([[1.5, "a"], [2.5, "b"]])]
    ['NumberColumn', 'LabelColumn']
    """
    return list(Columns(X))


def complete_rows(X: Any) -> NDArray[np.bool_]:
    """Return a mask of the rows of X that have every value.

    Examples
    --------
    >>> complete_rows([[1.0, "a"], [float("nan"), "b"]])
    array([ True, False])
    """
    complete: NDArray[np.bool_] | None = None
    for column in Columns(X):
        known = ~column.missing
        complete = known if complete is None else complete & known
    assert complete is not None
    return complete


def take_rows(data: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a table or of labels, in the library they came in.

    Examples
    --------
    >>> take_rows(["no", "yes", "no"], np.array([1, 2]))
    ['yes', 'no']
    """
    if isinstance(data, list | tuple):
        return [data[row] for row in rows.tolist()]
    native: Any = nw.from_native(data, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame | nw.Series):
        return native[rows].to_native()
    return data[rows] if hasattr(data, "shape") else np.asarray(data)[rows]


def as_frame(X: Any) -> "nw.DataFrame[Any] | None":
    """Return X as a narwhals DataFrame if it is any kind of DataFrame, else None."""
    if isinstance(X, np.ndarray):
        return None
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError:
        refuse_equal_names(list(X.columns))
        raise
    if isinstance(frame, nw.DataFrame):
        return frame
    if hasattr(X, "collect") and hasattr(X, "lazy"):
        raise TypeError(f"X is a lazy {type(X).__name__}: call .collect() on it first.")
    table = None if isinstance(frame, nw.Series) else table_from_stream(X)
    return None if table is None else nw.from_native(table, eager_only=True)


def as_array(X: Any) -> NDArray[Any]:
    """Check that X is a two-dimensional dense array (or nested list) and return it as one."""
    given = _rows_as_array(X) if isinstance(X, list | tuple) else X
    if isinstance(given, np.ma.MaskedArray):
        masked, given = np.ma.getmaskarray(given), np.array(given.data, dtype=object)
        given[masked] = None
    array: NDArray[Any] = check_array(given, dtype=None, ensure_all_finite=False, ensure_min_samples=1)
    if array.dtype.kind not in "biufUSO":
        raise TypeError(
            f"X has type {array.dtype}, which is not supported: use numbers, strings or booleans."
        )
    return array


def check_rows(X: Any) -> Any:
    """Arrays are checked and returned as arrays; DataFrames must have rows and columns."""
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


def _rows_as_array(rows: Sequence[Any]) -> NDArray[Any]:
    """Turn nested lists into an array in which each column keeps its own type."""
    array = np.asarray(rows)
    first = rows[0] if len(rows) and isinstance(rows[0], list | tuple) else ()
    # Rows of text and numbers would become all text, rows of booleans and numbers all numbers.
    mixed = array.dtype.kind in "US" or (
        array.dtype.kind in "iuf" and any(isinstance(value, bool) for value in first)
    )
    return np.array(rows, dtype=object) if mixed else array


def _series_column(name: str, series: "nw.Series[Any]") -> Column:
    quick = _pandas_labels(name, series) if series.implementation.is_pandas() else _arrow_column(name, series)
    return _any_series(name, series) if quick is None else quick


def _arrow_column(name: str, series: "nw.Series[Any]") -> Column | None:
    """Read a column through Arrow; None where Arrow does not carry it, or not as a number or a label."""
    native = series.to_native()
    if series.implementation.is_polars() and isinstance(series.dtype, nw.Categorical):
        # Polars writes the numbers of its categories anew for Arrow; as plain numbers they stay where they are.
        data = column_from_stream(native.to_physical())
        rows, codes = data.indices(0)
        return LabelColumn(name, native.gather(rows).cast(pl.String).to_list(), codes, "string")
    data = column_from_stream(native)
    kind = "other" if data is None else data.kind(0)
    if data is None or kind == "other":
        return None
    if kind == "nothing":
        return _untyped(name, data.rows)
    if kind in ("integer", "real"):
        return NumberColumn(name, data.numbers(0), "integer" if kind == "integer" else "float")
    levels, codes = data.labels(0)
    declared = declared_categories(series) if kind == "dictionary" else None
    if declared is not None and levels:  # in the order of the declaration, seen or not
        codes = translate(codes, [declared.index(level) for level in levels], len(declared))
        levels = list(declared)
    return LabelColumn(name, levels, codes, "boolean" if kind == "boolean" else "string", declared)


# Names of the types by which pandas has texts in Arrow's memory.
_PANDAS_TEXT = frozenset({"str", "string", "string[pyarrow]", "large_string[pyarrow]", "string_view[pyarrow]"})


def _pandas_labels(name: str, series: "nw.Series[Any]") -> Column | None:
    """Number the labels of a pandas column by what pandas holds already; None for other columns."""
    native = series.to_native()
    dtype = native.dtype
    if dtype == object:
        return text_objects(name, native.to_numpy())
    if dtype == bool:
        order, codes = _core.number_codes(np.ascontiguousarray(native.to_numpy()).view(np.int8), 2)
        return LabelColumn(name, list(map(bool, order)), codes, "boolean")
    if dtype.name == "category" and hasattr(native.array, "codes"):
        declared = declared_categories(series)
        assert declared is not None
        order, codes = _core.number_codes(np.ascontiguousarray(native.array.codes), len(declared))
        return LabelColumn(name, [declared[k] for k in order], codes, _label_dtype(name, declared), declared)
    if getattr(dtype, "storage", None) == "python":
        return text_objects(name, native.to_numpy(dtype=object))
    return _arrow_column(name, series) if dtype.name in _PANDAS_TEXT else None


def text_objects(name: str, values: NDArray[Any]) -> LabelColumn | None:
    """Number an array of Python texts; None if it holds anything else, or no text at all.

    Examples
    --------
    >>> text_objects("x", np.array(["b", None, "a"], dtype=object)).levels
    ['b', 'a']
    """
    pandas = sys.modules.get("pandas")
    numbered = _core.number_objects(values, getattr(pandas, "NA", None))
    if numbered is None or not numbered[0]:
        return None
    return LabelColumn(name, *numbered, "string")


def _any_series(name: str, series: "nw.Series[Any]") -> Column:
    dtype = series.dtype
    if dtype.is_integer():
        if not series.is_null().any():
            return NumberColumn(name, np.asarray(series.to_numpy()), "integer")
        return NumberColumn(name, _floats(series), "integer")
    if dtype.is_float() or dtype.is_decimal():
        return NumberColumn(name, _floats(series), "float")
    if dtype == nw.Object:
        return _object_column(name, series.to_list())
    if isinstance(dtype, nw.String | nw.Categorical | nw.Enum | nw.Boolean):
        levels, codes = _factorize(series)
        if not levels and series.implementation.is_pandas_like() and series.to_native().dtype == object:
            return _untyped(name, len(series))
        declared = declared_categories(series)
        kind: DType = "boolean" if dtype == nw.Boolean else _label_dtype(name, declared or levels)
        return LabelColumn(name, levels, codes, kind, declared)
    if series.is_null().all():  # a column without any value has no type
        return _untyped(name, len(series))
    raise TypeError(
        f"Column '{name}' has type {dtype}, which is not supported: turn it into numbers, strings or categories."
    )


def _untyped(name: str, rows: int) -> NumberColumn:
    return NumberColumn(name, np.full(rows, np.nan), "untyped")


def _floats(series: "nw.Series[Any]") -> NDArray[np.float64]:
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def declared_categories(series: "nw.Series[Any]") -> tuple[State, ...] | None:
    """Return the categories that a column's type lists, seen or not, in the order of that list."""
    if isinstance(series.dtype, nw.Categorical | nw.Enum) and series.implementation.is_pandas_like():
        return tuple(series.to_native().cat.categories.tolist())
    if isinstance(series.dtype, nw.Enum):
        return tuple(series.dtype.categories)
    # Categorical of polars and dictionary of pyarrow are ways to store strings, not declarations.
    return None


def _factorize(series: "nw.Series[Any]") -> tuple[list[State], NDArray[np.int64]]:
    native = series.to_native()
    if hasattr(native, "factorize"):  # pandas and its relatives
        codes, uniques = native.factorize()
        return uniques.tolist(), np.asarray(codes, dtype=np.int64)
    if series.implementation.is_polars() and isinstance(series.dtype, nw.Enum):  # numbered already
        numbers = np.asarray(native.to_physical().cast(int).fill_null(ABSENT).to_numpy(), dtype=np.int64)
        return list(series.dtype.categories) if (numbers != ABSENT).any() else [], numbers
    levels = series.drop_nulls().unique(maintain_order=True).to_list()
    if series.implementation.is_polars() and levels:
        numbers = native.replace_strict(levels, list(range(len(levels))), default=ABSENT)
        return levels, np.asarray(numbers.to_numpy(), dtype=np.int64)
    number = {level: k for k, level in enumerate(levels)}
    return levels, np.array([number.get(value, ABSENT) for value in series.to_list()], dtype=np.int64)


def array_column(name: str, values: NDArray[Any]) -> Column:
    """Read a column of an array.

    Examples
    --------
    >>> array_column("x", np.array(["b", "a", "b"])).levels
    ['a', 'b']
    """
    kind = values.dtype.kind
    if kind in "iu":
        return NumberColumn(name, values, "integer")
    if kind == "f":
        return NumberColumn(name, values.astype(np.float64, copy=False), "float")
    if kind == "O":
        texts = text_objects(name, values)
        return _object_column(name, values.tolist()) if texts is None else texts
    if values.dtype.itemsize == 0 or not len(values):
        levels, codes = np.unique(values, return_inverse=True)
    else:
        # Equal texts are equal bytes: numpy fills them up with zeros.
        rows, found = _core.number_fixed(values[:, None].view(np.uint8))
        levels, order = np.unique(values[rows], return_inverse=True)
        codes = translate(found, order, len(levels))
    if kind == "S":
        levels = np.char.decode(levels, "utf-8")
    return LabelColumn(name, levels.tolist(), codes, "boolean" if kind == "b" else "string")


def _object_column(name: str, values: list[Any]) -> Column:
    """Find out what a column of Python objects holds: one type of label, or numbers."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    present = [None if is_missing(value) else value for value in plain]
    kinds = {type(value) for value in present if value is not None}
    if not kinds:
        return _untyped(name, len(plain))
    if kinds <= {int, float}:
        floats = np.array([np.nan if value is None else value for value in present], dtype=np.float64)
        return NumberColumn(name, floats, "float" if float in kinds else "integer")
    if len(kinds) > 1:
        shown = " and ".join(
            f"{kind.__name__} ({next(v for v in present if type(v) is kind)!r})"
            for kind in sorted(kinds, key=lambda kind: kind.__name__)
        )
        raise TypeError(f"Column '{name}' mixes {shown} values: convert it to one type.")
    if kinds <= {str, bool}:
        levels = list(dict.fromkeys(value for value in present if value is not None))
        number = {level: k for k, level in enumerate(levels)}
        codes = np.array([ABSENT if value is None else number[value] for value in present], dtype=np.int64)
        return LabelColumn(name, levels, codes, "boolean" if bool in kinds else "string")
    raise TypeError(
        f"Column '{name}' holds values of type {kinds.pop().__name__}: "
        "each value of a column must be a string, a boolean or a number."
    )


def is_missing(value: Any) -> bool:
    """Tell whether a Python object stands for a missing value: None, NaN, NaT or pandas.NA.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "", 0)]
    [True, True, False, False]
    """
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN and NaT
    except (TypeError, ValueError):  # pandas.NA has no truth value
        return type(value).__name__ == "NAType"


def _label_dtype(name: str, levels: Sequence[State]) -> DType:
    """Type of the labels of a categorical column, which may be categories of numbers."""
    kinds = {type(level) for level in levels} or {str}
    if kinds == {int, float}:
        return "float"
    shown = " and ".join(sorted(kind.__name__ for kind in kinds))
    if len(kinds) > 1:
        raise TypeError(f"Column '{name}' mixes {shown} categories: convert it to one type.")
    names: dict[type, DType] = {str: "string", bool: "boolean", int: "integer", float: "float"}
    if not kinds <= names.keys():
        raise TypeError(f"Column '{name}' has categories of type {shown}: turn them into strings.")
    return names[kinds.pop()]
