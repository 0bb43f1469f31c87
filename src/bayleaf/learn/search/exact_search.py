"""The best network of all, by dynamic programming over sets of variables: the problem, what it needs, the search."""

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, log
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.machine import available_memory, format_bytes
from bayleaf._util.params import thread_count
from bayleaf._util.progress import State, run_watched
from bayleaf.counts import required_target
from bayleaf.data import Table
from bayleaf.graph import Arc
from bayleaf.graph.parents import constraint_arcs
from bayleaf.learn.scores import DecomposableScore, LogLikelihood, SetForm, SetTerm

from .moves import required_graph


@dataclass(frozen=True)
class ExactLimits:
    """What the graph must look like."""

    augmented: bool = False  # whether the class is a parent of every feature and has none itself
    max_parents: int | None = None  # of a node, the class included
    required: tuple[Arc, ...] = ()
    forbidden: tuple[Arc, ...] = ()


@dataclass(frozen=True)
class ExactProblem:
    """A checked search problem.

    The search arranges ``columns``: bit i of a set of variables is ``columns[i]``. Those with few states come first:
    the kernel handles the first ones together.
    """

    table: Table  # complete rows only
    columns: tuple[int, ...]
    given: tuple[int, ...]  # columns that belong to every parent set: the class, in an augmented search
    required: NDArray[np.int64]  # for each of the columns the bit mask of parents it must have
    forbidden: NDArray[np.int64]  # and of those it must not have
    largest_set: int  # most of the columns in a family

    @property
    def whole_weights(self) -> bool:
        """Whether rows can be counted by whole numbers."""
        weights = self.table.weights
        return weights is None or bool((weights == np.rint(weights)).all() and weights.sum() < 2**31)

    @property
    def n_sets(self) -> int:
        """How many sets of variables have to be counted, before pruning."""
        n = len(self.columns)
        return sum(comb(n, size) for size in range(min(n, self.largest_set) + 1))

    def most_configurations(self, form: SetForm) -> float:
        """Return the number of configurations beyond which no set can belong to the best network.

        A family's likelihood is at most zero, so a score with a price per parameter cannot beat the smallest allowed
        parents of the node once the parameters alone cost more than those score.
        """
        price = form.joint.penalty
        if price <= 0 or not self.columns:
            return np.inf
        base = [(j, (*self.given, *self._members(self.required[i]))) for i, j in enumerate(self.columns)]
        likelihoods = LogLikelihood().families(self.table, base)
        most = 0.0
        for (node, parents), likelihood in zip(base, likelihoods, strict=True):
            arity = float(self.table.arities[node])
            configurations = float(np.prod(self.table.arities[list(parents)].astype(float)))
            if arity == 1:  # more parameters of this variable cost nothing
                return np.inf
            most = max(most, arity * (configurations - likelihood / (price * (arity - 1.0))))
        return most * (1 + 1e-9)

    def parents(self, masks: NDArray[np.int64]) -> list[tuple[int, ...]]:
        """Translate bit masks into parents of every column of the table."""
        result: list[tuple[int, ...]] = [()] * self.table.n_variables
        for j in range(self.table.n_variables):
            if j not in self.given:
                result[j] = self.given
        for column, mask in zip(self.columns, masks, strict=True):
            result[column] = tuple(sorted((*self.given, *self._members(int(mask)))))
        return result

    def _members(self, mask: int) -> tuple[int, ...]:
        return tuple(column for i, column in enumerate(self.columns) if int(mask) >> i & 1)


def make_problem(table: Table, limits: ExactLimits) -> ExactProblem:
    """Check the limits against the table and arrange the columns for the kernels.

    Variables of one state take no part: they neither need parents nor help as one.
    """
    target = required_target(table, "Exact search with augmented=True") if limits.augmented else None
    required = constraint_arcs(limits.required, table.names, "required")
    forbidden = constraint_arcs(limits.forbidden, table.names, "forbidden")
    _check_possible(table, limits, required, forbidden, target)
    columns = [j for j in _taking_part(table, limits) if j != target]
    columns.sort(key=lambda j: (int(table.arities[j]), j))
    position = {column: i for i, column in enumerate(columns)}
    slots = len(columns) if limits.max_parents is None else limits.max_parents - (target is not None)
    return ExactProblem(
        rows_searched(table, limits),
        tuple(columns),
        () if target is None else (target,),
        _masks(required, position),
        _masks(forbidden, position),
        min(len(columns), slots + 1),
    )


