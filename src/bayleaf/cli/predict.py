"""``bayleaf predict``: classes and probabilities for the rows of a table."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

import bayleaf
from bayleaf._util.optional import polars as pl
from bayleaf._util.progress import Steps
from bayleaf._util.whole_files import DataFileError, FullDiskError, atomic_write, format_suffix
from bayleaf._util.words import counted, listing
from bayleaf.data.variable import number_text
from bayleaf.tables import prediction_frame
from bayleaf.tables.delimited import delimited_text
from bayleaf.tables.table_files import PARQUET_SUFFIXES, TEXT_SUFFIXES, check_table_name, label_text

from . import options
from .inputs import check_columns, check_writable, class_label, explainable
from .model_tables import STANDARD_INPUT, batches_for, columns_for, extra_columns
from .output import note, working, wrote

EXAMPLE = "bayleaf predict iris.bayleaf.json new.csv -o predictions.csv"
MOST_REASONS = 3


def run(
    model: options.ModelFile,
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Table: .csv, .tsv (also .gz), .parquet, .arff or .xlsx; '-' reads standard input.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where to write: .csv, .tsv (also .gz) or .parquet; '-' prints CSV.",
        ),
    ] = Path("-"),
    keep: Annotated[
        list[str] | None,
        options.optional("COLUMNS", "Columns of the table to carry over to the result, separated by commas."),
    ] = None,
    top: Annotated[
        int | None,
        options.optional(
            "N", "Only the N most probable classes with their probabilities, instead of all.", min=1
        ),
    ] = None,
    threshold: Annotated[
        str | None,
        options.optional(
            "P",
            "Predict only where the class has at least this probability (else the field is empty); LABEL=P "
            "predicts LABEL wherever it has at least P.",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add a column with the strongest evidence for each prediction.")
    ] = False,
    interval: Annotated[
        bool,
        typer.Option(
            "--interval",
            help="Add the 90% interval of each probability, in columns low(label) and high(label).",
        ),
    ] = False,
    spreadsheet: Annotated[
        bool,
        typer.Option(
            "--spreadsheet",
            help="Put an apostrophe before texts that a spreadsheet would take for formulas (=, +, -, @).",
        ),
    ] = False,
    absent_missing: options.AbsentMissing = False,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
) -> None:
    """Predict the class of each row, with the probability of every class.

    The result has one line per row, in the same order: prediction, then a column P(label) for each class. Columns
    are found by name; missing values are summed out.
    """
    to_file = str(output) != "-"
    if to_file:
        check_writable(output, data, model)
        if check_table_name(output) in PARQUET_SUFFIXES and spreadsheet:
            raise ValueError(
                "--spreadsheet is about text files: give --out a name that ends in .csv or .tsv."
            )
    classifier = bayleaf.load(model)
    if explain:
        explainable(classifier)  # says what an ensemble cannot do before the table is read
    if interval:
        check_intervals(classifier)
    wanted, least = read_threshold(classifier, threshold)
    kept = options.names_of(keep)
    shown = Path("standard input") if data == STANDARD_INPUT else data
    reading = options.reading(delimiter, decimal, missing_values, encoding, no_header, sheet)

    def predict(frame: pl.DataFrame, rows: Any) -> pl.DataFrame:
        probabilities = classifier.predict_proba(rows)
        predicted = classifier.decide(probabilities)
        if least is not None:
            predicted = by_threshold(classifier.classes_, probabilities, predicted, wanted, least)
        result = prediction_frame(classifier.classes_, predicted, probabilities)
        limits = classifier.predict_interval(rows) if interval else None
        if top is not None:
            best = most_probable(classifier.classes_, probabilities, top, limits)
            result = result.select("prediction").hstack(best)
        elif limits is not None:
            result = result.hstack(interval_columns(classifier.classes_, limits))
        if explain:
            result = result.with_columns(reasons=pl.Series(reasons(classifier, frame, rows, wanted)))
        whole = carry_over(frame.select(kept), result)
        return without_formulas(whole) if spreadsheet else whole

    table = batches_for(classifier, data, keep=kept, **reading)
    batches = _with_rows(classifier, table.frames, shown, kept, absent_missing)
    with working(f"Reading {shown} ..."):
        first = next(batches)  # says what is wrong with the columns
    _say_what_is_ignored(classifier, first[0].columns, kept)
    results = (predict(*batch) for batch in chain([first], batches))
    if to_file:
        with Steps(f"Predicting {shown}", table.n_rows, patience=1.0) as progress:
            height = write_batches(results, output, progress.reach)
        wrote(output, f" ({counted(height, 'row')})")
        return
    for text in batch_texts(results, ","):
        sys.stdout.write(text)
        sys.stdout.flush()


def _with_rows(
    classifier: Any, frames: Iterator[pl.DataFrame], path: Path, kept: Sequence[str], absent_missing: bool
) -> Iterator[tuple[pl.DataFrame, Any]]:
    """Return each batch of a table with its rows as the model takes them."""
    before = 0
    for frame in frames:
        check_columns(path, kept, frame.columns)
        numbers = range(before + 1, before + frame.height + 1)
        yield frame, columns_for(classifier, frame, path, absent_missing=absent_missing, numbers=numbers)
        before += frame.height


def _say_what_is_ignored(classifier: Any, columns: Sequence[str], kept: Sequence[str]) -> None:
    ignored = [name for name in extra_columns(classifier, columns) if name not in kept]
    if ignored:
        note(f"ignored {counted(len(ignored), 'column')} that the model does not use: {listing(ignored)}.")
    if classifier._costs() is not None:
        note(
            "the model has costs (loss): predictions minimise expected cost, and need not be the most probable."
        )


def read_threshold(classifier: Any, text: str | None) -> tuple[Any, float | None]:
    """Read ``P`` or ``LABEL=P``: the class that is meant, if any, and the probability."""
    if text is None:
        return None, None
    label, equals, number = text.rpartition("=")
    try:
        least = float(number)
    except ValueError:
        least = -1.0
    if not 0.0 <= least <= 1.0:
        raise ValueError(f"--threshold is a probability from 0 to 1, or LABEL=P for one class. Got '{text}'.")
    return (class_label(classifier, label) if equals else None), least


def by_threshold(
    classes: NDArray[Any],
    probabilities: NDArray[np.float64],
    predicted: NDArray[Any],
    wanted: Any,
    least: float,
) -> NDArray[Any]:
    """Leave out predictions that are not probable enough; with a class, predict it where it is, and nowhere else."""
    labels = list(classes)
    decided = np.array(predicted, dtype=object)
    if wanted is None:
        number = {label: column for column, label in enumerate(labels)}
        of_decision = probabilities[np.arange(len(decided)), [number[label] for label in predicted]]
        decided[of_decision < least] = None
        return decided
    column = labels.index(wanted)
    others = probabilities.copy()
    others[:, column] = -1.0
    instead = np.array(classes, dtype=object)[others.argmax(axis=1)]
    decided = np.where(decided == wanted, instead, decided)
    decided[probabilities[:, column] >= least] = wanted
    return decided


def check_intervals(classifier: Any) -> None:
    """Say before the table is read why a model has no intervals, if it has none."""
    if not hasattr(classifier, "predict_interval"):
        raise ValueError(
            "--interval is for a model of one network; several networks and pools keep no counts of their rows: "
            "leave it out."
        )
    classifier._sureness()


def interval_columns(classes: NDArray[Any], limits: NDArray[np.float64]) -> pl.DataFrame:
    """Tabulate the ends of the interval of each class.

    Examples
    --------
    >>> interval_columns(np.array(["no", "yes"]), np.array([[[0.1, 0.3], [0.7, 0.9]]])).to_dicts()
    [{'low(no)': 0.1, 'high(no)': 0.3, 'low(yes)': 0.7, 'high(yes)': 0.9}]
    """
    ends = list(enumerate(("low", "high")))
    names = [
        (f"{end}({label_text(label)})", k, side) for k, label in enumerate(classes) for side, end in ends
    ]
    return pl.DataFrame({name: limits[:, k, side] for name, k, side in names})


def most_probable(
    classes: NDArray[Any],
    probabilities: NDArray[np.float64],
    top: int,
    limits: NDArray[np.float64] | None = None,
) -> pl.DataFrame:
    """Tabulate the most probable classes of each row, ties go to the first, with their intervals if there are any."""
    order = np.argsort(-probabilities, axis=1, kind="stable")
    columns: dict[str, Any] = {}
    for rank in range(min(top, len(classes))):
        chosen = order[:, rank]
        columns[f"class_{rank + 1}"] = np.asarray(classes)[chosen]
        rows = np.arange(len(chosen))
        columns[f"P_{rank + 1}"] = probabilities[rows, chosen]
        if limits is not None:
            columns[f"low_{rank + 1}"], columns[f"high_{rank + 1}"] = limits[rows, chosen].T
    return pl.DataFrame(columns)


def reasons(classifier: Any, frame: pl.DataFrame, rows: Any, target: Any) -> list[str]:
    """Name the strongest features of each row for its class against the next, with their log-odds."""
    explanation = classifier.explain(rows, target=target)
    order = np.argsort(-np.abs(explanation.evidence), axis=1, kind="stable")[:, :MOST_REASONS]
    texts = []
    for row, features in enumerate(order.tolist()):
        values = explanation.values[row]
        parts = []
        for feature in features:
            weight = explanation.evidence[row, feature]
            name = explanation.features[feature]
            if weight:
                raw = frame[name][row] if name in frame.columns else None
                value = values[feature] if raw is None else _raw_text(raw)
                parts.append(f"{name} = {value or 'missing'} ({weight:+.2f})")
        target_label, against = (label_text(each[row]) for each in (explanation.target, explanation.against))
        texts.append(f"{target_label} against {against}: {'; '.join(parts) or 'no evidence'}")
    return texts


def _raw_text(value: Any) -> str:
    return number_text(value) if isinstance(value, float) else label_text(value)


def carry_over(kept: pl.DataFrame, result: pl.DataFrame) -> pl.DataFrame:
    """Put columns of the table before the predictions; refuse names that both have."""
    both = [name for name in kept.columns if name in result.columns]
    if both:
        raise DataFileError(f"The result has a column '{both[0]}' of its own: it cannot be kept as well.")
    return kept.hstack(result) if kept.width else result


# What spreadsheets take for the beginning of a formula, unless a number follows.
_FORMULA = r"^[=+\-@\t\r\n＝＋－＠]"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def without_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before texts and names of columns that a spreadsheet would compute.

    Examples
    --------
    >>> frame = pl.DataFrame({"=x": ["=1+2", "-5", "-five", "plain"], "n": [-1, 2, 3, 4]})
    >>> without_formulas(frame).to_dict(as_series=False)
    {"'=x": ["'=1+2", '-5', "'-five", 'plain'], 'n': [-1, 2, 3, 4]}
    """
    safe = frame.clone()
    for name, dtype in frame.schema.items():
        if dtype in (pl.String, pl.Categorical, pl.Enum):
            text = pl.col(name).cast(pl.String)
            runs = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
            safe = safe.with_columns(
                pl.when(runs).then(pl.concat_str(pl.lit("'"), text)).otherwise(text).alias(name)
            )
    names = frame.columns
    for k, name in enumerate(names):
        while re.search(_FORMULA, name) or names.count(name) > 1:
            name = f"'{name}"
            names[k] = name
    return safe.rename(dict(zip(frame.columns, names, strict=True)))


