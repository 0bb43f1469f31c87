"""What can be counted, and its contingency tables: of sets of columns, and of the class with pairs of features."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.machine import available_memory, format_bytes
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG

# More cells than this in one table is a mistake (a family with too many parents), not a table.
MAX_CELLS = 2**31
# Fewer cells than this, in all tables together, are always made: nobody looks how much memory there is.
MANY_CELLS = 2**24
CELL_BYTES = 8
FAMILY_BYTES = 24  # a count, its probability and the logarithm of that
# Bytes that the tables of all pairs may take.
MOST_BYTES = 2**31
Counts = NDArray[np.int64 | np.float64]
# Measures that are equal in exact arithmetic must tie, whatever the order of the columns: differences in the last
# bits are rounded away.
DECIMALS = 12


class Countable(Protocol):
    """Encoded data that `count` can count: a `Table` in memory, or any `CountSource`.

    Learners that need nothing but counts take either. Both have the attributes of a table that are not its rows.
    """

    @property
    def variables(self) -> tuple[Variable, ...]:
        """One per column."""

    @property
    def target(self) -> int | None:
        """Column of the class."""

    @property
    def n_jobs(self) -> int | None:
        """Threads that kernels may use."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names, in column order."""

    @property
    def features(self) -> tuple[int, ...]:
        """Columns other than the class."""

    @property
    def n_variables(self) -> int:
        """The number of columns, the class included."""

    @property
    def arities(self) -> NDArray[np.int64]:
        """The number of states of each variable."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""

    @property
    def total_weight(self) -> float:
        """The sum of the weights, or the number of rows."""

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        """Per column, whether any value is missing."""

    def missing_shares(self) -> list[float]:
        """Share of missing values in each column, those with a state of their own too."""

    def select(self, columns: Sequence[int]) -> "Countable":
        """Return some of the columns; the class stays the class if it is among them."""


def count(data: Countable, sets: Sequence[Sequence[int]]) -> list[Counts]:
    """Count the rows by each of several sets of columns.

    A row with a missing value in a set is left out of that set's table. With weights, cells hold sums of
    weights (float64) instead of numbers of rows (int64).

    Parameters
    ----------
    data : Table or CountSource
    sets : sequence of sequences of int
        Columns of each set; the result has one axis per column, in that order.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    >>> count(Table.from_codes((x, c), [[0, 1], [1, 1], [0, 0], [0, 1]]), [[1, 0], [0]])
    [array([[1, 0], [2, 1]]), array([3, 1])]
    """
    if isinstance(data, Table):
        counter = SetCounter(data.variables, data.arities, sets, weighted=data.weights is not None)
        counter.add(data)
        return counter.tables()
    if isinstance(data, CountSource):
        return data.counts(sets)
    raise TypeError(f"Cannot count {type(data).__name__}: give a Table or a CountSource.")


def family_counts(data: Countable, dag: DAG) -> list[Counts]:
    """Count each node together with its parents: axes are the parents in node order, then the node.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    >>> table = Table.from_codes((x, c), [[0, 1], [1, 1], [0, 0]])
    >>> family_counts(table, DAG(["x", "c"], [("c", "x")]))[0]
    array([[1, 0], [1, 1]])
    """
    families = [[*parents, node] for node, parents in enumerate(dag.parent_indices)]
    sizes = [prod(data.variables[j].arity for j in family) for family in families]
    if max(sizes, default=0) <= MAX_CELLS:  # else the table that is too large by itself is named
        _check_room(sum(sizes), FAMILY_BYTES)
    return count(data, families)


class SetCounter:
    """Contingency tables of several sets of columns, to which rows can be added as long as they come.

    If ``weighted``, cells hold sums of weights.
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        arities: NDArray[np.int64],
        sets: Sequence[Sequence[int]],
        *,
        weighted: bool,
    ) -> None:
        self._columns = np.array([j for columns in sets for j in columns], dtype=np.int64)
        wrong = self._columns[(self._columns < 0) | (self._columns >= len(variables))]
        if wrong.size:
            raise ValueError(f"There is no column {wrong[0]}: the table has {len(variables)} columns.")
        self._arities = arities
        self._shapes = [tuple(int(arities[j]) for j in columns) for columns in sets]
        sizes = [prod(shape) for shape in self._shapes]
        for columns, size in zip(sets, sizes, strict=True):
            _check_size(variables, columns, size)
        _check_room(sum(sizes), CELL_BYTES)
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._flat: NDArray[Any] = np.zeros(int(self._starts[-1]), dtype=np.float64 if weighted else np.int64)
        self._offsets = np.concatenate([[0], np.cumsum([len(columns) for columns in sets])]).astype(np.int64)

    def add(self, table: Table) -> None:
        """Count the rows of a table over the variables."""
        weights = table.weights
        if weights is None and self._flat.dtype == np.float64:
            weights = np.ones(table.n_rows)
        _core.count(
            table.codes,
            self._arities,
            self._columns,
            self._offsets,
            self._starts[:-1],
            weights,
            self._flat,
            table.n_jobs,
        )

    def merge(self, other: "SetCounter") -> None:
        """Add what was counted elsewhere."""
        np.add(self._flat, other._flat, out=self._flat)

    def tables(self) -> list[Counts]:
        """Return the counts of each set."""
        return [
            self._flat[start:stop].reshape(shape)
            for start, stop, shape in zip(self._starts, self._starts[1:], self._shapes, strict=False)
        ]


