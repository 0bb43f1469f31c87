"""Dates and times as numbers: how they are counted, what their parts are, and how they are written.

A *date* is counted in days and a *datetime* in seconds since 1970-01-01; a *time* of the day in seconds since
midnight; a *duration* in seconds. Years have no limit but that of 64 bits: nanoseconds since 1970, which end in 1677
and 2262, are not used. Columns with a time zone hold moments, counted in UTC; models count what a clock in that zone
shows.

Dates and times written as text: recognised where all values of a column agree on one way to write them.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

Moment = Literal["date", "datetime", "time", "duration"]
Part = Literal["weekday", "month", "hour"]
MOMENTS: frozenset[str] = frozenset({"date", "datetime", "time", "duration"})
# The parts of which each comes again after so many days.
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
    """Return the number of the weekday, month or hour of each date or datetime, -1 where it is missing.

    Examples
    --------
    >>> part_codes("weekday", np.array([0.0, np.nan, 4.0]), "date")  # 1970-01-01 was a Thursday
    array([ 3, -1,  0], dtype=int8)
    >>> part_codes("month", np.array([-1, 31]), "date"), part_codes("hour", np.array([-1.0, 3600.0]), "datetime")
    (array([11,  1], dtype=int8), array([23,  1], dtype=int8))
    """
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
    """Return the number of the weekday, month or hour of one date or datetime.

    Examples
    --------
    >>> part_of("weekday", 0.0, "date"), part_of("month", 31.0, "date"), part_of("hour", -1.0, "datetime")
    (3, 1, 23)
    """
    days = int(number // DAY if dtype == "datetime" else number // 1)
    if part == "weekday":
        return (days + 3) % 7
    if part == "hour":
        return int((number - days * DAY) // 3600)
    if -FIRST_DAY < days <= dt.date.max.toordinal() - FIRST_DAY:
        return dt.date.fromordinal(days + FIRST_DAY).month - 1
    return int(part_codes("month", np.array([days]), "date")[0])


def moment_texts(values: Sequence[float], dtype: str) -> list[str]:
    """Write dates and times, so short that different ones still read differently.

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
    """Return what a clock in a time zone shows at moments that are counted in UTC.

    Examples
    --------
    >>> clock_seconds(np.array([0.0, np.nan]), "Europe/Berlin", "x").tolist()
    [3600.0, nan]
    """
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
    """Return how far the clocks of a zone are ahead of UTC; by days, and one by one on days when they are changed."""

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
    """Return dates or times as a model counts them, by the clocks of its time zone; None where they are no such.

    Moments without a time zone are what the clocks of any zone show.

    Examples
    --------
    >>> as_counted(np.array([90_000.0]), "datetime", None, "date", None, "x")
    array([1.])
    >>> as_counted(np.array([5.0]), "time", None, "date", None, "x") is None
    True
    """
    if dtype in ("time", "duration") or wanted in ("time", "duration"):
        return values if dtype == wanted else None
    if dtype == "date":
        return values if wanted == "date" else values * float(DAY)
    seconds = values if zone is None else clock_seconds(values, wanted_zone or zone, name)
    return np.floor(seconds / DAY) if wanted == "date" else seconds


def moment_of(value: Any) -> tuple[float, Moment, str | None] | None:
    """Return a date or time of Python, pandas or numpy as number, type and time zone; None for anything else.

    Examples
    --------
    >>> moment_of(dt.date(1970, 1, 2)), moment_of(dt.timedelta(minutes=1)), moment_of("1970-01-02")
    ((1.0, 'date', None), (60.0, 'duration', None), None)
    """
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
    """Return the name of a time zone, or its offset from UTC where that is all it is.

    Examples
    --------
    >>> zone_name(ZoneInfo("Asia/Tokyo")), zone_name(dt.UTC), zone_name(dt.timezone(dt.timedelta(hours=-3)))
    ('Asia/Tokyo', 'UTC', '-03:00')
    """
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
    """Return an array of datetime64 or timedelta64 as numbers and their type: integers, or floats with NaN.

    Examples
    --------
    >>> array_moments(np.array(["1500-01-01", "NaT"], dtype="datetime64[D]"))
    (array([-171664.,      nan]), 'date')
    >>> array_moments(np.array([90], dtype="timedelta64[m]"))
    (array([5400.]), 'duration')
    """
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
    """Return numbers that Arrow counts in a unit of its own as ours, their type and their time zone.

    Examples
    --------
    >>> arrow_moments(np.array([1500]), "tsm:Europe/Berlin")
    (array([1.5]), 'datetime', 'Europe/Berlin')
    """
    dtype = _ARROW[form[:2]]
    if form == "tdD":
        return values, dtype, None
    seconds = _seconds(values, _ARROW_UNITS[form[2]])
    if dtype == "date":
        return np.floor(seconds / DAY), dtype, None
    zone = form.partition(":")[2] if dtype == "datetime" else ""
    return seconds, dtype, zone or None


