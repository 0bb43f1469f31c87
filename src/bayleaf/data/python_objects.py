"""Columns of Python objects: texts, numbers, booleans, dates, and what else stands for one of these."""

import datetime as dt
import sys
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NoReturn
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core

from .column_values import ABSENT, Column, LabelColumn, NumberColumn, moment_column, untyped
from .dates import moment_of

_NUMBERS = (int, float, Decimal, Fraction)
_MOMENTS = (dt.date, dt.time, dt.timedelta, np.datetime64, np.timedelta64)


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


def object_column(name: str, values: Sequence[Any]) -> Column:
    """Find out what a column of Python objects holds: one type of label, numbers, or dates and times.

    Examples
    --------
    >>> object_column("x", [1, None, 2.5]).values
    array([1. , nan, 2.5])
    >>> object_column("x", [dt.date(1970, 1, 2), None]).dtype
    'date'
    """
    present = [None if is_missing(value) else _plain(value) for value in values]
    kinds = {type(value) for value in present if value is not None}
    if not kinds:
        return untyped(name, len(present))
    if kinds == {bool} or kinds == {str}:
        levels = list(dict.fromkeys(value for value in present if value is not None))
        number = {level: k for k, level in enumerate(levels)}
        codes = np.array([ABSENT if value is None else number[value] for value in present], dtype=np.int64)
        return LabelColumn(name, levels, codes, "boolean" if bool in kinds else "string")
    if bool not in kinds and all(issubclass(kind, _NUMBERS) for kind in kinds):
        return NumberColumn(name, _floats(present), "integer" if kinds == {int} else "float")
    if all(issubclass(kind, _MOMENTS) for kind in kinds):
        return _moments(name, present)
    if all(_is_interval(kind) for kind in kinds):
        return interval_column(name, present)
    _refuse(name, present, kinds)


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
    except ArithmeticError:  # a signalling NaN of decimals
        return True


def _plain(value: Any) -> Any:
    """Return what an object stands for: numpy's scalars, identifiers and periods are something simpler."""
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        return value.item()
    if isinstance(value, UUID):
        return str(value)
    if type(value).__name__ == "Period" and hasattr(value, "start_time"):  # of pandas
        return value.start_time
    return value


def _floats(present: Sequence[Any]) -> NDArray[np.float64]:
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
    """Dates, times or durations; dates among datetimes are midnights."""
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


def _is_interval(kind: type) -> bool:
    return kind.__name__ == "Interval" and kind.__module__.startswith("pandas")


def interval_column(name: str, values: Sequence[Any]) -> LabelColumn:
    """Return intervals of pandas as categories, in their order on the number line."""
    different = sorted(
        {value for value in values if value is not None}, key=lambda each: (each.left, each.right)
    )
    texts = tuple(map(str, different))
    number = {value: k for k, value in enumerate(different)}
    codes = np.array([ABSENT if value is None else number[value] for value in values], dtype=np.int64)
    return LabelColumn(name, list(texts), codes, "string", texts)


def _refuse(name: str, present: Sequence[Any], kinds: set[type]) -> NoReturn:
    """Raise, with an example of each type."""
    if len(kinds) == 1:
        raise TypeError(
            f"Column '{name}' holds values of type {kinds.pop().__name__}: each value of a column must be a string, "
            "a boolean, a number, a date or a time."
        )
    shown = " and ".join(
        f"{kind.__name__} ({next(value for value in present if type(value) is kind)!r:.80})"
        for kind in sorted(kinds, key=lambda kind: kind.__name__)[:3]
    )
    raise TypeError(f"Column '{name}' mixes {shown} values: convert it to one type.")
