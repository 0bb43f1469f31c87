"""Rows grouped by the joint value of any number of columns, over the combinations that occur.

A contingency table of many columns has a cell for every combination of their states, nearly all of them empty. A
partition of the rows has a cell for every combination that occurs: never more cells than rows, however many
columns there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf.table import Table
from bayleaf.table.table import Codes

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
