"""Dates and times written as text: recognised where all values of a column agree on one way to write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl

from .dates import DAY, ISO, MICRO, Moment

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


def read_dates(texts: Sequence[str], spelling: str) -> DateTexts | None:
    """Read texts as dates or times in one way of writing; None where some have a time zone and others none.

    Examples
    --------
    >>> read_dates(["1.3.2024", "2.3.2024 12:00"], "%d.%m.%Y").values
    array([1.7092512e+09, 1.7093808e+09])
    >>> read_dates(["2024-03-01T08:00+02:00", "late"], "%Y-%m-%d").zone
    '+02:00'
    """
    column = pl.Series("text", texts, dtype=pl.String)
    if spelling == TIME:
        clock = column.str.extract_groups(f"^{_CLOCK}$").struct.unnest()
        return DateTexts(spelling, _clock_seconds(clock.get_columns()), "time")
    shape = next(shape for shape, formats in _SHAPES if spelling in formats)
    date, *rest, zones = (
        column.str.extract_groups(f"^{_with_clock(f'({shape})')}$").struct.unnest().get_columns()
    )
    days = _numbers(date.str.to_date(spelling, strict=False).cast(pl.Int64))
    has_clock = rest[0].is_not_null().to_numpy()
    if not has_clock.any():
        return DateTexts(spelling, days, "date")
    micros = np.rint((days * DAY + np.where(has_clock, _clock_seconds(rest), 0.0)) * MICRO)
    seconds = micros / MICRO  # the same number as from anywhere else
    has_zone = zones.is_not_null().to_numpy()
    if not has_zone.any():
        return DateTexts(spelling, seconds, "datetime")
    if (~has_zone & ~np.isnan(days)).any():
        return None
    shifts, zone = _offsets(zones)
    return DateTexts(spelling, seconds - shifts, "datetime", zone)


def _offsets(zones: pl.Series) -> tuple[NDArray[np.float64], str]:
    """Return the seconds that clocks are ahead of UTC, and the time zone: UTC, or the one offset that all have."""
    offsets = zones.replace(["Z", "UTC"], "+0000").str.replace(":", "", literal=True)
    hours, minutes = (_numbers(offsets.str.slice(1 + 2 * k, 2)) for k in range(2))
    signs = np.where(offsets.str.starts_with("-").fill_null(False).to_numpy(), -1.0, 1.0)
    used = offsets.drop_nulls().unique().to_list()
    one = len(used) == 1 and used[0][1:] != "0000"
    return signs * (hours * 3600 + minutes * 60), f"{used[0][:3]}:{used[0][3:]}" if one else "UTC"


def _with_clock(shape: str) -> str:
    return f"{shape}(?:[ T]{_CLOCK}{_ZONE})?"


def _fits(texts: Sequence[str], pattern: str) -> bool:
    return all(re.fullmatch(pattern, text) for text in texts)


def _complete(read: DateTexts | None) -> bool:
    return read is not None and not np.isnan(read.values).any()


def _clock_seconds(parts: Sequence[pl.Series]) -> NDArray[np.float64]:
    """Return seconds since midnight; NaN where a text has no time, or there is no such time."""
    hours, minutes, seconds = map(_numbers, parts[:3])
    half = parts[3].str.to_lowercase()
    halved, after_noon = half.is_not_null().to_numpy(), (half == "p").fill_null(False).to_numpy()
    seconds = np.nan_to_num(seconds)
    wrong = (hours > 23) | (minutes > 59) | (seconds >= 60) | (halved & ((hours < 1) | (hours > 12)))
    hours = np.where(halved, hours % 12 + 12 * after_noon, hours)
    return np.where(wrong, np.nan, hours * 3600 + minutes * 60 + seconds)


def _numbers(column: pl.Series) -> NDArray[np.float64]:
    numbers = column.str.replace(",", ".", literal=True) if column.dtype == pl.String else column
    return np.asarray(numbers.cast(pl.Float64).fill_null(np.nan).to_numpy(), dtype=np.float64)
