"""Columns of text become integers, numbers, booleans or stay text; spellings of "missing" become null."""

from collections.abc import Collection

import polars as pl

MISSING_VALUES = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
"""What stands for a missing value in a text file unless the caller says otherwise."""

SAMPLE = 100  # values that rule out a type quickly


def blank_out(frame: pl.DataFrame, missing: Collection[str]) -> pl.DataFrame:
    """Strip the text columns of a frame of surrounding blanks and turn spellings of "missing" into null.

    Examples
    --------
    >>> blank_out(pl.DataFrame({"s": [" a", "?"]}), ["?"])["s"].to_list()
    ['a', None]
    """
    spellings = ["", *missing]
    stripped = pl.col(pl.String).str.strip_chars()
    return frame.with_columns(pl.when(~stripped.is_in(spellings)).then(stripped))


def narrowest(column: pl.Series) -> pl.Series:
    """Convert a column of text to integers, else to numbers, else to booleans, where every value allows it.

    Examples
    --------
    >>> narrowest(pl.Series(["1", None, "007"])).to_list()
    [1, None, 7]
    """
    if column.null_count() == len(column):
        return column
    first = column.drop_nulls().head(SAMPLE)
    for kind in (pl.Int64, pl.Float64):
        if first.cast(kind, strict=False).has_nulls():
            continue
        numbers = column.cast(kind, strict=False)
        if numbers.null_count() == column.null_count():
            return numbers
    return booleans(column)


def as_labels(column: pl.Series) -> pl.Series:
    """Convert a column of text as `narrowest`, but only to numbers that are written the same way again.

    Examples
    --------
    >>> as_labels(pl.Series(["7", None])).to_list(), as_labels(pl.Series(["7", "07"])).to_list()
    ([7, None], ['7', '07'])
    """
    typed = narrowest(column)
    same = typed.dtype == pl.Boolean or typed.cast(pl.String).equals(column)
    return typed if same else column


def booleans(column: pl.Series) -> pl.Series:
    """Convert a column of true and false (in any case) to booleans; any other column stays as it is.

    Examples
    --------
    >>> booleans(pl.Series(["True", None, "false"])).to_list()
    [True, None, False]
    """
    lower = column.str.to_lowercase()
    if lower.drop_nulls().is_in(["true", "false"]).all() and lower.null_count() < len(lower):
        return (lower == "true").alias(column.name)
    return column
