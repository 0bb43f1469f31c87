"""The few texts of a column that decide on its type: with them, a part of a table is typed as all of it would be."""

import numpy as np
import polars as pl

from bayleaf.data.number_text import NumberFormat, read_numbers

from .column_text import WHOLE, WITH_COMMA, WITH_THOUSANDS, with_points

_TEXT = pl.col("text")
_POINTED = _TEXT.str.contains(".", literal=True)
# The first text of a column that is such, if there is one, rules a type or a decimal mark in or out.
_TELLING = {
    "any": pl.lit(True),
    "comma": _TEXT.str.contains(",", literal=True),
    "point": _POINTED,
    "no whole number": _TEXT.cast(pl.Int64, strict=False).is_null(),
    "no number": _TEXT.cast(pl.Float64, strict=False).is_null(),
    "no number with a comma": ~_TEXT.str.contains(WITH_COMMA),
    "no whole number by commas": pl.col("by commas").cast(pl.Int64, strict=False).is_null(),
    "no number by commas": pl.col("by commas").cast(pl.Float64, strict=False).is_null(),
    "points, not of thousands": _POINTED & ~_TEXT.str.contains(WITH_THOUSANDS),
    "neither whole nor thousands": ~_TEXT.str.contains(f"{WITH_THOUSANDS}|{WHOLE}"),
    "no boolean": ~_TEXT.str.to_lowercase().is_in(["true", "false"]),
    # Codes are whole numbers of one length, without a sign, and one begins with a zero.
    "zero": _TEXT.str.starts_with("0") & (_TEXT.str.len_bytes() > 1),
    "sign": _TEXT.str.contains("^[+-]"),
}


class DecidingTexts:
    """Collects from the parts of a table, all texts, what decides on the types of its columns.

    Parameters
    ----------
    thousands_commas : bool
        Whether commas may separate thousands, as they do beside decimal points that the caller insists on.

    Examples
    --------
    >>> found = DecidingTexts()
    >>> for part in (["1", "2"], ["3", "4,5"], ["6", "7,5"]):
    ...     found.look(pl.DataFrame({"x": part}))
    >>> found.frame()["x"].to_list()
    ['1', '4,5']
    """

    def __init__(self, thousands_commas: bool = False) -> None:
        self._thousands_commas = thousands_commas
        self._found: dict[str, dict[str, str]] = {}

    def look(self, frame: pl.DataFrame) -> None:
        """Look at the next part."""
        for column in frame.get_columns():
            self._look(column.drop_nulls(), self._found.setdefault(column.name, {}))

    def _look(self, texts: pl.Series, found: dict[str, str]) -> None:
        if not len(texts):
            return
        table = pl.DataFrame({"text": texts, "by commas": with_points(texts)})
        sought = {name: _TEXT.filter(tells).first() for name, tells in _TELLING.items() if name not in found}
        first = table.select(pl.lit(None, dtype=pl.String).alias("none"), **sought)
        found.update({name: text for name, text in first.row(0, named=True).items() if text is not None})
        length = _TEXT.str.len_bytes()
        ends = {"shortest": _TEXT.get(length.arg_min()), "longest": _TEXT.get(length.arg_max())}
        for name, text in table.select(**ends).row(0, named=True).items():
            kept = found.setdefault(name, text)
            if (len(text) < len(kept)) if name == "shortest" else (len(text) > len(kept)):
                found[name] = text
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
