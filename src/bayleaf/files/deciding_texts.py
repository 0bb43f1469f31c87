"""The few texts of a column that decide on its type: with them, a part of a table is typed as all of it would be."""

from __future__ import annotations

from functools import cache

import numpy as np

from bayleaf._util.optional import polars as pl
from bayleaf.data.number_text import NumberFormat, read_numbers

from .column_text import WHOLE, WITH_COMMA, WITH_THOUSANDS, with_points


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
        text = pl.col("text")
        sought = {name: text.filter(tells).first() for name, tells in _telling().items() if name not in found}
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
