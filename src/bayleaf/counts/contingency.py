"""Contingency tables of sets of columns.

The tables of the class with every pair of features, counted batch by batch.
"""

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.machine import available_memory, format_bytes
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG

if TYPE_CHECKING:
    from .source import CountSource

# More cells than this in one table is a mistake (a family with too many parents), not a table.
MAX_CELLS = 2**31
# Fewer cells than this, in all tables together, are always made: nobody looks how much memory there is.
MANY_CELLS = 2**24
COUNT_BYTES = 8
FAMILY_BYTES = 24  # a count, its probability and the logarithm of that
Counts = NDArray[np.int64 | np.float64]
# Measures that are equal in exact arithmetic must tie, whatever the order of the columns: differences in the last
# bits are rounded away.
DECIMALS = 12


def count(table: "Table | CountSource", sets: Sequence[Sequence[int]]) -> list[Counts]:
    """Count the rows of a table by each of several sets of columns.

    A row with a missing value in a set is left out of that set's table. With weights, cells hold sums of
    weights (float64) instead of numbers of rows (int64).

    Parameters
    ----------
    table : Table or CountSource
    sets : sequence of sequences of int
        Columns of each set; the result has one axis per column, in that order.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    >>> count(Table.from_codes((x, c), [[0, 1], [1, 1], [0, 0], [0, 1]]), [[1, 0], [0]])
    [array([[1, 0], [2, 1]]), array([3, 1])]
    """
    if not isinstance(table, Table):
        return table.counts(sets)
    counter = SetCounter(table.variables, table.arities, sets, weighted=table.weights is not None)
    counter.add(table)
    return counter.tables()


class SetCounter:
    """Contingency tables of several sets of columns, to which rows can be added as long as they come.

    Parameters
    ----------
    variables : sequence of Variable
    arities : ndarray of int64
        Their numbers of states.
    sets : sequence of sequences of int
        Columns of each set.
    weighted : bool
        Whether cells hold sums of weights.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = (Variable("x", ("a", "b")),)
    >>> counter = SetCounter(variables, np.array([2]), [[0]], weighted=False)
    >>> for _ in range(2):
    ...     counter.add(Table.from_codes(variables, [[0], [1], [0]]))
    >>> counter.tables()
    [array([4, 2])]
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
        if self._columns.size:
            _check_columns(len(variables), self._columns)
        self._arities = arities
        self._shapes = [tuple(int(arities[j]) for j in columns) for columns in sets]
        sizes = [prod(shape) for shape in self._shapes]
        for columns, size in zip(sets, sizes, strict=True):
            _check_size(variables, columns, size)
        _check_room(sum(sizes), COUNT_BYTES)
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._flat = _zeros(int(self._starts[-1]), weighted=weighted)
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


def family_counts(table: "Table | CountSource", dag: DAG) -> list[Counts]:
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
    sizes = [prod(table.variables[j].arity for j in family) for family in families]
    if max(sizes, default=0) <= MAX_CELLS:  # else the table that is too large by itself is named
        _check_room(sum(sizes), FAMILY_BYTES)
    return count(table, families)


def _zeros(cells: int, *, weighted: bool) -> NDArray[np.int64] | NDArray[np.float64]:
    return np.zeros(cells, dtype=np.float64) if weighted else np.zeros(cells, dtype=np.int64)


def _check_columns(n_variables: int, columns: NDArray[np.int64]) -> None:
    for column in (int(columns.min()), int(columns.max())):
        if not 0 <= column < n_variables:
            raise ValueError(f"There is no column {column}: the table has {n_variables} columns.")


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


# Bytes that the tables of all pairs may take.
MOST_BYTES = 2**31
CELL_BYTES = 8


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
    """Return the bytes that the counts of all pairs take.

    Examples
    --------
    >>> pair_bytes([Variable(name, ("0", "1")) for name in ("a", "b", "class")], 2)
    64
    """
    arities = [variable.arity for j, variable in enumerate(variables) if j != target]
    total, squares = sum(arities), sum(arity * arity for arity in arities)
    return CELL_BYTES * variables[target].arity * (total * total - squares) // 2
