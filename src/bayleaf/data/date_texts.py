"""Dates and times written as text: recognised where all values of a column agree on one way to write them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .dates import DAY, FIRST_DAY, ISO, MICRO, STATES, Moment

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
    ahead = _each(clocks, lambda clock: _seconds_ahead(zones.get(clock)))
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


def _seconds_ahead(zone: str | None) -> float:
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
