"""Judging moves by a class-focused score: families are exchanged in the log-joint of the current network."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf.scores.class_focused import ClassFocusedScore
from bayleaf.scores.exchange import WORSE
from bayleaf.table import Table

from .graph import Kind, Matrix, Move, SearchGraph
from .judge import Judged
from .rules import Neighbourhood


class ClassJudge:
    """Losses of moves on the judged rows, as whole numbers: equal losses are ties, exactly.

    Only families that contain the class enter its posterior. A move that changes no such family leaves the log-joint
    as it is, and its rows are not looked at (``skip``).
    """

    def __init__(
        self, score: ClassFocusedScore, table: Table, rng: np.random.Generator, *, skip: bool = True
    ) -> None:
        self.score, self.table, self.rng, self.skip = score, table, rng, skip
        self.fresh = bool(getattr(score, "fresh", False))
        price = score.parameter_price(table) if hasattr(score, "parameter_price") else 0.0
        self.log_joint = score.log_joint(table, rng)
        self.price = price * self.log_joint.scale
        self.rows_loss = 0
        self.dimension = 0

    def begin(self, graph: SearchGraph) -> float:
        """Take a graph as the current one; return minus its loss."""
        self.log_joint.begin(graph.parent_sets())
        self.rows_loss = self.log_joint.total()
        self.dimension = sum(self._parameters(node, graph.parents_of(node)) for node in range(len(graph)))
        return self._value()

    def after(self, graph: SearchGraph, move: Move) -> float:
        """Exchange the changed families; return minus the loss."""
        for node in move.changed:
            before, family = self.log_joint.parents[node], graph.parents_of(node)
            self.dimension += self._parameters(node, family) - self._parameters(node, before)
            self.log_joint.exchange(node, family)
        self.rows_loss = self.log_joint.total()
        return self._value()

    def best(self, graph: SearchGraph, moves: Neighbourhood, *, improving: bool) -> Judged | None:
        """Return the best legal move."""
        if self.fresh:
            self._draw_again(graph)
        losses = _Losses(self.rows_loss + self._penalty(self.dimension), improving)
        relevant = self._relevant(graph)
        self._unseen_moves(graph, moves, relevant, losses)
        for child in range(len(graph)):
            self._parent_changes(graph, moves, relevant, child, losses)
        self._reversals(graph, moves, relevant, losses)
        return losses.best(self.log_joint.scale)

    def _draw_again(self, graph: SearchGraph) -> None:
        self.log_joint = self.score.log_joint(self.table, self.rng)
        self.begin(graph)

    def _relevant(self, graph: SearchGraph) -> Matrix:
        """Whether changing p -> c changes a family that contains the class, before or after."""
        target = self.log_joint.target
        if not self.skip:
            return np.ones_like(graph.arcs)
        relevant: Matrix = np.zeros_like(graph.arcs) | graph.arcs[target][None, :]
        relevant[target, :] = relevant[:, target] = True
        return relevant

    def _unseen_moves(
        self, graph: SearchGraph, moves: Neighbourhood, relevant: Matrix, losses: "_Losses"
    ) -> None:
        """Offer the moves that the class does not notice: they change the penalty at most."""
        unseen = Neighbourhood(
            moves.delete & ~relevant, moves.add & ~relevant, moves.reverse & ~relevant & ~relevant.T
        )
        if self.price == 0.0 and losses.improving:
            return
        for move in unseen.moves():
            losses.offer(move, self.rows_loss + self._penalty_after(graph, [graph.families_after(move)])[0])

    def _parent_changes(
        self, graph: SearchGraph, moves: Neighbourhood, relevant: Matrix, child: int, losses: "_Losses"
    ) -> None:
        """All additions and deletions of arcs to one child, in one call of the kernel."""
        wanted = [
            Move(kind, parent, child)
            for kind in (Kind.DELETE, Kind.ADD)
            for parent in np.flatnonzero(moves.of_kind(kind)[:, child] & relevant[:, child]).tolist()
        ]
        if not wanted:
            return
        after = [graph.families_after(move) for move in wanted]
        found = self.log_joint.parent_sets(
            child, [families[0][1] for families in after], self._penalty_after(graph, after), losses.bound()
        )
        losses.offer_all(wanted, found)

    def _reversals(
        self, graph: SearchGraph, moves: Neighbourhood, relevant: Matrix, losses: "_Losses"
    ) -> None:
        seen = moves.reverse & (relevant | relevant.T)
        wanted = [Move(Kind.REVERSE, parent, child) for child, parent in np.argwhere(seen.T).tolist()]
        if wanted:
            after = [graph.families_after(move) for move in wanted]
            found = self.log_joint.changes(after, self._penalty_after(graph, after), losses.bound())
            losses.offer_all(wanted, found)

    def _penalty_after(
        self, graph: SearchGraph, changes: Sequence[Sequence[tuple[int, tuple[int, ...]]]]
    ) -> NDArray[np.int64]:
        penalties = np.zeros(len(changes), dtype=np.int64)
        if self.price != 0.0:
            for k, change in enumerate(changes):
                dimension = self.dimension
                for node, parents in change:
                    dimension += self._parameters(node, parents)
                    dimension -= self._parameters(node, graph.parents_of(node))
                penalties[k] = self._penalty(dimension)
        return penalties

    def _penalty(self, dimension: int) -> int:
        return round(self.price * dimension)

    def _parameters(self, node: int, parents: Sequence[int]) -> int:
        cells = int(self.table.arities[node]) - 1
        for parent in parents:
            cells *= int(self.table.arities[parent])
        return cells

    def _value(self) -> float:
        return -(self.rows_loss + self._penalty(self.dimension)) / self.log_joint.scale


class _Losses:
    """The smallest loss met so far and the moves that have it."""

    def __init__(self, current: int, improving: bool) -> None:
        self.current = current
        self.improving = improving
        self.smallest = current if improving else WORSE
        self.moves: list[Move] = []

    def bound(self) -> int:
        """Losses from here on are of no interest; an equal loss is, because it may come first in order."""
        return self.smallest + 1 if self.moves else self.smallest

    def offer(self, move: Move, loss: int) -> None:
        if loss < self.smallest:
            self.smallest, self.moves = int(loss), [move]
        elif loss == self.smallest and self.moves:
            self.moves.append(move)

    def offer_all(self, moves: Sequence[Move], losses: NDArray[np.int64]) -> None:
        for move, loss in zip(moves, losses.tolist(), strict=True):
            self.offer(move, loss)

    def best(self, scale: float) -> Judged | None:
        if not self.moves:
            return None
        first = min(self.moves, key=lambda move: (move.kind, move.child, move.parent))
        return Judged(first, (self.current - self.smallest) / scale)
