"""Rows grouped by the joint value of columns, and what one more feature then tells about the class.

A contingency table of many columns has a cell for every combination of their states, nearly all of them empty. A
partition of the rows has a cell for every combination that occurs: never more cells than rows, however many
columns there are.

A set of features divides the rows into groups of equal values. One more feature divides the groups. Only groups that
still hold several classes can gain, so the others are dropped: the cost falls as the set grows, and no table of the
product of all arities is ever made.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import thread_count
from bayleaf.data import Table
from bayleaf.data.table import Codes

from .contingency import DECIMALS

# A list of flags over all possible keys beats sorting the rows while it is not much longer than they are.
FLAGS_PER_ROW = 32


@dataclass(frozen=True, eq=False)
class Partition:
    """Which cell each row lies in; cells are numbered from 0 in the order of their values.

    Examples
    --------
    >>> coarse = Partition.whole(4).refine(np.array([1, 0, 1, 0]), arity=2)
    >>> coarse.refine(np.array([2, 2, 0, 2]), arity=3).cells
    array([2, 0, 1, 0])
    """

    cells: NDArray[np.int64]
    n_cells: int

    @classmethod
    def whole(cls, n_rows: int) -> "Partition":
        """All rows in one cell."""
        return cls(np.zeros(n_rows, dtype=np.int64), min(n_rows, 1))

    def refine(self, codes: Codes | NDArray[np.int64], arity: int) -> "Partition":
        """Split every cell by the values of one more column."""
        keys = self.cells * arity + codes
        possible = self.n_cells * arity
        if possible > FLAGS_PER_ROW * len(keys):
            occurring, cells = np.unique(keys, return_inverse=True)
            return Partition(cells, len(occurring))
        occurs = np.zeros(possible, dtype=bool)
        occurs[keys] = True
        number = np.cumsum(occurs) - 1
        return Partition(number[keys], int(number[-1]) + 1 if possible else 0)

    def refine_by(self, table: Table, columns: Sequence[int]) -> "Partition":
        """Split every cell by the values of several columns, none of them missing."""
        partition = self
        for column in columns:
            partition = partition.refine(table.codes[:, column], int(table.arities[column]))
        return partition

    def totals(self, weights: NDArray[np.float64] | None) -> NDArray[np.int64 | np.float64]:
        """Rows, or sums of weights, per cell."""
        return np.bincount(self.cells, weights, minlength=self.n_cells)


class ClassPartition:
    """The rows of a table, divided by the values of chosen features (missing is a value of its own).

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], target=2)
    >>> partition = ClassPartition(table)
    >>> partition.information([0, 1]).round(4)
    array([0., 0.])
    >>> partition.divide(0)
    >>> partition.information([1]).round(4)
    array([0.6931])
    """

    def __init__(self, table: Table) -> None:
        if table.target is None:
            raise ValueError("Information about the class needs a class: this table has no target column.")
        self._table = table
        self._target = table.target
        self._truth = table.codes[:, table.target].astype(np.int64)
        self._settled = 0.0
        # Rows of weight zero do not count: a cell of such rows has no logarithm.
        rows = np.arange(table.n_rows) if table.weights is None else np.flatnonzero(table.weights)
        self._set_groups(rows, np.zeros(len(rows), dtype=np.int64))

    def divide(self, feature: int) -> None:
        """Divide the groups by one more feature."""
        values = self._table.codes[self._rows, feature].astype(np.int64)
        groups = np.repeat(np.arange(len(self._starts) - 1), np.diff(self._starts))
        order = np.lexsort((values, groups))
        changed = (np.diff(groups[order]) != 0) | (np.diff(values[order]) != 0)
        self._set_groups(self._rows[order], np.concatenate([[0], np.cumsum(changed)])[: len(order)])

    def information(self, features: list[int]) -> NDArray[np.float64]:
        """I(C; X | chosen) for each of the features, in nats."""
        gained = self._gains(features)[:, 0] - self._without
        information: NDArray[np.float64] = np.maximum(0.0, gained / self._table.total_weight).round(DECIMALS)
        return information

    def accuracy(self, features: list[int]) -> NDArray[np.float64]:
        """Training accuracy of the saturated model P(C, X, chosen), for each of the features."""
        right: NDArray[np.float64] = (self._gains(features)[:, 1] + self._settled) / self._table.total_weight
        return right.round(DECIMALS)

    def _set_groups(self, rows: NDArray[np.int64], groups: NDArray[np.int64]) -> None:
        """Keep the groups that hold several classes; rows of one group lie together."""
        weights = np.ones(len(rows)) if self._table.weights is None else self._table.weights[rows]
        n_groups = int(groups[-1]) + 1 if len(groups) else 0
        truth = self._truth[rows]
        first = np.zeros(n_groups, dtype=np.int64)
        first[groups[::-1]] = truth[::-1]
        mixed = np.zeros(n_groups, dtype=bool)
        mixed[groups[truth != first[groups]]] = True
        kept = mixed[groups] if n_groups else np.zeros(0, dtype=bool)
        self._settled += float(weights[~kept].sum())
        self._rows = np.ascontiguousarray(rows[kept])
        sizes = np.bincount(groups[kept], minlength=n_groups)[mixed]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        # The gain of a feature that divides nothing: the class itself has one value in every row of a cell.
        self._without = self._undivided()

    def _undivided(self) -> float:
        groups = np.repeat(np.arange(len(self._starts) - 1), np.diff(self._starts))
        weights = None if self._table.weights is None else self._table.weights[self._rows]
        order = np.lexsort((self._truth[self._rows], groups))
        truth, group = self._truth[self._rows][order], groups[order]
        cells = np.concatenate([[0], np.cumsum((np.diff(truth) != 0) | (np.diff(group) != 0))])[: len(order)]
        per_cell = np.bincount(cells, None if weights is None else weights[order])
        per_group = np.bincount(groups, weights)
        return float((per_cell * np.log(per_cell)).sum() - (per_group * np.log(per_group)).sum())

    def _gains(self, features: list[int]) -> NDArray[np.float64]:
        gains = np.zeros((len(features), 2))
        _core.partition_gains(
            self._table.codes,
            self._table.arities,
            self._target,
            self._table.weights,
            np.array(features, dtype=np.int64),
            self._rows,
            self._starts,
            gains,
            thread_count(self._table.n_jobs),
        )
        return gains
