"""``bayleaf evaluate``: methods compared by repeated cross-validation, or a saved model on labelled rows.

A model is measured in constant memory: of a large table, which is read in batches, only sums are kept.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

import bayleaf
from bayleaf._util.optional import polars as pl
from bayleaf._util.progress import Steps
from bayleaf._util.whole_files import DataFileError, format_suffix
from bayleaf._util.words import counted, warn
from bayleaf.classify.record import Quality
from bayleaf.data.columns import check_rows
from bayleaf.data.raw_rows import row_hashes
from bayleaf.data.target import unknown_labels
from bayleaf.network.decisions import costs_in_words
from bayleaf.quality.cross_validation import predicted_outcome
from bayleaf.quality.intervals import class_figures
from bayleaf.quality.outcome import decision_costs
from bayleaf.quality.quality_record import QualitySums, quality_of
from bayleaf.streams.batch_reader import RawSample

from . import options
from .inputs import check_writable, suggestion
from .model_tables import batches_for, columns_for, extra_columns, feature_names
from .options import build, options_given, read_methods, refuse_options, types_of
from .output import light_table, note, out, probability, shown, working, wrote
from .report import assessed_rows

if TYPE_CHECKING:
    from bayleaf.page.shown_rows import AllRowsQuality

EXAMPLE = "bayleaf evaluate iris.csv --target species --methods default,NB,TAN"
OF_A_MODEL = {
    *("--target", "--out", "--json", "--absent-missing"),
    *("--delimiter", "--decimal", "--missing-values", "--encoding", "--no-header", "--sheet"),
}
# Of more rows than this only sums are kept, and a sample of this size for a page that shows rows.
MOST_WHOLE = 200_000
MOST_CLASSES = 10  # of a confusion matrix that a terminal has room for
MOST_CONFUSIONS = 10


def run(
    context: typer.Context,
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...",
            help="Tables: .csv, .tsv, .parquet or .arff; or a model file and a table to measure it on.",
            show_default=False,
        ),
    ],
    target: Annotated[
        list[str] | None,
        options.optional(
            "COLUMN",
            "Column of the class; once, or once per table. Not needed with a model.",
            "--target",
            "-t",
        ),
    ] = None,
    methods: Annotated[
        str,
        typer.Option(
            "--methods",
            "-m",
            metavar="NAMES",
            help="Methods separated by commas, such as 'NB, KDB(k=3)'; default is what 'fit' learns.",
        ),
    ] = "default,NB",
    cv: options.Folds = 5,
    repeats: options.Repeats = 2,
    groups: options.Groups = None,
    time: options.Time = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Folder for the results (created if needed); repeating the call resumes where it stopped. With a "
            "model: the model page to write, such as report.html.",
        ),
    ] = None,
    print_json: options.PrintJson = False,
    categorical: options.Categorical = None,
    types: options.Types = None,
    discretizer: options.Discretizer = None,
    missing: options.Missing = options.MissingWay.AUTO,
    drop: options.Drop = None,
    require_class: options.RequireClass = False,
    bins: options.Bins = None,
    absent_missing: options.AbsentMissing = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    missing_values: options.MissingValues = None,
    encoding: options.Encoding = None,
    no_header: options.NoHeader = False,
    sheet: options.Sheet = None,
) -> None:
    """Measure methods on rows they have not seen: accuracy, log-loss, Brier score and AUC, with their spread.

    All methods use the same stratified folds, or folds by --groups or --time; everything that learns from data sees
    the training rows only. With a
    model file first, that model is measured on the rows of the table that follows.
    """
    reading = options.reading(delimiter, decimal, missing_values, encoding, no_header, sheet)
    given = options_given(context)
    if format_suffix(data[0]) == ".json":
        refuse_options(given - OF_A_MODEL, "is about methods that are fitted: a model is measured as it is.")
        if len(data) != 2:
            raise ValueError(
                f"A model is measured on one table: give MODEL and TABLE. Got {counted(len(data), 'file')}."
            )
        model, table = data
        assess(model, table, output, target, reading, absent_missing=absent_missing, print_json=print_json)
        return
    refuse_options(given & {"--absent-missing"}, "is about a model: give its file first.")
    # Only here, so that a model is measured without them.
    from bayleaf.benchmark import compare
    from bayleaf.benchmark import evaluate as run_evaluation

    from . import measured_methods as measured

    specs, column_types = read_methods(methods), types_of(types)
    if column_types and len(data) > 1:
        raise ValueError("--types is about the columns of one table: give one table, or leave it out.")
    together = (groups, time)
    if together != (None, None) and len(data) > 1:
        raise ValueError("--groups and --time are about the rows of one table: give one table.")
    learners = {
        spec.label: build(spec, discretizer=discretizer, missing=missing, types=column_types)
        for spec in specs
    }
    dropped, categories = options.names_of(drop), options.names_of(categorical)
    how = {"types": column_types, "require_class": require_class, "bins": bins, **reading}
    tables = [
        measured.read_for_folds(
            path, column, dropped, categories, cv, how, measured.takes_many(learners), together
        )
        for path, column in zip(data, _target_of_each(data, target), strict=True)
    ]
    measured.check_names(tables)
    with measured.resumable_or_removed(output):
        file = None
        if output is not None:
            kept = {"drop": dropped, "categorical": categories, **reading, "types": column_types or None}
            kept |= {"costs": measured.costs_text(learners) or None, "groups": groups, "time": time}
            kept |= {} if bins is None else {"bins": bins}
            file = measured.prepare_folder(output, tables, kept)
        protocol = measured.folds_for(tables[0], cv, repeats, seed)
        datasets = {table.name: (table.features, table.target) for table in tables}
        measures = measured.measures_for(learners)
        results = run_evaluation(learners, datasets, protocol, measures, out=file, n_jobs=jobs)
        comparable = len(tables) > 1 and len(learners) > 1 and measured.has_complete_table(results)
        comparison = compare(results) if comparable else None
        written = [] if output is None else measured.write_files(results, protocol, comparison, output)
    if print_json:
        out().print(measured.as_json(results, protocol), soft_wrap=True)
    else:
        measured.print_results(results, protocol, comparison, measured.costs_text(learners))
        if output is not None:
            wrote(output, f": {', '.join(written)}")
    measured.check_some_worked(results)


def _target_of_each(paths: list[Path], targets: list[str] | None) -> list[str]:
    if not targets:
        raise ValueError("Say which column is the class: --target COLUMN.")
    if len(targets) not in (1, len(paths)):
        raise ValueError(
            f"Give --target once, or once for each of the {len(paths)} tables. Got {len(targets)}."
        )
    return targets * len(paths) if len(targets) == 1 else targets


def assess(
    path: Path,
    data: Path,
    page: Path | None,
    target: list[str] | None,
    reading: dict[str, Any],
    *,
    absent_missing: bool = False,
    print_json: bool = False,
) -> None:
    """Measure the model in a file on the rows of a table; write the model page where one is asked for."""
    from bayleaf.page import write_report

    if page is not None:
        check_writable(page, path, data)
    model = bayleaf.load(path)
    if target and target != [class_name(model)]:
        raise ValueError(f"The model predicts '{class_name(model)}': it cannot be measured on '{target[0]}'.")
    found = assessed(model, data, reading, absent_missing=absent_missing, for_page=page is not None)
    if page is not None:
        with working("Writing the page ..."):
            write_report(
                model, page, found.rows, found.labels, row_numbers=found.numbers, measured=found.measured
            )
    if print_json:
        out().print(as_json(found.quality, path, data, found.seen), soft_wrap=True)
        return
    _print(found.quality, path, data, found.seen)
    if page is not None:
        wrote(page, " (open it in a browser; it needs nothing else)")


def as_json(quality: Quality, path: Path, data: Path, caution: str | None = None) -> str:
    """Return all figures as JSON."""
    kept = ("name", "value", "low", "high", "baseline")
    document = {
        "model": str(path),
        "data": str(data),
        "rows": quality.rows,
        "caution": caution,
        "measures": [{key: line.get(key) for key in kept} for line in quality.measures],
        "costs": quality.costs,
        "classes": class_figures(quality.classes, quality.confusion),
        "confusion": {"classes": list(quality.classes), "counts": quality.confusion},
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _print(quality: Quality, path: Path, data: Path, caution: str | None) -> None:
    console = out()
    console.print(f"{path} on {counted(quality.rows, 'row')} of {data}", style="bold", soft_wrap=True)
    if caution is not None:
        console.print(caution, style="bold red", soft_wrap=True)
    console.print()
    shown(console, measure_table(quality))
    shown(console, class_view(quality))
    shown(console, confusion_view(quality))
    console.print(
        Text("Brackets: 95% intervals. Class frequencies: what they alone would reach.", style="dim")
    )
    if quality.costs is not None:
        said = costs_in_words(quality.costs, quality.classes[: len(quality.costs)])
        console.print(
            Text(f"Decisions of smallest expected cost (loss): {said}.", style="dim"), soft_wrap=True
        )


def measure_table(quality: Quality) -> Any:
    """Tabulate every figure with its interval, and what the class frequencies reach."""
    table = light_table()
    table.add_column("measure")
    for name in ("model", "95% interval", "class frequencies"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in quality.measures:
        interval = f"[{line['low']:.3f}, {line['high']:.3f}]" if "low" in line else ""
        baseline = line.get("baseline")
        table.add_row(
            line["name"], f"{line['value']:.3f}", interval, "" if baseline is None else f"{baseline:.3f}"
        )
    return table


def class_view(quality: Quality) -> Any:
    """Tabulate precision, recall and F1 of each class."""
    table = light_table("Classes", words=("class",), numbers=("rows", "precision", "recall", "F1"))
    for line in class_figures(quality.classes, quality.confusion):
        figures = [_with_interval(line, name) for name in ("precision", "recall", "f1")]
        table.add_row(line["class"], f"{line['rows']:,}", *figures)
    return table


def _with_interval(line: dict[str, Any], name: str) -> str:
    if line[name] is None:
        return ""
    return f"{line[name]:.3f} [{line[f'{name}_low']:.2f}, {line[f'{name}_high']:.2f}]"


def confusion_view(quality: Quality) -> Any:
    """Tabulate true against predicted classes; of many classes, the most frequent confusions."""
    if len(quality.classes) > MOST_CLASSES:
        return _largest_confusions(quality)
    table = light_table("Confusion matrix", words=("true / predicted",))
    for label in quality.classes:
        table.add_column(label, justify="right", overflow="ellipsis", no_wrap=True)
    for label, counts in zip(quality.classes, quality.confusion, strict=True):
        table.add_row(label, *(f"{count:,}" for count in counts))
    return table


def _largest_confusions(quality: Quality) -> Any:
    pairs = [
        (count, true, predicted)
        for true, counts in enumerate(quality.confusion)
        for predicted, count in enumerate(counts)
        if count and true != predicted
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1:]))
    table = light_table("Most frequent confusions", words=("true class", "predicted"))
    table.add_column("rows", justify="right")
    table.add_column("of the true class", justify="right")
    for count, true, predicted in pairs[:MOST_CONFUSIONS]:
        share = count / sum(quality.confusion[true])
        table.add_row(quality.classes[true], quality.classes[predicted], f"{count:,}", probability(share))
    return table


def class_name(model: Any) -> str:
    """Return the name of the column that a fitted model predicts."""
    return str(model.schema_.target.name)


@dataclass(frozen=True)
class Assessment:
    """How good a model is on the rows of a table, and rows for its page."""

    quality: Quality
    seen: str | None  # a sentence where the model was fitted to some of the rows
    # The rows as the model takes them, their classes and their numbers in the table: all, or a uniform sample; None
    # where no page asks for a sample.
    rows: Any = None
    labels: pl.Series | None = None
    numbers: list[int] | None = None
    measured: AllRowsQuality | None = None  # what all rows say, where these are a sample of them


def assessed(
    model: Any, path: Path, reading: dict[str, Any], *, absent_missing: bool, for_page: bool = False
) -> Assessment:
    """Measure a model on the rows of a table; for a page, keep rows to show."""
    table = batches_for(model, path, with_class=True, **reading)
    held: list[pl.DataFrame] = []
    with working(f"Reading {path} ..."):
        for frame in table.frames:
            held.append(frame)
            if sum(each.height for each in held) > MOST_WHOLE:
                break
        else:
            _refuse_without_classes(model, path, held[0].columns)
            rows, labels, numbers = assessed_rows(model, _together(held), path, absent_missing)
            quality, seen = _quality_of_rows(model, rows, labels)
            return Assessment(quality, seen, rows, labels, numbers)
    sums = _BatchSums(model, path, absent_missing, MOST_WHOLE if for_page else 0)
    with Steps(f"Predicting {path}", table.n_rows, patience=1.0) as progress:
        for frame in chain(_handed_out(held), table.frames):
            sums.add(frame)
            progress.reach(sums.read)
    return sums.assessed()


def _handed_out(frames: list[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Return frames one by one, none of which is kept."""
    while frames:
        yield frames.pop(0)


