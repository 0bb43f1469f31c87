"""The training rows of a pool: every column has a fine code, and the grids of the members are look-ups from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.data import Schema, Table, TableReader
from bayleaf.data.categories import single_values_as_new
from bayleaf.data.discretize import Discretizer
from bayleaf.data.discretize.bins import LEAST_ROWS, distinct_with_running_weight, last_of_bins
from bayleaf.data.discretize.discretizer import midpoint
from bayleaf.data.table import stratified_folds
from bayleaf.learn.tuning.held_out import class_codes, doubt_about
from bayleaf.network.member import Gaps

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


class PoolReader(TableReader):
    """Reads tables for a pool, which is judged by its own training rows: these are read as new rows will be.

    In columns with many categories of one row, such a row has the state of categories that fit has not seen, unless
    ``min_frequency`` or ``max_categories`` say what is rare.

    Examples
    --------
    >>> from bayleaf import NetworkPool
    >>> remarks = [["none"]] * 20 + [[f"case {number}"] for number in range(10)]
    >>> reader = PoolReader()
    >>> table = reader.learn(NetworkPool(), remarks, ["no"] * 15 + ["yes"] * 15)
    >>> reader.schema.features[0].states[-2:], table.codes[-1].tolist()
    (('none', '(other)'), [11, 1])
    """

    def learn(self, *args: Any, **options: Any) -> Table:
        """Check training data, learn their schema and encode them by it; see `TableReader.learn`."""
        table = super().learn(*args, **options)
        if self.min_frequency is not None or self.max_categories is not None:
            return table
        pooled = single_values_as_new(table)
        if pooled is not table:
            schema = Schema(pooled.variables[:-1], self.schema.target, table.n_rows)
            self.take(schema, self.classes, named=self.named)
        return pooled


def weighted_means(values: FloatArray, weights: FloatArray, first: IntArray) -> FloatArray:
    """Return the mean of the values from each place to the next; of huge ones too, whose sum would be infinite."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest > HUGE:
        scaled = np.add.reduceat(weights * (values / largest), first) / np.add.reduceat(weights, first)
        return np.asarray(np.clip(scaled, -1.0, 1.0) * largest)
    return np.asarray(np.add.reduceat(weights * values, first) / np.add.reduceat(weights, first))


