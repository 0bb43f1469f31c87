"""Columns of text that are numbers but for a few values: most often numbers, and a way to write "missing"."""

import warnings
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from .decimals import with_points

SHARE = 0.9  # of the values that must be numbers
FEWEST = 10  # values that tell something


class MixedColumnWarning(UserWarning):
    """A column was read as text for the sake of a few values that are no numbers.

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


def warn_of_mixtures(frame: pl.DataFrame, path: Path, *, points: bool, commas: bool) -> None:
    """Warn of every column of a file that stayed text though it is nearly numbers."""
    for column in frame.get_columns():
        found = nearly_numbers(column, points=points, commas=commas)
        if found is not None:
            warnings.warn(
                f"Column '{column.name}' of '{path}' is taken as text: {found.numbers:,} of its {found.values:,} "
                f"values are numbers, but '{found.other}' in row {found.row} is not; if that means missing, name it "
                "by missing_values= (--missing-values), and if these are categories, name the column by categorical= "
                "(--categorical).",
                MixedColumnWarning,
                stacklevel=4,
            )
