"""What a search asks of a judge: the best legal move from where it stands."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .graph import Kind, Move, SearchGraph
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

    def best(self, graph: SearchGraph, moves: Neighbourhood, *, improving: bool) -> Judged | None:
        """Return the best legal move, the first in tie-breaking order of equals; None if there is none.

        With ``improving``, moves that gain nothing need not be valued, and None means that no move gains.
        """
        ...

    def after(self, graph: SearchGraph, move: Move) -> float:
        """Learn that a move was made (``graph`` is the graph after it); return the current graph's value."""
        ...


def first_best(
    gains: dict[Kind, NDArray[np.float64]], moves: Neighbourhood, tolerance: float
) -> Judged | None:
    """Return the first move, in tie-breaking order, whose gain lies within a tolerance of the largest."""
    legal = {kind: np.where(moves.of_kind(kind), gains[kind], -np.inf) for kind in Kind}
    top = max(float(values.max(initial=-np.inf)) for values in legal.values())
    if top == -np.inf:
        return None
    equals = [
        Move(kind, parent, child)
        for kind in Kind
        for parent, child in np.argwhere(legal[kind] >= top - tolerance).tolist()
    ]
    first = min(equals, key=lambda move: move.rank)
    return Judged(first, float(legal[first.kind][first.parent, first.child]))
