"""Methods of the estimators that lead to parts above them; those are loaded by name, and only when asked for."""

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ._util.params import require
from .data.target import unknown_labels
from .modelfile.record import TrainingRecord


def write_report(model: Any, path: Any, X: Any, y: Any, cv: int | None) -> None:
    """Write the model page, which has an extra of its own."""
    require("bayleaf.report", extra="report").write_report(model, path, X, y, cv=cv)


def with_cross_validation(model: Any, X: Any, y: Any, cv: int, n_jobs: int | None) -> TrainingRecord:
    """Return the training record of a fitted model with the result of a cross-validation."""
    check_is_fitted(model)
    check_consistent_length(X, y)
    record: TrainingRecord | None = getattr(model, "training_", None)
    if record is None:
        raise ValueError(
            "The model has no record of its training data, to keep a cross-validation in: fit it again."
        )
    _check_same_rows(model, record, len(y))
    unknown_labels(np.asarray(y).ravel().tolist(), model.classes_.tolist())
    quality = import_module("bayleaf.evaluation.quality")
    _, found = quality.cross_validated(model, X, y, cv, n_jobs=n_jobs)
    return replace(record, cross_validated=found)


def _check_same_rows(model: Any, record: TrainingRecord, rows: int) -> None:
    """Refuse rows that cannot be those of fit; incomplete rows that are dropped, and weights, leave fewer."""
    settings = model.get_params(deep=True)
    dropped = "drop" in (settings.get("missing"), settings.get("estimator__missing"))
    fewer = dropped or record.weight != record.rows
    if rows < record.rows or (rows > record.rows and not fewer):
        raise ValueError(
            f"Cross-validation needs the rows that fit has seen: it saw {record.rows:,} rows. Got {rows:,}."
        )
