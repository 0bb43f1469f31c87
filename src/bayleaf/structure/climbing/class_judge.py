"""Judging moves by a class-focused score: families are exchanged in the log-joint of the current network."""

import numpy as np

from bayleaf.scores import ClassFocusedScore, Evaluator
from bayleaf.table import Table

from .graph import Kind, Matrix, Move, SearchGraph
from .judge import Judged
from .rules import Neighbourhood


class ClassJudge:
    """Values of moves from an evaluator that keeps the log-joint of the current network.

    Only families that contain the class enter its posterior on complete rows. An addition that changes no such
    family cannot gain, and is skipped (``skip``) while only gains are wanted.

    A score that judges every step on other rows (``fixed=False``) compares the next moves with the score by which the
    current graph was chosen. That score rises with every step, so that the search ends. There skipping is a rule of
    its own: what leaves the posterior alone may look better on the rows just drawn.
    """

    def __init__(
        self, score: ClassFocusedScore, table: Table, rng: np.random.Generator, *, skip: bool = True
    ) -> None:
        if table.target is None:
            raise ValueError(f"{type(score).__name__} needs a class: the table has no target column.")
        self.score, self.table, self.rng, self.skip = score, table, rng, skip
        self.target = table.target
        self.evaluator: Evaluator | None = None
        self.fixed = bool(getattr(score, "fixed", True))
        self.current = self.chosen_by = -np.inf

    def begin(self, graph: SearchGraph) -> float:
        """Take a graph as the current one; return its score."""
        if self.evaluator is None:
            self.evaluator = self.score.evaluator(self.table, graph.dag(self.table.names), self.rng)
        else:  # a restart: a fixed score judges rows as before, so that values can be compared
            self.evaluator.commit(dict(enumerate(graph.parent_sets())))
        self.current = self.evaluator.value
        return self.current

    def after(self, graph: SearchGraph, move: Move) -> float:
        """Exchange the changed families; return the score."""
        assert self.evaluator is not None, "a search begins with begin()"
        self.evaluator.commit({node: graph.parents_of(node) for node in move.changed})
        self.current = self.evaluator.value if self.fixed else self.chosen_by
        return self.current

    def best(self, graph: SearchGraph, moves: Neighbourhood, above: float) -> Judged | None:
        """Return the best legal move: first among arcs added or deleted, child by child, then among reversals."""
        assert self.evaluator is not None, "a search begins with begin()"
        current = self.current
        to_beat = above
        chosen: Move | None = None
        worth_a_look = self._worth_a_look(graph, only_gains=above >= current)
        for child in range(len(graph)):
            options = [
                Move(kind, parent, child)
                for kind in (Kind.DELETE, Kind.ADD)
                for parent in np.flatnonzero(
                    moves.of_kind(kind)[:, child] & worth_a_look[kind][:, child]
                ).tolist()
            ]
            sets = [graph.families_after(move)[0][1] for move in options]
            found = self.evaluator.best(child, sets, to_beat) if sets else None
            if found is not None:
                chosen, to_beat = options[found[0]], found[1]
        reversals = [Move(Kind.REVERSE, p, c) for c, p in np.argwhere(moves.reverse.T).tolist()]
        changes = [dict(graph.families_after(move)) for move in reversals]
        found = self.evaluator.best_change(changes, to_beat) if changes else None
        if found is not None:
            chosen, to_beat = reversals[found[0]], found[1]
        self.chosen_by = to_beat
        return None if chosen is None else Judged(chosen, to_beat - current)

    def _worth_a_look(self, graph: SearchGraph, *, only_gains: bool) -> dict[Kind, Matrix]:
        """Additions p -> c that give the class a new say, or a new listener: the others leave its posterior alone."""
        every = np.ones_like(graph.arcs)
        noticed = every
        if self.skip and only_gains:
            noticed = np.zeros_like(graph.arcs) | graph.arcs[self.target][None, :]
            noticed[self.target, :] = noticed[:, self.target] = True
        return {Kind.DELETE: every, Kind.ADD: noticed}
