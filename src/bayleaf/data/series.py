"""One column, read from wherever it lies: from Arrow's memory, from pandas, from an array or from Python objects.

A column becomes either numbers (float or integer, with a mask of missing values) or labels (a list of levels and the
level number of each row). Every spelling of "missing" ends here: None, NaN, NaT, pandas.NA, null.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.optional import polars as pl

from .arrow import column_from_stream
from .column_values import ABSENT, Column, LabelColumn, NumberColumn, moment_column, untyped
from .dates import array_moments, arrow_moments, zone_name
from .packing import translate
from .python_objects import interval_column, object_column, text_objects
from .variable import DType, State


def series_column(name: str, series: nw.Series[Any]) -> Column:
    """Read a column of a DataFrame.

    Examples
    --------
    >>> series_column("x", nw.from_native(pl.Series(["b", None, "a"]), series_only=True)).levels
    ['b', 'a']
    """
    quick = _pandas_column(name, series) if series.implementation.is_pandas() else _arrow_column(name, series)
    return _any_series(name, series) if quick is None else quick


def _arrow_column(name: str, series: nw.Series[Any]) -> Column | None:
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
        return untyped(name, data.rows)
    if kind == "moment":
        return moment_column(name, *arrow_moments(np.asarray(data.numbers(0)), data.format(0)))
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


def _pandas_column(name: str, series: nw.Series[Any]) -> Column | None:
    """Read a pandas column from what pandas holds already; None for types that need more than that."""
    native = series.to_native()
    dtype = native.dtype
    if dtype == np.dtype(object):
        return text_objects(name, native.to_numpy())
    if dtype in _PANDAS_NUMBERS:
        return array_column(name, native.to_numpy())
    if getattr(dtype, "kind", "O") in ("m", "M"):
        return _pandas_moments(name, series)
    if dtype.name.startswith("period["):
        return _periods(name, native)
    if dtype.name.startswith("interval"):
        return interval_column(name, native.astype(object).where(native.notna(), None).tolist())
    if dtype == np.dtype(bool):
        order, codes = _core.number_codes(np.ascontiguousarray(native.to_numpy()).view(np.int8), 2)
        return LabelColumn(name, list(map(bool, order)), codes, "boolean")
    if dtype.name == "category" and hasattr(native.array, "codes"):
        if getattr(dtype.categories.dtype, "kind", "O") in ("m", "M"):  # dates that are only stored like that
            plain = native.astype(dtype.categories.dtype)
            return _pandas_moments(name, nw.from_native(plain, series_only=True))
        declared = declared_categories(series)
        assert declared is not None
        order, codes = _core.number_codes(np.ascontiguousarray(native.array.codes), len(declared))
        return LabelColumn(
            name, [declared[k] for k in order], codes, _label_dtype(name, declared), declared, True
        )
    if getattr(dtype, "storage", None) == "python":
        return text_objects(name, native.to_numpy(dtype=object))
    return _arrow_column(name, series) if dtype.name in _PANDAS_TEXT else None


def _pandas_moments(name: str, series: nw.Series[Any]) -> Column | None:
    """Read dates, times and durations of pandas: as numpy has them, with a time zone, or as Arrow has them."""
    native = series.to_native()
    if isinstance(native.dtype, np.dtype):
        return moment_column(name, *array_moments(native.to_numpy()))
    if getattr(native.dtype, "tz", None) is None:
        return _arrow_column(name, series)
    in_utc = native.dt.tz_convert("UTC").dt.tz_localize(None)
    return moment_column(name, *array_moments(in_utc.to_numpy()), zone_name(native.dtype.tz))


def _periods(name: str, native: Any) -> NumberColumn:
    """Read periods of pandas as their first moments. The weekday on which a month begins tells nothing."""
    column = moment_column(name, *array_moments(native.dt.to_timestamp().to_numpy()))
    unit = native.dtype.name[len("period[") : -1].partition("-")[0]
    if unit == "M":
        return replace(column, parts=("month",))
    return replace(column, parts=()) if unit in ("W", "Q", "Y", "A") else column


def _any_series(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if dtype.is_integer():
        if not series.is_null().any() and dtype not in (nw.Int128, nw.UInt128):  # which numpy does not have
            return NumberColumn(name, np.asarray(series.to_numpy()), "integer")
        return NumberColumn(name, _floats(series), "integer")
    if dtype.is_float() or dtype.is_decimal():
        return NumberColumn(name, _floats(series), "float")
    if dtype == nw.Object or dtype.is_temporal():
        return object_column(name, series.to_list())
    if isinstance(dtype, nw.String | nw.Categorical | nw.Enum | nw.Boolean):
        levels, codes = _factorize(series)
        if not levels and series.implementation.is_pandas_like() and series.to_native().dtype == object:
            return untyped(name, len(series))
        declared = declared_categories(series)
        kind: DType = "boolean" if dtype == nw.Boolean else _label_dtype(name, declared or levels)
        by_type = isinstance(dtype, nw.Categorical | nw.Enum)
        return LabelColumn(name, levels, codes, kind, declared, by_type)
    if series.is_null().all():  # a column without any value has no type
        return untyped(name, len(series))
    native = series.to_native()
    spelled = getattr(native, "type", getattr(native, "dtype", dtype)) if dtype == nw.Unknown else dtype
    raise TypeError(
        f"Column '{name}' has type {spelled}, which is not supported: turn it into numbers, strings or categories."
    )


def _floats(series: nw.Series[Any]) -> NDArray[np.float64]:
    return np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)


def declared_categories(series: nw.Series[Any]) -> tuple[State, ...] | None:
    """Return the categories that a column's type lists, seen or not, in the order of that list."""
    if isinstance(series.dtype, nw.Categorical | nw.Enum) and series.implementation.is_pandas_like():
        categories = series.to_native().cat.categories.tolist()
        plain = all(isinstance(each, str | bool | int | float) for each in categories)
        return tuple(categories if plain else map(str, categories))  # intervals, periods, ...
    if isinstance(series.dtype, nw.Enum):
        return tuple(series.dtype.categories)
    # Categorical of polars and dictionary of pyarrow are ways to store strings, not declarations.
    return None


def _factorize(series: nw.Series[Any]) -> tuple[list[State], NDArray[np.int64]]:
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
    if kind in "mM":
        return moment_column(name, *array_moments(values))
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
