"""One column, read from wherever it lies: from pandas, from Arrow's memory, from an array or from Python objects.

A column becomes either numbers (float or integer, with a mask of missing values) or labels (a list of levels and the
level number of each row). Every spelling of "missing" ends here: None, NaN, NaT, pandas.NA, null.

Whole numbers of which one lies beyond 2^53 are labels: as doubles, some of them would be the same number, and they
are codes or names of things more often than measurements.

Other libraries hand over columns and whole tables through ``__arrow_c_stream__``, without a copy. What comes from a
library that is not known here is checked before it is used: see ``cpp/encode/arrow_stream.cpp``.
"""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn
from uuid import UUID

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.optional import polars as pl

from .dates import Moment, Part, array_moments, arrow_moments, moment_of, zone_name
from .text_values import missing_marks
from .variable import DType, State

# Position of a missing value in LabelColumn.codes.
ABSENT = -1
# Beyond this, not every whole number is a double.
EXACT = 2**53
# Codes on their way into a table: -1 for missing, in the narrowest type that holds them.
SignedCodes = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers."""

    name: str
    values: NDArray[Any]  # float64, with NaN for missing, or any integer type without missing values
    dtype: DType  # "integer", "float", that of a date or time, or "untyped" without any value
    zone: str | None = None  # of moments, which are counted in UTC
    parts: tuple[Part, ...] = ()  # of dates and times: those that may tell something
    spelling: str | None = None  # of dates and times that were read from texts

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
    mixture: str = ""  # what is wrong, where texts stand among numbers: fine only if they mark missing values

    @property
    def is_text(self) -> bool:
        """Whether this is text of which nothing says that it is categories."""
        return self.dtype == "string" and not self.by_type

    @property
    def is_whole(self) -> bool:
        """Whether these are whole numbers that doubles would not keep apart."""
        return self.dtype == "integer" and not self.by_type and self.declared is None

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


def untyped(name: str, rows: int) -> NumberColumn:
    """Return a column of which no value is known, and whose type says nothing."""
    return NumberColumn(name, np.full(rows, np.nan), "untyped")


# The parts of dates and times that may tell something.
_PARTS: dict[str, tuple[Part, ...]] = {"date": ("weekday", "month"), "datetime": ("weekday", "month", "hour")}


def moment_column(name: str, values: NDArray[Any], dtype: Moment, zone: str | None = None) -> NumberColumn:
    """Return a column of dates or times; see `bayleaf.data.dates`."""
    return NumberColumn(name, values, dtype, zone, _PARTS.get(dtype, ()))


def series_column(name: str, series: nw.Series[Any]) -> Column:
    """Read a column of a DataFrame."""
    quick = _pandas_column(name, series) if series.implementation.is_pandas() else _arrow_column(name, series)
    return _any_series(name, series) if quick is None else quick


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
    if kind == "integer":
        return _whole_numbers(name, np.asarray(data.numbers(0)), series)
    if kind == "real":
        return NumberColumn(name, np.asarray(data.numbers(0)), "float")
    levels, codes = data.labels(0)
    declared = declared_categories(series) if kind == "dictionary" else None
    if declared is not None and levels:  # in the order of the declaration, seen or not
        codes = translate(codes, [declared.index(level) for level in levels], len(declared))
        levels = list(declared)
    dtype: DType = "boolean" if kind == "boolean" else "string"
    return LabelColumn(name, levels, codes, dtype, declared, kind == "dictionary")


def column_from_stream(series: Any) -> _core.ArrowColumns:
    """Return a series of a library that offers Arrow streams as a native column."""
    return _core.ArrowColumns(series.__arrow_c_stream__(), table=False)


def _any_series(name: str, series: nw.Series[Any]) -> Column:
    dtype = series.dtype
    if dtype.is_integer():
        complete = not series.is_null().any() and dtype not in (
            nw.Int128,
            nw.UInt128,
        )  # numpy has none of these
        return _whole_numbers(name, np.asarray(series.to_numpy()) if complete else _floats(series), series)
    if dtype.is_decimal():
        values = _floats(series)
        return (
            object_column(name, series.to_list())
            if _beyond_doubles(values)
            else NumberColumn(name, values, "float")
        )
    if dtype.is_float():
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


def _whole_numbers(name: str, values: NDArray[Any], series: nw.Series[Any] | None = None) -> Column:
    """Return whole numbers as a column: labels if doubles would not keep them all apart.

    ``series`` has them as they were, where some are missing and ``values`` are doubles with NaN.
    """
    if not _beyond_doubles(values):
        return NumberColumn(name, values, "integer")
    if values.dtype.kind == "f":
        assert series is not None
        return object_column(name, series.to_list())
    levels, codes = factorised(values)
    return LabelColumn(name, levels, codes, "integer")


def _beyond_doubles(values: NDArray[Any]) -> bool:
    """Tell whether one of some whole numbers is so large that its neighbours are no doubles."""
    if values.dtype.itemsize < 8 or not len(values):
        return False
    if values.dtype.kind == "f":  # numbers that have been rounded, with NaN for missing
        return bool((np.abs(values) >= EXACT).any())
    return bool(values.max() > EXACT or values.min() < -EXACT)


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
    return levels, _places(series.to_list(), levels)


def _places(values: Sequence[Any], levels: Sequence[Any]) -> NDArray[np.int64]:
    """Return the place of each value among the levels; ABSENT for None."""
    number = {level: k for k, level in enumerate(levels)}
    return np.array([number.get(value, ABSENT) for value in values], dtype=np.int64)


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


def array_column(name: str, values: NDArray[Any]) -> Column:
    """Read a column of an array."""
    kind = values.dtype.kind
    if kind in "iu":
        return _whole_numbers(name, values)
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


def text_objects(name: str, values: NDArray[Any]) -> LabelColumn | None:
    """Read an array of Python texts as labels; None if it holds anything else, or no text at all."""
    pandas = sys.modules.get("pandas")
    numbered = _core.number_objects(values, getattr(pandas, "NA", None))
    if numbered is None or not numbered[0]:
        return None
    levels, codes = numbered
    return LabelColumn(name, levels, codes, "string")


_NUMBERS = (int, float, Decimal, Fraction)
_MOMENTS = (dt.date, dt.time, dt.timedelta, np.datetime64, np.timedelta64)


def object_column(name: str, values: Sequence[Any]) -> Column:
    """Find out what a column of Python objects holds: one type of label, numbers, or dates and times."""
    present = [None if is_missing(value) else _plain(value) for value in values]
    kinds = {type(value) for value in present if value is not None}
    if not kinds:
        return untyped(name, len(present))
    if kinds == {bool} or kinds == {str}:
        levels = list(dict.fromkeys(value for value in present if value is not None))
        return LabelColumn(name, levels, _places(present, levels), "boolean" if bool in kinds else "string")
    if bool not in kinds and all(issubclass(kind, _NUMBERS) for kind in kinds):
        return _object_numbers(name, present, kinds)
    if all(issubclass(kind, _MOMENTS) for kind in kinds):
        return _moments(name, present)
    if all(kind.__name__ == "Interval" and kind.__module__.startswith("pandas") for kind in kinds):
        return interval_column(name, present)
    if bool not in kinds and str in kinds and all(issubclass(kind, (str, *_NUMBERS)) for kind in kinds):
        texts = [
            value if value is None or isinstance(value, str) else _number_text(value) for value in present
        ]
        levels = list(dict.fromkeys(text for text in texts if text is not None))
        if missing_marks(levels, said=True):
            mixture = _mixture(name, present, kinds)
            return LabelColumn(name, [*levels], _places(texts, levels), "string", mixture=mixture)
    _refuse(name, present, kinds)


def refuse_mixture(column: Column) -> None:
    """Raise for a column in which texts that are no marks of missing values stand among numbers."""
    if isinstance(column, LabelColumn) and column.mixture:
        raise TypeError(column.mixture)


def _number_text(value: Any) -> str:
    return str(value) if isinstance(value, int) else repr(_float(value))


def is_missing(value: Any) -> bool:
    """Tell whether a Python object is a missing value: None, NaN, NaT or pandas.NA."""
    if value is None:
        return True
    try:
        return bool(value != value)  # NaN and NaT
    except (TypeError, ValueError):  # pandas.NA has no truth value
        return type(value).__name__ == "NAType"
    except ArithmeticError:  # a signalling NaN of decimals
        return True


def _plain(value: Any) -> Any:
    """Return the simpler object for numpy's scalars, UUIDs and the periods of pandas."""
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        return value.item()
    if isinstance(value, UUID):
        return str(value)
    if type(value).__name__ == "Period" and hasattr(value, "start_time"):  # of pandas
        return value.start_time
    return value


