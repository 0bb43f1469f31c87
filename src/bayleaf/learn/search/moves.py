"""The graph of a local search, the moves from it, and the rules they obey."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import prod

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.counts import required_target
from bayleaf.data import Table
from bayleaf.graph import DAG, Arc
from bayleaf.graph.parents import constraint_arcs, listed_arcs

Matrix = NDArray[np.bool_]


class Kind(IntEnum):
    """What a move does to an arc."""

    DELETE = 0
    ADD = 1
    REVERSE = 2


@dataclass(frozen=True)
class Move:
    """A change of one arc, named by the parent and the child it has, or will have, before the change."""

    kind: Kind
    parent: int
    child: int

    @property
    def rank(self) -> tuple[bool, int, Kind, int]:
        """Where the move stands among equally good ones: reversals last, then by child, deletions first."""
        return self.kind is Kind.REVERSE, self.child, self.kind, self.parent

    @property
    def changed(self) -> tuple[int, ...]:
        """The nodes whose parents change."""
        return (self.child, self.parent) if self.kind is Kind.REVERSE else (self.child,)

    @property
    def removed(self) -> list[tuple[int, int]]:
        """The arcs (parent, child) that the move takes away."""
        return [] if self.kind is Kind.ADD else [(self.parent, self.child)]

    @property
    def added(self) -> list[tuple[int, int]]:
        """The arcs (parent, child) that the move makes."""
        arcs = {Kind.ADD: [(self.parent, self.child)], Kind.REVERSE: [(self.child, self.parent)]}
        return arcs.get(self.kind, [])


class SearchGraph:
    """A directed acyclic graph that changes arc by arc; it starts with the given parents of each node."""

    def __init__(self, parents: Sequence[Sequence[int]]) -> None:
        n = len(parents)
        self._take(np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool), [()] * n)
        for child, family in enumerate(parents):
            for parent in family:
                self._add(parent, child)

    def _take(self, arcs: Matrix, above: Matrix, parents: list[tuple[int, ...]]) -> None:
        self.arcs, self._above, self._parents = arcs, above, parents
        # The native graph changes the two matrices in place.
        self.native = _core.search_graph(arcs, above)

    def __len__(self) -> int:
        return len(self._parents)

    @property
    def ancestors(self) -> Matrix:
        """Whether one node is an ancestor of another: [ancestor, node]."""
        return self._above.T

    @property
    def n_arcs(self) -> int:
        """The number of arcs."""
        return sum(map(len, self._parents))

    def parents_of(self, node: int) -> tuple[int, ...]:
        """Return the parents of a node, in node order."""
        return self._parents[node]

    def parent_sets(self) -> tuple[tuple[int, ...], ...]:
        """Return the parents of every node."""
        return tuple(self._parents)

    def dag(self, names: Sequence[str]) -> DAG:
        """Return the graph as it is now."""
        return DAG.from_parents(names, self.parent_sets())

    def copy(self) -> "SearchGraph":
        """Return a graph that changes independently of this one."""
        twin = SearchGraph([])
        twin._take(self.arcs.copy(), self._above.copy(), self._parents.copy())
        return twin

    def families_after(self, move: Move) -> list[tuple[int, tuple[int, ...]]]:
        """Return the changed nodes with the parents they would have."""
        after = [(move.child, toggled(self.parents_of(move.child), move.parent))]
        if move.kind is Kind.REVERSE:
            after.append((move.parent, toggled(self.parents_of(move.parent), move.child)))
        return after

    def apply(self, move: Move) -> None:
        """Make a change that keeps the graph acyclic."""
        if move.kind is not Kind.ADD:
            self._delete(move.parent, move.child)
        if move.kind is Kind.ADD:
            self._add(move.parent, move.child)
        elif move.kind is Kind.REVERSE:
            self._add(move.child, move.parent)

    def _add(self, parent: int, child: int) -> None:
        self._parents[child] = toggled(self._parents[child], parent)
        _core.add_arc(self.native, parent, child)

    def _delete(self, parent: int, child: int) -> None:
        self._parents[child] = toggled(self._parents[child], parent)
        _core.delete_arc(self.native, parent, child)


def toggled(parents: tuple[int, ...], node: int) -> tuple[int, ...]:
    """Return the parents without the node if it is one of them, with it otherwise."""
    if node in parents:
        return tuple(parent for parent in parents if parent != node)
    return tuple(sorted((*parents, node)))


# More cells than any table has.
NO_LIMIT = 2**62
Start = str | DAG | Iterable[Arc]


@dataclass(frozen=True)
class Neighbourhood:
    """The legal moves from a graph: a matrix [parent, child] per kind of move."""

    legal: NDArray[np.bool_]

    def of_kind(self, kind: Kind) -> Matrix:
        """Return the legal moves of one kind."""
        matrix: Matrix = self.legal[kind]
        return matrix

    def without(self, pairs: Matrix) -> "Neighbourhood":
        """Leave out moves that change any of the given pairs of nodes (a symmetric matrix)."""
        return Neighbourhood(self.legal & ~pairs)

    def __len__(self) -> int:
        return int(np.count_nonzero(self.legal))

    def moves(self) -> list[Move]:
        """List the moves in the order in which ties are broken."""
        every = [
            Move(kind, parent, child)
            for kind in Kind
            for parent, child in np.argwhere(self.of_kind(kind)).tolist()
        ]
        return sorted(every, key=lambda move: move.rank)


@dataclass(frozen=True)
class Rules:
    """Constraints of a search over the nodes of a table.

    ``allowed[p, c]`` says whether the arc p -> c may exist, ``required[p, c]`` whether it must, ``free[p, c]``
    whether it may come and go.
    """

    allowed: Matrix
    required: Matrix
    free: Matrix
    max_parents: int
    reversals: bool
    arities: NDArray[np.int64]
    max_cells: int

    @classmethod
    def read(
        cls,
        table: Table,
        *,
        required: Iterable[Arc] | None,
        forbidden: Iterable[Arc] | None,
        max_parents: int | None,
        reversals: bool,
        max_cells: int,
    ) -> "Rules":
        """Check constraints given by name, and that some graph obeys them."""
        must = _arc_matrix(table, () if required is None else required, "required")
        must_not = _arc_matrix(table, () if forbidden is None else forbidden, "forbidden")
        for parent, child in np.argwhere(must & must_not).tolist():
            raise ValueError(
                f"The arc {_shown(table, parent, child)} is both required and forbidden: drop it from one of the two."
            )
        required_graph(table.names, [(table.names[p], table.names[c]) for p, c in np.argwhere(must).tolist()])
        n = table.n_variables
        limit = n - 1 if max_parents is None else max_parents
        for node in np.flatnonzero(must.sum(axis=0) > limit).tolist():
            raise ValueError(
                f"'{table.names[node]}' has {int(must[:, node].sum())} required parents, more than "
                f"max_parents={limit}."
            )
        allowed = ~must_not & ~np.eye(n, dtype=bool)
        return cls(allowed, must, allowed & ~must, limit, reversals, table.arities, max_cells)

    def start_graph(self, table: Table, start: Start) -> SearchGraph:
        """Return the graph to start from, with the required arcs; refuse one that breaks the rules."""
        graph = SearchGraph(_start_parents(table, start))
        missing = self.required & ~graph.arcs
        # First all arcs that required ones reverse: what remains does not depend on the order of the columns.
        for parent, child in np.argwhere(missing & graph.arcs.T).tolist():
            graph.apply(Move(Kind.DELETE, child, parent))
        for parent, child in np.argwhere(missing).tolist():
            if graph.ancestors[child, parent]:
                raise ValueError(
                    f"The required arc {_shown(table, parent, child)} closes a cycle with the start graph: start "
                    "from another graph, or from 'empty'."
                )
            graph.apply(Move(Kind.ADD, parent, child))
        for parent, child in np.argwhere(graph.arcs & ~self.allowed).tolist():
            raise ValueError(
                f"The start graph has the arc {_shown(table, parent, child)}, which is forbidden: start from another "
                "graph, or allow it."
            )
        for node in np.flatnonzero(graph.arcs.sum(axis=0) > self.max_parents).tolist():
            raise ValueError(
                f"The start graph gives '{table.names[node]}' {len(graph.parents_of(node))} parents, more than "
                f"max_parents={self.max_parents}."
            )
        return graph

    def possible_parents(self, child: int, parents: Sequence[int]) -> NDArray[np.bool_]:
        """Return which nodes may become a parent of a child, or cease to be one, cycles left aside."""
        possible: NDArray[np.bool_] = self.free[:, child]
        full = len(parents) >= self.max_parents
        if full or self.max_cells < NO_LIMIT:
            room = 0 if full else self.max_cells // self._cells(child, parents)
            family = np.zeros(len(self.free), dtype=bool)
            family[list(parents)] = True
            possible = possible & (family | (self.arities <= room))
        return possible

    def neighbourhood(self, graph: SearchGraph) -> Neighbourhood:
        """Return every legal move: delete an arc, add one, reverse one."""
        legal = np.empty((len(Kind), len(graph), len(graph)), dtype=bool)
        _core.legal_moves(graph.native, self._fits(graph), self.free, self.reversals, legal)
        return Neighbourhood(legal)

    def _fits(self, graph: SearchGraph) -> Matrix:
        """Whether the arc [parent, child] is allowed and leaves the child within its limits."""
        fits = self.allowed
        if self.max_parents < len(graph) - 1:
            fits = fits & (graph.arcs.sum(axis=0) < self.max_parents)
        if self.max_cells < NO_LIMIT:
            cells = np.array([self._cells(child, graph.parents_of(child)) for child in range(len(graph))])
            fits = fits & (self.arities[:, None] <= self.max_cells // cells)
        return fits

    def _cells(self, child: int, parents: Sequence[int]) -> int:
        return min(prod(int(self.arities[node]) for node in (child, *parents)), NO_LIMIT)


def _start_parents(table: Table, start: Start) -> list[list[int]]:
    parents: list[list[int]] = [[] for _ in table.names]
    if isinstance(start, str):
        if start not in ("empty", "naive"):
            raise ValueError(
                f"start must be 'empty', 'naive', a DAG or a list of arcs. Got '{start}' instead."
            )
        if start == "naive":
            target = required_target(table, "start='naive'")
            for feature in table.features:
                parents[feature].append(target)
        return parents
    arcs = list(start.arcs) if isinstance(start, DAG) else listed_arcs(start, "The arcs of the start graph")
    nodes = start.nodes if isinstance(start, DAG) else [name for arc in arcs for name in arc]
    unknown = sorted(set(nodes) - set(table.names))
    if unknown:
        raise ValueError(
            f"The start graph has nodes that the data lacks: {unknown[:10]}; the data has {list(table.names)[:20]}."
        )
    # Building the DAG says which arcs form a cycle, if some do.
    return [list(family) for family in DAG(table.names, arcs).parent_indices]


def _arc_matrix(table: Table, arcs: Iterable[Arc], what: str) -> Matrix:
    matrix = np.zeros((table.n_variables, table.n_variables), dtype=bool)
    for parent, child in constraint_arcs(arcs, table.names, what):
        matrix[parent, child] = True
    return matrix


def required_graph(names: tuple[str, ...], arcs: Iterable[Arc]) -> DAG:
    """Return the graph of the required arcs; refuse a cycle."""
    try:
        return DAG(names, arcs)
    except ValueError as error:
        raise ValueError(f"No graph has all required arcs. {error}") from error


def _shown(table: Table, parent: int, child: int) -> str:
    return f"'{table.names[parent]}' -> '{table.names[child]}'"
