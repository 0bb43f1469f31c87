"""Discretisers that look at the values alone: median, equal width, quantiles; and cut points that the user gives."""

import math
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from bayleaf._util.params import declared, instance, whole, with_method
from bayleaf._util.words import listing

from .discretizer import Discretizer, FloatArray, IntArray, TrainingRows, midpoint, sorted_numbers

# Running sums of fractional weights that miss a quantile by no more than this share hit it.
_ROUNDING = 1e-12


class MedianSplit(Discretizer):
    """Two bins: values up to the median, and values above it.

    Where more than half of the rows share the greatest value, the median equals it and every row would be in
    the lower bin; the cut then lies halfway between the greatest value and the next lower one. A constant
    column gets no cut.

    References
    ----------
    C. P. de Campos, M. Cuccu, G. Corani and M. Zaffalon. Extended tree augmented naive classifier. European
    Workshop on Probabilistic Graphical Models, pages 176-189, 2014.

    Examples
    --------
    >>> MedianSplit().fit_transform([[1.0], [2.0], [3.0], [np.nan]])
    array([[ 0.],
           [ 0.],
           [ 1.],
           [nan]])
    >>> MedianSplit().cut_points(np.array([0.0, 1.0, 1.0, 1.0]))
    array([0.5])
    """

    def cut_points(
        self,
        values: FloatArray,
        target: IntArray | None = None,
        weights: FloatArray | None = None,
        name: str | int | None = None,
    ) -> FloatArray:
        """Return the cut of one column without missing values; target and name are ignored."""
        return _quantile_cuts(values, weights, bins=2)


class Quantiles(Discretizer):
    """Bins with about the same number of rows each.

    The cuts are the quantiles 1/bins, 2/bins, ... (the averaged inverse of the distribution function, so that
    the middle one is the median). Cuts that would separate the same rows are merged, hence a column with few
    distinct values has fewer bins. A quantile that equals the greatest value is moved halfway to the next
    lower value, so that only a constant column gets no cut.

    Parameters
    ----------
    bins : int, default=5
        Number of bins, at least 2.

    Examples
    --------
    >>> Quantiles(bins=4).cut_points(np.arange(1.0, 9.0))
    array([2.5, 4.5, 6.5])
    """

    settings = declared(bins=whole(low=2))

    def __init__(self, bins: int = 5) -> None:
        self.bins = bins

    def cut_points(
        self,
        values: FloatArray,
        target: IntArray | None = None,
        weights: FloatArray | None = None,
        name: str | int | None = None,
    ) -> FloatArray:
        """Return the cuts of one column without missing values; target and name are ignored."""
        self.check_params()
        return _quantile_cuts(values, weights, self.bins)


class EqualWidth(Discretizer):
    """Bins of the same width between the least and the greatest value.

    Bins in the middle may hold no rows. A constant column gets no cut.

    Parameters
    ----------
    bins : int, default=5
        Number of bins, at least 2.

    Notes
    -----
    Weights matter only in that rows of weight 0 are left out.

    Examples
    --------
    >>> EqualWidth(bins=4).cut_points(np.array([0.0, 1.0, 8.0]))
    array([2., 4., 6.])
    """

    settings = declared(bins=whole(low=2))

    def __init__(self, bins: int = 5) -> None:
        self.bins = bins

    def cut_points(
        self,
        values: FloatArray,
        target: IntArray | None = None,
        weights: FloatArray | None = None,
        name: str | int | None = None,
    ) -> FloatArray:
        """Return the cuts of one column without missing values; target and name are ignored."""
        self.check_params()
        if weights is not None:
            values = values[weights > 0]
        low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
        if low >= high:
            return np.empty(0)
        cuts = 2 * np.linspace(low / 2, high / 2, self.bins + 1)[1:-1]  # halved: the range may exceed a float
        # Rounding between close floats must not put a cut where it separates nothing.
        return np.unique(np.clip(cuts, low, np.nextafter(high, low)))


def _quantile_cuts(values: FloatArray, weights: FloatArray | None, bins: int) -> FloatArray:
    """Cuts at the quantiles 1/bins, 2/bins, ... that leave no bin without rows."""
    distinct, upto = distinct_with_running_weight(values, weights)
    if distinct.size < 2:
        return np.empty(0)
    wanted = np.arange(1, bins) * upto[-1]  # times bins on both sides, for whole numbers to stay exact
    # The first to reach the quantile, and the first to go beyond it.
    at = np.searchsorted(bins * upto, wanted * (1 - _ROUNDING), side="left")
    past = np.searchsorted(bins * upto, wanted * (1 + _ROUNDING), side="right")
    second_last = distinct.size - 2
    at, past = np.minimum(at, second_last), np.where(at > second_last, distinct.size - 1, past)
    at, first = np.unique(at, return_index=True)  # cuts above the same value separate the same rows
    return midpoint(distinct[at], distinct[past[first]])