def write_batches(
    frames: Iterator[pl.DataFrame], path: Path, reach: Callable[[int], None] = lambda rows: None
) -> int:
    """Write a table as its parts come, and return its rows; the file appears complete or not at all.

    How many rows are done is told to ``reach``.
    """
    rows = 0

    def counted() -> Iterator[pl.DataFrame]:
        nonlocal rows
        for frame in frames:
            rows += frame.height
            yield frame
            reach(rows)

    suffix = format_suffix(path)
    try:
        with atomic_write(path, binary=True, at_once=True) as file:  # more rows would take time
            if suffix in PARQUET_SUFFIXES:
                _sink_parquet(counted(), file)
            else:
                for text in batch_texts(counted(), TEXT_SUFFIXES[suffix]):
                    file.write(text.encode())
    except FullDiskError:
        raise
    except OSError as error:
        raise DataFileError(f"Cannot write '{path}': {error.strerror or error}.") from error
    return rows


def batch_texts(frames: Iterable[pl.DataFrame], delimiter: str) -> Iterator[str]:
    r"""Return the parts of a table as text, the first with the header."""
    for number, frame in enumerate(frames):
        if number == 0:
            yield delimited_text(frame, delimiter)
        else:
            yield frame.write_csv(separator=delimiter, include_header=False)


