"""What an exact search needs, known before it starts: memory, and roughly how long."""

from dataclasses import dataclass
from math import comb, log

import numpy as np

from bayleaf._native import _core
from bayleaf._util.memory import available_memory, format_bytes
from bayleaf._util.threads import thread_count
from bayleaf.scores import SetForm

from .problem import Problem

# Sets are numbered by bits, and the numbers take part in signed arithmetic.
MOST_VARIABLES = 40
# Share of the free memory that a search may take when no limit is given.
_SHARE = 0.9
# Seconds of one core, measured: per row of a group that is split or counted, per set of variables that are split one
# by one, per set and pair of variables, and per row and set where weights are no whole numbers.
_PER_ROW, _PER_SPLIT_SET, _PER_PAIR, _PER_WEIGHTED_ROW = 1.5e-8, 2e-6, 5e-10, 2.5e-8
# The kernel counts the first variables together, as many as their cells and margins are at most so many.
_LEAF_PLACES = 729
# Groups of at most so many rows are not split.
_SMALL_GROUP = 4


_ADVICE = "Keep fewer features (a selector such as BayesFactorSelector, or fewer columns), or learn by HillClimbing."


class TooLargeError(ValueError):
    """An exact search that does not fit."""


@dataclass(frozen=True)
class Needs:
    """Memory in bytes and seconds on the clock of a search."""

    variables: int
    memory: int
    seconds: float
    single_precision: bool


def estimate(problem: Problem, form: SetForm, memory_limit: float | None) -> Needs:
    """Return what the search needs, or refuse it when that is too much."""
    n = len(problem.columns)
    limit = available_memory() * _SHARE if memory_limit is None else memory_limit
    if n > MOST_VARIABLES:
        raise TooLargeError(
            f"Exact search takes at most {MOST_VARIABLES} variables, and these are {n}. {_ADVICE}"
        )
    sums = _sums_per_set(problem, form)
    double, single = (_memory(sums, n, size) for size in (8, 4))
    if single > limit:
        fitting = max((m for m in range(n) if _memory(sums, m, 4) <= limit), default=0)
        raise TooLargeError(
            f"Exact search over {n} variables needs about {format_bytes(single)}; the limit of {format_bytes(limit)} "
            f"(memory_limit) is enough for {fitting}. {_ADVICE}"
        )
    seconds = 0.01 + (sums * _counting(problem) + _ordering(n)) / thread_count(problem.table.n_jobs)
    return Needs(n, single if double > limit else double, seconds, double > limit)


def _sums_per_set(problem: Problem, form: SetForm) -> int:
    return 1 if form.given is None else 1 + len(child_arities(problem))


def child_arities(problem: Problem) -> list[int]:
    """Return the different numbers of states of the variables, ascending."""
    return sorted({int(problem.table.arities[j]) for j in problem.columns})


def _memory(sums: int, n: int, real: int) -> int:
    sets: int = 2**n
    search = int(_core.best_network_bytes(n, real))
    if real == 8:
        return 8 * sets * sums + search
    # The sums are made in double precision, copied, and given up before the search.
    return max(12 * sets * sums, 4 * sets * sums + search)


def _ordering(n: int) -> float:
    return _PER_PAIR * n * n * 2.0**n


def _counting(problem: Problem) -> float:
    """Seconds of one core for one sum over every set."""
    rows = problem.table.n_rows
    if not problem.whole_weights:
        return _PER_WEIGHTED_ROW * problem.n_sets * rows
    arities = problem.table.arities[list(problem.columns)].astype(float)
    together = int(np.searchsorted(np.cumprod(arities + 1), _LEAF_PLACES, side="right"))
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
    for unit, size, most in (("s", 1, 120), ("min", 60, 120), ("h", 3600, 48)):
        if seconds < most * size:
            return (
                f"{seconds / size:.2g} {unit}"
                if unit == "s" and seconds < 100
                else f"{seconds / size:.0f} {unit}"
            )
    return f"{seconds / 86400:.0f} days"