def distinct_with_running_weight(
    values: FloatArray, weights: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Distinct values in order, each with the weight of all rows up to it."""
    if weights is None:
        ordered = sorted_numbers(values)
        rises = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1  # where the next value begins
        upto = np.append(rises, ordered.size).astype(np.float64)
        return ordered[np.append(0, rises)] if ordered.size else ordered, upto
    present = weights > 0
    distinct, place = np.unique(values[present], return_inverse=True)
    return distinct, np.cumsum(np.bincount(place, weights[present], minlength=distinct.size))


# From this number of rows on there are more bins, up to this many times as many.
FEW_ROWS = 2000
FINEST = 4.0
# A bin has at least this many rows, unless there are few in all.
LEAST_ROWS = 5


class AdaptiveQuantiles(Discretizer):
    """Bins with about the same number of rows each, in which a value that many rows share has a bin of its own.

    With b bins, a value that at least 1/b of the rows have gets its own, and so on for the rows and bins that remain;
    the other values share the remaining bins in equal frequency. (Plain quantiles put everything next to a zero that
    most rows have into one bin with it.) The number of bins grows with the number of rows N:
    b = bins * (N / 2000)^(1/2) where that is more than ``bins``, but at most 4 * bins, and never more than N^(1/2).
    A column with at most b values gets a bin for each.

    Parameters
    ----------
    bins : int, default=8
        Number of bins up to 2,000 rows, at least 2.

    Examples
    --------
    >>> values = np.concatenate([np.zeros(60), np.arange(1.0, 41.0)])
    >>> AdaptiveQuantiles(bins=5).cut_points(values)
    array([ 0.5, 10.5, 20.5, 30.5])
    """

    settings = declared(bins=whole(low=2))

    def __init__(self, bins: int = 8) -> None:
        self.bins = bins

    def cut_points(
        self,
        values: FloatArray,
        target: IntArray | None = None,
        weights: FloatArray | None = None,
        name: str | int | None = None,
    ) -> FloatArray:
        """Return the cuts of one column without missing values; target and name are ignored."""
        self.check_params()
        distinct, upto = distinct_with_running_weight(values, weights)
        if distinct.size < 2:
            return np.empty(0)
        last = last_of_bins(np.diff(upto, prepend=0.0), self.n_bins(float(upto[-1])))
        return midpoint(distinct[last], distinct[last + 1])

    def n_bins(self, rows: float) -> int:
        """Return the number of bins for a number of rows.

        Examples
        --------
        >>> [AdaptiveQuantiles(bins=10).n_bins(rows) for rows in (49, 2000, 8000, 1_000_000)]
        [7, 10, 20, 40]
        """
        grown = self.bins * min(max(math.sqrt(rows / FEW_ROWS), 1.0), FINEST)
        return max(2, int(min(grown, math.sqrt(rows))))


def last_of_bins(weight: FloatArray, bins: int, shift: float = 0.0) -> IntArray:
    """Return the positions, among distinct values of these weights, of the last value of each bin but the last.

    Parameters
    ----------
    weight : ndarray of shape (values,)
        In the order of the values.
    bins : int
    shift : float in [0, 1), default=0.0
        Shifts the borders between values that are not heavy down by this share of a bin; the rest of one more bin
        is left at the top.

    Examples
    --------
    >>> last_of_bins(np.full(8, 10.0), 2), last_of_bins(np.full(8, 10.0), 2, shift=0.5)
    (array([3]), array([1, 5]))
    """
    if weight.size <= bins:
        return np.arange(weight.size - 1)
    heavy = _heavy_values(weight, bins)
    light = weight[~heavy].sum()
    per_bin = max(light / max(bins - int(heavy.sum()), 1), min(LEAST_ROWS, math.sqrt(weight.sum())))
    last = np.flatnonzero(heavy)
    found = [last, last - 1]  # a heavy value begins a bin and ends it
    edges = np.concatenate([[-1], last, [weight.size]])
    for before, after in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        between = np.cumsum(weight[before + 1 : after])
        if between.size:
            parts = max(1, round(float(between[-1]) / per_bin))
            wanted = (np.arange(1, parts + (shift > 0)) - shift) * (between[-1] / parts)
            found.append(before + 1 + np.searchsorted(between, wanted * (1 - 1e-12)))
    chosen = np.unique(np.concatenate(found))
    return chosen[(chosen >= 0) & (chosen < weight.size - 1)]


def _heavy_values(weight: FloatArray, bins: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return which values have a bin of their own: each has as much weight as a bin of the rest would have."""
    heavy = np.zeros(weight.size, dtype=bool)
    while True:
        left = bins - int(heavy.sum())
        more = ~heavy & (weight * max(left, 1) >= weight[~heavy].sum())
        if not more.any() or int(more.sum()) >= left:
            return heavy
        heavy |= more


def default_discretizer() -> AdaptiveQuantiles:
    """Return what cuts the numbers of a classifier that names no discretiser."""
    return AdaptiveQuantiles()


class Cuts(Discretizer):
    """Bins with borders given by the user, column by column.

    Parameters
    ----------
    cuts : dict
        For each column name (or position, for arrays, whose columns have no names) the increasing cut points.
        A value equal to a cut belongs to the bin below it. An empty list makes the column constant.
    others : discretiser, optional
        Finds the cuts of the columns that ``cuts`` does not name, for example ``MDLP()``. None refuses such
        columns.

    Examples
    --------
    >>> ages = Cuts({0: [18, 65]})
    >>> ages.fit_transform([[17], [18], [40], [70]]).ravel()
    array([0., 0., 1., 2.])
    >>> ages.cut_points(np.array([17.0, 40.0]), name="height")
    Traceback (most recent call last):
        ...
    ValueError: Cuts has no cut points for column 'height'. Add it to cuts, or pass others=... for the rest.
    """

    settings = declared(others=partial(with_method, method="cut_points", example="bayleaf.MDLP()"))

    def __init__(
        self, cuts: dict[Any, Sequence[float]] | None = None, others: Discretizer | None = None
    ) -> None:
        self.cuts = cuts
        self.others = others

    def cut_points(
        self,
        values: FloatArray,
        target: IntArray | None = None,
        weights: FloatArray | None = None,
        name: str | int | None = None,
    ) -> FloatArray:
        """Return the cuts of the column called ``name``; the rest is only for ``others``."""
        given = self._given_cuts()
        if name in given:
            return _checked_points(given[name], name)
        if self.others is None:
            raise ValueError(_no_cut_points([name]))
        return self.others.cut_points(values, target, weights, name)

    def column_cuts(
        self, values: NDArray[Any], rows: TrainingRows, name: str | int | None = None
    ) -> FloatArray:
        """Return the same of a column as it stands in a table; NaN means missing."""
        own = name in self._given_cuts() or type(self).cut_points is not Cuts.cut_points
        if own or not isinstance(self.others, Discretizer):
            return super().column_cuts(values, rows, name)
        return self.others.column_cuts(values, rows, name)

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data; without others, cuts must be given."""
        super().check_params()
        instance(dict, or_none=self.others is not None)(self, "cuts", self.cuts)

    def _given_cuts(self) -> dict[Any, Sequence[float]]:
        self.check_params()
        return self.cuts or {}

    def check_names(self, columns: Sequence[str | int]) -> None:
        """Refuse cut points for columns that are not there, and numeric columns without any."""
        given = self._given_cuts()
        unknown = [name for name in given if name not in set(columns)]
        if unknown:
            raise ValueError(
                f"Cuts names {_listed(unknown)}, but X has no such numeric column; it has {_listed(columns)}."
            )
        unnamed = [name for name in columns if name not in given]
        if unnamed and self.others is None:
            raise ValueError(_no_cut_points(unnamed))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tagged = hasattr(type(self.others), "__sklearn_tags__")
        tags.target_tags.required = tagged and get_tags(self.others).target_tags.required
        return tags


def _checked_points(points: Sequence[float], name: str | int | None) -> FloatArray:
    cuts = np.asarray(points)
    numeric = cuts.ndim == 1 and cuts.dtype.kind in "iuf"
    if not (numeric and np.isfinite(cuts).all() and (np.diff(cuts) > 0).all()):
        raise ValueError(
            f"The cut points of column {name!r} must be a list of increasing finite numbers. "
            f"Got {points!r} instead."
        )
    return cuts.astype(np.float64)


def _no_cut_points(names: Sequence[str | int | None]) -> str:
    them = "it" if len(names) == 1 else "them"
    return (
        f"Cuts has no cut points for {_listed(names)}. Add {them} to cuts, or pass others=... for the rest."
    )


def _listed(names: Collection[object]) -> str:
    """Column names in a sentence, not too many of them."""
    return f"column{'s' * (len(names) != 1)} {listing(map(repr, names), most=10)}"
