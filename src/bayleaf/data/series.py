"""One column, read from wherever it lies: from Arrow's memory, from pandas, from an array or from Python objects.

A column becomes either numbers (float or integer, with a mask of missing values) or labels (a list of levels and the
level number of each row). Every spelling of "missing" ends here: None, NaN, NaT, pandas.NA, null.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from bayleaf._native import _core

from .arrow import column_from_stream
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
    by_type: bool = False  # whether the column's type says that it holds categories

    @property
    def is_text(self) -> bool:
        """Whether this is text of which nothing says that it is categories."""
        return self.dtype == "string" and not self.by_type

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


def series_column(name: str, series: "nw.Series[Any]") -> Column:
    """Read a column of a DataFrame.

    Examples
    --------
    >>> series_column("x", nw.from_native(pl.Series(["b", None, "a"]), series_only=True)).levels
    ['b', 'a']
    """
    quick = _pandas_column(name, series) if series.implementation.is_pandas() else _arrow_column(name, series)
    return _any_series(name, series) if quick is None else quick


def _arrow_column(name: str, series: "nw.Series[Any]") -> Column | None:
    """Read a column through Arrow; None where Arrow does not carry it, or not as a number or a label."""
    native = series.to_native()
    if not hasattr(native, "__arrow_c_stream__") or series.dtype == nw.Object:
        return None
    if series.implementation.is_polars() and isinstance(series.dtype, nw.Categorical):
        # Polars writes the numbers of its categories anew for Arrow; as plain numbers they stay where they are.
        rows, codes = column_from_stream(native.to_physical()).indices(0)
        return LabelColumn(name, native.gather(rows).cast(pl.String).to_list(), codes, "string", None, True)
    data = column_from_stream(native)
    kind = data.kind(0)
    if kind == "other":
        return None
    if kind == "nothing":
        return _untyped(name, data.rows)
    if kind in ("integer", "real"):
        return NumberColumn(name, np.asarray(data.numbers(0)), "integer" if kind == "integer" else "float")
    levels, codes = data.labels(0)
    declared = declared_categories(series) if kind == "dictionary" else None
    if declared is not None and levels:  # in the order of the declaration, seen or not
        codes = translate(codes, [declared.index(level) for level in levels], len(declared))
        levels = list(declared)
    dtype: DType = "boolean" if kind == "boolean" else "string"
    return LabelColumn(name, levels, codes, dtype, declared, kind == "dictionary")


_PANDAS_NUMBERS = frozenset(map(np.dtype, ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")))
# Names of the types by which pandas has texts in Arrow's memory.
_PANDAS_TEXT = frozenset(
    {"str", "string", "string[pyarrow]", "large_string[pyarrow]", "string_view[pyarrow]"}
)


def _pandas_column(name: str, series: "nw.Series[Any]") -> Column | None:
    """Read a pandas column from what pandas holds already; None for types that need more than that."""
    native = series.to_native()
    dtype = native.dtype
    if dtype == np.dtype(object):
        return text_objects(name, native.to_numpy())
    if dtype in _PANDAS_NUMBERS:
        return array_column(name, native.to_numpy())
    if dtype == np.dtype(bool):
        order, codes = _core.number_codes(np.ascontiguousarray(native.to_numpy()).view(np.int8), 2)
        return LabelColumn(name, list(map(bool, order)), codes, "boolean")
    if dtype.name == "category" and hasattr(native.array, "codes"):
        declared = declared_categories(series)
        assert declared is not None
        order, codes = _core.number_codes(np.ascontiguousarray(native.array.codes), len(declared))
        return LabelColumn(
            name, [declared[k] for k in order], codes, _label_dtype(name, declared), declared, True
        )
    if getattr(dtype, "storage", None) == "python":
        return text_objects(name, native.to_numpy(dtype=object))
    return _arrow_column(name, series) if dtype.name in _PANDAS_TEXT else None


def text_objects(name: str, values: NDArray[Any]) -> LabelColumn | None:
    """Give numbers to an array of Python texts; None if it holds anything else, or no text at all.

    Examples
    --------
    >>> text_objects("x", np.array(["b", None, "a"], dtype=object)).levels
    ['b', 'a']
    """
    pandas = sys.modules.get("pandas")
    numbered = _core.number_objects(values, getattr(pandas, "NA", None))
    if numbered is None or not numbered[0]:
        return None
    levels, codes = numbered
    return LabelColumn(name, levels, codes, "string")


def _any_series(name: str, series: "nw.Series[Any]") -> Column:
    dtype = series.dtype
    if dtype.is_integer():
        if not series.is_null().any():
            return NumberColumn(name, np.asarray(series.to_numpy()), "integer")
        return NumberColumn(name, _floats(series), "integer")
    if dtype.is_float() or dtype.is_decimal():
        return NumberColumn(name, _floats(series), "float")
    if dtype == nw.Object:
        return object_column(name, series.to_list())
    if isinstance(dtype, nw.String | nw.Categorical | nw.Enum | nw.Boolean):
        levels, codes = _factorize(series)
        if not levels and series.implementation.is_pandas_like() and series.to_native().dtype == object:
            return _untyped(name, len(series))
        declared = declared_categories(series)
        kind: DType = "boolean" if dtype == nw.Boolean else _label_dtype(name, declared or levels)
        by_type = isinstance(dtype, nw.Categorical | nw.Enum)
        return LabelColumn(name, levels, codes, kind, declared, by_type)
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
        return object_column(name, values.tolist()) if texts is None else texts
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


def object_column(name: str, values: list[Any]) -> Column:
    """Find out what a column of Python objects holds: one type of label, or numbers.

    Examples
    --------
    >>> object_column("x", [1, None, 2.5]).values
    array([1. , nan, 2.5])
    """
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
