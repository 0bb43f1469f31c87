"""The best network of all, by dynamic programming over sets of variables (native kernel `exact`)."""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.memory import format_bytes
from bayleaf._util.params import thread_count
from bayleaf._util.progress import State, run_watched
from bayleaf.data import Table
from bayleaf.scores import DecomposableScore, SetForm, SetTerm

from .exact_problem import Limits, Needs, Problem, child_arities, estimate, make_problem, rough_time

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
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes(tuple(Variable(name, ("0", "1")) for name in "ab"), [[0, 0], [1, 1]] * 10)
    >>> optimal_parents(table, BDeu(1.0))
    [(1,), ()]
    """
    check_exact_score(score)
    problem = make_problem(table, limits or Limits())
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
    """Refuse what exact search cannot maximise, or the class of a score in place of an object.

    Examples
    --------
    >>> from bayleaf.scores import BIC
    >>> check_exact_score(BIC())
    """
    name = f"the class {score.__name__}" if isinstance(score, type) else type(score).__name__
    kind = score if isinstance(score, type) else type(score)
    no_form = DecomposableScore.set_form
    if getattr(kind, "set_form", no_form) is no_form:
        raise TypeError(_refusal(name))
    if isinstance(score, type):
        raise TypeError(f"Exact search cannot maximise {name}: pass an object, {score.__name__}().")


def _refusal(name: str) -> str:
    return f"Exact search cannot maximise {name}: use BDeu(), BIC(), MDL(), AIC(), K2() or LogLikelihood()."


def _announce(needs: Needs, rows: int) -> None:
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


def _sum_sets(problem: Problem, form: SetForm, run: Runner) -> _Sums:
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


def _sum_term(problem: Problem, term: SetTerm, most: float, sums: NDArray[np.float64], run: Runner) -> None:
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
            thread_count(table.n_jobs),
        )

    run(kernel, problem.n_sets, "Counting sets of variables")


def _in_single_precision(sums: _Sums) -> _Sums:
    """Count scores from those of the empty graph, so that rounding keeps more of the differences; then round."""
    joint, given = sums.joint, sums.given
    for i in range(int(math.log2(len(joint)))):
        alone = float(joint[2**i] - joint[0])
        joint.reshape(-1, 2, 2**i)[:, 1] -= alone
        for row in given:
            row.reshape(-1, 2, 2**i)[:, 1] -= alone
    return _Sums(
        joint.astype(np.float32), given.astype(np.float32), sums.given_of, tolerance=1e7 * sums.tolerance
    )


def _best_network(problem: Problem, sums: _Sums, run: Runner) -> NDArray[np.int64]:
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
            thread_count(problem.table.n_jobs),
        )
        return found

    if not run(kernel, 16, "Finding the best network"):
        raise ValueError("No graph obeys the required and forbidden arcs and max_parents together.")
    return masks
