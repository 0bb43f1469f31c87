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


def first_best(toggles: NDArray[np.float64], moves: Neighbourhood, tolerance: float) -> Judged | None:
    """Return the first move, in tie-breaking order, whose gain lies within a tolerance of the largest.

    ``toggles[p, c]`` is what the arc p -> c gains when it is added, or deleted if there is one.
    """
    single = np.where(moves.add | moves.delete, toggles, -np.inf).T
    double = np.where(moves.reverse, toggles + toggles.T, -np.inf).T
    best_single, best_double = float(single.max(initial=-np.inf)), float(double.max(initial=-np.inf))
    top = max(best_single, best_double)
    if top == -np.inf:
        return None
    if best_single < top - tolerance:
        child, parent = divmod(int((double >= top - tolerance).argmax()), len(toggles))
        return Judged(Move(Kind.REVERSE, parent, child), float(double[child, parent]))
    near = single >= top - tolerance
    child = int(near.argmax()) // len(toggles)
    deletions = near[child] & moves.delete[:, child]
    kind, among = (Kind.DELETE, deletions) if deletions.any() else (Kind.ADD, near[child])
    parent = int(among.argmax())
    return Judged(Move(kind, parent, child), float(single[child, parent]))
