"""Columns of dates and times: what fit makes of them, and how new rows are read in the same way."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .column_values import Column, LabelColumn, NumberColumn, moment_column
from .date_texts import ISO, TIME, DateTexts, find_dates, read_dates
from .dates import CYCLES, DAY, MOMENTS, STATES, as_counted, moment_texts, part_codes, part_tells
from .discretize.rows import TrainingRows
from .packing import SignedCodes, number_values
from .variable import Variable


def settled(column: NumberColumn, name: str) -> NumberColumn:
    """Return a column of dates or times as clocks in its time zone show them; moments that are all midnight are dates.

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


def dates_of_texts(column: LabelColumn, name: str) -> tuple[Column, str]:
    """Return a column of texts as dates or times, if all of them are such, and what there is to note.

    Examples
    --------
    >>> column = LabelColumn("x", ["3/4/2024"], np.array([0]), "string")
    >>> dates_of_texts(column, "x")[1]
    "text: '3/4/2024' may be %d/%m/%Y or %m/%d/%Y"
    """
    if column.dtype != "string" or column.declared is not None or not column.levels:
        return column, ""
    found = find_dates([str(level) for level in column.levels])
    if found is None:
        return column, ""
    if found.rival is not None:
        return column, f"text: {column.levels[0]!r} may be {found.spelling} or {found.rival}"
    return _of_levels(column, found), f"text, read as {found.spelling}"


def _of_levels(column: LabelColumn, read: DateTexts) -> NumberColumn:
    values = np.append(read.values, np.nan)[column.codes]  # ABSENT is the last
    return replace(moment_column(column.name, values, read.dtype, read.zone), spelling=read.spelling)


def moments_for(variable: Variable, column: Column) -> NumberColumn:
    """Return the values of a column as the variable counts dates or times; refuse a column of anything else.

    Texts are dates as fit has met them, or as ISO 8601 writes them.
    """
    name = variable.name
    if isinstance(column, LabelColumn):
        if column.levels and column.dtype != "string":
            _refuse(variable, column.dtype)
        column = _texts_for(variable, column)
    if column.dtype == "untyped":
        return column
    counted = None
    if column.dtype in MOMENTS:
        counted = as_counted(column.values, column.dtype, column.zone, variable.dtype, variable.zone, name)
    if counted is None:
        _refuse(variable, column.dtype)
    return replace(column, values=counted, dtype=variable.dtype, zone=None)


def _texts_for(variable: Variable, column: LabelColumn) -> NumberColumn:
    texts = [str(level) for level in column.levels]
    usual = TIME if variable.dtype == "time" else ISO
    for spelling in dict.fromkeys([variable.spelling or usual, usual]):
        read = read_dates(texts, spelling)
        if read is not None and not np.isnan(read.values).any():
            return _of_levels(column, read)
    read = read_dates(texts, variable.spelling or usual)
    wrong = texts[0] if read is None else texts[int(np.isnan(read.values).argmax())]
    raise ValueError(
        f"Column '{variable.name}' held {variable.dtype} values in fit, and {wrong!r} cannot be read as one: write it "
        f"as {moment_texts([0], variable.dtype)[0]!r}, or convert the column."
    )