class _BatchSums:
    """What is kept of the rows that have been read."""

    def __init__(self, model: Any, path: Path, absent_missing: bool, sample_rows: int) -> None:
        self._model, self._path, self._absent_missing = model, path, absent_missing
        self._target, record = class_name(model), getattr(model, "training_", None)
        self._digest = getattr(record, "digest", None)
        self._classes: list[Any] = model.classes_.tolist()
        self._expected = frozenset(self._classes)
        prior = None if record is None else record.class_weights
        self._sums = QualitySums(self._classes, prior, decision_costs(model))
        self._unknown: Counter[Any] = Counter()
        self._equal = self.read = 0
        # The same rows are chosen by both: which, depends on how many came before.
        self._sample = _PageRows(sample_rows) if sample_rows else None
        self._numbers = _PageRows(sample_rows)

    def add(self, frame: pl.DataFrame) -> None:
        """Predict the rows of a batch that have a class."""
        _refuse_without_classes(self._model, self._path, frame.columns)
        has_class = frame[self._target].is_not_null()
        known = frame.filter(has_class)
        if known.height:
            numbers = has_class.arg_true() + self.read + 1
            self._add_known(known, numbers)
            if self._sample is not None:
                used = [*feature_names(self._model), self._target]
                self._sample.add(known.select(name for name in used if name in known.columns))
                self._numbers.add(numbers.to_frame())
        self.read += frame.height

    def _add_known(self, known: pl.DataFrame, numbers: pl.Series) -> None:
        labels, rows = known[self._target], self._columns(known, numbers)
        self._sums.add(predicted_outcome(self._model, rows, labels))
        self._unknown.update(label for label in labels.to_list() if label not in self._expected)
        if self._digest is not None:
            self._equal += self._digest.equal(row_hashes(self._model.schema_, check_rows(rows), labels))

    def _columns(self, known: pl.DataFrame, numbers: pl.Series) -> Any:
        return columns_for(
            self._model, known, self._path, absent_missing=self._absent_missing, numbers=numbers.to_list()
        )

    def assessed(self) -> Assessment:
        """Return what all rows say, or refuse them; say which count as misclassified, and which not at all."""
        from bayleaf.page.shown_rows import AllRowsQuality, seen_sentence, unknown_sentence

        n_rows = self._sums.rows
        if not n_rows:
            raise DataFileError(f"The class '{self._target}' is missing in all rows of '{self._path}'.")
        if n_rows < self.read:
            note(f"left out {counted(self.read - n_rows, 'row')} without a class.")
        if self._unknown.total() == n_rows:
            unknown_labels(list(self._unknown), self._classes)  # refuses them
        unknown = unknown_sentence(self._unknown.total(), self._unknown) if self._unknown else None
        if unknown is not None:
            warn(unknown)
        quality = self._sums.quality()
        seen, share = None, 0.0
        if self._digest is not None:
            seen, share = (
                seen_sentence(self._digest, self._equal, n_rows),
                self._digest.share(self._equal, n_rows),
            )
        if self._sample is None:
            return Assessment(quality, seen)
        sample, numbers = self._sample.frame(), self._numbers.frame().to_series()
        rows, labels = self._columns(sample, numbers), sample[self._target]
        return Assessment(
            quality, seen, rows, labels, numbers.to_list(), AllRowsQuality(quality, seen, unknown, share)
        )


