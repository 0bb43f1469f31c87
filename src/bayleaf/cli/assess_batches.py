"""A saved model on rows whose class is known, read in batches: how good it is, in constant memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

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

from .model_tables import Batches, batches_for, columns_for
from .output import note, working
from .report import assessed_rows

# With more rows than this only sums over them are kept.
MOST_WHOLE = 200_000


def class_name(model: Any) -> str:
    """Return the name of the column that a fitted model predicts."""
    return str(model.schema_.target.name)


def measured(
    model: Any, path: Path, reading: dict[str, Any], *, absent_missing: bool
) -> tuple[Quality, str | None]:
    """Measure a model on the rows of a table; say if it was fitted to some of them."""
    table = batches_for(model, path, with_class=True, **reading)
    held: list[pl.DataFrame] = []
    with working(f"Reading {path} ..."):
        for frame in table.frames:
            held.append(frame)
            if sum(each.height for each in held) > MOST_WHOLE:
                break
        else:
            rows, labels, _ = assessed_rows(model, _together(held), path, absent_missing)
            return quality_of_rows(model, path, rows, labels)
    return _in_batches(model, path, Batches(chain(held, table.frames), table.n_rows), absent_missing)


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


def quality_of_rows(
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


def _in_batches(model: Any, path: Path, table: Batches, absent_missing: bool) -> tuple[Quality, str | None]:
    from bayleaf.report.rows import seen_sentence, unknown_sentence

    target, record = class_name(model), getattr(model, "training_", None)
    classes = model.classes_.tolist()
    expected = frozenset(classes)
    sums = QualitySums(classes, None if record is None else record.class_weights)
    digest = getattr(record, "digest", None)
    read = equal = 0
    unknown: Counter[Any] = Counter()
    with Steps(f"Predicting {path}", table.n_rows, patience=1.0) as progress:
        for frame in table.frames:
            if target not in frame.columns:
                raise _without_classes(model, path)
            has_class = frame[target].is_not_null()
            known = frame.filter(has_class)
            if known.height:
                numbers = (has_class.arg_true() + read + 1).to_list()
                rows = columns_for(model, known, path, absent_missing=absent_missing, numbers=numbers)
                labels = known[target]
                sums.add(predicted_outcome(model, rows, labels))
                unknown.update(label for label in labels.to_list() if label not in expected)
                if digest is not None:
                    equal += digest.equal(row_hashes(model.schema_, check_rows(rows), labels))
            read += frame.height
            progress.reach(read)
    if not sums.rows:
        raise DataFileError(f"The class '{target}' is missing in all rows of '{path}'.")
    if sums.rows < read:
        note(f"left out {counted(read - sums.rows, 'row')} without a class.")
    if unknown.total() == sums.rows:
        unknown_labels(list(unknown), classes)  # refuses them
    if unknown:
        warn(unknown_sentence(unknown.total(), unknown))
    return sums.quality(), None if digest is None else seen_sentence(digest, equal, sums.rows)


def _without_classes(model: Any, path: Path) -> ValueError:
    return ValueError(f"'{path}' has no column '{class_name(model)}': the classes of its rows are not known.")
