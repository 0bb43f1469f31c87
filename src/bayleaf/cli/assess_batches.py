"""A saved model on rows whose class is known, read in batches: how good it is, in constant memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayleaf._util.optional import polars as pl
from bayleaf._util.progress import Steps
from bayleaf._util.warning import warn
from bayleaf._util.words import counted
from bayleaf.data.columns import check_rows
from bayleaf.data.row_digest import row_hashes
from bayleaf.data.target import unknown_labels
from bayleaf.evaluation.quality import predicted_outcome, quality_of
from bayleaf.evaluation.summed_quality import QualitySums
from bayleaf.files import DataFileError
from bayleaf.record import Quality
from bayleaf.streams.raw_sample import RawSample

from .model_tables import batches_for, columns_for, feature_names
from .output import note, working
from .report import assessed_rows

if TYPE_CHECKING:
    from bayleaf.report.rows import Measured

# Of more rows than this only sums are kept, and so many of them where a page shows rows.
MOST_WHOLE = 200_000


def class_name(model: Any) -> str:
    """Return the name of the column that a fitted model predicts."""
    return str(model.schema_.target.name)


@dataclass(frozen=True)
class Assessed:
    """How good a model is on the rows of a table, and rows for its page.

    Attributes
    ----------
    quality : Quality
    seen : str or None
        A sentence where the model was fitted to some of the rows.
    rows, labels, numbers
        The rows as the model takes them, their classes and their numbers in the table: all, or a uniform sample; None
        where no page asks for a sample.
    measured : Measured or None
        What all rows say, where these are a sample of them.
    """

    quality: Quality
    seen: str | None
    rows: Any = None
    labels: pl.Series | None = None
    numbers: list[int] | None = None
    measured: Measured | None = None


def assessed(
    model: Any, path: Path, reading: dict[str, Any], *, absent_missing: bool, for_page: bool = False
) -> Assessed:
    """Measure a model on the rows of a table; for a page, keep rows to show."""
    table = batches_for(model, path, with_class=True, **reading)
    held: list[pl.DataFrame] = []
    with working(f"Reading {path} ..."):
        for frame in table.frames:
            held.append(frame)
            if sum(each.height for each in held) > MOST_WHOLE:
                break
        else:
            rows, labels, numbers = assessed_rows(model, _together(held), path, absent_missing)
            quality, seen = _quality_of_rows(model, path, rows, labels)
            return Assessed(quality, seen, rows, labels, numbers)
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
        self._sums = QualitySums(self._classes, None if record is None else record.class_weights)
        self._unknown: Counter[Any] = Counter()
        self._equal = self.read = 0
        # The same rows are chosen by both: which, depends on how many came before.
        self._sample = _PageRows(sample_rows) if sample_rows else None
        self._numbers = _PageRows(sample_rows)

    def add(self, frame: pl.DataFrame) -> None:
        """Predict the rows of a batch that have a class."""
        if self._target not in frame.columns:
            raise _without_classes(self._model, self._path)
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

    def assessed(self) -> Assessed:
        """Return what all rows say, or refuse them; say which count as misclassified, and which not at all."""
        from bayleaf.report.rows import Measured, seen_sentence, unknown_sentence

        rows = self._sums.rows
        if not rows:
            raise DataFileError(f"The class '{self._target}' is missing in all rows of '{self._path}'.")
        if rows < self.read:
            note(f"left out {counted(self.read - rows, 'row')} without a class.")
        if self._unknown.total() == rows:
            unknown_labels(list(self._unknown), self._classes)  # refuses them
        unknown = unknown_sentence(self._unknown.total(), self._unknown) if self._unknown else None
        if unknown is not None:
            warn(unknown)
        quality = self._sums.quality()
        seen = None if self._digest is None else seen_sentence(self._digest, self._equal, rows)
        if self._sample is None:
            return Assessed(quality, seen)
        sample, numbers = self._sample.frame(), self._numbers.frame().to_series()
        return Assessed(
            quality,
            seen,
            self._columns(sample, numbers),
            sample[self._target],
            numbers.to_list(),
            Measured(quality, seen, unknown),
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


def _quality_of_rows(
    model: Any, path: Path, rows: Any, labels: pl.Series | None
) -> tuple[Quality, str | None]:
    """Measure a model on rows in memory; say if it was fitted to some of them."""
    from bayleaf.report.rows import classifier_examples

    if labels is None:
        raise _without_classes(model, path)
    with working(f"Predicting {counted(len(labels), 'row')} ..."):
        examples = classifier_examples(model, rows, labels, None)
        assert examples.outcome is not None  # there are labels
        return quality_of(examples.outcome, examples.missing), examples.seen


def _without_classes(model: Any, path: Path) -> ValueError:
    return ValueError(f"'{path}' has no column '{class_name(model)}': the classes of its rows are not known.")
