"""Dates and times as numbers: how they are counted, what their parts are, and how they are written.

A *date* is counted in days and a *datetime* in seconds since 1970-01-01; a *time* of the day in seconds since
midnight; a *duration* in seconds. Years have no limit but that of 64 bits: nanoseconds since 1970, which end in 1677
and 2262, are not used. Columns with a time zone hold moments, counted in UTC; models count what a clock in that zone
shows.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

Moment = Literal["date", "datetime", "time", "duration"]
Part = Literal["weekday", "month", "hour"]
MOMENTS: frozenset[str] = frozenset({"date", "datetime", "time", "duration"})
# The parts that recur, and after how many days.
CYCLES: dict[Part, float] = {"weekday": 7.0, "month": 366.0, "hour": 1.0}
STATES: dict[str, tuple[str, ...]] = {
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "month": (
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    ),
    "hour": tuple(f"{hour:02d}:00" for hour in range(24)),
}
DAY = 86_400
MICRO = 1_000_000
ISO = "%Y-%m-%d"  # how dates are usually written
FIRST_DAY = dt.date(1970, 1, 1).toordinal()
_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})")
# What Python has dates for: the years 1 to 9999, in seconds.
_LOW, _HIGH = -62_135_596_800, 253_402_300_799


def part_codes(part: str, values: NDArray[Any], dtype: str) -> NDArray[np.int8]:
    """Return the number of the weekday, month or hour of each date or datetime, -1 where it is missing."""
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    known = np.where(missing, 0, values)
    days = np.floor(known / DAY if dtype == "datetime" else known).astype(np.int64)
    if part == "weekday":
        codes = (days + 3) % 7
    elif part == "month":
        codes = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12
    else:
        codes = ((known - days * DAY) // 3600).astype(np.int64)
    return np.where(missing, -1, codes).astype(np.int8)


def part_of(part: str | None, number: float, dtype: str) -> int:
    """Return the number of the weekday, month or hour of one date or datetime; see `part_codes`."""
    days = int(number // DAY if dtype == "datetime" else number // 1)
    if part == "weekday":
        return (days + 3) % 7
    if part == "hour":
        return int((number - days * DAY) // 3600)
    if -FIRST_DAY < days <= dt.date.max.toordinal() - FIRST_DAY:
        return dt.date.fromordinal(days + FIRST_DAY).month - 1
    return int(part_codes("month", np.array([days]), "date")[0])


def moment_texts(values: Sequence[float], dtype: str) -> list[str]:
    """Write dates and times, as short as they still differ.

    Examples
    --------
    >>> moment_texts([0, 19783], "date"), moment_texts([-86400.0, 9.5], "datetime")
    (['1970-01-01', '2024-03-01'], ['1969-12-31 00:00', '1970-01-01 00:00'])
    >>> moment_texts([29700.0], "time"), moment_texts([90.0, 93780.5], "duration")
    (['08:15'], ['00:01:30', '1 d 02:03:00'])
    """
    numbers = np.array(values, dtype=np.float64)
    if dtype == "date":
        return _stamps(numbers, "D", 1.0)
    if dtype == "datetime" and not (numbers % DAY).any():
        return _stamps(numbers, "D", 1 / DAY)
    texts: list[str] = []
    for unit, scale in (("m", 1 / 60), ("s", 1.0), ("us", 1e6)):
        texts = _stamps(numbers, unit, scale) if dtype != "duration" else _durations(numbers, unit, scale)
        if len(set(texts)) == len(set(values)):
            break
    return [text.partition(" ")[2] for text in texts] if dtype == "time" else texts


def _stamps(numbers: NDArray[np.float64], unit: str, scale: float) -> list[str]:
    counted = np.floor(numbers * scale).astype(np.int64).astype(f"datetime64[{unit}]")
    return [str(text).replace("T", " ") for text in np.datetime_as_string(counted)]


def _durations(numbers: NDArray[np.float64], unit: str, scale: float) -> list[str]:
    texts = []
    for number in numbers.tolist():
        days, seconds = divmod(abs(number), DAY)
        (clock,) = _stamps(np.array([seconds]), "us" if unit == "us" else "s", 1e6 if unit == "us" else 1.0)
        shown = clock.partition(" ")[2]
        texts.append(f"{'-' * (number < 0)}{f'{days:.0f} d ' * (days > 0)}{shown}")
    return texts


def clock_seconds(seconds: NDArray[np.float64], zone: str | None, name: str) -> NDArray[np.float64]:
    """Return what a clock in a time zone shows at moments that are counted in UTC."""
    if zone is None or zone == "UTC" or not len(seconds):
        return seconds
    offset = _OFFSET.fullmatch(zone)
    if offset is not None:
        shift = 3600 * int(offset[2]) + 60 * int(offset[3])
        return seconds + (shift if offset[1] == "+" else -shift)
    try:
        clocks = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            f"Column '{name}' has the time zone '{zone}', which is not known here: convert it to UTC, or try "
            "pip install tzdata, which knows them all."
        ) from None
    # Other years, and moments that are missing, stay as they are.
    usual = (seconds > _LOW + DAY) & (seconds < _HIGH - 2 * DAY)
    shifts = np.zeros(len(seconds))
    shifts[usual] = _seconds_ahead(seconds[usual], clocks)
    return seconds + shifts


def _seconds_ahead(seconds: NDArray[np.float64], zone: ZoneInfo) -> NDArray[np.float64]:
    """Return how far the clocks of a zone are ahead of UTC: by days, and one by one on days when they are changed."""

    def ahead(moment: float) -> float:
        shown = dt.datetime.fromtimestamp(0, dt.UTC) + dt.timedelta(seconds=moment)
        return (shown.astimezone(zone).utcoffset() or dt.timedelta()).total_seconds()

    days, number = np.unique(np.floor(seconds / DAY), return_inverse=True)
    at_start = np.array([ahead(day * DAY) for day in days.tolist()])
    at_end = np.array([ahead((day + 1) * DAY) for day in days.tolist()])
    shifts = at_start[number]
    for row in np.flatnonzero((at_start != at_end)[number]).tolist():
        shifts[row] = ahead(float(np.floor(seconds[row])))
    return shifts


def as_counted(
    values: NDArray[Any], dtype: str, zone: str | None, wanted: str, wanted_zone: str | None, name: str
) -> NDArray[Any] | None:
    """Return dates or times as a model counts them, by the clocks of its time zone; None for another kind of them.

    Moments without a time zone are what the clocks of any zone show.
    """
    if dtype in ("time", "duration") or wanted in ("time", "duration"):
        return values if dtype == wanted else None
    if dtype == "date":
        return values if wanted == "date" else values * float(DAY)
    seconds = values if zone is None else clock_seconds(values, wanted_zone or zone, name)
    return np.floor(seconds / DAY) if wanted == "date" else seconds


def moment_of(value: Any) -> tuple[float, Moment, str | None] | None:
    """Return a date or time of Python, pandas or numpy as number, type and time zone; None for anything else."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        values, dtype = array_moments(np.array([value]))
        return float(values[0]), dtype, None
    if isinstance(value, dt.datetime):
        micros = (value.toordinal() - FIRST_DAY) * DAY * MICRO + _micros_of(value)
        if value.tzinfo is None:
            return micros / MICRO, "datetime", None
        ahead = value.utcoffset() or dt.timedelta()
        return (
            (micros - ahead // dt.timedelta(microseconds=1)) / MICRO,
            "datetime",
            zone_name(value.tzinfo, value),
        )
    if isinstance(value, dt.date):
        return float(value.toordinal() - FIRST_DAY), "date", None
    if isinstance(value, dt.time):
        return _micros_of(value) / MICRO, "time", None
    if isinstance(value, dt.timedelta):
        return value.total_seconds(), "duration", None
    return None


def _micros_of(value: dt.datetime | dt.time) -> int:
    return (value.hour * 3600 + value.minute * 60 + value.second) * MICRO + value.microsecond


def zone_name(zone: Any, moment: dt.datetime | None = None) -> str:
    """Return the name of a time zone, or its offset from UTC where it has no name."""
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)  # of zoneinfo, of pytz
    if isinstance(name, str):
        return name
    ahead = zone.utcoffset(moment)
    if ahead is None:
        return str(zone)
    hours, minutes = divmod(int(abs(ahead).total_seconds()) // 60, 60)
    sign = "-" if ahead < dt.timedelta() else "+"
    return f"{sign}{hours:02d}:{minutes:02d}" if hours or minutes else "UTC"


# Units longer than a second in seconds, and how many of the shorter ones a second has.
_LONGER = {"W": 7 * DAY, "D": DAY, "h": 3600, "m": 60, "s": 1}
_SHORTER = {"ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}


def _seconds(counts: NDArray[Any], unit: str) -> NDArray[np.float64]:
    """Return counts of a unit in seconds; the same moment is the same number whatever it was counted in."""
    if unit in _LONGER:
        return np.asarray(counts * float(_LONGER[unit]))
    per_second = _SHORTER[unit]
    if per_second > MICRO:  # not all of these are floats, but millionths of a second are
        counts, per_second = np.rint(counts / (per_second // MICRO)), MICRO
    return np.asarray(counts / per_second)


def array_moments(values: NDArray[Any]) -> tuple[NDArray[Any], Moment]:
    """Return an array of datetime64 or timedelta64 as numbers and their type: integers, or floats with NaN."""
    unit, step = np.datetime_data(values.dtype)
    missing = np.isnat(values)
    if unit in ("Y", "M", "W", "D") and values.dtype.kind == "M":
        days = np.where(missing, np.datetime64(0, "D"), values.astype("datetime64[D]")).astype(np.int64)
        return (np.where(missing, np.nan, days) if missing.any() else days), "date"
    if unit in ("Y", "M"):
        raise TypeError(
            f"Durations in months or years ({values.dtype}) have no length: turn them into numbers."
        )
    counts = np.where(missing, np.nan, values.astype(np.int64)) if missing.any() else values.astype(np.int64)
    seconds = _seconds(counts * step, unit if unit != "generic" else "s")  # which holds nothing but NaT
    return seconds, "datetime" if values.dtype.kind == "M" else "duration"


# The types of Arrow by the start of their names, and the units that they are counted in.
_ARROW: dict[str, Moment] = {"td": "date", "ts": "datetime", "tt": "time", "tD": "duration"}
_ARROW_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}


def arrow_moments(values: NDArray[Any], form: str) -> tuple[NDArray[Any], Moment, str | None]:
    """Return numbers in a unit of Arrow's as our numbers, their type and their time zone."""
    dtype = _ARROW[form[:2]]
    if form == "tdD":
        return values, dtype, None
    seconds = _seconds(values, _ARROW_UNITS[form[2]])
    if dtype == "date":
        return np.floor(seconds / DAY), dtype, None
    zone = form.partition(":")[2] if dtype == "datetime" else ""
    return seconds, dtype, zone or None