def part_tells(
    codes: NDArray[np.int8], target: NDArray[np.int64], weights: NDArray[np.float64] | None
) -> bool:
    """Tell whether a part says more about the class than its table costs, by BIC.

    It does where 2 N I(part; class) > (r - 1) (c - 1) ln N, with r values of the part and c classes among the N rows
    in which it is known.

    Examples
    --------
    >>> codes = np.tile(np.arange(7, dtype=np.int8), 20)
    >>> part_tells(codes, (codes > 4).astype(np.int64), None), part_tells(codes, np.arange(140) // 7 % 2, None)
    (True, False)
    """
    known = codes >= 0
    classes = int(target.max(initial=0)) + 1
    cells = codes[known].astype(np.int64) * classes + target[known]
    flat = np.bincount(cells, None if weights is None else weights[known], minlength=24 * classes)
    table = flat.astype(np.float64).reshape(-1, classes)
    counts = table[table.any(axis=1)][:, table.any(axis=0)]
    if min(counts.shape) < 2:
        return False
    rows = counts.sum()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / rows
    present = counts > 0
    information = (counts[present] * np.log(counts[present] / expected[present])).sum()
    return bool(2.0 * information > (counts.shape[0] - 1) * (counts.shape[1] - 1) * np.log(max(rows, 1.0)))


# Ways to write a date: the shape of the text, and what the parts of that shape may mean. Points stand between day,
# month and year in this order only; strokes and hyphens do so in two orders.
_SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\d{4}-\d{2}-\d{2}", (ISO,)),
    (r"\d{4}/\d{1,2}/\d{1,2}", ("%Y/%m/%d",)),
    (r"\d{4}\.\d{1,2}\.\d{1,2}", ("%Y.%m.%d",)),
    (r"\d{1,2}\.\d{1,2}\.\d{4}", ("%d.%m.%Y",)),
    (r"\d{1,2}/\d{1,2}/\d{4}", ("%d/%m/%Y", "%m/%d/%Y")),
    (r"\d{1,2}-\d{1,2}-\d{4}", ("%d-%m-%Y", "%m-%d-%Y")),
    (r"\d{1,2}-[A-Za-z]{3,9}-\d{4}", ("%d-%B-%Y",)),
    (r"\d{1,2} [A-Za-z]{3,9} \d{4}", ("%d %B %Y",)),
    (r"[A-Za-z]{3,9} \d{1,2}, \d{4}", ("%B %d, %Y",)),
)
TIME = "%H:%M"
_CLOCK = r"(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d{1,9})?))?(?: ?([AaPp])\.?[Mm]\.?)?"
_ZONE = r"(?: ?(Z|UTC|[+-]\d{2}:?\d{2}))?"
_TIME_OF_DAY = re.compile(_CLOCK, re.ASCII)
_AFTER_DATE = re.compile(f"[ T]{_CLOCK}{_ZONE}", re.ASCII)
_PART = re.compile(r"\d+|[A-Za-z]+")
# Names of months in full and by their first three letters.
_MONTHS = {
    name.lower()[:length]: number for number, name in enumerate(STATES["month"], 1) for length in (3, 9)
}
# Values that rule out a way quickly.
SAMPLE = 20


@dataclass(frozen=True)
class DateTexts:
    """Texts read as dates or times.

    Attributes
    ----------
    spelling : str
        How they are written, as ``strptime`` spells it; a time of day may follow each date.
    values : ndarray
        Their numbers, NaN where a text is no date.
    dtype : {"date", "datetime", "time"}
    zone : str or None
        Their time zone.
    rival : str or None
        Another way in which they could be meant, with nothing to decide between the two.
    """

    spelling: str
    values: NDArray[np.float64]
    dtype: Moment
    zone: str | None = None
    rival: str | None = None


def find_dates(texts: Sequence[str]) -> DateTexts | None:
    """Read texts as dates or times, if all of them are such in one way of writing.

    Examples
    --------
    >>> find_dates(["31/12/2023", "1/2/2024"]).spelling, find_dates(["3/4/2024", "1/2/2024"]).rival
    ('%d/%m/%Y', '%m/%d/%Y')
    >>> find_dates(["2024-03-01 08:00", "2024-03-02T09:30Z"]) is None  # with and without a time zone
    True
    """
    sample = texts[:SAMPLE]
    if not sample:
        return None
    ways = [TIME] if _fits(sample, _CLOCK) else []
    for shape, formats in _SHAPES:
        if _fits(sample, _with_clock(shape)):
            ways += formats
    found: list[DateTexts] = []
    for way in ways:
        if _complete(read_dates(sample, way)):
            read = read_dates(texts, way)
            found += [read] if read is not None and _complete(read) else []
    if len(found) > 1:
        first, second = found[:2]
        return DateTexts(first.spelling, first.values, first.dtype, first.zone, second.spelling)
    return found[0] if found else None


