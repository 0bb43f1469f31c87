"""Columns of text become integers, numbers, booleans or stay text; spellings of "missing" become null."""

from collections.abc import Collection

import polars as pl

MISSING_VALUES = ("", "?", "NA", "N/A", "NaN", "nan", "null")
"""What stands for a missing value in a text file unless the caller says otherwise."""

SAMPLE = 100  # values that rule out a type quickly
WITH_DECIMAL_COMMA = r"^[+-]?\d+(,\d+)?([eE][+-]?\d+)?$"
WITH_THOUSANDS = r"^[+-]?[1-9]\d{0,2}(,\d{3})+$"


def type_columns(
    frame: pl.DataFrame,
    missing: Collection[str] = MISSING_VALUES,
    as_text: Collection[str] = (),
    *,
    decimal_comma: bool = False,
) -> pl.DataFrame:
    """Give every column of text the narrowest type that all its values have.

    Parameters
    ----------
    frame : polars.DataFrame
        Columns of strings.
    missing : collection of str
        Spellings of a missing value. An empty field is always missing.
    as_text : collection of str
        Names of columns that stay text whatever their values look like.
    decimal_comma : bool, default=False
        Whether ``1,5`` is a number, as in files whose fields are not separated by commas.

    Examples
    --------
    >>> frame = pl.DataFrame({"n": ["1", "?"], "x": ["1", "2.5"], "b": ["true", "False"], "s": ["1", "a"]})
    >>> [str(dtype) for dtype in type_columns(frame).dtypes]
    ['Int64', 'Float64', 'Boolean', 'String']
    """
    cleaned = blank_out(frame, missing)
    if decimal_comma:
        cleaned = cleaned.with_columns(
            with_decimal_points(column) for column in cleaned.get_columns() if column.name not in as_text
        )
    return cleaned.with_columns(
        narrowest(column) for column in cleaned.get_columns() if column.name not in as_text
    )


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


def with_decimal_points(column: pl.Series) -> pl.Series:
    """Write numbers with a decimal point where all values of a column are numbers with or without a decimal comma.

    A column in which every comma may separate thousands stays as it is.

    Examples
    --------
    >>> with_decimal_points(pl.Series(["1,5", "-20", None])).to_list()
    ['1.5', '-20', None]
    >>> with_decimal_points(pl.Series(["1,500", "20"])).to_list()
    ['1,500', '20']
    """
    given = column.drop_nulls()
    if not (given.head(SAMPLE).str.contains(WITH_DECIMAL_COMMA).all() and given.str.contains(",").any()):
        return column
    commas = given.filter(given.str.contains(","))
    if not given.str.contains(WITH_DECIMAL_COMMA).all() or commas.str.contains(WITH_THOUSANDS).all():
        return column
    return column.str.replace(",", ".", literal=True)


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
