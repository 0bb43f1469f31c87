"""Judging moves by a score of whole graphs: every neighbour is scored from scratch."""

from numbers import Real
from typing import Any, Protocol

import numpy as np

from bayleaf.graph import DAG
from bayleaf.table import Table

from .graph import Move, SearchGraph
from .judge import Judged
from .rules import Neighbourhood


class GraphScore(Protocol):
    """A score that knows no shortcut."""

    def value(self, table: Table, dag: DAG) -> float:
        """Return the value of a graph, larger is better."""
        ...


class GraphJudge:
    """The slow and general way: any function of a graph can be climbed."""

    def __init__(self, score: GraphScore, table: Table) -> None:
        self.score = score
        self.table = table
        self.current = -np.inf

    def begin(self, graph: SearchGraph) -> float:
        """Take a graph as the current one; return its score."""
        self.current = self._value(graph)
        return self.current

    def after(self, graph: SearchGraph, move: Move) -> float:
        """Score the current graph."""
        return self.begin(graph)

    def best(self, graph: SearchGraph, moves: Neighbourhood, above: float) -> Judged | None:
        """Score every neighbour; return the first of the best."""
        found: Judged | None = None
        for move in moves.moves():
            neighbour = graph.copy()
            neighbour.apply(move)
            value = self._value(neighbour)
            if value > above:
                found, above = Judged(move, value - self.current), value
        return found

    def _value(self, graph: SearchGraph) -> float:
        value: Any = self.score.value(self.table, graph.dag(self.table.names))
        if not isinstance(value, Real) or value != value:
            raise ValueError(
                f"HillClimbing: {type(self.score).__name__}.value must return a number, larger for better graphs. "
                f"Got {value!r}."
            )
        return float(value)
