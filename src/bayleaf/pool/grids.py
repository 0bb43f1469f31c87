"""Grids: every column has a fine code, and the grids of the members are look-ups from it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Table
from bayleaf.data.discretize import Discretizer
from bayleaf.data.discretize.bins import distinct_with_running_weight
from bayleaf.data.discretize.discretizer import midpoint
from bayleaf.data.discretize.rows import TrainingRows

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
GridCodes = NDArray[np.uint16]

# Intervals of the fine grid: enough that shifted grids differ, and that numbers can be read from their codes.
FINE = 1000
# An interval that is not one heavy value has at least so many rows.
LEAST_ROWS = 5.0


def equal_parts(counts: FloatArray, parts: int, shift: float = 0.0) -> IntArray:
    """Join neighbouring values into about so many parts: heavy values alone, the others in equal frequency.

    Parameters
    ----------
    counts : ndarray of shape (values,)
        Rows of each value, in the order of the values.
    parts : int
        A value with at least 1/parts of the rows is heavy.
    shift : float in [0, 1), default=0.0
        Where the first border lies: after ``1 - shift`` of a part.

    Returns
    -------
    ndarray of shape (values,)
        The part of each value, 0, 1, ...

    Examples
    --------
    >>> equal_parts(np.array([90.0, 5.0, 5.0, 5.0, 5.0]), 3)
    array([0, 1, 1, 2, 2])
    >>> equal_parts(np.full(8, 10.0), 2, shift=0.5)
    array([0, 0, 1, 1, 1, 1, 2, 2])
    """
    if len(counts) <= parts:
        return np.arange(len(counts))
    heavy = counts >= counts.sum() / parts
    while True:  # without the heavy values others may be heavy among the rest
        more = ~heavy & (counts >= max(1.0, _share(counts, heavy, parts)))
        if not more.any() or heavy.sum() + more.sum() >= parts:
            break
        heavy |= more
    share = max(_share(counts, heavy, parts), LEAST_ROWS)
    # Runs of values between heavy ones are divided each for itself.
    run = np.cumsum(heavy | np.concatenate([[False], heavy[:-1]]))
    before = np.cumsum(counts) - counts
    first = np.concatenate([[True], run[1:] != run[:-1]])
    within = before - np.repeat(before[first], np.diff(np.append(np.flatnonzero(first), len(counts))))
    part = np.floor(within / share + shift * (1 - 1e-9) + 1e-9)
    return np.cumsum(first | np.concatenate([[False], part[1:] != part[:-1]])) - 1


def _share(counts: FloatArray, heavy: NDArray[np.bool_], parts: int) -> float:
    return float(counts[~heavy].sum()) / max(1, parts - int(heavy.sum()))


class FineGrid(Discretizer):
    """Cuts columns so finely that everything a pool knows of a number can be read from its code.

    Each value has an interval of its own while there are not more than 1,000; otherwise heavy values have one, and the
    others share the rest in equal frequency. It is made for one fit, and keeps for each column, by the name or
    position it is known by, the mean of the values in each interval.

    Examples
    --------
    >>> from bayleaf.data import BayesNetClassifier
    """

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
        part = equal_parts(counts, FINE)
        if name is not None:  # columns are cut in several threads at once, each under its own name
            sums = np.bincount(part, counts * distinct)
            self.centres[name] = sums / np.bincount(part, counts)
        last = np.flatnonzero(np.diff(part))
        return midpoint(distinct[last], distinct[last + 1])


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
    """What grids are cut from: how many rows each fine code has, and which columns are numbers.

    Examples
    --------
    >>> columns = FineColumns((np.array([4.0, 4, 4, 4]), np.array([9.0, 5, 2])), (True, False))
    >>> [states.tolist() for states in columns.grid(2).states]
    [[0, 0, 1, 1, 2], [0, 1, 1, 2]]
    """

    counts: tuple[FloatArray, ...]
    numeric: tuple[bool, ...]

    @classmethod
    def of(cls, table: Table, columns: list[int]) -> "FineColumns":
        """Count the fine codes of some columns of a table."""
        counts = []
        for j in columns:
            codes = table.codes[:, j]
            arity = int(table.arities[j])
            counts.append(np.bincount(np.minimum(codes, arity), table.weights, arity + 1)[:-1].astype(float))
        return cls(tuple(counts), tuple(table.variables[j].cuts is not None for j in columns))

    def grid(self, parts: int, shifts: FloatArray | None = None, categories: int | None = None) -> Grid:
        """Cut every column into about so many parts.

        Parameters
        ----------
        parts : int
            Intervals of numbers.
        shifts : ndarray of shape (columns,), optional
            See `equal_parts`.
        categories : int, optional
            The most states of a column of categories: the rarest share the last. ``parts`` by default.
        """
        states = []
        for j, counts in enumerate(self.counts):
            if self.numeric[j]:
                own = equal_parts(counts, parts, 0.0 if shifts is None else float(shifts[j]))
            else:
                own = _frequent(counts, parts if categories is None else categories)
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
