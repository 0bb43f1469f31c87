"""What all discretisers share: learning cuts column by column, and turning values into bin codes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

# Up to this many cuts, counting the cuts below each value (one vectorised comparison per cut) takes a third
# of the time of a binary search, whose branches no processor can predict.
_FEW_CUTS = 64


class Discretizer(Protocol):
    """Anything that finds the cut points of one numeric column."""

    def cut_points(
        self,
        values: FloatArray,
        target: IntArray | None = None,
        weights: FloatArray | None = None,
        name: str | int | None = None,
    ) -> FloatArray:
        """Strictly increasing interior cuts of one column; empty where one bin is enough.

        Parameters
        ----------
        values : float64 array of shape (n,)
            The column, without missing or infinite values.
        target : integer array of shape (n,), optional
            Class codes 0, 1, ...; only supervised discretisers look at them.
        weights : float64 array of shape (n,), optional
            How many rows each row stands for; None means one each.
        name : str or int, optional
            The column's name, or its position where columns have no names.
        """


def apply_cuts(values: FloatArray, cuts: ArrayLike) -> NDArray[np.unsignedinteger[Any]]:
    """Bin code of each value: the number of cuts that lie below it, so a value equal to a cut stays below.

    Parameters
    ----------
    values : float64 array
        No NaN: the caller masks missing values.
    cuts : float64 array of shape (bins - 1,)
        Strictly increasing.

    Returns
    -------
    unsigned integer array of the shape of values
        The same codes as ``np.searchsorted(cuts, values, side="left")``, as uint8 up to 255 bins, as uint16
        up to 65535 bins, else as uint32.

    Examples
    --------
    >>> apply_cuts(np.array([17.0, 18.0, 18.5, 70.0]), [18.0, 65.0])
    array([0, 0, 1, 2], dtype=uint8)
    """
    cuts = np.asarray(cuts, dtype=np.float64)
    kind = np.uint8 if cuts.size < 255 else np.uint16 if cuts.size < 65535 else np.uint32
    if cuts.size > _FEW_CUTS:
        return np.searchsorted(cuts, values, side="left").astype(kind)
    codes = np.zeros(values.shape, dtype=kind)
    for cut in cuts:
        codes += values > cut
    return codes


def midpoint(below: FloatArray, above: FloatArray) -> FloatArray:
    """Point halfway between two values that separates them: ``below <= midpoint < above``."""
    middle = below / 2 + above / 2  # halved first: the sum of two huge values would be infinite
    return np.where((below <= middle) & (middle < above), middle, below)


@dataclass(frozen=True)
class TrainingData:
    """Checked input of fit."""

    X: FloatArray
    names: Sequence[str | int]  # positions where columns have no names
    target: IntArray | None  # class codes, for discretisers that need them
    weights: FloatArray | None


def check_training_data(discretizer: Any, X: Any, y: Any, sample_weight: ArrayLike | None) -> TrainingData:
    """Check what fit was given, and remember the number and the names of the columns."""
    target = None
    if get_tags(discretizer).target_tags.required:
        X, y = validate_data(discretizer, X, y, dtype=np.float64, ensure_all_finite=False)
        target = _class_codes(y)
    else:
        X = validate_data(discretizer, X, dtype=np.float64, ensure_all_finite=False)
    names = _column_names(discretizer)
    _refuse_infinite(X, names)
    return TrainingData(X, names, target, _checked_weights(sample_weight, X))


def learn_cuts(discretizer: Discretizer, data: TrainingData) -> list[FloatArray]:
    """Cuts of every column, from its non-missing values."""
    cuts = []
    for values, name in zip(data.X.T, data.names, strict=True):
        known = ~np.isnan(values)
        target = None if data.target is None else data.target[known]
        weights = None if data.weights is None else data.weights[known]
        cuts.append(discretizer.cut_points(values[known], target, weights, name))
    return cuts


def transform_to_codes(discretizer: Any, X: Any) -> FloatArray:
    """Bin codes of every column of X as floats, NaN where the value is missing."""
    check_is_fitted(discretizer)
    X = validate_data(discretizer, X, reset=False, dtype=np.float64, ensure_all_finite=False)
    _refuse_infinite(X, _column_names(discretizer))
    codes = np.empty(X.shape)
    for column, cuts in enumerate(discretizer.cuts_):
        codes[:, column] = apply_cuts(X[:, column], cuts)
    codes[np.isnan(X)] = np.nan
    return codes


def _column_names(discretizer: Any) -> list[str | int]:
    """Names of the columns seen in fit, or their positions where they had none."""
    return list(getattr(discretizer, "feature_names_in_", range(discretizer.n_features_in_)))


def _class_codes(y: NDArray[Any]) -> IntArray:
    missing = sum(label is None for label in y) if y.dtype == object else 0  # NaN was refused before
    if missing:
        raise ValueError(f"y has {missing} missing of {y.size} values; leave these rows out.")
    check_classification_targets(y)
    return np.unique(y, return_inverse=True)[1]


def _refuse_infinite(X: FloatArray, names: Sequence[str | int]) -> None:
    counts = np.isinf(X).sum(axis=0)
    for name, count in zip(names, counts, strict=True):
        if count:
            raise ValueError(
                f"Column {name!r} has {count} infinite value{'s' if count > 1 else ''} (inf or -inf); "
                "replace them by finite numbers, or by NaN for missing."
            )


def _checked_weights(sample_weight: ArrayLike | None, X: FloatArray) -> FloatArray | None:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim != 1:
        raise ValueError(f"sample_weight must be 1-dimensional. Got {weights.ndim} dimensions instead.")
    check_consistent_length(X, weights)
    wrong = np.count_nonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong:
        raise ValueError(f"sample_weight must hold finite numbers >= 0. {wrong} of {weights.size} are not.")
    if not weights.any():
        raise ValueError("sample_weight is zero in every row; at least one row needs a positive weight.")
    return weights
