"""The best network of all, by dynamic programming over sets of variables (native kernel `exact`)."""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.memory import available_memory, format_bytes
from bayleaf._util.threads import thread_count
from bayleaf._util.watched import State, run_watched
from bayleaf.scores import SetForm, SetTerm
from bayleaf.table import Table

from .problem import Limits, Problem, make_problem

LOG = logging.getLogger("bayleaf")
_KINDS = {"gamma_per_set": 0, "gamma": 1, "entropy": 2}
# Smaller searches end before a progress bar would be drawn.
_SMALL = 14
# Sets are numbered by bits, and the numbers take part in signed arithmetic.
_MOST_VARIABLES = 40
# Share of the free memory that a search may take when no limit is given.
_SHARE = 0.9


class ExactScore(Protocol):
    """A score that exact search can maximise."""

    def set_form(self, table: Table) -> SetForm:
        """Return the score as a difference of sums over sets of variables."""
        ...


@dataclass(frozen=True)
class Needs:
    """What a search needs, known before it starts."""

    variables: int
    memory: int
    seconds: float
    single_precision: bool


def optimal_parents(
    table: Table, score: ExactScore, limits: Limits | None = None, memory_limit: float | None = None
) -> list[tuple[int, ...]]:
    """Return the parents of every variable in a graph of the best score.

    Parameters
    ----------
    table : Table
        Rows with missing values are left out.
    score : score with ``set_form``
        BDeu, BIC, MDL, AIC, K2 or LogLikelihood.
    limits : Limits, optional
    memory_limit : float, optional
        Bytes that the search may use; by default 90 % of what is free.

    Examples
    --------
    >>> from bayleaf.scores import BDeu
    >>> from bayleaf.table import Variable
    >>> table = Table.from_codes(tuple(Variable(name, ("0", "1")) for name in "ab"), [[0, 0], [1, 1]] * 10)
    >>> optimal_parents(table, BDeu(1.0))
    [(1,), ()]
    """
    if not hasattr(score, "set_form"):
        raise TypeError(
            f"Exact search cannot maximise {type(score).__name__}: use BDeu, BIC, MDL, AIC, K2 or LogLikelihood."
        )
    problem = make_problem(table, limits or Limits())
    form = score.set_form(problem.table)
    needs = estimate(problem, form, memory_limit)
    n = len(problem.columns)
    LOG.info(
        "Exact search over %d variables (%d rows): about %s and %.3g s.",
        n,
        problem.table.n_rows,
        format_bytes(needs.memory),
        needs.seconds,
    )
    if n == 0:
        return problem.parents(np.zeros(0, dtype=np.int64))
    run = _run_small if n <= _SMALL else run_watched
    sums = _sum_sets(problem, form, run)
    return problem.parents(_best_network(problem, sums, needs.single_precision, run))


def estimate(problem: Problem, form: SetForm, memory_limit: float | None) -> Needs:
    """Return what the search needs, or refuse it when that is too much."""
    n = len(problem.columns)
    limit = available_memory() * _SHARE if memory_limit is None else memory_limit
    # Beyond this the numbers below would be astronomical, and the masks too long.
    double = _memory(problem, form, min(n, _MOST_VARIABLES), 8)
    single = _memory(problem, form, min(n, _MOST_VARIABLES), 4)
    usable = [size for size in (double, single) if size <= limit]
    if not usable or n > _MOST_VARIABLES:
        size = format_bytes(single * 2.0 ** max(0, n - _MOST_VARIABLES))
        raise ValueError(
            f"Exact search over {n} variables needs about {size} (limit {format_bytes(limit)}). Use a selector, "
            "fewer columns, or HillClimbing."
        )
    threads = thread_count(problem.table.n_jobs)
    counting = 2.5e-10 * problem.n_sets * min(problem.table.n_rows, 20_000) / threads
    ordering = 5e-10 * n * n * 2.0**n / threads
    return Needs(n, usable[0], 0.01 + counting + ordering, usable[0] != double)


