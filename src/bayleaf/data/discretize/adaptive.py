"""Quantiles that leave heavy values alone and become finer with more rows."""

import math

import numpy as np

from bayleaf._util.params import check_param

from .bins import distinct_with_running_weight
from .discretizer import Discretizer, midpoint
from .rows import FloatArray, IntArray

# From this number of rows on there are more bins, up to so many times as many.
FEW_ROWS = 2000
FINEST = 4.0
# Fewer rows than these are no bin, unless there are few in all.
LEAST_ROWS = 5


class AdaptiveQuantiles(Discretizer):
    """Bins with about the same number of rows each, in which a value that many rows share has a bin of its own.

    With b bins, a value that at least 1/b of the rows have gets its own, and so on for the rows and bins that remain;
    the other values share the remaining bins in equal frequency. (Plain quantiles put everything beside a zero that
    most rows have into one bin with it.) The number of bins grows with the number of rows N:
    b = bins * (N / 2000)^(1/2) where that is more than ``bins``, but at most 4 * bins, and never more than N^(1/2).
    A column with at most b values gets a bin for each.

    Parameters
    ----------
    bins : int, default=8
        Number of bins up to 2,000 rows, at least 2.

    Attributes
    ----------
    cuts_ : list of float64 arrays
        The cuts of each column, strictly increasing.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> values = np.concatenate([np.zeros(60), np.arange(1.0, 41.0)])
    >>> AdaptiveQuantiles(bins=5).cut_points(values)
    array([ 0.5, 10.5, 20.5, 30.5])
    """

    def __init__(self, bins: int = 8) -> None:
        self.bins = bins

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "bins", self.bins, int, low=2)

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
        """Return the number of bins for so many rows.

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