class _PageRows(RawSample):
    """A uniform sample of rows, in whose batches a column may be of another type."""

    def _joined(self, batches: list[pl.DataFrame]) -> pl.DataFrame:
        return _together(batches)


def _together(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Put parts of a table below each other; a column that is empty in one of them is of the type of the others."""
    known: dict[str, pl.DataType] = {}
    for frame in frames:
        for column in frame.get_columns():
            if not _is_empty(column):
                known.setdefault(column.name, column.dtype)
    typed = [
        frame.with_columns(
            column.cast(known.get(column.name, column.dtype))
            for column in frame.get_columns()
            if _is_empty(column)
        )
        for frame in frames
    ]
    return pl.concat(typed, how="vertical_relaxed")


def _is_empty(column: pl.Series) -> bool:
    return column.null_count() == len(column)


def _quality_of_rows(model: Any, rows: Any, labels: pl.Series | None) -> tuple[Quality, str | None]:
    """Measure a model on rows in memory; say if it was fitted to some of them."""
    from bayleaf.page.shown_rows import classifier_examples

    assert labels is not None  # the table has a column of classes
    with working(f"Predicting {counted(len(labels), 'row')} ..."):
        examples = classifier_examples(model, rows, labels, None)
        assert examples.outcome is not None  # there are labels
        return quality_of(examples.outcome, examples.missing), examples.seen


def _refuse_without_classes(model: Any, path: Path, columns: Sequence[str]) -> None:
    """Raise for a table without a column of classes, which may have another name in it."""
    name = class_name(model)
    if name in columns:
        return
    close = suggestion(name, extra_columns(model, columns))
    hint = close if close.startswith("Did") else "'bayleaf predict' says what the model thinks."
    raise DataFileError(
        f"'{path}' has no column '{name}', so there is nothing to measure the model by. {hint}"
    )
