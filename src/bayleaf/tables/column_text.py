"""Columns of text become numbers or booleans: spellings of missing, decimal commas, columns that are nearly numbers.

The rules look at the delimiter and at marks, never at how many rows there are: a comma in a column of numbers is
decimal wherever commas may be decimal at all. A few texts of a column decide on its type; with them, a part of a
table is typed as all of it would be.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import DataFileError
from bayleaf._util.words import warn
from bayleaf.data.text_values import NumberFormat, find_numbers, missing_marks, read_numbers

MISSING_VALUES = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")
"""Spellings of a missing value in a text file, by default."""

SAMPLE = 100  # values that rule out a type quickly


def blank_out(frame: pl.DataFrame, missing: Collection[str]) -> pl.DataFrame:
    """Strip the text columns of a frame of surrounding blanks and turn spellings of "missing" into null."""
    spellings = ["", *missing]
    stripped = pl.col(pl.String).str.strip_chars()
    return frame.with_columns(pl.when(~stripped.is_in(spellings)).then(stripped))


def narrowest(column: pl.Series) -> pl.Series:
    """Convert a column of text to integers, else to numbers, else to booleans, where every value allows it.

    Numbers that look like codes stay text: whole ones of the same length, some with leading zeros, or too long for 64
    bits.
    """
    if column.null_count() == len(column):
        return column
    first = column.drop_nulls().head(SAMPLE)
    for kind in (pl.Int64, pl.Float64):
        if first.cast(kind, strict=False).has_nulls():
            continue
        numbers = column.cast(kind, strict=False)
        if numbers.null_count() == column.null_count():
            is_text = _are_codes(column) if kind is pl.Int64 else bool(column.str.contains(WHOLE).all())
            return column if is_text else numbers
    return booleans(column)


def _are_codes(column: pl.Series) -> bool:
    """Whether whole numbers are what `bayleaf.data` takes for codes; few columns have leading zeros at all."""
    zeros = column.str.starts_with("0").any() and (column.str.len_bytes() > 1).any()
    return bool(zeros) and find_numbers(column.drop_nulls().unique().to_list()).values is None


def as_labels(column: pl.Series) -> pl.Series:
    """Convert a column of text like `narrowest`, but only to numbers that are written the same way again."""
    typed = narrowest(column)
    same = typed.dtype == pl.Boolean or typed.cast(pl.String).equals(column)
    return typed if same else column


def booleans(column: pl.Series) -> pl.Series:
    """Convert a column of true and false (in any case) to booleans; any other column stays unchanged."""
    lower = column.str.to_lowercase()
    if lower.drop_nulls().is_in(["true", "false"]).all() and lower.null_count() < len(lower):
        return (lower == "true").alias(column.name)
    return column


MARKS = {",": ",", "comma": ",", ".": ".", "point": "."}

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
    bayleaf._util.whole_files.DataFileError: The decimal mark must be ',' (comma) or '.' (point). Got "'".
    """
    if given is None:
        return None
    if not isinstance(given, str) or given.lower() not in MARKS:
        raise DataFileError(f"The decimal mark must be ',' (comma) or '.' (point). Got {given!r}.")
    return MARKS[given.lower()]


def by_decimal_comma(frame: pl.DataFrame) -> pl.DataFrame:
    """Type columns of text in which commas are decimal and points separate thousands, and nothing else."""
    return frame.with_columns(
        with_comma(column) if _has(column, ".") or _has(column, ",") else narrowest(column)
        for column in frame.get_columns()
    )