def _object_numbers(name: str, present: Sequence[Any], kinds: set[type]) -> Column:
    values = _object_floats(present)
    if float not in kinds and _beyond_doubles(values) and not np.isinf(values).any():
        known = [value for value in present if value is not None]
        if all(value == int(value) for value in known):
            whole = [None if value is None else int(value) for value in present]
            levels: list[State] = list(dict.fromkeys(value for value in whole if value is not None))
            return LabelColumn(name, levels, _places(whole, levels), "integer")
    return NumberColumn(name, values, "integer" if kinds == {int} else "float")


def _object_floats(present: Sequence[Any]) -> NDArray[np.float64]:
    try:
        return np.array([np.nan if value is None else float(value) for value in present])
    except OverflowError:  # an integer beyond all floats is as good as infinite, and refused as such
        return np.array([np.nan if value is None else _float(value) for value in present])


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _moments(name: str, present: Sequence[Any]) -> NumberColumn:
    """Read dates, times or durations; dates among datetimes are midnights."""
    read = [None if value is None else moment_of(value) for value in present]
    known = [each for each in read if each is not None]
    dtypes = {dtype for _, dtype, _ in known}
    if dtypes == {"date", "datetime"}:
        dtypes = {"datetime"}
        read = [
            (each[0] * 86_400, "datetime", None) if each is not None and each[1] == "date" else each
            for each in read
        ]
    if len(dtypes) > 1:
        _refuse(name, present, {type(value) for value in present if value is not None})
    zones = {zone for _, _, zone in known}
    if None in zones and len(zones) > 1:
        raise TypeError(f"Column '{name}' mixes times with and without a time zone: convert it to one type.")
    values = np.array([np.nan if each is None else each[0] for each in read])
    return moment_column(name, values, dtypes.pop(), zones.pop() if len(zones) == 1 else "UTC")