def read_dates(texts: Sequence[str | None], spelling: str) -> DateTexts | None:
    """Read texts as dates or times in one way of writing; None where some have a time zone and others none.

    Examples
    --------
    >>> read_dates(["1.3.2024", "2.3.2024 12:00"], "%d.%m.%Y").values
    array([1.7092512e+09, 1.7093808e+09])
    >>> read_dates(["2024-03-01T08:00+02:00", "late"], "%Y-%m-%d").zone
    '+02:00'
    """
    if spelling == TIME:
        return DateTexts(
            spelling, _each(texts, lambda text: _clock_seconds(_TIME_OF_DAY.fullmatch(text))), "time"
        )
    shape = re.compile(next(shape for shape, formats in _SHAPES if spelling in formats), re.ASCII)
    letters = re.findall("%(.)", spelling)
    dates, clocks = _cut(texts)
    days = _each(dates, lambda date: _day_number(date, letters) if shape.fullmatch(date) else np.nan)
    if not any(clocks):
        return DateTexts(spelling, days, "date")
    found = {clock: _AFTER_DATE.fullmatch(clock) for clock in set(clocks)}
    since_midnight = _each(clocks, lambda clock: _clock_seconds(found[clock]), nothing=0.0)
    micros = np.rint((days * DAY + since_midnight) * MICRO)
    seconds = micros / MICRO  # the same number as from anywhere else
    zones = {clock: match[5] for clock, match in found.items() if match is not None}
    offsets = {_offset(zone) for zone in zones.values() if zone is not None}
    if not offsets:
        return DateTexts(spelling, seconds, "datetime")
    ahead = _each(clocks, lambda clock: _zone_seconds_ahead(zones.get(clock)))
    if (np.isnan(ahead) & ~np.isnan(seconds)).any():
        return None
    only = offsets.pop() if len(offsets) == 1 else "+00:00"
    return DateTexts(spelling, seconds - ahead, "datetime", "UTC" if only[1:] == "00:00" else only)


def _cut(texts: Sequence[str | None]) -> tuple[list[str], list[str]]:
    """Cut texts into dates and clocks: of many moments there are few of each, and each is read once.

    Examples
    --------
    >>> _cut(["2024-03-01 8:05", "5 May 2024 08:05Z", "2024-03-01", None])
    (['2024-03-01', '5 May 2024', '2024-03-01', ''], [' 8:05', ' 08:05Z', '', ''])
    """
    dates, clocks = [], []
    for text in texts:
        whole = text or ""
        place = whole.find(":")
        if place >= 0:
            place -= 3 if whole[max(place - 3, 0)] in " T" else 2
        dates.append(whole[:place] if place >= 0 else whole)
        clocks.append(whole[place:] if place >= 0 else "")
    return dates, clocks


def _offset(zone: str) -> str:
    """Spell an offset from UTC in the one way of ours.

    Examples
    --------
    >>> [_offset(zone) for zone in ("Z", "-0330", "+02:00")]
    ['+00:00', '-03:30', '+02:00']
    """
    return "+00:00" if zone in ("Z", "UTC") else f"{zone[:3]}:{zone[-2:]}"


def _zone_seconds_ahead(zone: str | None) -> float:
    """Return how far clocks are ahead of UTC, NaN where that is not said."""
    if zone is None:
        return np.nan
    offset = _offset(zone)
    ahead = int(offset[1:3]) * 3600.0 + int(offset[4:]) * 60.0
    return -ahead if offset[0] == "-" else ahead


def _with_clock(shape: str) -> str:
    return f"{shape}(?:[ T]{_CLOCK}{_ZONE})?"


def _fits(texts: Sequence[str], pattern: str) -> bool:
    return all(re.fullmatch(pattern, text) for text in texts)


def _complete(read: DateTexts | None) -> bool:
    return read is not None and not np.isnan(read.values).any()


def _each(
    parts: Sequence[str | None], number: Callable[[str], float], nothing: float = np.nan
) -> NDArray[np.float64]:
    """Return the number of each part; equal parts are read once, and empty ones are nothing."""
    numbers = {part: number(part) if part else nothing for part in set(parts)}
    return np.array([numbers[part] for part in parts], dtype=np.float64)


def _day_number(date: str, letters: Sequence[str]) -> float:
    """Return the days since 1970, NaN where there is no such day."""
    parts = dict(zip(letters, _PART.findall(date), strict=True))
    month = _MONTHS.get(parts["B"].lower(), 0) if "B" in parts else int(parts["m"])
    try:
        return float(dt.date(int(parts["Y"]), month, int(parts["d"])).toordinal() - FIRST_DAY)
    except ValueError:
        return np.nan


def _clock_seconds(clock: re.Match[str] | None) -> float:
    """Return the seconds since midnight, NaN where there is no such time.

    Examples
    --------
    >>> [_clock_seconds(_TIME_OF_DAY.fullmatch(text)) for text in ("8:05:01,5", "12:05 am", "24:00")]
    [29101.5, 300.0, nan]
    """
    if clock is None:
        return np.nan
    hours, minutes, seconds = int(clock[1]), int(clock[2]), float((clock[3] or "0").replace(",", "."))
    if hours > 23 or minutes > 59 or seconds >= 60 or (clock[4] and not 1 <= hours <= 12):
        return np.nan
    if clock[4]:
        hours = hours % 12 + (12 if clock[4] in "pP" else 0)
    return hours * 3600.0 + minutes * 60.0 + seconds
