"""How searches value networks: evaluators of class-focused scores, and which move is best by each kind of score."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf._native import _core
from bayleaf.counts import required_target
from bayleaf.data import Table
from bayleaf.graph import DAG, Family
from bayleaf.learn.parameters import ParameterLearner
from bayleaf.learn.parameters.closed_form import is_parameter_learner
from bayleaf.learn.scores import (
    ClassFocusedScore,
    DecomposableScore,
    FamilyScores,
    Folds,
    Holdout,
    RowsBefore,
    SetForm,
)
from bayleaf.learn.scores.class_focused import check_classes
from bayleaf.network import BayesNet
from bayleaf.network.decisions import most_probable, posteriors

from .log_joint import Change, Evaluator, FreshHoldoutEvaluator, LogJointEvaluator
from .moves import NO_LIMIT, Kind, Matrix, Move, Neighbourhood, Rules, SearchGraph
from .samples import Smoothing, holdout, table_folds

# Scores that are equal on paper, as those of equivalent graphs, differ by rounding errors: to this many digits they
# are ties, whatever the weights of the rows.
DIGITS = 11


class OwnEvaluator(Protocol):
    """A class-focused score of a user that brings its own evaluator, with the methods of `Evaluator`."""

    def evaluator(self, table: Table, dag: DAG, rng: np.random.Generator) -> Any:
        """Start at a graph."""
        ...


def is_class_focused(score: object) -> bool:
    """Return whether a score looks at the classifier that a graph makes: bayleaf's own, or one with an evaluator."""
    return isinstance(score, ClassFocusedScore) or hasattr(score, "evaluator")


def evaluator_at(
    score: ClassFocusedScore | OwnEvaluator, table: Table, dag: DAG, rng: np.random.Generator
) -> Evaluator:
    """Start to evaluate networks by a class-focused score, at a graph.

    Parameters
    ----------
    score : class-focused score
        One of bayleaf's, or any object with ``evaluator(table, dag, rng)`` that returns something with the methods of
        `Evaluator`.
    table : Table
        With a class that is known in every row.
    dag : DAG
        Over the variables of the table.
    rng : Generator
        Draws folds, hold-outs or an order of the rows, where the score needs them.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> from bayleaf.learn.scores import ClassificationRate
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [1, 1], [1, 1], [1, 0]], target=1)
    >>> network = evaluator_at(ClassificationRate(), table, DAG(table.names), np.random.default_rng(0))
    >>> network.value, network.scores(0, [(), (1,)]).tolist()
    (0.5, [0.5, 0.75])
    """
    own = getattr(score, "evaluator", None)
    if own is not None or not isinstance(score, ClassFocusedScore):  # derived from one of bayleaf's or not
        found: Evaluator = score.evaluator(table, dag, rng)
        return found
    score.check_params()
    criterion = score.criterion(check_classes(table))
    parameters, loss, split = criterion.parameters, criterion.loss, criterion.split
    if criterion.any_learner and not isinstance(parameters, Smoothing):
        return RefitEvaluator(table, dag, parameters, loss.kind)
    if isinstance(split, Holdout) and not split.fixed:
        return FreshHoldoutEvaluator(
            table, dag, parameters, loss, lambda: holdout(table, split.fraction, rng)
        )
    fold = None
    if isinstance(split, Folds):
        fold = table_folds(table, split.number, rng, type(score).__name__)
    elif isinstance(split, Holdout):
        fold = holdout(table, split.fraction, rng)
    elif isinstance(split, RowsBefore) and split.shuffle:
        table = table.take(rng.permutation(table.n_rows))
    return LogJointEvaluator(
        table,
        dag,
        parameters,
        loss,
        fold=fold,
        rows_before=isinstance(split, RowsBefore),
        mean=criterion.mean,
        offset=criterion.offset,
        price=criterion.price,
    )


