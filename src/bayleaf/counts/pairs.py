"""The tables of the class with every pair of features, counted batch by batch."""

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.memory import format_bytes
from bayleaf._util.params import thread_count
from bayleaf.data import Table, Variable

from .contingency import Counts

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
            thread_count(table.n_jobs),
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
            thread_count(n_jobs),
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
