"""How good the model is, as the page shows it: on rows that were given, or as cross-validation found in training."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bayleaf.evaluation.quality import quality_of
from bayleaf.record import Quality, TrainingRecord

from .examples import Examples
from .text import shorten


def quality_data(examples: Examples | None, record: TrainingRecord | None) -> dict[str, Any] | None:
    """Return measures, confusion matrix and curves as plain data; None where nothing is known.

    Rows that were given count; without any, what the model file keeps of a cross-validation.
    """
    if examples is not None and examples.outcome is not None:
        absent = (examples.codes < 0).sum(axis=1) - 1  # the class's own column is always absent
        quality = quality_of(examples.outcome, absent, examples.folds)
        return _plain(quality, examples.notes)
    stored = None if record is None else record.cross_validated
    return None if stored is None else _plain(stored, [])


def _plain(quality: Quality, notes: Sequence[str]) -> dict[str, Any]:
    return {
        **asdict(quality),
        "classes": [shorten(label) for label in quality.classes],
        "source": source(quality),
        "notes": [shorten(note, 400) for note in notes],
    }


def source(quality: Quality) -> str:
    """Tell in a sentence where the figures come from.

    Examples
    --------
    >>> source(Quality(150, 10, (), [], [], [], {}, []))
    'Cross-validated on the training data, 10 folds: each of the 150 rows by a model that had not seen it.'
    >>> source(Quality(50, None, (), [], [], [], {}, []))
    'Measured on 50 rows.'
    """
    if quality.folds is None:
        return f"Measured on {quality.rows:,} rows."
    return (
        f"Cross-validated on the training data, {quality.folds} folds: each of the {quality.rows:,} rows by a model "
        "that had not seen it."
    )


__all__ = ["quality_data"]
