"""The conditional log-likelihood of the class as a function of all tables, and its gradient.

Of very large tables only the cells that occur are kept, side by side: the time of a climb depends on the rows.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.machine import available_memory, format_bytes
from bayleaf.counts import family_counts
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.network.compiled import CompiledNetwork

from .closed_form import Tables

Integers = NDArray[np.int64]
DIGIT = 2**15  # a configuration's number may need two codes of 16 bits
ABSENT = 2**16 - 1  # the code of a missing value in 16 bits


@dataclass(frozen=True)
class OccurringFamily:
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
class OccurringCells:
    """Cells that occur in some row, whatever its class, in families with the class: a row of classes for each."""

    families: tuple[OccurringFamily, ...]
    classes: int
    sizes: tuple[int, ...]  # cells of each family, seen or not

    @classmethod
    def of(cls, seen: Table, dag: DAG) -> "OccurringCells":
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
                OccurringFamily(
                    node, others, shape, family.index(seen.target), np.unique(numbers[numbers >= 0])
                )
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
        """Return a network's tables in which these cells replace those of the beginning, divided by their sums."""
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


Vector = NDArray[np.float64]
# Of each table its shape, with the class last, and the axis that sums to 1.
Shapes = Sequence[tuple[tuple[int, ...], int]]
MOST_TUNED = 1_000_000  # cells that are all tuned, seen or not
# Vectors in memory at a time: of all cells (tables, counts, logarithms), and of those that L-BFGS works on.
DENSE_VECTORS, TUNED_VECTORS = 6, 55


class Factors(NamedTuple):
    """Rows and families as the kernel reads them: see ``cpp/network/factors.hpp``."""

    codes: Any  # of 8 or 16 bits: the kernel has an overload for each
    variables: NDArray[np.int64]
    strides: NDArray[np.int64]
    offsets: NDArray[np.int64]
    table_offsets: NDArray[np.int64]
    has_query: NDArray[np.uint8]
    query: int
    query_states: int


@dataclass(frozen=True)
class Objective:
    """CLL and its gradient as functions of all parameters b, laid end to end in the order of the kernel.

    ``tables_of`` returns the network's tables for logarithms in that order. They need not be those of distributions
    where some cells only are parameters.
    """

    table: Table
    dag: DAG
    factors: Factors
    counts: Vector
    start: Vector
    distributions: "Distributions"
    tables_of: Callable[[Vector], Tables]

    @classmethod
    def of(
        cls, table: Table, dag: DAG, tables: Tables, seen: Table | None = None, *, every_cell: bool = False
    ) -> "Objective":
        """Arrange the tables of a network with the class innermost.

        Of very many cells only those that occur in ``seen`` (the table by default), apart from the class, are
        parameters, unless every cell is asked for.
        """
        if every_cell or sum(part.size for part in tables) <= MOST_TUNED:
            return cls._of_all(table, dag, tables)
        return cls._of_seen(table, dag, tables, OccurringCells.of(table if seen is None else seen, dag))

    @classmethod
    def _of_all(cls, table: Table, dag: DAG, tables: Tables) -> "Objective":
        assert table.target is not None
        arities = [int(arity) for arity in table.arities]
        network = CompiledNetwork.compile(dag, tables, arities, table.target)
        shapes, counts = [], []
        for node, parents in enumerate(dag.parent_indices):
            family = [*parents, node]
            # The kernel's tables have the class as their last axis; `axis` is where the node's own went.
            arranged = [j for j in family if j != table.target] + [j for j in family if j == table.target]
            shapes.append((tuple(arities[j] for j in arranged), arranged.index(node)))
        for node, part in enumerate(family_counts(table, dag)):
            family = [*dag.parent_indices[node], node]
            inside = table.target in family
            moved = np.moveaxis(part, family.index(table.target), -1) if inside else np.zeros_like(part)
            counts.append(moved.ravel().astype(np.float64))
        factors = Factors(
            table.codes,
            network.variables,
            network.strides,
            network.offsets,
            network.table_offsets,
            network.has_query,
            table.target,
            network.query_states,
        )
        start, counted = network.log_tables, np.concatenate(counts)
        back = partial(_all_tables, dag=dag, target=table.target, shapes=shapes)
        return cls(table, dag, factors, counted, start, Distributions.of(shapes), back)

    @classmethod
    def _of_seen(cls, table: Table, dag: DAG, tables: Tables, cells: OccurringCells) -> "Objective":
        codes, places = cells.codes(table)
        factors = Factors(codes, **cells.layout(), query=codes.shape[1] - 1, query_states=cells.classes)
        start = cells.logarithms(tables)
        some = Distributions.of_some(cells.configurations(), start)
        back = partial(cells.tables, beginning=tables)
        return cls(table, dag, factors, cells.counts(table, places), start, some, back)

    @property
    def rows(self) -> float:
        """The sum of the weights."""
        return self.table.total_weight

    def __call__(self, b: Vector) -> tuple[float, Vector]:
        """Return the CLL and its gradient."""
        logarithms = self.distributions.normalised(b)
        value, gradient = self.by_cell(logarithms)
        return value, gradient - np.exp(logarithms) * self.distributions.sums(gradient)

    def by_cell(self, logarithms: Vector) -> tuple[float, Vector]:
        """Return the CLL for logarithms that need not be those of distributions, and its gradient by each of them."""
        expected = np.zeros_like(logarithms)
        value = self._kernel(logarithms, expected)
        return value, self.counts - expected

    def value(self, b: Vector) -> float:
        """Return the CLL alone."""
        return self._kernel(self.distributions.normalised(b), None)

    def right(self, b: Vector) -> float:
        """Return the weight of the rows whose most probable class is their own; ties go to the first."""
        assert self.table.target is not None
        arities = [int(arity) for arity in self.table.arities]
        network = CompiledNetwork.compile(self.dag, self.tables(b), arities, self.table.target)
        chosen = network.log_joint(self.table).argmax(axis=1)
        own = chosen == self.table.codes[:, self.table.target]
        return float(own.sum() if self.table.weights is None else own @ self.table.weights)

    def tables(self, b: Vector) -> Tables:
        """Return the network's tables for parameters b: one axis per parent, then the node's own."""
        # Beside cells that are not tuned, the sums are made where all cells are.
        return self.tables_of(self.distributions.normalised(b) if self.distributions.rest is None else b)

    def _kernel(self, logarithms: Vector, expected: Vector | None) -> float:
        value: float = _core.conditional_likelihood(
            *self.factors, logarithms, self.table.weights, expected, self.table.n_jobs
        )
        return value