@dataclass(frozen=True)
class Grid:
    """A way to read fine codes.

    Attributes
    ----------
    states : tuple of ndarray
        Of each column, the state of each fine code; the last number is that of a missing value.
    arities : ndarray of int
        States of each column, including that of a missing value, which is always the last.

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
        """Cut every column into about the given number of intervals.

        Parameters
        ----------
        bins : int
            Intervals of numbers: heavy values have one each, the others share the rest in equal frequency.
        shifts : ndarray of shape (columns,), optional
            By which share of an interval the grid of each column is shifted.
        categories : int, optional
            The most states of a column of categories, of which the rarest share the last. ``bins`` by default.
        """
        counts, offsets, intervals = self._end_to_end
        starts = offsets + np.arange(len(offsets))  # a missing value has a place behind each column
        states = np.empty(int(starts[-1]), dtype=np.uint16)
        arities = np.empty(len(self.counts), dtype=np.int64)
        _core.grid_states(
            counts,
            offsets,
            intervals,
            bins,
            shifts,
            LEAST_ROWS,
            bins if categories is None else categories,
            states,
            arities,
        )
        places = starts.tolist()
        return Grid(tuple(states[first:last] for first, last in pairwise(places)), arities)

    @cached_property
    def _end_to_end(self) -> tuple[FloatArray, IntArray, IntArray]:
        """The counts of all columns, where each column begins, and the intervals, as the kernel takes them."""
        counts = np.concatenate([np.empty(0), *self.counts])
        return counts, offsets_of(list(map(len, self.counts))), np.array(self.intervals, dtype=np.int64)


@dataclass(frozen=True)
class PoolRows:
    """Rows of fine codes, with all that members ask of them.

    Attributes
    ----------
    fine : ndarray of shape (rows, columns)
        Fine codes, the largest of the type for a missing value.
    places : tuple of int
        Which columns of the table these are: those that tell rows apart.
    columns : FineColumns
    values : tuple of ndarray
        What the intervals of each column stand for, in numbers; empty for categories.
    target : int32 array of shape (rows,)
    classes : int
    weights : float64 array of shape (rows,), optional
    n_jobs : int, optional
    gaps : Gaps
        Of the columns.
    groups : int64 array of shape (rows,), optional
        Rows of one group stay in one fold.
    """

    fine: NDArray[Any]
    places: tuple[int, ...]
    columns: FineColumns
    values: tuple[FloatArray, ...]
    target: NDArray[np.int32]
    classes: int
    weights: FloatArray | None = None
    n_jobs: int | None = None
    gaps: Gaps = field(default_factory=lambda: Gaps([]))
    groups: IntArray | None = None

    @classmethod
    def of(cls, table: Table, centres: Mapping[int, FloatArray]) -> "PoolRows":
        """Take the rows of a table whose last column is the class; ``centres`` has the numbers of its intervals."""
        counts = [_counts(table, j) for j in table.features]
        places = tuple(j for j in table.features if np.count_nonzero(counts[j]) > 1)
        values = tuple(centres.get(j, np.empty(0)) for j in places)
        return cls(
            fine=np.asfortranarray(table.codes[:, list(places)]),
            places=places,
            columns=FineColumns(tuple(counts[j] for j in places), tuple(map(len, values))),
            values=values,
            target=class_codes(table),
            classes=int(table.arities[-1]),
            gaps=Gaps([table.variables[j] for j in places]),
            weights=table.weights,
            n_jobs=table.n_jobs,
            groups=table.groups,
        )

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.target)

    @property
    def n_columns(self) -> int:
        """The number of columns that tell rows apart."""
        return len(self.places)

    @property
    def numeric(self) -> list[int]:
        """The columns that are numbers."""
        return [j for j, intervals in enumerate(self.columns.intervals) if intervals]

    @property
    def class_weights(self) -> FloatArray:
        """What the rows of each class weigh together."""
        return np.bincount(self.target, self.weights, minlength=self.classes).astype(np.float64)

    @property
    def doubt(self) -> FloatArray:
        """How much of a row's label is doubted, by class."""
        return doubt_about(self.target, self.classes, self.weights)

    def take(self, rows: IntArray | slice) -> "PoolRows":
        """Return some of the rows; what is known of the columns stays."""
        return replace(
            self,
            fine=np.asfortranarray(self.fine[rows]),
            target=np.ascontiguousarray(self.target[rows]),
            weights=None if self.weights is None else np.ascontiguousarray(self.weights[rows]),
            groups=None if self.groups is None else self.groups[rows],
        )

    def dealt_out(self, folds: int, seed: int) -> NDArray[np.uint8]:
        """Return the fold of each row: of classes in equal shares, groups as a whole."""
        return stratified_folds(self.target, folds, seed, self.groups)

    def numbers(self, values: Mapping[int, FloatArray]) -> FloatArray:
        """Return the numbers that the codes of some columns stand for, [column, row]; 0 for a missing value."""
        found = np.zeros((len(values), self.n_rows))
        for row, (j, own) in zip(found, values.items(), strict=True):
            np.take(np.append(own, 0.0), self.fine[:, j], mode="clip", out=row)
        return found


@dataclass(frozen=True)
class FoldOrder:
    """Rows in the order of their folds."""

    fold: NDArray[np.uint8]
    order: IntArray
    starts: IntArray

    @classmethod
    def of(cls, fold: NDArray[np.uint8], folds: int) -> "FoldOrder":
        """Sort rows by their fold."""
        sizes = np.bincount(fold, minlength=folds)
        return cls(fold, np.argsort(fold, kind="stable"), np.concatenate([[0], np.cumsum(sizes)]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def n_rows(self) -> int:
        """The number of rows that have a fold."""
        return len(self.order)

    def rows(self, fold: int) -> IntArray:
        """Return the rows of a fold."""
        return self.order[self.starts[fold] : self.starts[fold + 1]]


def _counts(table: Table, column: int) -> FloatArray:
    """Return what the rows of each fine code weigh."""
    arity = int(table.arities[column])
    codes = np.minimum(table.codes[:, column], arity)
    return np.bincount(codes, table.weights, arity + 1)[:-1].astype(np.float64)


def offsets_of(sizes: Sequence[int]) -> IntArray:
    """Return where each of some lists begins in all of them end to end, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def end_to_end(lists: Sequence[Sequence[int]] | IntArray) -> tuple[IntArray, IntArray]:
    """Return the numbers of all lists one after the other, as kernels take them, and where each list begins."""
    if isinstance(lists, np.ndarray):
        return lists.ravel(), np.arange(len(lists) + 1) * lists.shape[1]
    flat = np.array([number for each in lists for number in each], dtype=np.int64)
    return flat, offsets_of([len(each) for each in lists])
