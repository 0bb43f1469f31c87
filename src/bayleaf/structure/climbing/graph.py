"""The graph of a search: arcs as a matrix, and who is an ancestor of whom, kept up to date."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

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
        self.arcs: Matrix = np.zeros((n, n), dtype=bool)
        self.ancestors: Matrix = np.zeros((n, n), dtype=bool)
        self._parents: list[tuple[int, ...]] = [()] * n
        for child, family in enumerate(parents):
            for parent in family:
                self._add(parent, child)

    def __len__(self) -> int:
        return len(self.arcs)

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
        twin.arcs, twin.ancestors = self.arcs.copy(), self.ancestors.copy()
        twin._parents = self._parents.copy()
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
        self.arcs[parent, child] = True
        self._parents[child] = toggled(self._parents[child], parent)
        above = self.ancestors[:, parent].copy()
        above[parent] = True
        below = self.ancestors[child].copy()
        below[child] = True
        self.ancestors |= above[:, None] & below

    def _delete(self, parent: int, child: int) -> None:
        self.arcs[parent, child] = False
        self._parents[child] = toggled(self._parents[child], parent)
        if not self._renew_ancestors(child):
            return
        below = np.flatnonzero(self.ancestors[child])
        # A node has more ancestors than any of its ancestors has: that is a topological order.
        for node in below[np.argsort(self.ancestors[:, below].sum(axis=0), kind="stable")].tolist():
            self._renew_ancestors(node)

    def _renew_ancestors(self, node: int) -> bool:
        """Collect the ancestors of a node from its parents; return whether they changed."""
        before = self.ancestors[:, node].copy()
        family = list(self._parents[node])
        after = self.ancestors[:, family].any(axis=1)
        after[family] = True
        self.ancestors[:, node] = after
        return bool((before != after).any())


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
