"""``bayleaf monitor``: whether new rows still look like the training rows of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

import bayleaf
from bayleaf._util.optional import polars as pl
from bayleaf._util.progress import Steps
from bayleaf._util.words import counted
from bayleaf.quality.drift import Drift, judged
from bayleaf.quality.drift_sums import DriftSums

from . import options
from .evaluate import class_name
from .inputs import check_columns
from .model_tables import STANDARD_INPUT, batches_for, columns_for
from .output import out, working

EXAMPLE = "bayleaf monitor iris.bayleaf.json new.csv --labels species"
ALARM = 3  # the exit code


def run(
    model: options.ModelFile,
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="New rows: .csv, .tsv (also .gz), .parquet, .arff or .xlsx; '-' reads standard input.",
            show_default=False,
        ),
    ],
    labels: Annotated[
        str | None,
        options.optional(
            "COLUMN", "Column with the class of the rows; by default the one of training, if it is there."
        ),
    ] = None,
    level: Annotated[
        float, typer.Option(metavar="P", help="How probable a false alarm may be, over all comparisons.")
    ] = 0.05,
    print_json: options.PrintJson = False,
    absent_missing: options.AbsentMissing = False,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
) -> None:
    """Say whether new rows still look like the training rows, and what has changed; exit code 3 is an alarm.

    Compared are how typical rows are, columns, dependences, new categories, gaps and answers; with labels classes,
    accuracy, log-loss and calibration. P-values are corrected for the number of comparisons.
    """
    classifier = bayleaf.load(model)
    sums = DriftSums(classifier)  # says what the model lacks before the table is read
    reading = options.reading(delimiter, decimal, missing_values, encoding, no_header, sheet)
    shown = Path("standard input") if data == STANDARD_INPUT else data
    is_text = classifier.schema_.variables[-1].dtype == "string"
    kept = [labels] if labels is not None and is_text else []
    table = batches_for(classifier, data, with_class=True, keep=kept, **reading)
    with Steps(f"Comparing {shown}", table.n_rows, patience=1.0) as progress:
        read = 0
        for frame in table.frames:
            _add(sums, frame, shown, labels, absent_missing, read)
            read += frame.height
            progress.reach(read)
    with working("Comparing ..."):
        found = judged(sums, level)
    if print_json:
        head = {"model": str(model), "data": str(data)}
        out().print(json.dumps({**head, **found.to_dict()}, indent=2, ensure_ascii=False), soft_wrap=True)
    else:
        _print(found, model, shown)
    if found.alarm:
        raise typer.Exit(ALARM)


def _add(
    sums: DriftSums, frame: pl.DataFrame, path: Path, labels: str | None, absent_missing: bool, before: int
) -> None:
    """Count the rows of a batch."""
    if labels is not None:
        check_columns(path, [labels], frame.columns)
    column = class_name(sums.model) if labels is None else labels
    given = frame[column] if column in frame.columns else None
    numbers = range(before + 1, before + frame.height + 1)
    rows = columns_for(sums.model, frame, path, absent_missing=absent_missing, numbers=numbers)
    sums.add(rows, given)


def _print(found: Drift, model: Path, data: Path) -> None:
    console = out()
    rows = f"{counted(found.rows, 'row')} of {data}"
    console.print(f"{rows} against the training rows of {model}", style="bold", soft_wrap=True)
    console.print(found.verdict, style="bold red" if found.alarm else "", soft_wrap=True)
    console.print()
    if found.lines:
        console.print(found.rich_table())
        console.print()
    for remark in found.remarks:
        console.print(remark, style="dim", soft_wrap=True)
    console.print("corrected: by Holm's method, for the number of comparisons.", style="dim", soft_wrap=True)
