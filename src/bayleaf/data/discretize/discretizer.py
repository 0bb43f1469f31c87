"""The base of all discretisers: cuts learned column by column, and values turned into the codes of their bins."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from bayleaf._native import _core
from bayleaf._util.params import WithSettings
from bayleaf.data.target import read_weights

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_KERNEL_NUMBERS = frozenset(np.dtype(code) for code in "bhilqBHILQfd")


@dataclass(frozen=True)
class RowClasses:
    """Classes numbered without gaps."""

    codes: NDArray[np.uint8] | NDArray[np.uint32]
    starts: IntArray  # where the rows of each class would begin, if one class lay after the other
    n_classes: int


class TrainingRows:
    """Classes (codes 0, 1, ...) and weights (more than 0; None means one each) of the rows of a table."""

    def __init__(self, target: IntArray | None, weights: FloatArray | None = None) -> None:
        self.target = target
        self.weights = None if weights is None or (weights == 1).all() else weights
        self._spaces = threading.local()

    @cached_property
    def classes(self) -> RowClasses:
        """The classes that occur."""
        assert self.target is not None
        counts = np.bincount(self.target)
        occurs = counts > 0
        numbers = np.cumsum(occurs) - 1
        counts = counts[occurs]
        codes = self.target if occurs.all() else numbers[self.target]
        narrow = codes.astype(np.uint8) if len(counts) <= 256 else codes.astype(np.uint32)
        return RowClasses(narrow, np.cumsum(counts) - counts, len(counts))

    @cached_property
    def class_weights(self) -> FloatArray:
        """Weight of the rows of each class, by its code."""
        assert self.target is not None
        return np.bincount(self.target, self.weights).astype(np.float64)

    def sorting_space(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return room for one column, and for the largest of its classes; the same for all columns of a thread."""
        largest = np.diff(self.classes.starts, append=len(self.classes.codes)).max(initial=0)
        return self._space("column", len(self.classes.codes)), self._space("class", int(largest))

    def side_by_side(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return a column whose numbers lie side by side: itself, or a copy until the thread takes the next.

        In an array of rows, each look at a number fetches its neighbours as well: one look at each is enough.
        """
        if values.flags.c_contiguous or values.itemsize != 8 or not values.dtype.isnative:
            return values
        copy = self._space("copy", len(values)).view(values.dtype)
        copy[:] = values
        return copy

    def _space(self, name: str, size: int) -> NDArray[np.uint64]:
        space: NDArray[np.uint64] | None = getattr(self._spaces, name, None)
        if space is None or len(space) != size:  # fresh memory costs as much as half a sort
            space = np.empty(size, dtype=np.uint64)
            setattr(self._spaces, name, space)
        return space

    def known(self, missing: NDArray[np.bool_]) -> tuple[IntArray | None, FloatArray | None]:
        """Return classes and weights of the rows that are not missing."""
        if not missing.any():
            return self.target, self.weights
        known = ~missing
        return (
            None if self.target is None else self.target[known],
            None if self.weights is None else self.weights[known],
        )


def as_kernel_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as the kernels take them: as they are where they can be read in place, else as floats."""
    if values.dtype not in _KERNEL_NUMBERS:
        values = values.astype(np.float64)
    in_place = values.flags.aligned and all(step % values.itemsize == 0 for step in values.strides)
    return values if in_place else values.copy()


def sorted_numbers(values: NDArray[Any]) -> FloatArray:
    """Return the numbers that are not missing, in order."""
    one_class = np.zeros(len(values), dtype=np.uint8)
    ordered, spare = np.empty((2, len(values)), dtype=np.uint64)
    count = np.empty(1, dtype=np.int64)
    _core.sort_by_class(
        as_kernel_numbers(values), one_class, np.zeros(1, dtype=np.int64), ordered, spare, count
    )
    return ordered.view(np.float64)[: int(count[0])]


class Discretizer(OneToOneFeatureMixin, TransformerMixin, WithSettings, ABC):  # type: ignore[misc]
    """Base class of the discretisers, which are transformers of scikit-learn: a subclass finds the cuts of a column.

    Attributes
    ----------
    cuts_ : list of float64 arrays
        The cuts of each column, strictly increasing; none where one bin is enough.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> class SignSplit(Discretizer):
    ...     def cut_points(self, values, target=None, weights=None, name=None):
    ...         return np.array([0.0])
    >>> SignSplit().fit_transform([[-3.0], [2.0]]).ravel()
    array([0., 1.])
    """

    # Whether each of few values has a bin of its own in any case.
    keeps_values = False

    @abstractmethod
    def cut_points(
        self,
        values: FloatArray,
        target: IntArray | None = None,
        weights: FloatArray | None = None,
        name: str | int | None = None,
    ) -> FloatArray:
        """Return the strictly increasing interior cuts of one column; none where one bin is enough.

        Parameters
        ----------
        values : float64 array of shape (n,)
            The column, without missing or infinite values.
        target : integer array of shape (n,), optional
            Class codes 0, 1, ...; only supervised discretisers look at them.
        weights : float64 array of shape (n,), optional
            How many rows each row counts for; None means one each.
        name : str or int, optional
            The column's name, or its position where columns have no names.
        """

    def column_cuts(
        self, values: NDArray[Any], rows: TrainingRows, name: str | int | None = None
    ) -> FloatArray:
        """Return the cuts of a column as it stands in a table: of any number type, NaN for missing values.

        What is common to all columns is found once, in ``rows``. A subclass need not have this method.
        """
        missing = np.isnan(values)
        target, weights = rows.known(missing)
        return self.cut_points(values[~missing].astype(np.float64, copy=False), target, weights, name)

    def check_names(self, columns: Sequence[str | int]) -> None:
        """Refuse numeric columns by their names or positions; one that takes any column has no reason to."""

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the cuts of every column of X; missing values are skipped, and y is used where classes matter."""
        target = None
        if get_tags(self).target_tags.required:
            X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=False)
            target = _class_codes(y)
        else:
            X = validate_data(self, X, dtype=np.float64, ensure_all_finite=False)
        self._refuse_infinite(X)
        weights = read_weights(sample_weight, X)
        if weights is not None and not weights.all():  # rows of weight zero do not count
            counts = weights > 0
            X, weights = X[counts], weights[counts]
            target = None if target is None else target[counts]
        rows = TrainingRows(target, weights)
        names = self._column_names()
        self.check_names(names)
        self.cuts_ = [self.column_cuts(values, rows, name) for values, name in zip(X.T, names, strict=True)]
        return self

    def transform(self, X: Any) -> Any:
        """Return the bin codes 0, 1, ... of every column as floats; NaN stays NaN."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64, ensure_all_finite=False)
        self._refuse_infinite(X)
        codes = np.empty(X.shape)
        for column, cuts in enumerate(self.cuts_):
            codes[:, column] = apply_cuts(X[:, column], cuts)
        codes[np.isnan(X)] = np.nan
        return codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _column_names(self) -> list[str | int]:
        """Names of the columns seen in fit, or their positions where they had none."""
        return list(getattr(self, "feature_names_in_", range(self.n_features_in_)))

    def _refuse_infinite(self, X: FloatArray) -> None:
        for name, count in zip(self._column_names(), np.isinf(X).sum(axis=0).tolist(), strict=True):
            if count:
                raise ValueError(
                    f"Column {name!r} has {count} infinite value{'s' * (count > 1)} (inf or -inf); replace them by "
                    "finite numbers, or by NaN for missing."
                )


def _class_codes(y: NDArray[Any]) -> IntArray:
    missing = sum(label is None for label in y) if y.dtype == object else 0  # NaN was refused before
    if missing:
        raise ValueError(f"y has {missing} missing of {y.size} values; leave these rows out.")
    check_classification_targets(y)
    return np.unique(y, return_inverse=True)[1]


def apply_cuts(values: FloatArray, cuts: ArrayLike) -> NDArray[np.unsignedinteger[Any]]:
    """Bin code of each value: the number of cuts that lie below it, so a value equal to a cut stays below.

    No value is NaN: the caller masks missing ones. The codes are those of ``np.searchsorted(cuts, values)``, as uint8
    up to 255 bins, as uint16 up to 65535 bins, else as uint32.
    """
    values = np.asarray(values)
    codes, _ = code_by_cuts(values.ravel(), cuts)
    return codes.reshape(values.shape)


@dataclass(frozen=True)
class OddValues:
    """How many values of a column are missing, and how many infinite."""

    missing: int
    infinite: int


def code_by_cuts(
    values: NDArray[Any], cuts: ArrayLike, missing: int | None = None
) -> tuple[NDArray[np.unsignedinteger[Any]], OddValues]:
    """Return the bin codes of a column of any number type, `missing` for NaN, and what there is of odd values.

    By default the greatest number of the codes' type means missing.
    """
    points = np.ascontiguousarray(cuts, dtype=np.float64)
    kind = np.uint8 if points.size < 255 else np.uint16 if points.size < 65535 else np.uint32
    codes: NDArray[Any] = np.empty(len(values), dtype=kind)
    absent = int(np.iinfo(kind).max) if missing is None else missing
    odd = _core.code_by_cuts(as_kernel_numbers(values), points, absent, codes)
    return codes, OddValues(*odd)


def midpoint(below: FloatArray, above: FloatArray) -> FloatArray:
    """Point halfway between two values that separates them: ``below <= midpoint < above``."""
    middle = below / 2 + above / 2  # halved first: the sum of two huge values would be infinite
    return np.where((below <= middle) & (middle < above), middle, below)
