"""What a search asks of a judge: the best legal move from where it stands."""

from dataclasses import dataclass
from typing import Protocol

from .graph import Move, SearchGraph
from .rules import Neighbourhood


@dataclass(frozen=True)
class Judged:
    """A move and what it gains; larger is better, zero is no change."""

    move: Move
    gain: float


class Judge(Protocol):
    """Values moves from the current graph of one search."""

    def begin(self, graph: SearchGraph) -> float:
        """Take a graph as the current one; return its value, larger is better."""
        ...

    def best(self, graph: SearchGraph, moves: Neighbourhood, above: float) -> Judged | None:
        """Return the best legal move, the first in tie-breaking order of equals.

        None if no move leads above this value; moves that cannot need not be valued.
        """
        ...

    def after(self, graph: SearchGraph, move: Move) -> float:
        """Learn that a move was made (``graph`` is the graph after it); return the current graph's value."""
        ...