def _all_tables(logarithms: Vector, dag: DAG, target: int, shapes: Shapes) -> Tables:
    """Return the tables that lie end to end with the class innermost as networks have them."""
    ends = np.cumsum([0, *(math.prod(shape) for shape, _ in shapes)]).tolist()
    result = []
    for node, (shape, _) in enumerate(shapes):
        arranged = np.exp(logarithms[ends[node] : ends[node + 1]]).reshape(shape)
        family = [*dag.parent_indices[node], node]
        if target in family:
            arranged = np.moveaxis(arranged, -1, family.index(target))
        result.append(arranged / arranged.sum(axis=-1, keepdims=True))
    return tuple(result)


@dataclass(frozen=True)
class Distributions:
    """Which parameters share a parent configuration, so that all tables are normalised in one go.

    Where some cells only are parameters, ``rest`` is what the other cells of each configuration add up to.
    """

    order: NDArray[np.intp]  # positions of the parameters, those of a configuration side by side
    starts: NDArray[np.intp]  # of the configurations in that order
    sizes: NDArray[np.intp]
    rest: Vector | None = None

    @classmethod
    def of(cls, shapes: Shapes) -> "Distributions":
        """Take tables laid end to end, each with its shape and the axis that sums to 1."""
        order, sizes, offset = [], [], 0
        for shape, axis in shapes:
            size = math.prod(shape)
            positions = np.arange(offset, offset + size).reshape(shape)
            order.append(np.moveaxis(positions, axis, -1).ravel())
            sizes.append(np.full(size // shape[axis], shape[axis]))
            offset += size
        lengths = np.concatenate(sizes)
        return cls(np.concatenate(order), np.cumsum(lengths) - lengths, lengths)

    @classmethod
    def of_some(cls, configurations: NDArray[np.int64], start: Vector) -> "Distributions":
        """Take the configuration of each of some cells, and their logarithms at the start."""
        order = np.argsort(configurations, kind="stable")
        _, starts, sizes = np.unique(configurations[order], return_index=True, return_counts=True)
        tuned = np.add.reduceat(np.exp(start[order]), starts)
        return cls(order, starts, sizes, np.clip(1.0 - tuned, 0.0, None))

    def normalised(self, b: Vector) -> Vector:
        """Return log softmax of each configuration."""
        ordered = b[self.order]
        peaks = np.maximum.reduceat(ordered, self.starts)
        if self.rest is not None:
            peaks = np.maximum(peaks, 0.0)
        ordered -= peaks.repeat(self.sizes)
        totals = np.add.reduceat(np.exp(ordered), self.starts)
        if self.rest is not None:
            totals += self.rest * np.exp(-peaks)
        ordered -= np.log(totals).repeat(self.sizes)
        return self._back(ordered)

    def sums(self, values: Vector) -> Vector:
        """Return, for each parameter, the sum over its configuration."""
        return self._back(np.add.reduceat(values[self.order], self.starts).repeat(self.sizes))

    def _back(self, ordered: Vector) -> Vector:
        result = np.empty_like(ordered)
        result[self.order] = ordered
        return result


def check_room(table: Table, dag: DAG) -> None:
    """Refuse tables that would not fit into memory while they are tuned, before any work."""
    arities = [int(arity) for arity in table.arities]
    sizes = [
        math.prod(arities[j] for j in (*parents, node)) for node, parents in enumerate(dag.parent_indices)
    ]
    cells = sum(sizes)
    classes = arities[table.target] if table.target is not None else 1
    tuned = cells if cells <= MOST_TUNED else sum(min(size, table.n_rows * classes) for size in sizes)
    need, free = 8 * (DENSE_VECTORS * cells + TUNED_VECTORS * tuned), available_memory()
    if need > free:
        raise ValueError(
            f"ConditionalLikelihood needs about {format_bytes(need)} for tables of {cells:,} cells (free: "
            f"{format_bytes(free)}). Use fewer parents, features with fewer states, or another parameter learner."
        )