def _sink_parquet(frames: Iterator[pl.DataFrame], file: IO[Any]) -> None:
    first = next(frames)
    failed: list[BaseException] = []

    def source(*_: Any) -> Iterator[pl.DataFrame]:
        yield first
        try:
            for frame in frames:
                yield _of_one_type(frame, first.schema)
        except BaseException as error:  # polars would hide it behind its own error
            failed.append(error)
            raise

    try:
        pl.io.plugins.register_io_source(source, schema=first.schema).sink_parquet(file)
    except pl.exceptions.PolarsError:
        if failed:
            raise failed[0] from None
        raise


def _of_one_type(frame: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """Give a part of a table the types of the first, where no value changes by that.

    A text file may show whole numbers in one part, which are 1.0 among others in the next.
    """
    if frame.schema == schema:
        return frame
    return frame.with_columns(_exactly(column, schema[column.name]) for column in frame.get_columns())


def _exactly(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    if column.dtype == dtype or dtype == pl.String:  # any value can be written as text
        return column.cast(dtype)
    converted = column.cast(dtype, strict=False)
    if not converted.cast(column.dtype, strict=False).equals(column):
        raise DataFileError(
            f"Column '{column.name}' is {dtype} in the first rows and {column.dtype} later: write CSV, or do not "
            "keep it."
        )
    return converted
