"""Judging moves by a decomposable score: one matrix of gains, updated only where families changed."""

import numpy as np

from bayleaf.scores import DecomposableScore, FamilyScores
from bayleaf.table import Table

from .graph import Kind, Move, SearchGraph, toggled
from .judge import Judged, first_best
from .rules import Neighbourhood, Rules

# Scores of equivalent graphs differ by rounding errors; smaller relative differences are ties.
RELATIVE_TOLERANCE = 1e-11


class FamilyJudge:
    """Gains of all moves from the scores of families.

    ``toggles[p, c]`` is what the family of c gains when p becomes a parent, or ceases to be one. Adding or deleting
    p -> c gains that; reversing it gains ``toggles[p, c] + toggles[c, p]``. A move changes one or two families, and
    only their columns of the matrix.
    """

    def __init__(self, score: DecomposableScore, table: Table, rules: Rules) -> None:
        self.scores = FamilyScores(score, table)
        self.rules = rules
        self.toggles = np.full((table.n_variables, table.n_variables), -np.inf)
        self.values = np.zeros(table.n_variables)

    def begin(self, graph: SearchGraph) -> float:
        """Take a graph as the current one; return its score."""
        return self._update(graph, tuple(range(len(graph))))

    def after(self, graph: SearchGraph, move: Move) -> float:
        """Update the columns of the nodes whose parents changed; return the score."""
        return self._update(graph, move.changed)

    def best(self, graph: SearchGraph, moves: Neighbourhood, *, improving: bool) -> Judged | None:
        """Return the best legal move."""
        gains = {
            Kind.DELETE: self.toggles,
            Kind.ADD: self.toggles,
            Kind.REVERSE: np.where(moves.reverse, self.toggles + self.toggles.T, -np.inf),
        }
        tolerance = self._tolerance()
        found = first_best(gains, moves, tolerance)
        if found is None or (improving and found.gain <= tolerance):
            return None
        return found

    def _tolerance(self) -> float:
        return RELATIVE_TOLERANCE * max(1.0, float(np.abs(self.values).sum()))

    def _update(self, graph: SearchGraph, nodes: tuple[int, ...]) -> float:
        """Value every change of the parents of some nodes; all families at once, so that they are counted at once."""
        families = [(node, graph.parents_of(node)) for node in nodes]
        changes = [(parent, node) for node in nodes for parent in self.rules.possible_parents(graph, node)]
        wanted = families + [(node, toggled(graph.parents_of(node), parent)) for parent, node in changes]
        gains = self.scores.get(wanted)
        self.values[list(nodes)] = gains[: len(nodes)]
        self.toggles[:, list(nodes)] = -np.inf
        for (parent, node), gain in zip(changes, gains[len(nodes) :].tolist(), strict=True):
            self.toggles[parent, node] = gain - self.values[node]
        return float(self.values.sum())
