"""Reading columns out of whatever the user has: arrays, lists, and any DataFrame that narwhals understands.

Each column becomes either numbers (float or integer, with a mask of missing values) or labels (a list of
levels and the level number of each row). Every spelling of "missing" ends here: None, NaN, NaT, pandas.NA,
null.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from .variable import DType, State

# Position of a missing value in LabelColumn.codes.
ABSENT = -1


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers."""

    name: str
    values: NDArray[Any]  # float64, with NaN for missing, or any integer type without missing values
    dtype: DType  # "integer" or "float"

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which values are missing."""
        if self.values.dtype.kind == "f":
            return np.isnan(self.values)
        return np.zeros(len(self.values), dtype=bool)


@dataclass(frozen=True)
class LabelColumn:
    """A column of labels, factorised."""

    name: str
    levels: list[State]
    codes: NDArray[np.int64]  # index into levels, ABSENT for missing
    dtype: DType
    declared: tuple[State, ...] | None = None  # categories the column's type declares, seen or not


Column = NumberColumn | LabelColumn


def read_columns(X: Any) -> list[Column]:
    """Split X into columns.

    Examples
    --------
    >>> [type(column).__name__ for column in read_columns([[1.5, "a"], [2.5, "b"]])]
    ['NumberColumn', 'LabelColumn']
    """
    frame = as_frame(X)
    if frame is not None:
        return _frame_columns(frame)
    array = as_array(X)
    return [_array_column(f"x{j}", array[:, j]) for j in range(array.shape[1])]


def as_frame(X: Any) -> "nw.DataFrame[Any] | None":
    """Return X as a narwhals DataFrame if it is any kind of DataFrame, else None."""
    if isinstance(X, np.ndarray):
        return None
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        names = list(X.columns)
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        raise ValueError(f"X has columns of the same name: {twice}. Give each column its own name.") from None
    if isinstance(frame, nw.DataFrame):
        return frame
    if hasattr(X, "collect") and hasattr(X, "lazy"):
        raise TypeError(f"X is a lazy {type(X).__name__}: call .collect() on it first.")
    return None


def as_array(X: Any) -> NDArray[Any]:
    """Check that X is a two-dimensional dense array (or nested list) and return it as one."""
    # A list of mixed rows would become an array of strings; as objects each column keeps its own type.
    given = np.array(X, dtype=object) if isinstance(X, list | tuple) and _holds_text(X) else X
    array: NDArray[Any] = check_array(given, dtype=None, ensure_all_finite=False, ensure_min_samples=1)
    if array.dtype.kind not in "biufUSO":
        raise TypeError(
            f"X has type {array.dtype}, which is not supported: use numbers, strings or booleans."
        )
    return array


def _holds_text(rows: Sequence[Any]) -> bool:
    return any(isinstance(value, str) for row in rows[:1] if isinstance(row, list | tuple) for value in row)


def _frame_columns(frame: "nw.DataFrame[Any]") -> list[Column]:
    # Columns are met by position: names may repeat or be anything until they are checked elsewhere.
    return [_series_column(str(name), frame[:, j]) for j, name in enumerate(frame.columns)]


def _series_column(name: str, series: "nw.Series[Any]") -> Column:
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
        kind: DType = "boolean" if dtype == nw.Boolean else _label_dtype(name, levels)
        return LabelColumn(name, levels, codes, kind, _declared_categories(series))
    raise TypeError(
        f"Column '{name}' has type {dtype}, which is not supported: turn it into numbers, strings or categories."
    )


def _floats(series: "nw.Series[Any]") -> NDArray[np.float64]:
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _declared_categories(series: "nw.Series[Any]") -> tuple[State, ...] | None:
    if isinstance(series.dtype, nw.Enum):
        return tuple(series.dtype.categories)
    # A polars Categorical knows every string the process ever cast: only other libraries' lists are a declaration.
    if isinstance(series.dtype, nw.Categorical) and not series.implementation.is_polars():
        return tuple(series.cat.get_categories().to_list())
    return None


def _factorize(series: "nw.Series[Any]") -> tuple[list[State], NDArray[np.int64]]:
    native = series.to_native()
    if hasattr(native, "factorize"):  # pandas and its relatives
        codes, uniques = native.factorize()
        return uniques.tolist(), np.asarray(codes, dtype=np.int64)
    levels = series.drop_nulls().unique(maintain_order=True).to_list()
    if series.implementation.is_polars() and levels:
        numbers = native.replace_strict(levels, list(range(len(levels))), default=ABSENT)
        return levels, np.asarray(numbers.to_numpy(), dtype=np.int64)
    number = {level: k for k, level in enumerate(levels)}
    return levels, np.array([number.get(value, ABSENT) for value in series.to_list()], dtype=np.int64)


def _array_column(name: str, values: NDArray[Any]) -> Column:
    kind = values.dtype.kind
    if kind in "iu":
        return NumberColumn(name, values, "integer")
    if kind == "f":
        return NumberColumn(name, values.astype(np.float64, copy=False), "float")
    if kind == "O":
        return _object_column(name, values.tolist())
    levels, codes = np.unique(values, return_inverse=True)
    if kind == "S":
        levels = np.char.decode(levels, "utf-8")
    return LabelColumn(name, levels.tolist(), codes, "boolean" if kind == "b" else "string")


def _object_column(name: str, values: list[Any]) -> Column:
    """Find out what a column of Python objects holds: one type of label, or numbers."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    present = [None if is_missing(value) else value for value in plain]
    kinds = {type(value) for value in present if value is not None}
    if kinds <= {int, float}:
        floats = np.array([np.nan if value is None else value for value in present], dtype=np.float64)
        return NumberColumn(name, floats, "float" if float in kinds or not kinds else "integer")
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
    except (TypeError, ValueError):  # pandas.NA will not say
        return type(value).__name__ == "NAType"


def _label_dtype(name: str, levels: list[State]) -> DType:
    """Type of the labels of a categorical column, which may be categories of numbers."""
    kinds = {type(level) for level in levels}
    if len(kinds) > 1 and not kinds <= {int, float}:
        shown = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(f"Column '{name}' mixes {shown} categories: convert it to one type.")
    names: dict[type, DType] = {bool: "boolean", int: "integer", float: "float"}
    return names.get(next(iter(kinds), str), "string")
