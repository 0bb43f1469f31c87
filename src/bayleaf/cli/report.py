"""``bayleaf report``: the model page, one HTML file to explore and share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import DataFileError
from bayleaf._util.words import counted
from bayleaf.data.schema import Meaning
from bayleaf.network import BayesNet
from bayleaf.tables import read_data
from bayleaf.tables.table_files import read_meaning

from . import options
from .inputs import check_writable, read_model_or_network
from .model_tables import columns_for, read_for
from .output import note, working, wrote

EXAMPLE = "bayleaf report iris.bayleaf.json --data test.csv -o report.html"


def run(
    model: options.NetworkFile,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Page to write.", show_default=True)
    ] = Path("report.html"),
    data: Annotated[
        Path | None,
        options.optional(
            "DATA",
            "Table with the class: rows to assess the model on and to show on the page, preferably new ones.",
            "--data",
            "-d",
        ),
    ] = None,
    cv: Annotated[
        int | None,
        options.optional(
            "N",
            "Take DATA as the training rows and assess the model by cross-validation with N folds.",
            min=2,
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Heading of the page.")] = None,
    meaning: options.MeaningFile = None,
    absent_missing: options.AbsentMissing = False,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
) -> None:
    """Write the model page: one HTML file that shows the network and its quality, and answers "what if" and "why"."""
    from bayleaf.page import write_report
    from bayleaf.page.shown_rows import used_to_fit

    check_writable(output, model, *([] if data is None else [data]))
    if cv is not None and data is None:
        raise ValueError("--cv needs the training rows: pass them with --data.")
    fitted = read_model_or_network(model)
    given_meaning = None if meaning is None else joined_meaning(fitted, meaning)
    rows, labels, numbers = None, None, None
    if data is not None:
        with working(f"Reading {data} ..."):
            reading = options.reading(delimiter, decimal, missing_values, encoding, no_header, sheet)
            rows, labels, numbers = read_assessed(fitted, data, reading, absent_missing)
    with working("Writing the page ..."):
        write_report(
            fitted,
            output,
            rows,
            labels,
            cv=cv,
            title=title,
            row_numbers=numbers,
            meaning=given_meaning,
            source=None if data is None or str(data) == "-" else data.name,
        )
    if labels is not None and cv is None and (caution := used_to_fit(fitted, rows, labels)[0]) is not None:
        note(caution)
    wrote(output, " (open it in a browser; it needs nothing else)")


def joined_meaning(fitted: Any, path: Path) -> Meaning:
    """Join what a file says about the columns of a model with what the model itself says."""
    read = read_meaning(path)
    read.check(fitted.variables if isinstance(fitted, BayesNet) else fitted.schema_.variables)
    kept: Meaning = getattr(fitted, "meaning_", Meaning())
    return kept.joined(read)


def read_assessed(
    fitted: Any, path: Path, reading: dict[str, Any], absent_missing: bool
) -> tuple[Any, pl.Series | None, list[int] | None]:
    """Read the rows that a model can use, their classes where the table has them, and their numbers in the table."""
    if isinstance(fitted, BayesNet):
        return read_data(path, as_text=fitted.nodes, **reading), None, None
    frame = read_for(fitted, path, with_class=True, **reading)
    return assessed_rows(fitted, frame, path, absent_missing)


def assessed_rows(
    fitted: Any, frame: pl.DataFrame, path: Path, absent_missing: bool
) -> tuple[Any, pl.Series | None, list[int] | None]:
    """Return the rows of a table that a classifier can use, their classes if it has them, and their numbers in it."""
    target = fitted.schema_.target
    if target.name not in frame.columns:
        note(f"'{path}' has no column '{target.name}': the page will not say how good the model is.")
        return columns_for(fitted, frame, path, absent_missing=absent_missing), None, None
    has_class = frame[target.name].is_not_null()
    known = frame.filter(has_class)
    if known.height == 0:
        raise DataFileError(f"The class '{target.name}' is missing in all rows of '{path}'.")
    if known.height < frame.height:
        note(f"left out {counted(frame.height - known.height, 'row')} without a class.")
    numbers = [int(row) + 1 for row in has_class.arg_true()]
    rows = columns_for(fitted, known, path, absent_missing=absent_missing, numbers=numbers)
    return rows, known[target.name], numbers
