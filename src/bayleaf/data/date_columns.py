"""Columns of dates and times: what fit makes of them, and how new rows are read in the same way."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bayleaf.data.discretize.discretizer import TrainingRows

from .dates import (
    CYCLES,
    DAY,
    ISO,
    MOMENTS,
    STATES,
    TIME,
    DateTexts,
    as_counted,
    find_dates,
    moment_texts,
    part_codes,
    part_tells,
    read_dates,
)
from .packing import SignedCodes, number_values
from .raw_columns import ABSENT, Column, LabelColumn, NumberColumn, moment_column
from .variable import Variable


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
