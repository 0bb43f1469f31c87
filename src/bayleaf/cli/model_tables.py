"""Tables as a fitted model takes them, whole or in batches."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import DataFileError, format_suffix, is_packed
from bayleaf._util.words import counted, listing
from bayleaf.data import Variable
from bayleaf.data.raw_columns import EXACT
from bayleaf.data.text_values import is_mark, read_numbers
from bayleaf.streams.file_reader import ARROW_SUFFIXES, open_files
from bayleaf.tables import read_data
from bayleaf.tables.column_text import MixedColumnWarning, with_points
from bayleaf.tables.table_batches import read_batches
from bayleaf.tables.table_files import PARQUET_SUFFIXES

from .inputs import suggestion


def reads_in_batches(path: Path) -> bool:
    """Tell whether a file, or a folder of files, can be read in batches without a look at all of it before."""
    if path.is_dir():
        return any(reads_in_batches(each) for each in path.iterdir() if not each.is_dir())
    return format_suffix(path) in (*PARQUET_SUFFIXES, *ARROW_SUFFIXES) and not is_packed(path)


def feature_names(classifier: Any) -> list[str]:
    """Names of the columns a fitted classifier expects, in its order."""
    return [variable.name for variable in classifier.schema_.columns]


STANDARD_INPUT = Path("-")


def read_for(
    classifier: Any, path: Path, *, with_class: bool = False, keep: Sequence[str] = (), **reading: Any
) -> pl.DataFrame:
    """Read a table for a fitted classifier: what held text in fit stays text, also the class if that is asked for.

    Columns that are kept for the result, and are not the model's own, stay as they are written. Without a header, a
    table with as many columns as the model has the model's, in that order. The path "-" is standard input.

    Columns that are nearly numbers get no warning here: those of the model are refused, others are not used.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MixedColumnWarning)
        frame = read_data(_opened(path), as_text=_as_text(classifier, with_class, keep, reading), **reading)
    return _with_names(classifier, frame, path, reading)


@dataclass(frozen=True)
class Batches:
    """A table that is read in batches, and how many rows it has where that is known before."""

    frames: Iterator[pl.DataFrame]
    n_rows: int | None = None


def batches_for(
    classifier: Any, path: Path, *, with_class: bool = False, keep: Sequence[str] = (), **reading: Any
) -> Batches:
    """Read a table for a fitted classifier as `read_for` does, in batches: only one is in memory at a time."""
    if reads_in_batches(path) and not any(reading.values()):
        reader = open_files(path)
        return Batches(reader.read(reader.names), reader.n_rows)
    as_text = _as_text(classifier, with_class, keep, reading)
    # Texts of such columns are read in another way than a piece that has only plain numbers.
    settled = any(variable.reading is not None for variable in classifier.schema_.columns)
    batches = read_batches(_opened(path), settled=settled, as_text=as_text, **reading)
    return Batches(_named_quietly(classifier, batches, path, reading))


def _named_quietly(
    classifier: Any, batches: Iterator[pl.DataFrame], path: Path, reading: Mapping[str, Any]
) -> Iterator[pl.DataFrame]:
    """Read batches without warnings of columns that are nearly numbers, and with the names of the model's columns."""
    while True:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MixedColumnWarning)
            frame = next(batches, None)
        if frame is None:
            return
        yield _with_names(classifier, frame, path, reading)


def _opened(path: Path) -> Any:
    return sys.stdin.buffer if path == STANDARD_INPUT else path


def _as_text(classifier: Any, with_class: bool, keep: Sequence[str], reading: Mapping[str, Any]) -> list[str]:
    """Return the columns that stay text even if their values look like numbers: they held text in fit.

    Numbers that were written as text are read as they were in fit: 1.234 may be 1234.
    """
    schema = classifier.schema_
    variables = [*schema.columns, *([schema.target] if with_class else [])]
    as_text = [each.name for each in variables if each.dtype == "string" or each.reading is not None]
    names = feature_names(classifier)
    as_text += [name for name in keep if name not in names]
    if reading.get("header") is False:  # the same columns, as they are called before they have names
        as_text += [f"column_{number}" for number, name in enumerate(names, start=1) if name in as_text]
    return as_text


