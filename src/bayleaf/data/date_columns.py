"""Columns of dates and times: what fit makes of them, and how new rows are read in the same way.

Texts are dates where all values of a column agree on one way to write them.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl

from .column_values import ABSENT, Column, LabelColumn, NumberColumn, moment_column
from .dates import (
    CYCLES,
    DAY,
    ISO,
    MICRO,
    MOMENTS,
    STATES,
    Moment,
    as_counted,
    moment_texts,
    part_codes,
    part_tells,
)
from .discretize.rows import TrainingRows
from .packing import SignedCodes, number_values
from .variable import Variable

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


def settled(column: NumberColumn, name: str) -> NumberColumn:
    """Return dates and times as the clocks of their time zone show them, other columns as they are.

    Moments that are all at midnight are dates.

    Examples
    --------
    >>> settled(moment_column("x", np.array([86_400.0, np.nan]), "datetime"), "x").dtype
    'date'
    """
    if column.dtype != "datetime":
        return column
    seconds = as_counted(column.values, "datetime", column.zone, "datetime", column.zone, name)
    assert seconds is not None
    known = seconds[~np.isnan(seconds)]
    if not len(known) or (known % DAY).any():
        return replace(column, values=seconds)
    parts = tuple(part for part in column.parts if part != "hour")
    return replace(column, values=seconds / DAY, dtype="date", parts=parts)


def dates_of_texts(column: LabelColumn) -> tuple[Column, str]:
    """Return a column of texts as dates or times, if all of them are such, and what there is to note.

    Examples
    --------
    >>> dates_of_texts(LabelColumn("x", ["3/4/2024"], np.array([0]), "string"))[1]
    "text: '3/4/2024' may be %d/%m/%Y or %m/%d/%Y"
    """
    if not column.is_text or column.declared is not None:
        return column, ""
    found = find_dates([str(level) for level in column.levels])
    if found is None:
        return column, ""
    if found.rival is not None:
        return column, f"text: {column.levels[0]!r} may be {found.spelling} or {found.rival}"
    return _of_levels(column, found), f"text, read as {found.spelling}"


def as_dates(column: Column, name: str) -> tuple[NumberColumn, str]:
    """Take a column that is said to hold dates or times as such; refuse it if it does not.

    Examples
    --------
    >>> as_dates(LabelColumn("x", ["2024-04-03"], np.array([0]), "string"), "x")[0].dtype
    'date'
    """
    note, example = "", ""
    if isinstance(column, LabelColumn) and column.levels:
        example = repr(column.levels[0])
        column, note = dates_of_texts(column)
    if isinstance(column, NumberColumn) and column.dtype in (*MOMENTS, "untyped"):
        return column, note
    why = note.removeprefix("text: ") or (f"{example} is none" if example else f"holds {column.dtype} values")
    raise ValueError(f"Column '{name}' is said to hold dates or times, but {why}.")


def _of_levels(column: LabelColumn, read: DateTexts) -> NumberColumn:
    values = np.append(read.values, np.nan)[column.codes]  # ABSENT is the last
    return replace(moment_column(column.name, values, read.dtype, read.zone), spelling=read.spelling)


def learn_parts(
    column: NumberColumn, variable: Variable, rows: TrainingRows, impute: bool
) -> Iterator[tuple[Variable, SignedCodes]]:
    """Yield the weekday, month and hour of dates or times as features, each where it tells about the class.

    A part that does not come again, since the dates do not last that long, would only say what the date itself says.
    """
    known = column.values[~column.missing]
    if not column.parts or not len(known):
        return
    days = float(known.max() - known.min()) / (DAY if column.dtype == "datetime" else 1)
    assert rows.target is not None
    for part in column.parts:
        codes = part_codes(part, column.values, column.dtype)
        if days <= CYCLES[part] or not part_tells(codes, rows.target, rows.weights):
            continue
        fill = None
        if impute:
            weights = None if rows.weights is None else rows.weights[codes != ABSENT]
            fill = int(np.bincount(codes[codes != ABSENT], weights).argmax())
            codes = np.where(codes == ABSENT, fill, codes).astype(np.int8)
        name = f"{variable.name} ({part})"
        yield Variable(name, STATES[part], None, "string", fill, source=variable.name, part=part), codes


def read_once(variable: Variable, column: Column) -> Column:
    """Return a column as the variable counts dates or times, for its codes and those of its parts.

    Labels of intervals stay as they are: samples of a network have them.
    """
    if isinstance(column, LabelColumn) and set(column.levels) <= set(variable.states):
        return column
    return moments_for(variable, column)


def encode_part(variable: Variable, source: Variable, column: Column) -> SignedCodes:
    """Return the codes of a feature that is a part of the dates in a column; -1 for missing."""
    # Intervals of dates have no weekday.
    if isinstance(column, LabelColumn) and set(column.levels) <= set(source.states):
        codes = np.full(len(column), ABSENT, dtype=np.int8)
    else:
        moments = moments_for(source, column)
        codes = part_codes(variable.part or "", moments.values, source.dtype)
    return codes if variable.fill is None else np.where(codes == ABSENT, variable.fill, codes)


def moments_for(variable: Variable, column: Column) -> NumberColumn:
    """Return the values of a column as the variable counts dates or times; refuse a column of anything else.

    Texts are dates as fit has met them, or as ISO 8601 writes them.
    """
    if isinstance(column, LabelColumn):
        if column.levels and (column.dtype != "string" or variable.dtype == "duration"):
            _refuse(variable, column.dtype)
        column = _texts_for(variable, column)
    if column.dtype == "untyped":
        return column
    counted: NDArray[Any] | None = None
    if column.dtype in MOMENTS:
        counted = as_counted(
            column.values, column.dtype, column.zone, variable.dtype, variable.zone, variable.name
        )
    if counted is None:
        _refuse(variable, column.dtype)
    return replace(column, values=counted, dtype=variable.dtype, zone=None)


def _texts_for(variable: Variable, column: LabelColumn) -> NumberColumn:
    """Read each text as fit has met them, or else as ISO 8601 has it."""
    texts = [str(level) for level in column.levels]
    usual = TIME if variable.dtype == "time" else ISO
    spelling = variable.spelling or usual
    own = read_dates(texts, spelling)
    complete = own is not None and not np.isnan(own.values).any()
    other = own if complete or spelling == usual else read_dates(texts, usual)
    if own is not None and other is not None and (own.dtype, own.zone) == (other.dtype, other.zone):
        own = replace(own, values=np.where(np.isnan(own.values), other.values, own.values))
    for read in (own, other):
        if read is not None and not np.isnan(read.values).any():
            return _of_levels(column, read)
    wrong = texts[0] if own is None else texts[int(np.isnan(own.values).argmax())]
    raise ValueError(
        f"Column '{variable.name}' held {variable.dtype} values in fit, and {wrong!r} cannot be read as one: write "
        f"it like {dt.datetime(2024, 1, 31, 8).strftime(spelling)!r}, or convert the column."
    )


def _refuse(variable: Variable, dtype: str) -> NoReturn:
    raise TypeError(
        f"Column '{variable.name}' held {variable.dtype} values in fit and holds {dtype} values now: convert it."
    )


def moment_labels(column: NumberColumn) -> LabelColumn:
    """Return dates or times as categories, each by its text, in their order.

    Examples
    --------
    >>> moment_labels(moment_column("x", np.array([1.0, np.nan, 0.0]), "date")).levels
    ['1970-01-01', '1970-01-02']
    """
    column = settled(column, column.name)
    missing = column.missing
    levels, numbers = number_values(column.values[~missing])
    codes = np.full(len(missing), ABSENT, dtype=np.int64)
    codes[~missing] = numbers
    texts = moment_texts(levels, column.dtype)
    return LabelColumn(column.name, list(texts), codes, "string", tuple(texts))
