"""``bayleaf predict``: classes and probabilities for the rows of a table."""

import sys
from pathlib import Path
from typing import Annotated

import typer

import bayleaf
from bayleaf._util.words import counted, listing
from bayleaf.files import prediction_frame, write_table
from bayleaf.files.delimited import delimited_text

from . import options
from .inputs import check_writable, columns_for, costs_of, extra_columns, read_for
from .output import note, working, wrote

NAME = "predict"
EXAMPLE = "bayleaf predict iris.bayleaf.json new.csv -o predictions.csv"


def run(
    model: options.ModelFile,
    data: options.DataFile,
    output: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where to write: .csv, .tsv (also .gz) or .parquet; '-' prints CSV.",
        ),
    ] = Path("-"),
    absent_missing: options.AbsentMissing = False,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
) -> None:
    """Predict the class of each row, with the probability of every class.

    The result has one line per row, in the same order: prediction, then a column P(label) for each class. Columns
    are found by name; missing values are summed out.
    """
    to_file = str(output) != "-"
    if to_file:
        check_writable(output, data, model)
    classifier = bayleaf.load(model)
    with working(f"Reading {data} ..."):
        frame = read_for(classifier, data, **options.reading(delimiter, decimal, missing_values))
        rows = columns_for(classifier, frame, data, absent_missing=absent_missing)
    ignored = extra_columns(classifier, frame)
    if ignored:
        note(f"ignored {counted(len(ignored), 'column')} that the model does not use: {listing(ignored)}.")
    if costs_of(classifier) is not None:
        note(
            "the model has costs (loss): predictions minimise expected cost, and need not be the most probable."
        )
    with working(f"Predicting {counted(frame.height, 'row')} ..."):
        probabilities = classifier.predict_proba(rows)
        result = prediction_frame(classifier.classes_, classifier.decide(probabilities), probabilities)
        if to_file:
            write_table(result, output)
    if to_file:
        wrote(output, f" ({counted(result.height, 'row')})")
    else:
        sys.stdout.write(delimited_text(result, ","))
        sys.stdout.flush()
