"""Of tables with very many cells, those that occur, laid side by side: a climb takes as long as its rows ask for."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Table
from bayleaf.graph import DAG

from .closed_form import Tables

Integers = NDArray[np.int64]
DIGIT = 2**15  # a configuration's number may need two codes of 16 bits
ABSENT = 2**16 - 1  # the code of a missing value in 16 bits


@dataclass(frozen=True)
class SeenFamily:
    """The configurations of a family that occur, apart from the class: their numbers rise."""

    node: int
    others: tuple[int, ...]  # the columns of the family but for the class
    shape: tuple[int, ...]  # their states
    class_axis: int  # where the class stands in the family's table
    numbers: Integers

    @property
    def digits(self) -> tuple[NDArray[np.intp], ...]:
        """States of the columns in each configuration."""
        return np.unravel_index(self.numbers, self.shape) if self.others else ()


@dataclass(frozen=True)
class SeenCells:
    """Cells that occur in some row, whatever its class, in families with the class: a row of classes for each.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1", "2")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [2, 1], [0, 2]], target=1)
    >>> cells = SeenCells.of(table, DAG(table.names, [("class", "x")]))
    >>> [family.numbers.tolist() for family in cells.families], cells.offsets.tolist()
    ([[0, 2], [0]], [0, 6, 9])
    """

    families: tuple[SeenFamily, ...]
    classes: int
    sizes: tuple[int, ...]  # cells of each family, seen or not

    @classmethod
    def of(cls, seen: Table, dag: DAG) -> "SeenCells":
        """Look at the rows of a table with a class."""
        assert seen.target is not None
        found = []
        for node, parents in enumerate(dag.parent_indices):
            family = [*parents, node]
            if seen.target not in family:
                continue
            others = tuple(j for j in family if j != seen.target)
            shape = tuple(int(seen.arities[j]) for j in others)
            numbers = _numbers(seen, others, shape)
            found.append(
                SeenFamily(node, others, shape, family.index(seen.target), np.unique(numbers[numbers >= 0]))
            )
        classes = int(seen.arities[seen.target])
        return cls(tuple(found), classes, tuple(classes * math.prod(family.shape) for family in found))

    @cached_property
    def offsets(self) -> Integers:
        """Where the cells of each family begin, and where the last ones end."""
        return np.cumsum([0, *(len(family.numbers) * self.classes for family in self.families)])

    def codes(self, table: Table) -> tuple[NDArray[np.uint16], list[Integers]]:
        """Return the place of each row among the configurations of each family: as codes, the class last; and plain.

        Every row must have been seen; one that misses a value of a family has no place there (-1).
        """
        assert table.target is not None
        codes = np.empty((table.n_rows, 2 * len(self.families) + 1), dtype=np.uint16, order="F")
        places = []
        for k, family in enumerate(self.families):
            numbers = _numbers(table, family.others, family.shape)
            place = np.where(numbers >= 0, np.searchsorted(family.numbers, numbers), -1)
            codes[:, 2 * k] = np.where(place >= 0, place // DIGIT, ABSENT)
            codes[:, 2 * k + 1] = np.where(place >= 0, place % DIGIT, ABSENT)
            places.append(place)
        codes[:, -1] = table.codes[:, table.target]
        return codes, places

    def layout(self) -> dict[str, Any]:
        """Return where the kernel finds the cells of a row by its codes."""
        number = len(self.families)
        return {
            "variables": np.arange(2 * number),
            "strides": np.tile([DIGIT * self.classes, self.classes], number),
            "offsets": np.arange(0, 2 * number + 1, 2),
            "table_offsets": self.offsets[:-1],
            "has_query": np.ones(number, dtype=np.uint8),
        }

    def counts(self, table: Table, places: list[Integers]) -> NDArray[np.float64]:
        """Return how often each cell occurs among rows, or the sum of their weights."""
        labels = table.codes[:, table.target].astype(np.int64)
        found = []
        for family, place in zip(self.families, places, strict=True):
            known = place >= 0
            weights = None if table.weights is None else table.weights[known]
            cells = place[known] * self.classes + labels[known]
            found.append(np.bincount(cells, weights, minlength=len(family.numbers) * self.classes))
        return np.concatenate(found).astype(np.float64)

    def configurations(self) -> Integers:
        """Return, for each cell, a number that it shares with those whose probabilities sum to 1 with its own."""
        found, before = [], 0
        for family, size in zip(self.families, self.sizes, strict=True):
            labels = np.arange(self.classes)
            if family.node in family.others:
                own = family.others.index(family.node)
                stride = math.prod(family.shape[own + 1 :])
                parents = family.numbers - family.digits[own] * stride
                found.append((before + parents[:, None] * self.classes + labels).ravel())
            else:  # the class itself
                found.append(before + family.numbers.repeat(self.classes) * self.classes)
            before += size
        return np.concatenate(found)

    def logarithms(self, tables: Tables) -> NDArray[np.float64]:
        """Return the logarithms of the cells in the tables of a network."""
        parts = [np.moveaxis(tables[each.node], each.class_axis, -1)[each.digits] for each in self.families]
        cells: NDArray[np.float64] = np.log(np.concatenate([part.ravel() for part in parts]))
        return cells

    def tables(self, logarithms: NDArray[np.float64], beginning: Tables) -> Tables:
        """Return a network's tables with these cells in place of those at the beginning, divided by their sums."""
        result = list(beginning)
        for family, first, last in zip(self.families, self.offsets, self.offsets[1:], strict=False):
            changed = result[family.node].copy()
            cells = np.exp(logarithms[first:last]).reshape(-1, self.classes)
            np.moveaxis(changed, family.class_axis, -1)[family.digits] = cells
            result[family.node] = changed / changed.sum(axis=-1, keepdims=True)
        return tuple(result)


def _numbers(table: Table, others: tuple[int, ...], shape: tuple[int, ...]) -> Integers:
    """Return the number of each row's configuration of some columns; -1 where a value is missing."""
    numbers = np.zeros(table.n_rows, dtype=np.int64)
    missing = np.zeros(table.n_rows, dtype=bool)
    for column, arity in zip(others, shape, strict=True):
        codes = table.codes[:, column]
        numbers = numbers * arity + codes
        missing |= codes == table.missing_code
    return np.where(missing, -1, numbers)