class RefitEvaluator(Evaluator):
    """Training accuracy ("error") or CLL ("log_loss") of networks whose parameters need an optimiser.

    Every candidate is fitted from scratch. A family in which a row has a missing value contributes nothing to that
    row, as in `LogJointEvaluator`.
    """

    def __init__(self, table: Table, dag: DAG, parameters: ParameterLearner, kind: str) -> None:
        if not is_parameter_learner(parameters):
            raise TypeError(
                f"A class-focused score cannot fit {parameters!r}: its 'parameters' must be a parameter learner, "
                "such as MaximumLikelihood() or ConditionalLikelihood()."
            )
        self._table = check_classes(table)
        self._learner = parameters
        self._kind = kind
        self._parents = list(dag.parent_indices)
        self._value = self._score({})

    @property
    def value(self) -> float:
        """The score now."""
        return self._value

    def change_scores(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        """Return the score after each of several changes."""
        return np.array([self._score(change) for change in changes])

    def commit(self, change: Change) -> None:
        """Make a change."""
        self._value = self._score(change)
        self._parents = [tuple(sorted(parents)) for parents in self.parents_after(change)]

    def _score(self, change: Change) -> float:
        table, target = self._table, self._table.target
        assert target is not None
        dag = DAG.from_parents(table.names, self.parents_after(change))
        network = BayesNet(table.variables, dag, self._learner.fit(table, dag), table.names[target])
        if table.has_missing.any():
            log_joint = _known_families(network, table)
        else:
            log_joint = network.log_joint(table, target, table.n_jobs)
        truth = table.codes[:, target].astype(np.int64)
        weights = np.ones(table.n_rows) if table.weights is None else table.weights
        if self._kind == "log_loss":
            own = log_joint[np.arange(table.n_rows), truth]
            return _rounded(((own - logsumexp(log_joint, axis=1)) * weights).sum())
        prior = np.bincount(truth, weights, int(table.arities[target])) / weights.sum()
        right = most_probable(posteriors(log_joint, prior, table.n_jobs), prior) == truth
        return _rounded(weights[right].sum() / weights.sum())


def _known_families(network: BayesNet, table: Table) -> NDArray[np.float64]:
    """Return the log-joint of every row and class, up to what all classes share, from the families it has in full."""
    target = table.target
    assert target is not None
    log_joint = np.zeros((table.n_rows, int(table.arities[target])))
    for node, parents in enumerate(network.dag.parent_indices):
        family = [*parents, node]
        if target not in family:
            continue
        with np.errstate(divide="ignore"):
            terms = np.log(np.moveaxis(network.tables[node], family.index(target), -1))
        others = table.codes[:, [j for j in family if j != target]]
        known = (others != table.missing_code).all(axis=1)
        log_joint[known] += terms[tuple(others[known].T)]
    return log_joint


def _rounded(score: float) -> float:
    return float(f"{score:.{DIGITS - 1}e}")


@dataclass(frozen=True)
class ValuedMove:
    """A move and what it gains; larger is better, zero is no change."""

    move: Move
    gain: float


class MoveEvaluator(Protocol):
    """Values moves from the current graph of one search."""

    def begin(self, graph: SearchGraph) -> float:
        """Take a graph as the current one; return its value, larger is better."""
        ...

    def best(self, graph: SearchGraph, moves: Neighbourhood, above: float) -> ValuedMove | None:
        """Return the best legal move; ties go to the first in tie-breaking order.

        None if no move leads above this value; moves that cannot need not be valued.
        """
        ...

    def after(self, graph: SearchGraph, move: Move) -> float:
        """Learn that a move was made (``graph`` is the graph after it); return the current graph's value."""
        ...


# The native count numbers rows with 32 bits.
MOST_ROWS = 2**31 - 1
# Scores of equivalent graphs differ by rounding errors; smaller relative differences are ties.
RELATIVE_TOLERANCE = 1e-11
Values = NDArray[np.float64]
ClassScore = ClassFocusedScore | OwnEvaluator


class FamilyGains(Protocol):
    """Values families and their neighbours."""

    def around(self, families: Sequence[Family], wanted: NDArray[np.bool_]) -> tuple[Values, Values]:
        """Return the gain of each family, and of each family after one change.

        ``wanted[k, y]`` asks for family k with y as a parent, or without it if it is one. The second result has the
        same shape, minus infinity where nothing was asked for.
        """
        ...


def family_gains(score: DecomposableScore, table: Table) -> FamilyGains:
    """Return the fastest way to value families by a score."""
    # What a form says holds as long as the score leaves the valuing of families to the base class. Sources of counts
    # have no rows for the kernel: there families are counted, all neighbours of a graph together.
    own = getattr(type(score), "families", None) is DecomposableScore.families
    if own and isinstance(table, Table) and table.n_rows <= MOST_ROWS:
        form = score.set_form(table)
        if form is not None:
            return CountedGains(form, table)
    return ListedGains(score, table)


class CountedGains:
    """Family gains from a native count of each family with all its candidates at once."""

    def __init__(self, form: SetForm, table: Table) -> None:
        terms = [form.joint, *(form.given_term(int(arity)) for arity in table.arities)]
        codes: Any = table.codes
        self.n_jobs = table.n_jobs
        self.form = form
        self.kernel = _core.search_families(
            codes,
            table.arities,
            table.has_missing,
            table.weights,
            np.array([term.number for term in terms], dtype=np.int64),
            np.array([term.shift for term in terms], dtype=np.float64),
            np.array([term.penalty for term in terms], dtype=np.float64),
            self.n_jobs,
        )

    def around(self, families: Sequence[Family], wanted: NDArray[np.bool_]) -> tuple[Values, Values]:
        """Return the gain of each family, and of each family after one change."""
        values, changed = np.empty(len(families)), np.full(wanted.shape, -np.inf)
        _core.family_gains(self.kernel, families, wanted, values, changed, self.n_jobs)
        if self.form.arcs is not None and self.form.alone is not None:
            for k, (node, family) in enumerate(families):
                prices = self.form.arcs[:, node]
                own = float(self.form.alone[node] + prices[list(family)].sum())
                signs = np.ones(len(prices))
                signs[list(family)] = -1.0
                values[k] += own
                changed[k] += own + signs * prices
        return values, changed


class ListedGains:
    """Family gains from any decomposable score, each family valued once."""

    def __init__(self, score: DecomposableScore, table: Table) -> None:
        self.scores = FamilyScores(score, table)

    def around(self, families: Sequence[Family], wanted: NDArray[np.bool_]) -> tuple[Values, Values]:
        """Return the gain of each family, and of each family after one change."""
        places = np.argwhere(wanted).tolist()
        near = [(families[k][0], tuple(set(families[k][1]) ^ {other})) for k, other in places]
        gains = self.scores.get([*families, *near])
        changed = np.full(wanted.shape, -np.inf)
        changed[wanted] = gains[len(families) :]
        return gains[: len(families)], changed


class FamilyMoveEvaluator:
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

    def best(self, graph: SearchGraph, moves: Neighbourhood, above: float) -> ValuedMove | None:
        """Return the best legal move."""
        found = _core.best_move(self.toggles, moves.legal, self.tolerance)
        if found is None or self.value + found[3] <= above + self.tolerance:
            return None
        kind, parent, child, gain = found
        return ValuedMove(Move(Kind(kind), parent, child), gain)

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


class ClassMoveEvaluator:
    """Values of moves from an evaluator that keeps the log-joint of the current network.

    Only families that contain the class enter its posterior on complete rows. An addition that changes no such
    family cannot gain, and is skipped (``skip``) while only gains are wanted.

    An evaluator that looks at other rows after every step (``fixed=False``) compares the next moves with the score by
    which the current graph was chosen. That score rises with every step, so that the search ends. There skipping is a
    rule of its own: what leaves the posterior alone may look better on the rows just drawn.
    """

    def __init__(
        self, score: ClassScore, table: Table, rng: np.random.Generator, *, skip: bool = True
    ) -> None:
        self.score, self.table, self.rng, self.skip = score, table, rng, skip
        self.target = required_target(table, type(score).__name__)
        self.evaluator: Evaluator | None = None
        self.current = self.chosen_by = -np.inf

    def begin(self, graph: SearchGraph) -> float:
        """Take a graph as the current one; return its score."""
        if self.evaluator is None:
            self.evaluator = evaluator_at(self.score, self.table, graph.dag(self.table.names), self.rng)
        else:  # a restart: on the same rows, so that values can be compared
            self.evaluator.commit(dict(enumerate(graph.parent_sets())))
        self.current = self.evaluator.value
        return self.current

    def after(self, graph: SearchGraph, move: Move) -> float:
        """Exchange the changed families; return the score."""
        assert self.evaluator is not None, "a search begins with begin()"
        self.evaluator.commit({node: graph.parents_of(node) for node in move.changed})
        fixed = getattr(self.evaluator, "fixed", True)  # evaluators of users may not say
        self.current = self.evaluator.value if fixed else self.chosen_by
        return self.current

    def best(self, graph: SearchGraph, moves: Neighbourhood, above: float) -> ValuedMove | None:
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
        reversals = [Move(Kind.REVERSE, p, c) for c, p in np.argwhere(moves.of_kind(Kind.REVERSE).T).tolist()]
        changes = [dict(graph.families_after(move)) for move in reversals]
        found = self.evaluator.best_change(changes, to_beat) if changes else None
        if found is not None:
            chosen, to_beat = reversals[found[0]], found[1]
        self.chosen_by = to_beat
        return None if chosen is None else ValuedMove(chosen, to_beat - current)

    def _worth_a_look(self, graph: SearchGraph, *, only_gains: bool) -> dict[Kind, Matrix]:
        """Additions p -> c that change a family with the class; the others leave its posterior alone."""
        every = np.ones_like(graph.arcs)
        noticed = every
        if self.skip and only_gains:
            noticed = np.zeros_like(graph.arcs) | graph.arcs[self.target][None, :]
            noticed[self.target, :] = noticed[:, self.target] = True
        return {Kind.DELETE: every, Kind.ADD: noticed}


class GraphScore(Protocol):
    """A score of whole graphs, without shortcuts."""

    def value(self, table: Table, dag: DAG) -> float:
        """Return the value of a graph, larger is better."""
        ...


class GraphMoveEvaluator:
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

    def best(self, graph: SearchGraph, moves: Neighbourhood, above: float) -> ValuedMove | None:
        """Score every neighbour; return the first of the best."""
        found: ValuedMove | None = None
        for move in moves.moves():
            neighbour = graph.copy()
            neighbour.apply(move)
            value = self._value(neighbour)
            if value > above:
                found, above = ValuedMove(move, value - self.current), value
        return found

    def _value(self, graph: SearchGraph) -> float:
        value: Any = self.score.value(self.table, graph.dag(self.table.names))
        if not isinstance(value, Real) or value != value:
            raise ValueError(
                f"HillClimbing: {type(self.score).__name__}.value must return a number, larger for better graphs. "
                f"Got {value!r}."
            )
        return float(value)


Score = DecomposableScore | ClassScore | GraphScore


def move_evaluator(score: Score, table: Table, rules: Rules, rng: np.random.Generator) -> MoveEvaluator:
    """Return the fastest way to value moves by a score."""
    if hasattr(score, "families"):
        return FamilyMoveEvaluator(cast(DecomposableScore, score), table, rules)
    if is_class_focused(score):
        return ClassMoveEvaluator(cast(ClassScore, score), table, rng)
    return GraphMoveEvaluator(cast(GraphScore, score), table)


def check_score(score: object) -> None:
    """Refuse anything but a score object; the class of a score is not one."""
    if isinstance(score, type):
        raise TypeError(
            f"HillClimbing cannot maximise the class {score.__name__}: pass an object, {score.__name__}()."
        )
    if not (is_class_focused(score) or hasattr(score, "families") or hasattr(score, "value")):
        raise TypeError(
            f"HillClimbing cannot maximise {score!r}: pass a score object, such as bayleaf.BIC() or bayleaf.BDeu(), "
            "or any object with a method 'value(table, dag)'."
        )


def default_cells(score: Score, table: Table) -> int:
    """Return the largest table that is worth a look: rows fill no larger one, and dense tables take memory."""
    return max(16 * table.n_rows, 2**12) if is_class_focused(score) else NO_LIMIT