def by_either_mark(frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Type columns of text, each of which may have decimal commas or decimal points.

    A column with commas has decimal commas. Next to such a column, one whose points may all separate thousands is
    refused: it would be read as numbers a thousand times too small.
    """
    typed = {column.name: with_comma(column) for column in frame.get_columns() if _has(column, ",")}
    commas = {name: frame[name] for name, column in typed.items() if column.dtype != pl.String}
    others = [column for column in frame.get_columns() if column.name not in commas]
    if commas:
        _refuse_thousands(path, commas, others)
    return frame.with_columns(*(typed[name] for name in commas), *(narrowest(column) for column in others))


def by_decimal_point(frame: pl.DataFrame) -> pl.DataFrame:
    """Type columns of text in which points are decimal and commas separate thousands, and nothing else."""
    return frame.with_columns(
        with_point(column) if _has(column, ",") else narrowest(column) for column in frame.get_columns()
    )


def with_point(column: pl.Series) -> pl.Series:
    """Convert a column of text to numbers if all its values are numbers with decimal points."""
    texts = column.drop_nulls().unique().to_list()
    numbers = read_numbers(texts, NumberFormat(".", ","))
    if np.isnan(numbers).any():
        return column
    return column.replace_strict(texts, numbers.tolist(), return_dtype=pl.Float64)


def with_comma(column: pl.Series) -> pl.Series:
    """Convert a column of text to numbers if all its values are numbers with decimal commas."""
    given = column.drop_nulls()
    if not (given.head(SAMPLE).str.contains(WITH_COMMA).all() and given.str.contains(WITH_COMMA).all()):
        return column
    numbers = narrowest(with_points(column))
    return numbers if numbers.dtype.is_numeric() else column


def with_points(column: pl.Series) -> pl.Series:
    """Write decimal commas as points, without points between thousands; null where a value is not a number."""
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
                f"'{column.name}' may have decimals or thousands: say which with decimal=',' or decimal='.' "
                "(--decimal comma or --decimal point)."
            )


def _has(column: pl.Series, mark: str) -> bool:
    return bool(column.drop_nulls().str.contains(mark, literal=True).any())


SHARE = 0.9  # of the values that must be numbers
FEWEST = 10  # values that tell something


class MixedColumnWarning(UserWarning):
    """A column was read as text because of a few values that are not numbers, or because of commas."""


@dataclass(frozen=True)
class AlmostNumbers:
    """A column of text that is nearly numbers: how many values are, and the first that is not, with its row."""

    numbers: int
    values: int
    other: str
    row: int


@dataclass
class _Spelling:
    """How many texts of a column are numbers by one decimal mark, and the first that is not, with its row."""

    numbers: int = 0
    other: tuple[str, int] | None = None

    def look(self, column: pl.Series, spelled: pl.Series, before: int) -> None:
        is_number = spelled.cast(pl.Float64, strict=False).is_not_null()
        self.numbers += int(is_number.sum())
        is_other = column.is_not_null() & ~is_number
        if self.other is None and is_other.any():
            row = int(is_other.arg_max() or 0)
            self.other = column[row], before + row + 1


class NumberCounts:
    """Counts the numbers in a column of text that comes in parts: by decimal points, and by decimal commas.

    Parameters
    ----------
    commas : bool, default=True
        Whether decimal commas are looked for; else it only matters whether all texts are numbers by them.
    """

    def __init__(self, commas: bool = True) -> None:
        self.rows = self.values = 0
        self._commas = commas
        self.first_with_comma: str | None = None
        self._by_points, self._by_commas = _Spelling(), _Spelling()

    def look(self, column: pl.Series) -> None:
        """Look at the next part."""
        if self.first_with_comma is None:
            with_comma = column.filter(column.str.contains(",", literal=True))
            self.first_with_comma = with_comma[0] if len(with_comma) else None
        self._by_points.look(column, column, self.rows)
        if self._commas or self._by_commas.other is None:
            self._by_commas.look(column, with_points(column), self.rows)
        self.values += len(column) - column.null_count()
        self.rows += len(column)

    def nearly_numbers(self, *, points: bool = True) -> AlmostNumbers | None:
        """Tell whether the column is numbers but for a few values, by the marks that are looked for."""
        if self.values < FEWEST:
            return None
        best = max(
            [self._by_points] * points + [self._by_commas] * self._commas, key=lambda each: each.numbers
        )
        if best.other is None or best.numbers < SHARE * self.values:
            return None
        return AlmostNumbers(best.numbers, self.values, *best.other)

    def reason(self, decimal: str | None) -> str | None:
        """Say why the column stayed text though it is nearly numbers, if it is.

        Unless the caller names the decimal mark, commas that may be decimal are pointed out too.
        """
        enough_have_commas = self.values >= FEWEST and self.first_with_comma is not None
        if decimal is None and not self._commas and self._by_commas.other is None and enough_have_commas:
            return (
                f"its values, such as '{self.first_with_comma}', are numbers, but their commas may be decimal or "
                "separate thousands; say which with decimal=',' or decimal='.' (--decimal comma or --decimal point)"
            )
        found = self.nearly_numbers(points=decimal != ",")
        if found is None:
            return None
        return (
            f"{found.numbers:,} of its {found.values:,} values are numbers, but '{found.other}' in row {found.row} "
            "is not; if that means missing, name it in missing_values= (--missing-values)"
        )


def warn_of_mixed_columns(frame: pl.DataFrame, path: Path, *, decimal: str | None, commas: bool) -> None:
    """Warn of every column of a file that stayed text though it is nearly numbers, and will not be read as such."""
    for column in frame.get_columns():
        if column.dtype == pl.String and not is_read_later(column):
            counts = NumberCounts(commas)
            counts.look(column)
            warn_of_mixed_column(column.name, path, counts.reason(decimal))


def warn_of_mixed_column(name: str, path: Path, reason: str | None) -> None:
    """Warn of a column that is nearly numbers, for a reason as `NumberCounts` gives it."""
    if reason is not None:
        warn(
            f"Column '{name}' of '{path}' is taken as text: {reason}, and if these are categories, name the column "
            "in categorical= of read_data or categorical_features= of a classifier (--categorical).",
            MixedColumnWarning,
        )


def is_read_later(column: pl.Series) -> bool:
    """Whether a column of text is one that a classifier reads as numbers, such as prices, or numbers and ``-``."""
    texts = column.drop_nulls().unique(maintain_order=True).to_list()
    return find_numbers(texts).values is not None or bool(missing_marks(texts))


# Of what is looked for: what needs commas read as decimal, and what matters where commas mean nothing.
BY_COMMAS = frozenset({"no whole number by commas", "no number by commas"})
PLAIN_TELLING = ("any", "no whole number", "no digits alone", "no number", "no boolean", "zero", "sign")
# This matters only where numbers may be names of something.
SPELLED = ("whole number written otherwise", "number written otherwise")


@cache
def _telling() -> dict[str, pl.Expr]:
    """Return what texts are looked for: the first that is such rules a type or a decimal mark in or out."""
    text, by_commas = pl.col("text"), pl.col("by commas")
    pointed = text.str.contains(".", literal=True)
    return {
        "any": pl.lit(True),
        "comma": text.str.contains(",", literal=True),
        "point": pointed,
        "no whole number": text.cast(pl.Int64, strict=False).is_null(),
        "no digits alone": ~text.str.contains(WHOLE),
        "no number": text.cast(pl.Float64, strict=False).is_null(),
        "no number with a comma": ~text.str.contains(WITH_COMMA),
        "no whole number by commas": by_commas.cast(pl.Int64, strict=False).is_null(),
        "no number by commas": by_commas.cast(pl.Float64, strict=False).is_null(),
        "points, not of thousands": pointed & ~text.str.contains(WITH_THOUSANDS),
        "neither whole nor thousands": ~text.str.contains(f"{WITH_THOUSANDS}|{WHOLE}"),
        "no boolean": ~text.str.to_lowercase().is_in(["true", "false"]),
        # Codes are whole numbers of one length, without a sign, and one begins with a zero.
        "zero": text.str.starts_with("0") & (text.str.len_bytes() > 1),
        "sign": text.str.contains("^[+-]"),
        SPELLED[0]: text.cast(pl.Int64, strict=False).cast(pl.String) != text,
        SPELLED[1]: text.cast(pl.Float64, strict=False).cast(pl.String) != text,
    }


class DecidingTexts:
    """Collects from the parts of a table, all texts, what decides on the types of its columns.

    Parameters
    ----------
    thousands_commas : bool
        Whether commas may separate thousands, as they do if the caller insists on decimal points.
    commas : bool, default=True
        Whether commas may mean anything at all in numbers.
    categorical : container of str
        Columns whose values are names of something: see `as_labels`.
    """

    def __init__(
        self, thousands_commas: bool = False, *, commas: bool = True, categorical: Container[str] = ()
    ) -> None:
        self._thousands_commas, self._categorical = thousands_commas, categorical
        self._telling = [name for name in _telling() if name not in SPELLED] if commas else PLAIN_TELLING
        self._found: dict[str, dict[str, str]] = {}

    def look(self, frame: pl.DataFrame) -> None:
        """Look at the next part."""
        for column in frame.get_columns():
            telling = _telling() if column.name in self._categorical else self._telling
            self._look(column.drop_nulls(), telling, self._found.setdefault(column.name, {}))

    def _look(self, texts: pl.Series, telling: Iterable[str], found: dict[str, str]) -> None:
        if not len(texts):
            return
        text = pl.col("text")
        sought = {name: text.filter(_telling()[name]).first() for name in telling if name not in found}
        by_commas = [with_points(texts).alias("by commas")] if BY_COMMAS & sought.keys() else []
        table = pl.DataFrame([texts.alias("text"), *by_commas])
        first = table.select(pl.lit(None, dtype=pl.String).alias("none"), **sought)
        found.update({name: text for name, text in first.row(0, named=True).items() if text is not None})
        length = text.str.len_bytes()
        ends = {"shortest": text.get(length.arg_min()), "longest": text.get(length.arg_max())}
        for name, end in table.select(**ends).row(0, named=True).items():
            kept = found.setdefault(name, end)
            if (len(end) < len(kept)) if name == "shortest" else (len(end) > len(kept)):
                found[name] = end
        if self._thousands_commas and "no number by points" not in found:
            different = texts.unique(maintain_order=True).to_list()
            wrong = np.isnan(read_numbers(different, NumberFormat(".", ",")))
            if wrong.any():
                found["no number by points"] = different[int(wrong.argmax())]

    def frame(self) -> pl.DataFrame:
        """Return them as a table with the columns that were looked at; shorter columns end with gaps."""
        columns = {name: list(dict.fromkeys(found.values())) for name, found in self._found.items()}
        height = max(map(len, columns.values()), default=0)
        return pl.DataFrame(
            {name: texts + [None] * (height - len(texts)) for name, texts in columns.items()},
            schema=dict.fromkeys(columns, pl.String),
        )
