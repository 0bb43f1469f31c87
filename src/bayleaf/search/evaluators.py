"""Which move is the best: evaluators of moves by decomposable, class-focused and whole-graph scores."""

from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.scores import ClassFocusedScore, DecomposableScore, Evaluator

from .gains import family_gains
from .moves import NO_LIMIT, Kind, Matrix, Move, Neighbourhood, Rules, SearchGraph


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


Score = DecomposableScore | ClassFocusedScore | GraphScore


def judge_of(score: Score, table: Table, rules: Rules, rng: np.random.Generator) -> Judge:
    """Return the fastest judge for a score."""
    if hasattr(score, "families"):
        return FamilyJudge(cast(DecomposableScore, score), table, rules)
    if hasattr(score, "evaluator"):
        return ClassJudge(cast(ClassFocusedScore, score), table, rng)
    return GraphJudge(score, table)


def check_score(score: object) -> None:
    """Refuse what is no score, or the class of one in place of an object."""
    if isinstance(score, type):
        raise TypeError(
            f"HillClimbing cannot climb the class {score.__name__}: make an object of it, {score.__name__}()."
        )
    if not any(hasattr(score, method) for method in ("families", "evaluator", "value")):
        raise TypeError(
            f"HillClimbing cannot climb {score!r}: pass a score object, such as bayleaf.BIC() or bayleaf.BDeu(), or "
            "any object with a method 'value(table, dag)'."
        )


def default_cells(score: Score, table: Table) -> int:
    """Return the largest table that is worth a look: rows fill no larger one, and dense tables take memory."""
    return max(16 * table.n_rows, 2**12) if hasattr(score, "evaluator") else NO_LIMIT
