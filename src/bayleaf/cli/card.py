"""``bayleaf card``: the model card, for people and model hubs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import bayleaf
from bayleaf._util.whole_files import DataFileError
from bayleaf.page import write_card

from . import options
from .evaluate import class_name
from .inputs import check_columns, check_writable
from .model_tables import read_for
from .output import working, wrote
from .report import assessed_rows

EXAMPLE = "bayleaf card iris.bayleaf.json --data test.csv -o card.md"


def run(
    model: options.ModelFile,
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="Card to write.", show_default=True)
    ] = Path("card.md"),
    data: Annotated[
        Path | None,
        options.optional("DATA", "Table with the class: new rows to measure the model on.", "--data", "-d"),
    ] = None,
    by: Annotated[
        list[str] | None,
        options.optional(
            "COLUMNS", "Columns of DATA whose values are groups to measure, separated by commas.", "--by"
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Heading of the card.")] = None,
    absent_missing: options.AbsentMissing = False,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
) -> None:
    """Write a model card: what a model was learned from and for what, how good it is, and its limits.

    Markdown with the front matter that model hubs read.
    """
    check_writable(output, model, *([] if data is None else [data]))
    fitted, groups = bayleaf.load(model), options.names_of(by)
    if groups and data is None:
        raise ValueError("--by needs rows to measure: pass them with --data.")
    rows, labels = None, None
    if data is not None:
        reading = options.reading(delimiter, decimal, missing_values, encoding, no_header, sheet)
        with working(f"Reading {data} ..."):
            frame = read_for(fitted, data, with_class=True, **reading)
            if class_name(fitted) not in frame.columns:
                raise DataFileError(
                    f"'{data}' has no column '{class_name(fitted)}': nothing can be measured."
                )
            check_columns(data, groups, frame.columns)
            rows, labels, numbers = assessed_rows(fitted, frame, data, absent_missing)
        if numbers is not None:  # groups need not be features
            others = [name for name in groups if name not in rows.columns]
            rows = rows.hstack(frame[[number - 1 for number in numbers]].select(others))
    write_card(fitted, output, rows, labels, by=groups, title=title)
    wrote(output)
