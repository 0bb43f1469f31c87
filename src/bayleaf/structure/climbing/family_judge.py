"""Judging moves by a decomposable score: one matrix of gains, updated only where families changed."""

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.scores import DecomposableScore, family_gains
from bayleaf.table import Table

from .graph import Kind, Move, SearchGraph
from .judge import Judged
from .rules import Neighbourhood, Rules

# Scores of equivalent graphs differ by rounding errors; smaller relative differences are ties.
RELATIVE_TOLERANCE = 1e-11
Family = tuple[int, tuple[int, ...]]


class FamilyJudge:
    """Gains of all moves from the scores of families.

    ``toggles[p, c]`` is what the family of c gains when p becomes a parent, or ceases to be one. Adding or deleting
    p -> c gains that; reversing it gains ``toggles[p, c] + toggles[c, p]``. A move changes one or two families, and
    only their columns of the matrix; columns of families met before are remembered.
    """

    def __init__(self, score: DecomposableScore, table: Table, rules: Rules) -> None:
        self.gains = family_gains(score, table)
        self.rules = rules
        self.toggles = np.full((table.n_variables, table.n_variables), -np.inf)
        self.values = [0.0] * table.n_variables
        self.value, self.tolerance = -np.inf, RELATIVE_TOLERANCE
        self.known: dict[Family, tuple[float, NDArray[np.float64]]] = {}

    def begin(self, graph: SearchGraph) -> float:
        """Take a graph as the current one; return its score."""
        return self._update(graph, tuple(range(len(graph))))

    def after(self, graph: SearchGraph, move: Move) -> float:
        """Update the columns of the nodes whose parents changed; return the score."""
        return self._update(graph, move.changed)

    def best(self, graph: SearchGraph, moves: Neighbourhood, above: float) -> Judged | None:
        """Return the best legal move."""
        found = _core.best_move(self.toggles, moves.legal, self.tolerance)
        if found is None or self.value + found[3] <= above + self.tolerance:
            return None
        kind, parent, child, gain = found
        return Judged(Move(Kind(kind), parent, child), gain)

    def _update(self, graph: SearchGraph, nodes: tuple[int, ...]) -> float:
        families = [(node, graph.parents_of(node)) for node in nodes]
        self._learn([family for family in families if family not in self.known])
        for family in families:
            self.values[family[0]], self.toggles[:, family[0]] = self.known[family]
        self.tolerance = RELATIVE_TOLERANCE * max(1.0, sum(map(abs, self.values)))
        self.value = sum(self.values)
        return self.value

    def _learn(self, families: list[Family]) -> None:
        """Value some families and every change of one of their parents, all at once."""
        if not families:
            return
        wanted = np.array([self.rules.possible_parents(*family) for family in families])
        values, changed = self.gains.around(families, wanted)
        if not np.isfinite(values).all():
            raise ValueError(
                f"HillClimbing cannot compare graphs with its start, whose score is {values.sum()}: a prior network "
                "must not give the probability zero to what the data have."
            )
        for family, value, column in zip(families, values.tolist(), changed - values[:, None], strict=True):
            self.known[family] = value, column