def _check_size(variables: Sequence[Variable], columns: Sequence[int], size: int) -> None:
    if size > MAX_CELLS:
        names = ", ".join(f"'{variables[j].name}'" for j in columns)
        raise ValueError(
            f"A table over {names} would have {size:,} cells, more than {MAX_CELLS:,}: use fewer parents or "
            "fewer states."
        )


def _check_room(cells: int, bytes_each: int) -> None:
    """Refuse tables that would fill the memory, before any of them is made."""
    need = bytes_each * cells
    if cells > MANY_CELLS and need > available_memory():
        raise ValueError(
            f"Tables of {cells:,} cells together would need about {format_bytes(need)} (free: "
            f"{format_bytes(available_memory())}): use fewer parents or fewer states."
        )


class PairCounts:
    """Counts of (class, X_i, X_j) for all pairs of features; rows can be added as long as they come.

    Parameters
    ----------
    variables : sequence of Variable
    target : int
        Column of the class.
    weighted : bool, default=False
        Whether cells hold sums of weights instead of numbers of rows.

    Examples
    --------
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> pairs = PairCounts(variables, target=2)
    >>> pairs.add(Table.from_codes(variables, [[0, 1, 0], [0, 1, 1], [1, 1, 1]], target=2))
    >>> pairs.table(0, 1).tolist()
    [[[0, 1], [0, 0]], [[0, 1], [0, 1]]]
    """

    def __init__(self, variables: Sequence[Variable], target: int, *, weighted: bool = False) -> None:
        self.variables = tuple(variables)
        self.target = target
        self.weighted = weighted
        self.features = [j for j in range(len(self.variables)) if j != target]
        size = pair_bytes(self.variables, target)
        if size > MOST_BYTES:
            widest = max(self.features, key=lambda j: self.variables[j].arity)
            raise ValueError(
                f"The counts of all pairs of features would take {format_bytes(size)}, more than "
                f"{format_bytes(MOST_BYTES)}: '{self.variables[widest].name}' alone has "
                f"{self.variables[widest].arity:,} states. Use max_categories or min_frequency, or leave columns out."
            )
        self.cells: NDArray[Any] = np.zeros(size // CELL_BYTES, dtype=np.float64 if weighted else np.int64)

    @cached_property
    def _arities(self) -> NDArray[np.int64]:
        return np.array([variable.arity for variable in self.variables], dtype=np.int64)

    @cached_property
    def _starts(self) -> dict[tuple[int, int], int]:
        """Where the table of each pair begins."""
        starts, end, arity = {}, 0, self._arities
        for i, j in combinations(self.features, 2):
            starts[i, j] = end
            end += int(arity[self.target] * arity[i] * arity[j])
        return starts

    def add(self, table: Table) -> None:
        """Count the rows of a table over the same variables."""
        codes: Any = table.codes
        weights = table.weights
        if self.weighted and weights is None:
            weights = np.ones(table.n_rows)
        _core.pair_counts(
            codes,
            self._arities,
            np.array(self.features, dtype=np.int64),
            self.target,
            weights,
            self.cells,
            table.n_jobs,
        )

    def copy(self) -> "PairCounts":
        """Return counts that can grow without these."""
        copied = copy(self)
        copied.cells = self.cells.copy()
        return copied

    def merge(self, other: "PairCounts") -> None:
        """Add what was counted elsewhere."""
        np.add(self.cells, other.cells, out=self.cells)

    def table(self, i: int, j: int) -> Counts:
        """Return the counts of two columns with the class: axes class, i, j."""
        first, second = min(i, j), max(i, j)
        shape = tuple(int(self._arities[k]) for k in (self.target, first, second))
        start = self._starts[first, second]
        found: Counts = self.cells[start : start + int(np.prod(shape))].reshape(shape)
        return found if i < j else found.transpose(0, 2, 1)

    def select(self, columns: Sequence[int]) -> "PairCounts":
        """Return the counts of some of the columns, the class among them."""
        chosen = PairCounts(
            [self.variables[j] for j in columns], list(columns).index(self.target), weighted=self.weighted
        )
        for i, j in combinations(chosen.features, 2):
            chosen.table(i, j)[...] = self.table(columns[i], columns[j])
        return chosen

    def sums(
        self, has_missing: NDArray[np.bool_], smoothing: float = 0.0, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return per pair the sums of N log N that `PairInformation` is made of.

        Parameters
        ----------
        has_missing : ndarray of bool
            Per column, whether any row that was counted lacks it.
        smoothing : float
            Rows spread evenly over the cells of each table.
        n_jobs : int, optional
        """
        features = np.array(self.features, dtype=np.int64)
        n = len(features)
        sums = np.zeros((n * (n - 1) // 2, 9))
        _core.pair_sums_of_counts(
            self.cells,
            self._arities,
            features,
            self.target,
            np.ascontiguousarray(has_missing[features]),
            float(smoothing),
            sums,
            n_jobs,
        )
        return sums


def pair_bytes(variables: Sequence[Variable], target: int) -> int:
    """Return the bytes that the counts of all pairs take."""
    arities = [variable.arity for j, variable in enumerate(variables) if j != target]
    total, squares = sum(arities), sum(arity * arity for arity in arities)
    return CELL_BYTES * variables[target].arity * (total * total - squares) // 2


@dataclass(frozen=True)
class Size:
    """How much data there is.

    Parameters
    ----------
    rows : int
    weight : float
        The sum of the weights, or the number of rows.
    missing : ndarray of int
        Per column, rows in which it is missing: those are left out of its tables.
    gaps : ndarray of int
        Per column, rows in which it is missing or has the state for missing values.
    """

    rows: int
    weight: float
    missing: NDArray[np.int64]
    gaps: NDArray[np.int64]

    @classmethod
    def of(cls, table: Table) -> "Size":
        """Measure a table."""
        missing, gaps = np.zeros((2, table.n_variables), dtype=np.int64)
        for j, variable in enumerate(table.variables):
            if table.has_missing[j]:
                missing[j] = np.count_nonzero(table.codes[:, j] == table.missing_code)
            if table.has_missing[j] or variable.gap:
                gaps[j] = np.count_nonzero(table.gaps(j))
        return cls(table.n_rows, table.total_weight, missing, gaps)

    def __add__(self, other: "Size") -> "Size":
        return Size(
            self.rows + other.rows,
            self.weight + other.weight,
            self.missing + other.missing,
            self.gaps + other.gaps,
        )

    def select(self, columns: Sequence[int]) -> "Size":
        """Return the size of some of the columns."""
        return replace(self, missing=self.missing[list(columns)], gaps=self.gaps[list(columns)])


class CountSource(ABC):
    """Encoded data that are counted where they lie: learners that need nothing but counts take it like a `Table`.

    Where that is, and how they are counted, is up to the subclass. The counts are those of a table with the same
    rows, so graphs and tables are the same.

    Parameters
    ----------
    variables : sequence of Variable
        One per column.
    target : int, optional
        Column of the class.
    n_jobs : int, optional
        Threads that kernels may use.

    Examples
    --------
    >>> import bayleaf as bl
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]], target=2)
    >>> source = bl.counts.BatchSource(variables, lambda: [table], target=2)
    >>> bl.TAN().learn(source, np.random.default_rng(0)) == bl.TAN().learn(table, np.random.default_rng(0))
    True
    """

    def __init__(
        self, variables: Sequence[Variable], target: int | None = None, n_jobs: int | None = None
    ) -> None:
        self.variables = tuple(variables)
        self.target = target
        self.n_jobs = n_jobs

    @property
    @abstractmethod
    def size(self) -> Size:
        """How much data there is."""

    @abstractmethod
    def counts(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        """Count the rows by each of several sets of columns: see `bayleaf.counts.count`."""

    @abstractmethod
    def pairs(self) -> PairCounts:
        """Return the counts of the class with every pair of features."""

    @abstractmethod
    def rows(self, most: int) -> Table:
        """Return the rows, or a uniform sample if there are more than `most`."""

    @abstractmethod
    def distinct_rows(self, most: int) -> Table | None:
        """Return each different row once, weighted by how often it occurs; None if more than `most` differ."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names, in column order."""
        return tuple(variable.name for variable in self.variables)

    @property
    def n_variables(self) -> int:
        """The number of columns, the class included."""
        return len(self.variables)

    @cached_property
    def arities(self) -> NDArray[np.int64]:
        """The number of states of each variable."""
        return np.array([variable.arity for variable in self.variables], dtype=np.int64)

    @property
    def features(self) -> tuple[int, ...]:
        """Columns other than the class."""
        return tuple(j for j in range(self.n_variables) if j != self.target)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.size.rows

    @property
    def total_weight(self) -> float:
        """The sum of the weights, or the number of rows."""
        return self.size.weight

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        """Per column, whether any value is missing."""
        return self.size.missing > 0

    def missing_shares(self) -> list[float]:
        """Share of missing values in each column, those with a state of their own too."""
        shares: list[float] = (self.size.gaps / max(self.size.rows, 1)).tolist()
        return shares

    def select(self, columns: Sequence[int]) -> "CountSource":
        """Return some of the columns; the class stays the class if it is among them."""
        return SelectedSource(self, columns)


class SelectedSource(CountSource):
    """Some of the columns of a source."""

    def __init__(self, whole: CountSource, columns: Sequence[int]) -> None:
        self._whole, self._columns = whole, list(columns)
        target = self._columns.index(whole.target) if whole.target in self._columns else None
        super().__init__([whole.variables[j] for j in columns], target, whole.n_jobs)

    @property
    def size(self) -> Size:
        """How much data there is."""
        return self._whole.size.select(self._columns)

    def counts(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        """Count the rows by each of several sets of columns."""
        return self._whole.counts([[self._columns[j] for j in columns] for columns in sets])

    def pairs(self) -> PairCounts:
        """Return the counts of the class with every pair of features."""
        return self._whole.pairs().select(self._columns)

    def rows(self, most: int) -> Table:
        """Return the rows, or a uniform sample if there are more than `most`."""
        return self._whole.rows(most).select(self._columns)

    def distinct_rows(self, most: int) -> Table | None:
        """Return each different row once, weighted by how often it occurs; None if more than `most` differ."""
        found = self._whole.distinct_rows(most)
        return None if found is None else found.select(self._columns)
