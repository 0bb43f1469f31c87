"""Columns of text that are nearly numbers: all but a few values, which often mean "missing", or all with commas."""

import warnings
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from .decimals import with_points

SHARE = 0.9  # of the values that must be numbers
FEWEST = 10  # values that tell something


class MixedColumnWarning(UserWarning):
    """A column was read as text for the sake of a few values that are no numbers, or of commas.

    Examples
    --------
    >>> issubclass(MixedColumnWarning, UserWarning)
    True
    """


@dataclass(frozen=True)
class Mixture:
    """How many of the values of a column are numbers, and the first one that is not, in which row (from 1)."""

    numbers: int
    values: int
    other: str
    row: int


def nearly_numbers(column: pl.Series, *, points: bool = True, commas: bool = True) -> Mixture | None:
    """Look whether a column of text is numbers but for a few values, by decimal points or by decimal commas.

    Examples
    --------
    >>> nearly_numbers(pl.Series(["1.5"] * 17 + [None, "high"]))
    Mixture(numbers=17, values=18, other='high', row=19)
    >>> nearly_numbers(pl.Series(["low", "high"] * 10)) is None
    True
    """
    values = len(column) - column.null_count()
    if column.dtype != pl.String or values < FEWEST:
        return None
    spelled = [column] * points + [with_points(column)] * commas
    found = [text.cast(pl.Float64, strict=False).is_not_null() for text in spelled]
    is_number = max(found, key=lambda each: int(each.sum()))
    numbers = int(is_number.sum())
    if numbers == values or numbers < SHARE * values:
        return None
    row = int((column.is_not_null() & ~is_number).arg_max() or 0)
    return Mixture(numbers, values, column[row], row + 1)


def has_comma_numbers(column: pl.Series) -> bool:
    """Look whether a column of text is numbers if its commas are decimal.

    Examples
    --------
    >>> has_comma_numbers(pl.Series(["1,5", "2"] * 5)), has_comma_numbers(pl.Series(["1,5", "a"] * 5))
    (True, False)
    """
    if column.dtype != pl.String or len(column) - column.null_count() < FEWEST:
        return False
    numbers = with_points(column).cast(pl.Float64, strict=False)
    return numbers.null_count() == column.null_count() and bool(column.str.contains(",", literal=True).any())


def warn_of_mixtures(frame: pl.DataFrame, path: Path, *, decimal: str | None, commas: bool) -> None:
    """Warn of every column of a file that stayed text though it is nearly numbers.

    ``commas`` tells whether decimal commas were looked for; where nobody said that they should not be, they are
    pointed out too.
    """
    for column in frame.get_columns():
        found = nearly_numbers(column, points=decimal != ",", commas=commas)
        if decimal is None and not commas and has_comma_numbers(column):
            first = column.filter(column.str.contains(",", literal=True))[0]
            reason = (
                f"its values, such as '{first}', are numbers only if commas are decimal; if they are, say so by "
                "decimal=',' (--decimal comma)"
            )
        elif found is not None:
            reason = (
                f"{found.numbers:,} of its {found.values:,} values are numbers, but '{found.other}' in row "
                f"{found.row} is not; if that means missing, name it by missing_values= (--missing-values)"
            )
        else:
            continue
        warnings.warn(
            f"Column '{column.name}' of '{path}' is taken as text: {reason}, and if these are categories, name the "
            "column by categorical= (--categorical).",
            MixedColumnWarning,
            stacklevel=4,
        )
