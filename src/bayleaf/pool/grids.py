"""Grids: every column has a fine code, and the grids of the members are look-ups from it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.data.discretize import Discretizer
from bayleaf.data.discretize.adaptive import last_of_bins
from bayleaf.data.discretize.bins import distinct_with_running_weight
from bayleaf.data.discretize.discretizer import midpoint

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
GridCodes = NDArray[np.uint16]

# Intervals of the fine grid: enough that shifted grids differ, and that numbers can be read from their codes.
FINE = 1000
# Sums and squares of larger numbers may be infinite.
HUGE = 1e100


class FineGrid(Discretizer):
    """Cuts columns so finely that everything a pool knows of a number can be read from its code.

    Each value has an interval of its own while there are no more than 1,000; otherwise heavy values have one, and
    the others share the rest in equal frequency. It is made for one fit, and keeps for each column, by the name or
    position it is known by, the mean of the values in each interval.

    Examples
    --------
    >>> grid = FineGrid()
    >>> grid.cut_points(np.array([3.0, 1.0, 1.0, 7.0]), name="age")
    array([2., 5.])
    >>> grid.centres["age"]
    array([1., 3., 7.])
    """

    keeps_values = True

    def __init__(self) -> None:
        self.centres: dict[str | int, FloatArray] = {}

    def cut_points(
        self,
        values: FloatArray,
        target: Any = None,
        weights: FloatArray | None = None,
        name: str | int | None = None,
    ) -> FloatArray:
        """Return the cuts of one column without missing values, and keep what its intervals stand for."""
        distinct, upto = distinct_with_running_weight(values, weights)
        counts = np.diff(upto, prepend=0.0)
        last = last_of_bins(counts, FINE)
        if name is not None:  # columns are cut in several threads at once, each under its own name
            first = np.concatenate([[0], last + 1]) if len(distinct) else np.empty(0, dtype=np.int64)
            self.centres[name] = weighted_means(distinct, counts, first)
        return midpoint(distinct[last], distinct[last + 1])


def weighted_means(values: FloatArray, weights: FloatArray, first: IntArray) -> FloatArray:
    """Return the mean of the values from each place to the next; of huge ones too, whose sum would be infinite.

    Examples
    --------
    >>> weighted_means(np.array([1.0, 2.0, 1e308]), np.array([1.0, 1.0, 9.0]), np.array([0, 2]))
    array([1.5e+000, 1.0e+308])
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest > HUGE:
        scaled = np.add.reduceat(weights * (values / largest), first) / np.add.reduceat(weights, first)
        return np.asarray(np.clip(scaled, -1.0, 1.0) * largest)
    return np.asarray(np.add.reduceat(weights * values, first) / np.add.reduceat(weights, first))


@dataclass(frozen=True)
class Grid:
    """A way to read fine codes: of each column, the state of every fine code, and of a missing value.

    Attributes
    ----------
    states : tuple of ndarray
        Of each column, the state of each fine code; the last number is that of a missing value.
    arities : ndarray of int
        States of each column, that of a missing value included, which is always the last.

    Examples
    --------
    >>> grid = Grid((np.array([0, 0, 1, 2], dtype=np.uint16),), np.array([3]))
    >>> grid.codes(np.array([[0], [2], [255]], dtype=np.uint8)).ravel()
    array([0, 1, 2], dtype=uint16)
    """

    states: tuple[GridCodes, ...]
    arities: IntArray

    def codes(self, fine: NDArray[Any]) -> GridCodes:
        """Return the states of rows of fine codes, the largest of which means missing."""
        out = np.empty(fine.shape, dtype=np.uint16, order="F")
        for j, states in enumerate(self.states):
            np.take(states, fine[:, j], mode="clip", out=out[:, j])
        return out


@dataclass(frozen=True)
class FineColumns:
    """What grids are cut from.

    Attributes
    ----------
    counts : tuple of ndarray
        What the rows of each fine code of a column weigh.
    intervals : tuple of int
        How many of the first codes of each column are intervals of numbers, in their order; the others are
        categories. (A gap that tells something is a category after the intervals.)

    Examples
    --------
    >>> columns = FineColumns((np.array([4.0, 4, 4, 4]), np.array([9.0, 5, 2])), (4, 0))
    >>> [states.tolist() for states in columns.grid(2).states]
    [[0, 0, 1, 1, 2], [0, 1, 1, 2]]
    """

    counts: tuple[FloatArray, ...]
    intervals: tuple[int, ...]

    def grid(self, bins: int, shifts: FloatArray | None = None, categories: int | None = None) -> Grid:
        """Cut every column into about so many intervals.

        Parameters
        ----------
        bins : int
            Intervals of numbers: heavy values have one each, the others share the rest in equal frequency.
        shifts : ndarray of shape (columns,), optional
            By which share of an interval the grid of each column is shifted.
        categories : int, optional
            The most states of a column of categories, of which the rarest share the last. ``bins`` by default.
        """
        states = []
        for j, (counts, intervals) in enumerate(zip(self.counts, self.intervals, strict=True)):
            if intervals:
                last = last_of_bins(counts[:intervals], bins, 0.0 if shifts is None else float(shifts[j]))
                borders = np.append(last, np.arange(intervals - 1, len(counts)))
                own = np.searchsorted(borders, np.arange(len(counts)))
            else:
                own = _frequent(counts, bins if categories is None else categories)
            states.append(np.append(own, own.max(initial=-1) + 1).astype(np.uint16))
        return Grid(tuple(states), np.array([int(each[-1]) + 1 for each in states], dtype=np.int64))


def _frequent(counts: FloatArray, most: int) -> IntArray:
    """Give the most frequent categories a state each, in their order, and all others one together."""
    if len(counts) <= most:
        return np.arange(len(counts))
    kept = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    states = np.full(len(counts), most - 1)
    states[kept] = np.arange(most - 1)
    return states