def rows_searched(table: Table, limits: ExactLimits) -> Table:
    """Return the rows without a missing value in any variable that takes part in a search."""
    with_holes = [j for j in _taking_part(table, limits) if table.has_missing[j]]
    complete = (table.codes[:, with_holes] != table.missing_code).all(axis=1)
    if table.n_rows and not complete.any():
        raise ValueError(
            f"Exact search needs rows without missing values: each of the {table.n_rows} rows has one. Use "
            "missing='impute', or leave columns out."
        )
    return table if complete.all() else table.take(complete)


def _taking_part(table: Table, limits: ExactLimits) -> list[int]:
    bound = {name for arc in limits.required for name in arc}
    return [
        j
        for j, name in enumerate(table.names)
        if table.arities[j] > 1 or name in bound or (limits.augmented and j == table.target)
    ]


def _check_possible(
    table: Table,
    limits: ExactLimits,
    required: Sequence[tuple[int, int]],
    forbidden: Sequence[tuple[int, int]],
    target: int | None,
) -> None:
    names = table.names
    both = set(required) & set(forbidden)
    if target is not None:
        both |= {arc for arc in forbidden if arc[0] == target} | {arc for arc in required if arc[1] == target}
    if both:
        parent, child = sorted(both)[0]
        why = "it is required" if target not in (parent, child) else "the class is a parent of every feature"
        raise ValueError(
            f"No graph obeys the arcs: '{names[parent]}' -> '{names[child]}' is forbidden, and {why}."
            if (parent, child) in forbidden
            else f"No graph obeys the arcs: '{names[parent]}' -> '{names[child]}' would give the class a parent, "
            "which an augmented search excludes."
        )
    dag = required_graph(names, limits.required)
    for node, parents in enumerate(dag.parent_indices):
        needed = set(parents) | ({target} if target not in (None, node) else set())
        if limits.max_parents is not None and len(needed) > limits.max_parents:
            raise ValueError(
                f"No graph obeys the limits: '{names[node]}' must have {len(needed)} parents and may have "
                f"max_parents={limits.max_parents}."
            )


def _masks(arcs: Sequence[tuple[int, int]], position: dict[int, int]) -> NDArray[np.int64]:
    masks = np.zeros(len(position), dtype=np.int64)
    for parent, child in arcs:
        if parent in position and child in position:
            masks[position[child]] |= 1 << position[parent]
    return masks


# Sets are numbered by bits, and the numbers take part in signed arithmetic.
MOST_VARIABLES = 40
# Share of the free memory that a search may take when no limit is given.
_SHARE = 0.9
# Seconds of one core, measured: per row of a group that is split or counted, per set of variables that are split one
# by one, per set and pair of variables, and per row and set where weights are not whole numbers.
_PER_ROW, _PER_SPLIT_SET, _PER_PAIR, _PER_WEIGHTED_ROW = 1.5e-8, 2e-6, 5e-10, 2.5e-8
# The kernel counts the first variables together, as long as their cells and margins are no more than this.
_LEAF_PLACES = 729
# Groups of at most this many rows are not split.
_SMALL_GROUP = 4


_ADVICE = (
    "Keep fewer features (fewer columns, or a strict selector such as BayesFactorSelector(ess=1.0, delta=1e-100)), "
    "or learn by HillClimbing, as classifier('gGBN-BDeu') does."
)


