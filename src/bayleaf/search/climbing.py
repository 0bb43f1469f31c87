"""Hill-climbing: take the best move until none gains; with a memory against going back, if wanted."""

from collections import deque
from dataclasses import dataclass, replace

import numpy as np

from bayleaf._util.progress import Steps

from .evaluators import Judge
from .moves import Kind, Matrix, Move, Rules, SearchGraph


@dataclass(frozen=True)
class Passed:
    """A move that was made, the value after it, and how many moves there were to choose from."""

    move: Move
    value: float
    considered: int


@dataclass(frozen=True)
class Summit:
    """The best graph that a search met, its value, and the way there from the value of the first graph."""

    graph: SearchGraph
    value: float
    start_value: float
    path: tuple[Passed, ...] = ()

    def rises_above(self, other: "Summit") -> bool:
        """Return whether this summit is higher by more than a rounding error."""
        return self.value > other.value + 1e-11 * max(1.0, abs(other.value))


def climb(graph: SearchGraph, judge: Judge, rules: Rules, progress: Steps, tabu: int = 0) -> Summit:
    """Climb from a graph to the best graph met.

    The best move is taken while it leads to a new best graph; without ``tabu``, that is all. With it, the best move
    is then taken even if it loses, only that arcs changed in the last ``tabu`` moves are left alone, and the search
    stops after ``tabu`` moves without a new best graph. So it never ends below the search without.
    """
    graph = graph.copy()
    value = judge.begin(graph)
    best = Summit(graph, value, value)
    path: list[Passed] = []
    way = 0  # steps to the best graph
    recent: deque[Move] = deque(maxlen=tabu)
    idle = 0
    while True:
        moves = rules.neighbourhood(graph)
        found = judge.best(graph, moves, above=best.value)
        idle = 0 if found else idle + 1
        if not found and idle <= tabu:
            found = judge.best(graph, moves.without(_touched(recent, len(graph))), above=-np.inf)
            graph = graph.copy() if graph is best.graph else graph  # the best graph stays as it is
        if not found:
            return replace(best, path=tuple(path[:way]))
        graph.apply(found.move)
        value = judge.after(graph, found.move)
        recent.append(found.move)
        path.append(Passed(found.move, value, len(moves)))
        progress.reach(len(path), f"{graph.n_arcs} arcs, value {value:,.4f}")
        if idle == 0:
            best, way = replace(best, graph=graph, value=value), len(path)


def shaken(graph: SearchGraph, rules: Rules, rng: np.random.Generator) -> SearchGraph:
    """Return a graph some random legal moves away: as many as there are nodes."""
    graph = graph.copy()
    for _ in range(len(graph)):
        moves = rules.neighbourhood(graph)
        matrices = {kind: np.argwhere(moves.of_kind(kind)) for kind in Kind}
        kinds = [kind for kind in Kind if len(matrices[kind])]
        if not kinds:
            break
        kind = kinds[rng.integers(len(kinds))]
        parent, child = matrices[kind][rng.integers(len(matrices[kind]))].tolist()
        graph.apply(Move(kind, parent, child))
    return graph


def _touched(moves: deque[Move], n: int) -> Matrix:
    pairs = np.zeros((n, n), dtype=bool)
    for move in moves:
        pairs[move.parent, move.child] = pairs[move.child, move.parent] = True
    return pairs
