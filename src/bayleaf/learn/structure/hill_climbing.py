"""Greedy search over all directed acyclic graphs: add, delete or reverse one arc at a time, until nothing gains."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from bayleaf._util.params import Needs, declared, flag, if_given, whole
from bayleaf._util.progress import Steps
from bayleaf.data import Table
from bayleaf.graph import Arc
from bayleaf.learn.scores import BDeu, DecomposableScore
from bayleaf.learn.search import Search, SearchDiary
from bayleaf.learn.search.evaluators import MoveEvaluator, Score, check_score, default_cells, move_evaluator
from bayleaf.learn.search.moves import Kind, Matrix, Move, Rules, SearchGraph, Start

from .structure_learner import SearchingLearner


@dataclass(frozen=True)
class MadeMove:
    """A move that was made, the value after it, and how many moves there were to choose from."""

    move: Move
    value: float
    considered: int


@dataclass(frozen=True)
class Climb:
    """The best graph that a search met, its value, and the way there from the value of the first graph."""

    graph: SearchGraph
    value: float
    start_value: float
    path: tuple[MadeMove, ...] = ()

    def is_above(self, other: "Climb") -> bool:
        """Return whether this climb ended higher by more than a rounding error."""
        return self.value > other.value + 1e-11 * max(1.0, abs(other.value))


def climb(
    graph: SearchGraph, evaluator: MoveEvaluator, rules: Rules, progress: Steps, tabu: int = 0
) -> Climb:
    """Climb from a graph to the best graph met.

    The best move is taken while it leads to a new best graph; without ``tabu``, that is all. With it, the best move
    is then taken even if it loses, only that arcs changed in the last ``tabu`` moves are left alone, and the search
    stops after ``tabu`` moves without a new best graph. So it never ends below the search without.
    """
    graph = graph.copy()
    value = evaluator.begin(graph)
    best = Climb(graph, value, value)
    path: list[MadeMove] = []
    way = 0  # steps to the best graph
    recent: deque[Move] = deque(maxlen=tabu)
    idle = 0
    while True:
        moves = rules.neighbourhood(graph)
        found = evaluator.best(graph, moves, above=best.value)
        idle = 0 if found else idle + 1
        if not found and idle <= tabu:
            found = evaluator.best(graph, moves.without(_touched(recent, len(graph))), above=-np.inf)
            graph = graph.copy() if graph is best.graph else graph  # the best graph stays as it is
        if not found:
            return replace(best, path=tuple(path[:way]))
        graph.apply(found.move)
        value = evaluator.after(graph, found.move)
        recent.append(found.move)
        path.append(MadeMove(found.move, value, len(moves)))
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


class HillClimbing(SearchingLearner):
    """Hill-climbing over unrestricted graphs, with any score and from any graph.

    1. Begin with the start graph and the required arcs.
    2. Value every graph one arc away: one arc added, deleted or reversed, without a cycle.
    3. Move to the best, while it is strictly better than the current graph.

    Of equally good moves, reversals come last; then the first child in column order is served first, its deletions
    before its additions, then the first parent: the result never depends on chance or on the number of threads.

    Parameters
    ----------
    score : score, optional
        What to climb: a decomposable score (`BDeu`, the default, `MDL`, `AIC`, `K2`, `LogLikelihood`, `BDe`), a
        class-focused one (`CrossValidatedRisk`, `ConditionalLogLikelihood`, `CMDL`, ...), or any object with
        ``value(table, dag)``, larger being better.
    start : {"empty", "naive"}, DAG or list of (parent, child), default="empty"
        Where to begin; "naive" is naive Bayes: the class is the only parent of every feature.
    max_parents : int, optional
        The most parents a node may have. The class counts as a parent, and obeys the limit itself.
    reversals : bool, default=True
        Whether arcs may be reversed in one move.
    required, forbidden : list of (parent, child), optional
        Arcs that every graph must or must not have.
    tabu : int, default=0
        Where no move gains, go on through worse graphs for up to this many moves, leaving alone the arcs changed in
        as many last moves, until there is a new best graph to climb from. The search never ends below the one
        without; a handful of moves often ends much higher.
    restarts : int, default=0
        Begin again this often from the best graph, shaken by as many random moves as there are nodes.
    max_cells : int, optional
        Class-focused scores do not consider families whose table has more cells than this: by default 16 per row, far
        more than the rows can fill. Decomposable scores count sparsely and have no limit unless one is given.

    References
    ----------
    D. Heckerman, D. Geiger and D. M. Chickering. Learning Bayesian networks: the combination of knowledge and
    statistical data. Machine Learning 20, 1995.

    R. Kelner and B. Lerner. Learning Bayesian network classifiers by risk minimization. International Journal of
    Approximate Reasoning 53, 2012.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]] * 5, target=2)
    >>> HillClimbing(BDeu(1.0)).learn(table, np.random.default_rng(0)).arcs
    (('b', 'a'),)
    """

    settings = declared(
        score=if_given(check_score),
        max_parents=whole(low=1, or_none=True),
        reversals=flag,
        tabu=whole(low=0),
        restarts=whole(low=0),
        max_cells=whole(low=1, or_none=True),
    )

    def __init__(
        self,
        score: Score | None = None,
        start: Start = "empty",
        max_parents: int | None = None,
        *,
        reversals: bool = True,
        required: Iterable[Arc] | None = None,
        forbidden: Iterable[Arc] | None = None,
        tabu: int = 0,
        restarts: int = 0,
        max_cells: int | None = None,
    ) -> None:
        self.score = score
        self.start = start
        self.max_parents = max_parents
        self.reversals = reversals
        self.required = required
        self.forbidden = forbidden
        self.tabu = tabu
        self.restarts = restarts
        self.max_cells = max_cells

    @property
    def needs(self) -> Needs:
        """Counts for a decomposable score, rows for any other."""
        return "counts" if self.score is None or isinstance(self.score, DecomposableScore) else "rows"

    def search(self, table: Table, rng: np.random.Generator) -> Search:
        """Return the graph where the climb ends, and the moves that led there."""
        self.check_params()
        score: Score = BDeu() if self.score is None else self.score
        rules = Rules.read(
            table,
            required=self.required,
            forbidden=self.forbidden,
            max_parents=self.max_parents,
            reversals=self.reversals,
            max_cells=default_cells(score, table) if self.max_cells is None else self.max_cells,
        )
        start = rules.start_graph(table, self.start)
        evaluator = move_evaluator(score, table, rules, rng)
        with Steps("Hill-climbing", patience=2.0) as progress:  # short searches stay silent
            best = climb(start, evaluator, rules, progress, self.tabu)
            diary = SearchDiary(table.names, score, start.parent_sets(), best.start_value)
            _write_path(diary, best)
            for number in range(1, self.restarts + 1):
                again = shaken(best.graph, rules, rng)
                found = climb(again, evaluator, rules, progress, self.tabu)
                if found.is_above(best):
                    diary.now(again.parent_sets(), found.start_value, note=f"restart {number}, shaken")
                    _write_path(diary, found)
                    best = found
                else:
                    diary.change((), (), best.value, note=f"restart {number}: nothing better")
        return diary.search()


def _write_path(diary: SearchDiary, found: Climb) -> None:
    for made in found.path:
        diary.change(made.move.added, made.move.removed, made.value, made.considered)