class TooLargeError(ValueError):
    """An exact search that does not fit; ``reason`` is the message without the advice."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason} {_ADVICE}")
        self.reason = reason


@dataclass(frozen=True)
class SearchCost:
    """Memory in bytes and seconds on the clock of a search."""

    variables: int
    memory: int
    seconds: float
    single_precision: bool


def estimate(problem: ExactProblem, form: SetForm, memory_limit: float | None) -> SearchCost:
    """Return what the search needs, or refuse it when that is too much."""
    n = len(problem.columns)
    limit = available_memory() * _SHARE if memory_limit is None else memory_limit
    if n > MOST_VARIABLES:
        raise TooLargeError(f"Exact search takes at most {MOST_VARIABLES} variables. Got {n}.")
    sums = 1 if form.given is None else 1 + len(child_arities(problem))  # for each set
    double, single = (_memory(problem, sums, n, size) for size in (8, 4))
    if single > limit:
        fitting = max((m for m in range(1, n) if _memory(problem, sums, m, 4) <= limit), default=None)
        raise TooLargeError(
            f"Exact search over {n} variables needs about {format_bytes(single)}; the limit of {format_bytes(limit)} "
            f"(memory_limit, in bytes) is enough for {'none' if fitting is None else fitting}."
        )
    ordering = _PER_PAIR * n * n * 2.0**n
    seconds = 0.01 + (sums * _counting(problem) + ordering) / thread_count(problem.table.n_jobs)
    return SearchCost(n, single if double > limit else double, seconds, double > limit)


def child_arities(problem: ExactProblem) -> list[int]:
    """Return the different numbers of states of the variables, ascending."""
    return sorted({int(problem.table.arities[j]) for j in problem.columns})


def _memory(problem: ExactProblem, sums: int, n: int, real: int) -> int:
    sets: int = 2**n
    search = int(_core.best_network_bytes(n, real))
    counting = 8 * sets * sums + _row_memory(problem, n)  # given up before the search
    if real == 8:
        return max(counting, 8 * sets * sums + search)
    # The sums are made in double precision, copied, and given up before the search.
    return max(counting, 12 * sets * sums, 4 * sets * sums + search)


def _row_memory(problem: ExactProblem, n: int) -> int:
    """Return the bytes that the rows of n variables take while they are counted, at most."""
    table, columns = problem.table, [*problem.columns[:n], *problem.given]
    states = table.arities[columns].astype(float)
    distinct = int(min(table.n_rows, np.prod(states)))
    codes = table.codes.itemsize * len(columns)
    alone = n - _counted_together(states[:n]) if problem.whole_weights else n
    # The rows in the order of the search and sorted; the distinct ones, and which of them begin alike; then what each
    # thread has: their codes and cells, and a partition for every variable that is included.
    return (
        table.n_rows * (codes + 8)
        + distinct * (codes + 4 * len(columns) + 8)
        + thread_count(table.n_jobs) * distinct * (16 * table.codes.itemsize + 2 + 8 * (alone + 3))
    )


def _counted_together(states: NDArray[np.float64]) -> int:
    """Return how many of the first variables the kernel counts together."""
    return int(np.searchsorted(np.cumprod(states + 1), _LEAF_PLACES, side="right"))


def _counting(problem: ExactProblem) -> float:
    """Seconds of one core for one sum over every set."""
    rows = problem.table.n_rows
    if not problem.whole_weights:
        return _PER_WEIGHTED_ROW * problem.n_sets * rows
    arities = problem.table.arities[list(problem.columns)].astype(float)
    together = _counted_together(arities)
    alone = len(arities) - together
    states = float(np.exp(np.log(arities[together:]).mean())) if alone else 1.0
    # A row counts as long as its group is not small. Here groups shrink as if variables were independent and even.
    open_sets = sum(
        comb(alone, size) * min(1.0, rows / _SMALL_GROUP / states**size)
        for size in range(alone + 1)
        if size * log(states) < 700
    )
    share = problem.n_sets / 2.0 ** len(arities)  # with max_parents not all sets are needed
    return share * (_PER_ROW * open_sets * rows + _PER_SPLIT_SET * 2.0**alone)


def rough_time(seconds: float) -> str:
    """Write an estimated time with one or two digits.

    Examples
    --------
    >>> rough_time(0.034), rough_time(41.7), rough_time(700), rough_time(30_000), rough_time(1e6)
    ('0.034 s', '42 s', '12 min', '8 h', '12 days')
    """
    if seconds < 100:
        return f"{seconds:.2g} s"
    for unit, size, most in (("s", 1, 120), ("min", 60, 120), ("h", 3600, 48)):
        if seconds < most * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"


LOG = logging.getLogger("bayleaf")
# Shorter searches (seconds) end before a progress bar would be drawn.
_SHORT = 0.05
# A search that is expected to take longer is announced as a warning, so that it is seen without any setting.
_LONG = 10.0


class ExactScore(Protocol):
    """A score that exact search can maximise."""

    def set_form(self, table: Table) -> SetForm | None:
        """Return the score as a difference of sums over sets of variables; None if it is not one."""
        ...


def optimal_parents(
    table: Table, score: ExactScore, limits: ExactLimits | None = None, memory_limit: float | None = None
) -> list[tuple[int, ...]]:
    """Return the parents of every variable in a graph of the best score, without rows that have missing values.

    The search may use ``memory_limit`` bytes; by default 90 % of what is free.
    """
    check_exact_score(score)
    problem = make_problem(table, limits or ExactLimits())
    form = score.set_form(problem.table)
    if form is None or form.arcs is not None:
        raise TypeError(_refusal(type(score).__name__))
    needs = estimate(problem, form, memory_limit)
    _announce(needs, problem.table.n_rows)
    if needs.variables == 0:
        return problem.parents(np.zeros(0, dtype=np.int64))
    run = _run_short if needs.seconds < _SHORT else run_watched
    sums = _sum_sets(problem, form, run)
    if needs.single_precision:
        sums = _in_single_precision(sums)  # and nothing holds the old ones any longer
    return problem.parents(_best_network(problem, sums, run))


def check_exact_score(score: object) -> None:
    """Refuse what exact search cannot maximise, or the class of a score instead of an object."""
    name = f"the class {score.__name__}" if isinstance(score, type) else type(score).__name__
    kind = score if isinstance(score, type) else type(score)
    no_form = DecomposableScore.set_form
    if getattr(kind, "set_form", no_form) is no_form:
        raise TypeError(_refusal(name))
    if isinstance(score, type):
        raise TypeError(f"Exact search cannot maximise {name}: pass an object, {score.__name__}().")


def _refusal(name: str) -> str:
    return f"Exact search cannot maximise {name}: use BDeu(), BIC(), MDL(), AIC(), K2() or LogLikelihood()."


def _announce(needs: SearchCost, rows: int) -> None:
    LOG.log(
        logging.INFO if needs.seconds < _LONG else logging.WARNING,
        "Exact search over %d variables (%d rows): about %s and %s.",
        needs.variables,
        rows,
        format_bytes(needs.memory),
        rough_time(needs.seconds),
    )


@dataclass(frozen=True)
class _Sums:
    joint: NDArray[Any]
    given: NDArray[Any]  # one row per arity of a child; none when the joint sums serve
    given_of: NDArray[np.int64]  # row of each column's child, -1 for the joint sums
    # Scores within rounding of each other count as equal, so that the smaller parent set wins.
    tolerance: float


Runner = Callable[[Callable[[State], Any], int, str], Any]


def _run_short(kernel: Callable[[State], Any], total: int, description: str) -> Any:
    return kernel(np.zeros(2, dtype=np.int64))


def _sum_sets(problem: ExactProblem, form: SetForm, run: Runner) -> _Sums:
    n = len(problem.columns)
    most = problem.most_configurations(form)
    joint = np.empty(2**n)
    _sum_term(problem, form.joint, most, joint, run)
    tolerance = 1e-14 * float(np.abs(joint[2 ** np.arange(n)] - joint[0]).sum())
    if form.given is None:
        return _Sums(joint, np.empty((0, 1)), np.full(n, -1, dtype=np.int64), tolerance)
    arities = child_arities(problem)
    given = np.empty((len(arities), 2**n))
    for row, arity in zip(given, arities, strict=True):
        _sum_term(problem, form.given(arity), most, row, run)
    given_of = np.array(
        [arities.index(int(problem.table.arities[j])) for j in problem.columns], dtype=np.int64
    )
    return _Sums(joint, given, given_of, tolerance)


def _sum_term(
    problem: ExactProblem, term: SetTerm, most: float, sums: NDArray[np.float64], run: Runner
) -> None:
    table = problem.table
    order = [*problem.columns, *problem.given]
    codes: Any = np.asfortranarray(table.codes[:, order])

    def kernel(state: State) -> None:
        _core.subset_sums(
            codes,
            table.arities[order],
            len(problem.columns),
            table.weights,
            problem.whole_weights,
            term.number,
            term.shift,
            term.penalty,
            problem.largest_set,
            most,
            sums,
            state,
            table.n_jobs,
        )

    run(kernel, problem.n_sets, "Counting sets of variables")


_SETS_AT_ONCE = 2**22


def _in_single_precision(sums: _Sums) -> _Sums:
    """Count scores from those of the empty graph, so that rounding keeps more of the differences; then round."""
    variables = int(math.log2(len(sums.joint)))
    alone = [float(sums.joint[2**i] - sums.joint[0]) for i in range(variables)]
    joint, given = np.empty(len(sums.joint), np.float32), np.empty(sums.given.shape, np.float32)
    for row, rounded in ((sums.joint, joint), *zip(sums.given, given, strict=True)):
        for start in range(0, len(row), _SETS_AT_ONCE):  # Ctrl-C is heard in between
            part = row[start : start + _SETS_AT_ONCE]
            for i, difference in enumerate(alone):
                if 2**i < len(part):
                    part.reshape(-1, 2, 2**i)[:, 1] -= difference
                elif start >> i & 1:
                    part -= difference
            rounded[start : start + _SETS_AT_ONCE] = part
    return _Sums(joint, given, sums.given_of, tolerance=1e7 * sums.tolerance)


def _best_network(problem: ExactProblem, sums: _Sums, run: Runner) -> NDArray[np.int64]:
    masks = np.zeros(len(problem.columns), dtype=np.int64)

    def kernel(state: State) -> bool:
        found: bool = _core.best_network(
            sums.joint,
            sums.given,
            sums.given_of,
            problem.required,
            problem.forbidden,
            sums.tolerance,
            masks,
            state,
            problem.table.n_jobs,
        )
        return found

    if not run(kernel, 16, "Finding the best network"):
        raise ValueError("No graph obeys the required and forbidden arcs and max_parents together.")
    return masks
