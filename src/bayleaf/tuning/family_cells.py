"""The cells of families: which entry of a node's table, on which level of back-off, tells of a row."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import thread_count
from bayleaf.counts import count
from bayleaf.counts.contingency import MAX_CELLS
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.parameters.shrinkage import STRENGTHS, parent_order, shrunk_levels

from .folds import FloatArray

Cells = NDArray[np.int32]


@dataclass(frozen=True)
class FamilyCells:
    """The families that tell of the class, and the numbers of the cells of their tables.

    A family is a node and its parents but the class, in the order in which they are taken up by `Shrinkage`. Its
    cells are those of all levels, without a parent, with the first, with the first two, ..., so that a row with a
    missing parent finds one on the level below. Cells are numbered through all families.

    Attributes
    ----------
    families : tuple of tuples of int
        Columns of the table: the node first.
    arities : tuple of int
        States of all columns of the table.
    target : int
        The column of the class.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 1, 0], [1, 1, 0], [1, -1, 1], [-1, 0, 1]], target=2)
    >>> families = FamilyCells(((0, 1), (1,)), (2, 2, 2), 2)
    >>> families.cells(table).tolist()
    [[4, 5, 1, -1], [7, 7, -1, 6]]
    """

    families: tuple[tuple[int, ...], ...]
    arities: tuple[int, ...]
    target: int

    @classmethod
    def of(cls, table: Table, dag: DAG) -> "FamilyCells":
        """Return the families of the children of a table's class, each with its parents in order."""
        assert table.target is not None
        parents_of = dag.parent_indices
        children = [node for node, parents in enumerate(parents_of) if table.target in parents]
        families = []
        for node in children:
            parents = [table.target, *(parent for parent in parents_of[node] if parent != table.target)]
            if len(parents) > 2:
                counts = count(table, [[*parents, node]])[0]
                order = parent_order(counts, [parent == table.target for parent in parents])
                parents = [parents[axis] for axis in order]
            families.append((node, *parents[1:]))
        return cls(tuple(families), tuple(int(arity) for arity in table.arities), table.target)

    @cached_property
    def sizes(self) -> tuple[tuple[int, ...], ...]:
        """The number of cells on each level of each family."""
        return tuple(
            tuple(accumulate((self.arities[column] for column in family), lambda size, arity: size * arity))
            for family in self.families
        )

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """The number of each family's first cell, and of all cells."""
        first = np.array([0, *accumulate(sum(levels) for levels in self.sizes)], dtype=np.int64)
        if first[-1] >= MAX_CELLS:
            raise ValueError(
                f"The tables of this graph have {first[-1]:,} cells in all, more than {MAX_CELLS:,}: use fewer "
                "parents or fewer states."
            )
        return first

    @property
    def n_cells(self) -> int:
        """The number of cells of all families and levels."""
        return int(self.first[-1])

    def level(self, family: int, parents: int) -> slice:
        """Return where the cells of a family are that know so many of its parents."""
        start = int(self.first[family]) + sum(self.sizes[family][:parents])
        return slice(start, start + self.sizes[family][parents])

    @property
    def depth(self) -> int:
        """The most parents of a node, the class left aside."""
        return max((len(family) - 1 for family in self.families), default=0)

    def cells(self, table: Table, most_parents: int | None = None) -> Cells:
        """Return the cell of each row, [family, row]; -1 where the node is missing.

        It is one of the deepest level of which the row has all parents, and that has no more parents than said.
        """
        most = self.depth if most_parents is None else most_parents
        out = np.empty((len(self.families), table.n_rows), dtype=np.int32)
        columns = np.array([column for family in self.families for column in family], dtype=np.int64)
        offsets = np.array([0, *accumulate(map(len, self.families))], dtype=np.int64)
        arities = np.array(self.arities, dtype=np.int64)
        threads = thread_count(table.n_jobs)
        _core.family_cells(table.codes, columns, offsets, self.first[:-1], arities, most, out, threads)
        return out

    def log_tables(self, table: Table, strengths: Sequence[float] = STRENGTHS) -> FloatArray:
        """Return the logarithm of the shrunk estimate of every cell and class, from the counts of a table's rows.

        A state that no row has says nothing: all classes get zero.
        """
        classes = self.arities[self.target]
        tables = np.empty((self.n_cells, classes))
        counted = count(table, [[self.target, *family[1:], family[0]] for family in self.families])
        for counts, start in zip(counted, self.first.tolist(), strict=False):
            unseen = counts.sum(axis=tuple(range(counts.ndim - 1))) == 0
            stop = start
            for level in shrunk_levels(counts, strengths)[1:]:  # all that know the class
                logarithms = np.log(level)
                logarithms[..., unseen] = 0.0
                axes = [*range(1, level.ndim - 1)][
                    ::-1
                ]  # cells of the first parent lie nearest to each other
                arranged = np.transpose(logarithms, [*axes, level.ndim - 1, 0]).reshape(-1, classes)
                start, stop = stop, stop + len(arranged)
                tables[start:stop] = arranged
        return tables
