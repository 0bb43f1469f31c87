"""Decimal commas: which columns have them, and where a point would be read as decimals but may mark thousands.

The rule looks at the delimiter and at marks, never at how many rows there are: a comma in a column of numbers is
decimal wherever commas may be decimal at all.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

import polars as pl

from .column_types import narrowest
from .errors import DataFileError

MARKS = {",": ",", "comma": ",", ".": ".", "point": "."}
SAMPLE = 100  # values that rule out numbers quickly

# The digits themselves are left to the conversion, which knows what a number is.
WITH_COMMA = r"(?i)^([+-]?(\d{1,3}(\.\d{3})+|\d*)(,\d*)?(e[+-]?\d+)?|[+-]?(nan|inf|infinity))$"
WITH_THOUSANDS = r"^[+-]?[1-9]\d{0,2}(\.\d{3})+$"
WHOLE = r"^[+-]?\d+$"


def decimal_mark(given: str | None) -> str | None:
    """Return the decimal mark that a caller asks for, as a character.

    Examples
    --------
    >>> decimal_mark("comma"), decimal_mark(".")
    (',', '.')
    >>> decimal_mark("'")
    Traceback (most recent call last):
    bayleaf.io.errors.DataFileError: The decimal mark must be ',' (comma) or '.' (point). Got "'".
    """
    if given is None:
        return None
    if not isinstance(given, str) or given.lower() not in MARKS:
        raise DataFileError(f"The decimal mark must be ',' (comma) or '.' (point). Got {given!r}.")
    return MARKS[given.lower()]


def by_decimal_comma(frame: pl.DataFrame) -> pl.DataFrame:
    """Type columns of text in which commas are decimal and points separate thousands, and nothing else.

    Examples
    --------
    >>> by_decimal_comma(pl.DataFrame({"x": ["1.234,5", "1.200"], "y": ["1.5", "2"]})).rows()
    [(1234.5, '1.5'), (1200.0, '2')]
    """
    return frame.with_columns(
        with_comma(column) if _has(column, ".") or _has(column, ",") else narrowest(column)
        for column in frame.get_columns()
    )


def by_either_mark(frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Type columns of text, each of which may have decimal commas or decimal points.

    A column with commas has decimal commas. Beside such a column, one whose points may all separate thousands is
    refused: it would be read as numbers a thousand times too small.

    Examples
    --------
    >>> by_either_mark(pl.DataFrame({"x": ["1,500", "2"], "y": ["1.5", "2"]}), Path("a.csv")).rows()
    [(1.5, 1.5), (2.0, 2.0)]
    """
    typed = {column.name: with_comma(column) for column in frame.get_columns() if _has(column, ",")}
    commas = {name: frame[name] for name, column in typed.items() if column.dtype != pl.String}
    others = [column for column in frame.get_columns() if column.name not in commas]
    if commas:
        _refuse_thousands(path, commas, others)
    return frame.with_columns(*(typed[name] for name in commas), *(narrowest(column) for column in others))


def with_comma(column: pl.Series) -> pl.Series:
    """Convert a column of text to numbers where all are such by decimal commas; else it stays as it is.

    Examples
    --------
    >>> with_comma(pl.Series(["1,5", "-20", None])).to_list()
    [1.5, -20.0, None]
    >>> with_comma(pl.Series(["1,5", "2.5"])).to_list()
    ['1,5', '2.5']
    """
    given = column.drop_nulls()
    if not (given.head(SAMPLE).str.contains(WITH_COMMA).all() and given.str.contains(WITH_COMMA).all()):
        return column
    numbers = narrowest(with_points(column))
    return numbers if numbers.dtype.is_numeric() else column


def with_points(column: pl.Series) -> pl.Series:
    """Write decimal commas as points, without the points that separate thousands; null where a value is no number.

    Examples
    --------
    >>> with_points(pl.Series(["1.234,5", "2.5"])).to_list()
    ['1234.5', None]
    """
    plain = column.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
    return pl.select(pl.when(column.str.contains(WITH_COMMA)).then(plain)).to_series().alias(column.name)


def _refuse_thousands(path: Path, commas: Mapping[str, pl.Series], others: Collection[pl.Series]) -> None:
    for column in others:
        given = column.drop_nulls()
        pointed = given.filter(given.str.contains(".", literal=True))
        if (
            len(pointed)
            and pointed.str.contains(WITH_THOUSANDS).all()
            and given.str.contains(f"{WITH_THOUSANDS}|{WHOLE}").all()
        ):
            name, comma = next(iter(commas.items()))
            example = comma.filter(comma.str.contains(",", literal=True))[0]
            raise DataFileError(
                f"'{path}' has decimal commas ('{example}' in column '{name}'), so '{pointed[0]}' in column "
                f"'{column.name}' may have decimals or thousands: say which by decimal=',' or decimal='.' "
                "(--decimal comma or --decimal point)."
            )


def _has(column: pl.Series, mark: str) -> bool:
    return bool(column.drop_nulls().str.contains(mark, literal=True).any())