def _with_names(classifier: Any, frame: pl.DataFrame, path: Path, reading: Mapping[str, Any]) -> pl.DataFrame:
    """Give the columns of a table without a header the names of the model's; there must be as many."""
    names = feature_names(classifier)
    if reading.get("header") is not False or set(names) <= set(frame.columns):
        return frame
    if frame.width != len(names):
        raise DataFileError(
            f"'{path}' has {counted(frame.width, 'column')} and no header; the model takes {len(names):,}, in this "
            f"order: {listing(names)}."
        )
    frame.columns = names
    return frame


def columns_for(
    classifier: Any,
    frame: pl.DataFrame,
    path: Path,
    *,
    absent_missing: bool = False,
    numbers: Sequence[int] | None = None,
) -> Any:
    """Select the columns that a fitted classifier expects, by name and in its order.

    Columns that are not there are refused, unless the model or ``absent_missing`` says that they count as missing.
    Messages about rows use these ``numbers``; by default those of the table.
    """
    variables = classifier.schema_.columns
    setting = "missing" if absent_missing else classifier._reading_settings().absent_columns
    may_lack = classifier.schema_.may_lack(setting)
    absent = [variable.name for variable in variables if variable.name not in frame.columns]
    lacking = [name for name in absent if name not in may_lack]
    if absent and not lacking and len(absent) == len(variables):
        raise DataFileError(
            f"'{path}' has none of the columns of the model; it has {listing(frame.columns)}."
        )
    if lacking:
        # Columns that the model uses are not misspellings of another one.
        close = suggestion(lacking[0], extra_columns(classifier, frame.columns)) if len(lacking) == 1 else ""
        them = "it" if len(lacking) == 1 else "them"
        hint = (
            close if close.startswith("Did") else f"To take {them} as missing in every row: --absent-missing."
        )
        names = listing([f"'{name}'" for name in lacking])
        raise DataFileError(f"'{path}' lacks {counted(len(lacking), 'column')} of the model: {names}. {hint}")
    frame = frame.with_columns(pl.lit(None).alias(name) for name in absent)
    rows = range(1, frame.height + 1) if numbers is None else numbers
    chosen = pl.DataFrame([_as_in_fit(variable, frame[variable.name], path, rows) for variable in variables])
    return chosen if hasattr(classifier, "feature_names_in_") else chosen.to_numpy()


def extra_columns(classifier: Any, columns: Sequence[str]) -> list[str]:
    """Columns of the data that the model does not use."""
    known = set(feature_names(classifier))
    return [name for name in columns if name not in known]


def _as_in_fit(
    variable: Variable, column: pl.Series, path: Path, numbers_of_rows: Sequence[int]
) -> pl.Series:
    """Give a column the type it had in fit where its values allow it; say which value does not."""
    is_number = variable.dtype in ("integer", "float")
    if not is_number or column.dtype != pl.String:
        return column
    different = column.drop_nulls().unique()
    marks = [text for text in different if text in variable.marks or is_mark(text)]
    if marks:
        column = column.set(column.is_in(marks), None)
    if variable.cuts is None and any(abs(state) > EXACT for state in variable.value_states):  # type: ignore[arg-type]
        return column  # as a number, a value would lose digits
    texts = column.drop_nulls().unique().to_list()
    read = pl.Series(read_numbers(texts, variable.reading), nan_to_null=True)
    as_read = column.replace_strict(texts, read, return_dtype=pl.Float64)
    if as_read.null_count() == column.null_count():
        return as_read
    plainly = column.cast(pl.Float64, strict=False)  # all as a program writes numbers
    if variable.reading is not None and plainly.null_count() == column.null_count():
        return plainly
    by_commas = with_points(column).cast(pl.Float64, strict=False)
    # Where commas would do for all, the first of them is what is wrong; else a value that is not a number at all.
    numbers = min(as_read, by_commas, key=lambda each: each.null_count())
    wrong = (as_read if numbers.null_count() == column.null_count() else numbers).is_null()
    row = int((wrong & column.is_not_null()).arg_max() or 0)
    hint = "; see --decimal" if by_commas[row] is not None else ""
    raise DataFileError(
        f"Column '{variable.name}' holds numbers in the model, but '{column[row]}' in row {numbers_of_rows[row]} of "
        f"'{path}' is not one{hint}."
    )
