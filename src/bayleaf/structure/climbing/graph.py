"""The graph of a search: arcs as a matrix, and who is an ancestor of whom, kept up to date."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.graph import DAG

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
    """A directed acyclic graph that changes arc by arc.

    Parameters
    ----------
    parents : sequence of sequences of int
        The parents of each node at the start.

    Examples
    --------
    >>> graph = SearchGraph([(), (0,), (1,)])
    >>> bool(graph.ancestors[0, 2])
    True
    >>> graph.apply(Move(Kind.DELETE, 0, 1))
    >>> bool(graph.ancestors[0, 2]), graph.parents_of(2)
    (False, (1,))
    """

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
    """Return the parents without the node if it is one of them, with it otherwise.

    Examples
    --------
    >>> toggled((1, 4), 3), toggled((1, 4), 4)
    ((1, 3, 4), (1,))
    """
    if node in parents:
        return tuple(parent for parent in parents if parent != node)
    return tuple(sorted((*parents, node)))
