"""The conditional log-likelihood of the class as a function of all tables, and its gradient."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.memory import available_memory, format_bytes
from bayleaf._util.params import thread_count
from bayleaf.counts import family_counts
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.network.compiled import CompiledNetwork

from .closed_form import Tables

Vector = NDArray[np.float64]
# Of each table its shape, with the class last, and the axis that sums to 1.
Shapes = Sequence[tuple[tuple[int, ...], int]]
MOST_TUNED = 1_000_000  # cells that are all tuned, seen or not
# Vectors in memory at a time: of all cells (tables, counts, logarithms), and of those that L-BFGS works on.
DENSE_VECTORS, TUNED_VECTORS = 10, 55


@dataclass(frozen=True)
class Objective:
    """CLL and its gradient as functions of all parameters b, laid end to end in the order of the kernel."""

    table: Table
    network: CompiledNetwork
    counts: Vector
    start: Vector
    shapes: tuple[tuple[tuple[int, ...], int], ...]
    distributions: "Distributions"

    @classmethod
    def of(
        cls, table: Table, dag: DAG, tables: Tables, seen: Table | None = None, *, every_cell: bool = False
    ) -> "Objective":
        """Arrange the tables of a network with the class innermost.

        Of very many cells only those that occur in ``seen`` (the table by default), apart from the class, are
        parameters, unless every cell is asked for.
        """
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
        start, counted = network.log_tables, np.concatenate(counts)
        if every_cell or len(start) <= MOST_TUNED:
            return cls(table, network, counted, start, tuple(shapes), Distributions.of(shapes))
        places = seen_cells(table if seen is None else seen, dag, shapes)
        some = Distributions.of_some(shapes, places, start)
        return cls(table, network, counted[places], start[places], tuple(shapes), some)

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
        places = self.distributions.places
        expected = np.zeros_like(logarithms if places is None else self.network.log_tables)
        value = self._kernel(logarithms, expected)
        return value, self.counts - (expected if places is None else expected[places])

    def value(self, b: Vector) -> float:
        """Return the CLL alone."""
        return self._kernel(self.distributions.normalised(b), None)

    def right(self, b: Vector) -> float:
        """Return the weight of the rows whose most probable class, the first of equals, is their own."""
        assert self.table.target is not None
        dag = self.network.dag
        arities = [int(arity) for arity in self.table.arities]
        network = CompiledNetwork.compile(dag, self.tables(b), arities, self.table.target)
        chosen = network.log_joint(self.table).argmax(axis=1)
        own = chosen == self.table.codes[:, self.table.target]
        return float(own.sum() if self.table.weights is None else own @ self.table.weights)

    def tables(self, b: Vector) -> Tables:
        """Return the network's tables for parameters b: one axis per parent, then the node's own."""
        # Every table is divided by its sums below, which takes the cells in that were not tuned.
        logarithms = self._everywhere(self.distributions.normalised(b) if self._tunes_all else b)
        ends = [*self.network.table_offsets.tolist(), len(logarithms)]
        parts = [slice(first, last) for first, last in itertools.pairwise(ends)]
        result = []
        for node, ((shape, _), part) in enumerate(zip(self.shapes, parts, strict=True)):
            arranged = np.exp(logarithms[part]).reshape(shape)
            family = [*self.network.dag.parent_indices[node], node]
            if self.table.target in family:
                arranged = np.moveaxis(arranged, -1, family.index(self.table.target))
            result.append(arranged / arranged.sum(axis=-1, keepdims=True))
        return tuple(result)

    @property
    def _tunes_all(self) -> bool:
        return self.distributions.places is None

    def _everywhere(self, logarithms: Vector) -> Vector:
        """Return a value for every cell: those that are not tuned have that of the start."""
        places = self.distributions.places
        if places is None:
            return logarithms
        every = self.network.log_tables.copy()
        every[places] = logarithms
        return every

    def _kernel(self, logarithms: Vector, expected: Vector | None) -> float:
        network = self.network
        assert network.query is not None
        value: float = _core.conditional_likelihood(
            self.table.codes,
            network.variables,
            network.strides,
            network.offsets,
            network.table_offsets,
            network.has_query,
            network.query,
            network.query_states,
            self._everywhere(logarithms),
            self.table.weights,
            expected,
            thread_count(self.table.n_jobs),
        )
        return value


@dataclass(frozen=True)
class Distributions:
    """Which parameters share a parent configuration, so that all tables are normalised in one go.

    Attributes
    ----------
    order : ndarray of int
        Positions of the parameters, those of a configuration side by side.
    starts, sizes : ndarray of int
        Of the configurations in that order.
    places : ndarray of int or None
        Where some cells only are parameters: their positions among all.
    rest : ndarray or None
        What the other cells of each configuration add up to.
    """

    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]
    places: NDArray[np.intp] | None = None
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
    def of_some(cls, shapes: Shapes, places: NDArray[np.intp], start: Vector) -> "Distributions":
        """Take some cells of such tables (rising positions), and the logarithms of all of them at the start."""
        configurations = np.empty(len(places), dtype=np.int64)
        offset = 0
        for shape, axis in shapes:
            size, stride = math.prod(shape), math.prod(shape[axis + 1 :])
            inside = slice(*np.searchsorted(places, [offset, offset + size]))
            local = places[inside] - offset
            # The position of the cell of the first state stands for the whole configuration.
            configurations[inside] = offset + local - (local // stride % shape[axis]) * stride
            offset += size
        order = np.argsort(configurations, kind="stable")
        _, starts, sizes = np.unique(configurations[order], return_index=True, return_counts=True)
        tuned = np.add.reduceat(np.exp(start[places][order]), starts)
        return cls(order, starts, sizes, places, np.clip(1.0 - tuned, 0.0, None))

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


def seen_cells(table: Table, dag: DAG, shapes: Shapes) -> NDArray[np.intp]:
    """Return the positions of the cells that occur in some row, whatever its class, in families with the class."""
    assert table.target is not None
    found, offset = [], 0
    for node, (parents, (shape, _)) in enumerate(zip(dag.parent_indices, shapes, strict=True)):
        family = [*parents, node]
        if table.target in family:
            others = [j for j in family if j != table.target]
            codes = table.codes[:, others].astype(np.int64)
            known = codes[(table.codes[:, others] != table.missing_code).all(axis=1)]
            classes = shape[-1]
            rows = np.zeros(len(known), dtype=np.int64)
            for column, arity in enumerate(shape[:-1]):
                rows = rows * arity + known[:, column]
            found.append((offset + np.unique(rows)[:, None] * classes + np.arange(classes)).ravel())
        offset += math.prod(shape)
    return np.concatenate(found)


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
