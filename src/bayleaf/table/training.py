"""Which rows of the training data count."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from .columns import complete_rows
from .target import read_weights

Weights = NDArray[np.float64] | None


def training_rows(X: Any, y: Any, sample_weight: Any, *, drop_incomplete: bool) -> tuple[Any, Any, Weights]:
    """Return the rows that take part in fit, their labels and their weights.

    A row of weight zero is no row, and a dropped row neither: their categories and values must not enter the schema.

    Examples
    --------
    >>> training_rows(np.array([["a"], ["b"]]), ["no", "yes"], [0, 2], drop_incomplete=False)
    (array([['b']], dtype='<U1'), ['yes'], array([2.]))
    """
    weights = read_weights(sample_weight, X)
    if weights is not None and (weights == 0).any():
        kept = np.flatnonzero(weights)
        X, y, weights = _rows_of(X, kept), _rows_of(y, kept), weights[kept]
    if drop_incomplete:
        kept = _complete_rows(X)
        X, y = _rows_of(X, kept), _rows_of(y, kept)
        weights = None if weights is None else weights[kept]
    return X, y, weights


def _rows_of(data: Any, rows: NDArray[np.int64]) -> Any:
    """Return some rows of a table or of labels, in the library they came in."""
    return _safe_indexing(data if hasattr(data, "__getitem__") else np.asarray(data), rows)


def _complete_rows(X: Any) -> NDArray[np.int64]:
    complete = complete_rows(X)
    if not complete.any():
        raise ValueError(
            f"missing='drop' leaves no rows: each of the {len(complete)} rows has a missing value. Use "
            "missing='available' or 'impute'."
        )
    return np.flatnonzero(complete)


__all__ = ["training_rows"]
