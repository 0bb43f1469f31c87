"""Discretisers that look at the values alone: median, quantiles, equal width."""

import numpy as np

from bayleaf._util.params import check_param

from .discretizer import Discretizer, midpoint
from .rows import FloatArray, IntArray, sorted_numbers

# Running sums of fractional weights that miss a quantile by no more than this share hit it.
_ROUNDING = 1e-12


class MedianSplit(Discretizer):
    """Two bins: values up to the median, and values above it.

    Where more than half of the rows share the greatest value, the median equals it and every row would be in
    the lower bin; the cut then lies halfway between the greatest value and the next lower one. A constant
    column gets no cut.

    Attributes
    ----------
    cuts_ : list of float64 arrays
        The cut of each column; empty for a constant column.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

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

    Attributes
    ----------
    cuts_ : list of float64 arrays
        The cuts of each column, strictly increasing.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> Quantiles(bins=4).cut_points(np.arange(1.0, 9.0))
    array([2.5, 4.5, 6.5])
    """

    def __init__(self, bins: int = 5) -> None:
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
        return _quantile_cuts(values, weights, self.bins)


class EqualWidth(Discretizer):
    """Bins of the same width between the least and the greatest value.

    Bins in the middle may hold no rows. A constant column gets no cut.

    Parameters
    ----------
    bins : int, default=5
        Number of bins, at least 2.

    Attributes
    ----------
    cuts_ : list of float64 arrays
        The cuts of each column, strictly increasing.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    Weights matter only in that rows of weight 0 are left out.

    Examples
    --------
    >>> EqualWidth(bins=4).cut_points(np.array([0.0, 1.0, 8.0]))
    array([2., 4., 6.])
    """

    def __init__(self, bins: int = 5) -> None:
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
    at = np.searchsorted(
        bins * upto, wanted * (1 - _ROUNDING), side="left"
    )  # the first to reach the quantile
    past = np.searchsorted(bins * upto, wanted * (1 + _ROUNDING), side="right")  # the first to go beyond it
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
