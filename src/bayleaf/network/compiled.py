"""A network arranged for the prediction kernels: every family table flattened, one query variable innermost."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.data import Table, Variable
from bayleaf.data.table import Codes, check_codes_array
from bayleaf.graph import DAG, min_fill_order

# Tables larger than this (entries of one elimination step) are refused rather than filling the memory.
LARGEST_FACTOR = 2**28
# Rows with gaps take a microsecond or two each: Ctrl-C is heard between so many.
ROWS_AT_ONCE = 2**18


@dataclass(frozen=True)
class FlatFamilies:
    """One array per family, laid end to end, the query innermost: see ``cpp/network/factors.hpp``.

    Attributes
    ----------
    variables, strides : ndarray of int
        The nodes of each family but the query, and how far apart the entries of their states are.
    offsets, table_offsets : ndarray of int
        Where the nodes and the entries of each family begin.
    has_query : ndarray
        Which families have the query among their nodes.
    values : ndarray
        The entries.
    """

    variables: NDArray[np.int64]
    strides: NDArray[np.int64]
    offsets: NDArray[np.int64]
    table_offsets: NDArray[np.int64]
    has_query: NDArray[np.uint8]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, dag: DAG, tables: Sequence[NDArray[np.float64]], query: int | None) -> "FlatFamilies":
        """Lay out arrays with one axis per parent, in node order, and one for the node itself."""
        variables: list[int] = []
        strides: list[int] = []
        offsets = [0]
        flat: list[NDArray[np.float64]] = []
        for node, (parents, table) in enumerate(zip(dag.parent_indices, tables, strict=True)):
            family = [*parents, node]
            arranged = table
            if query in family:
                axis = family.index(query)
                arranged = np.moveaxis(table, axis, -1)
                family.pop(axis)
            arranged = np.ascontiguousarray(arranged)
            variables += family
            strides += [step // arranged.itemsize for step in arranged.strides[: len(family)]]
            offsets.append(len(variables))
            flat.append(arranged.ravel())
        sizes = [part.size for part in flat]
        return cls(
            variables=np.array(variables, dtype=np.int64),
            strides=np.array(strides, dtype=np.int64),
            offsets=np.array(offsets, dtype=np.int64),
            table_offsets=np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
            has_query=np.array(
                [query == node or query in parents for node, parents in enumerate(dag.parent_indices)],
                dtype=np.uint8,
            ),
            values=np.concatenate(flat),
        )


@dataclass(frozen=True)
class CompiledNetwork:
    """Family tables as flat arrays, for log-joints over one query variable (or none).

    See ``cpp/network/factors.hpp`` for the layout.
    """

    arities: NDArray[np.int64]
    query: int | None
    query_states: int
    variables: NDArray[np.int64]
    strides: NDArray[np.int64]
    offsets: NDArray[np.int64]
    table_offsets: NDArray[np.int64]
    has_query: NDArray[np.uint8]
    tables: NDArray[np.float64]
    log_tables: NDArray[np.float64]
    topological: NDArray[np.int64]
    dag: DAG

    @classmethod
    def compile(
        cls, dag: DAG, tables: Sequence[NDArray[np.float64]], arities: Sequence[int], query: int | None
    ) -> "CompiledNetwork":
        """Lay out the tables of a network for one query variable."""
        layout = FlatFamilies.of(dag, tables, query)
        with np.errstate(divide="ignore"):
            logarithms = np.log(layout.values)
        return cls(
            arities=np.asarray(arities, dtype=np.int64),
            query=query,
            query_states=1 if query is None else int(arities[query]),
            variables=layout.variables,
            strides=layout.strides,
            offsets=layout.offsets,
            table_offsets=layout.table_offsets,
            has_query=layout.has_query,
            tables=layout.values,
            log_tables=logarithms,
            topological=np.array(dag.topological_indices, dtype=np.int64),
            dag=dag,
        )

    @cached_property
    def elimination_rank(self) -> NDArray[np.int64]:
        """Position of each node in a min-fill elimination order; only rows with missing values need it.

        Every table may hold the query besides, so it is left out of the moral graph: it costs a factor, not width.
        In a forest, children before their parents leave no edge to be added.
        """
        rank = np.zeros(len(self.dag.nodes), dtype=np.int64)
        if all(len(set(parents) - {self.query}) <= 1 for parents in self.dag.parent_indices):
            rank[self.topological[::-1]] = np.arange(len(rank))
            return rank
        others = [node for node in range(len(self.dag.nodes)) if node != self.query]
        moral = self.dag.moral_matrix[np.ix_(others, others)]
        for position, k in enumerate(min_fill_order(moral, range(len(others)))):
            rank[others[k]] = position
        return rank

    def log_joint(self, rows: Table, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Log P(query state, observed values) per row and query state; missing values are summed out.

        ``rows`` are as `rows_of_nodes` returns them; the query's column is not read.
        """
        codes = rows.codes
        out = np.empty((len(codes), self.query_states))
        if len(codes) == 0:
            return out
        affected = [j for j in np.flatnonzero(rows.has_missing).tolist() if j != self.query]
        if not affected:
            return self._complete(codes, out, n_jobs)
        missing = codes[:, affected] == rows.missing_code
        incomplete = missing.any(axis=1)
        if not incomplete.all():
            known = np.asfortranarray(codes[~incomplete])
            out[~incomplete] = self._complete(known, np.empty((len(known), self.query_states)), n_jobs)
        # Rows with one pattern of missing values lie together, so that the kernel plans each pattern once.
        packed = np.packbits(missing[incomplete], axis=1)
        by_pattern = np.flatnonzero(incomplete)[np.lexsort(packed.T)]
        for start in range(0, len(by_pattern), ROWS_AT_ONCE):
            part = by_pattern[start : start + ROWS_AT_ONCE]
            gaps: Codes = np.asfortranarray(codes[part])  # type: ignore[assignment]
            out[part] = self._incomplete(gaps, np.empty((len(gaps), self.query_states)), n_jobs)
        return out

    def positions(self, node: int, codes: Codes) -> NDArray[np.int64]:
        """Where complete rows find their entries of a node's table, the first query state's, in ``log_tables``."""
        found = np.full(len(codes), self.table_offsets[node], dtype=np.int64)
        for k in range(self.offsets[node], self.offsets[node + 1]):
            found += self.strides[k] * codes[:, self.variables[k]].astype(np.int64)
        return found

    def log_joint_of_row(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        """Log-joint of one row of codes that are known to be states or, unless it is complete, missing."""
        out = np.empty((1, self.query_states))
        return self._complete(codes, out, 1) if complete else self._incomplete(codes, out, 1)

    def _complete(self, codes: Codes, out: NDArray[np.float64], n_jobs: int | None) -> NDArray[np.float64]:
        _core.log_joint(
            codes,
            self.variables,
            self.strides,
            self.offsets,
            self.table_offsets,
            self.has_query,
            self.log_tables,
            out,
            n_jobs,
        )
        return out

    def _incomplete(self, codes: Codes, out: NDArray[np.float64], n_jobs: int | None) -> NDArray[np.float64]:
        _core.log_joint_missing(
            codes,
            self.arities,
            self.variables,
            self.strides,
            self.offsets,
            self.table_offsets,
            self.has_query,
            self.tables,
            self.topological,
            self.elimination_rank,
            -1 if self.query is None else self.query,
            LARGEST_FACTOR,
            out,
            n_jobs,
        )
        return out


def rows_of_nodes(
    rows: Table | Codes, variables: Sequence[Variable], query: int | None, n_jobs: int | None = None
) -> Table:
    """Return rows as a table with a column per node; where the query is the last node, its column may be absent.

    Codes are checked here, once. A table was checked when it was made, so that only its columns are compared.
    """
    if not isinstance(rows, Table):
        check_codes_array(rows)
    width = rows.n_variables if isinstance(rows, Table) else rows.shape[1]
    nodes = len(variables)
    if width != nodes and (width, query) != (nodes - 1, nodes - 1):
        raise ValueError(f"The codes have {width} columns; the network has {nodes} nodes.")
    if not isinstance(rows, Table):
        return Table(tuple(variables[:width]), rows, n_jobs=n_jobs)
    for variable, arity in zip(variables, rows.arities.tolist(), strict=False):
        if variable.arity != arity:
            raise ValueError(
                f"A column of the table has {arity} states; its node '{variable.name}' has {variable.arity}."
            )
    return rows