def _memory(problem: Problem, form: SetForm, n: int, real: int) -> int:
    sets: int = 2**n
    arrays = 1 if form.given is None else 1 + len(_arities(problem))
    if real == 8:
        return 8 * sets * arrays + int(_core.best_network_bytes(n, 8))
    # The sums are made in double precision and then copied.
    return max(12 * sets * arrays, 4 * sets * arrays + int(_core.best_network_bytes(n, 4)))


def _arities(problem: Problem) -> list[int]:
    return sorted({int(problem.table.arities[j]) for j in problem.columns})


@dataclass(frozen=True)
class _Sums:
    joint: NDArray[np.float64]
    given: NDArray[np.float64]  # one row per arity of a child; none when the joint sums serve
    given_of: NDArray[np.int64]  # row of each column's child, -1 for the joint sums


Runner = Callable[[Callable[[State], Any], int, str], Any]


def _run_small(kernel: Callable[[State], Any], total: int, description: str) -> Any:
    return kernel(np.zeros(2, dtype=np.int64))


def _sum_sets(problem: Problem, form: SetForm, run: Runner) -> _Sums:
    n = len(problem.columns)
    most = problem.most_configurations(form)
    joint = np.empty(2**n)
    _sum_term(problem, form.joint, most, joint, run)
    if form.given is None:
        return _Sums(joint, np.empty((0, 1)), np.full(n, -1, dtype=np.int64))
    arities = _arities(problem)
    given = np.empty((len(arities), 2**n))
    for row, arity in zip(given, arities, strict=True):
        _sum_term(problem, form.given(arity), most, row, run)
    given_of = np.array(
        [arities.index(int(problem.table.arities[j])) for j in problem.columns], dtype=np.int64
    )
    return _Sums(joint, given, given_of)


def _sum_term(problem: Problem, term: SetTerm, most: float, sums: NDArray[np.float64], run: Runner) -> None:
    table = problem.table
    order = [*problem.columns, *problem.given]
    codes: Any = np.asfortranarray(table.codes[:, order])
    weights = table.weights
    integral = weights is None or bool((weights == np.rint(weights)).all() and weights.sum() < 2**31)

    def kernel(state: State) -> None:
        _core.subset_sums(
            codes,
            table.arities[order],
            len(problem.columns),
            weights,
            integral,
            _KINDS[term.kind],
            term.shift,
            term.penalty,
            problem.largest_set,
            most,
            sums,
            state,
            thread_count(table.n_jobs),
        )

    run(kernel, problem.n_sets, "Counting sets of variables")


def _best_network(problem: Problem, sums: _Sums, single: bool, run: Runner) -> NDArray[np.int64]:
    n = len(problem.columns)
    masks = np.zeros(n, dtype=np.int64)
    joint, given = sums.joint, sums.given
    # Scores within rounding of each other count as equal, so that the smaller parent set wins.
    alone = np.abs(joint[2 ** np.arange(n)] - joint[0]).sum()
    tolerance = (1e-7 if single else 1e-14) * float(alone)
    if single:
        _centre(joint, given)

    def kernel(state: State) -> bool:
        dtype = np.float32 if single else np.float64
        found: bool = _core.best_network(
            joint.astype(dtype, copy=False),
            given.astype(dtype, copy=False),
            sums.given_of,
            problem.required,
            problem.forbidden,
            tolerance,
            masks,
            state,
            thread_count(problem.table.n_jobs),
        )
        return found

    if not run(kernel, 16, "Finding the best network"):
        raise ValueError("No graph obeys the required and forbidden arcs and max_parents together.")
    return masks


def _centre(joint: NDArray[np.float64], given: NDArray[np.float64]) -> None:
    """Count scores from those of the empty graph, so that single precision keeps more of the differences."""
    for i in range(int(math.log2(len(joint)))):
        halves = joint.reshape(-1, 2, 2**i)
        alone = float(joint[2**i] - joint[0])
        halves[:, 1] -= alone
        for row in given:
            row.reshape(-1, 2, 2**i)[:, 1] -= alone


__all__ = ["ExactScore", "Limits", "Needs", "estimate", "optimal_parents"]