def interval_column(name: str, values: Sequence[Any]) -> LabelColumn:
    """Return intervals of pandas as categories, in their order on the number line."""
    different = sorted(
        {value for value in values if value is not None}, key=lambda each: (each.left, each.right)
    )
    texts = tuple(map(str, different))
    return LabelColumn(name, list(texts), _places(values, different), "string", texts)


def _refuse(name: str, present: Sequence[Any], kinds: set[type]) -> NoReturn:
    """Raise, with an example of each type."""
    if len(kinds) == 1:
        raise TypeError(
            f"Column '{name}' holds values of type {kinds.pop().__name__}: each value of a column must be a string, "
            "a boolean, a number, a date or a time."
        )
    raise TypeError(_mixture(name, present, kinds))


def _mixture(name: str, present: Sequence[Any], kinds: set[type]) -> str:
    """Say which types a column mixes, with an example of each."""
    shown = " and ".join(
        f"{kind.__name__} ({next(value for value in present if type(value) is kind)!r:.80})"
        for kind in sorted(kinds, key=lambda kind: kind.__name__)[:3]
    )
    return f"Column '{name}' mixes {shown} values: convert it to one type."


# What the formats of columns that hold more than one value per row, or no text, begin with.
_FORMATS: dict[str, str | tuple[str, ...]] = {
    "list": ("+l", "+L", "+v", "+w"),
    "struct": "+s",
    "map": "+m",
    "union": "+u",
    "run-end encoded": "+r",
    "binary": ("z", "Z", "v", "w"),
    "calendar interval": "ti",
}


class _Checked:
    """A table that is offered through a stream of which every batch is checked."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._stream


def table_from_stream(X: Any) -> Any:
    """Return what any other library offers as an Arrow stream (DuckDB, ibis, a reader of batches), else None.

    It becomes a table of polars, or of pyarrow where there is no polars.
    """
    if not hasattr(X, "__arrow_c_stream__"):
        return None
    stream, names, refused = _core.checked_stream(X.__arrow_c_stream__())
    refuse_equal_names(names)
    for name, form in refused:
        kind = next((word for word, starts in _FORMATS.items() if form.startswith(starts)), f"'{form}'")
        raise TypeError(
            f"Column '{name}' has type {kind}, which is not supported: turn it into numbers, strings or categories."
        )
    if find_spec("polars") is None and find_spec("pyarrow") is not None:
        return _pyarrow_table(_Checked(stream))
    try:
        return pl.DataFrame(_Checked(stream))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise ValueError(_one_sentence(str(error))) from None


def _pyarrow_table(checked: _Checked) -> Any:
    pyarrow = import_module("pyarrow")
    try:
        return pyarrow.RecordBatchReader.from_stream(checked).read_all()
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(_one_sentence(str(error))) from None


def _one_sentence(text: str) -> str:
    r"""Return the message of this package, and the last line of the error that the other library raised."""
    lines = [
        line.strip(" .") for line in text[max(text.find("The Arrow"), 0) :].splitlines() if line.strip(" .")
    ]
    if len(lines) < 2:
        return text[max(text.find("The Arrow"), 0) :].strip()
    return f"{lines[0].partition(':')[0]}: {lines[-1]}."


def refuse_equal_names(names: list[Any]) -> None:
    """Raise if two columns have the same name."""
    if len(set(names)) < len(names):
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        raise ValueError(f"X has columns of the same name: {twice}. Give each column its own name.")


def translate(
    codes: SignedCodes, lookup: Sequence[int] | NDArray[Any], states: int | None = None
) -> SignedCodes:
    """Replace each code by the lookup's; -1 stays -1.

    The result has the narrowest type for this number of states, or int64 if none is given.
    """
    out: SignedCodes = np.empty(len(codes), dtype=np.int64 if states is None else _signed_type(states))
    _core.translate(np.ascontiguousarray(codes), np.array(lookup, dtype=np.int32), out)
    return out


def _signed_type(states: int) -> type[np.signedinteger[Any]]:
    return np.int8 if states <= 128 else np.int16 if states <= 32768 else np.int32


# Integers of a wider range than this, and than the number of rows, are sorted instead of counted.
COUNTED_RANGE = 1 << 16


def factorised(values: NDArray[Any]) -> tuple[list[Any], SignedCodes]:
    """Return the different values of an array of numbers, ascending, and the position of each row's among them."""
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
    """Return the least of some integers, and which of the numbers from it on occur; None where these are too many."""
    if values.dtype.kind not in "iu" or not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    if high - low >= max(COUNTED_RANGE, len(values)) or high >= 2**63:
        return None
    present = np.zeros(high - low + 1, dtype=np.uint8)
    _core.mark_integers(values, low, present)
    return low, present
