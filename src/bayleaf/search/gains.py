"""Scores of a family and of all families one parent away: what a local search asks for after every move."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import thread_count
from bayleaf.data import Table
from bayleaf.scores.score import CountedForm, DecomposableScore, Family, FamilyScores, SetTerm

_KINDS = {"gamma_per_set": 0, "gamma": 1, "entropy": 2}
# The native count numbers rows with 32 bits.
MOST_ROWS = 2**31 - 1
Values = NDArray[np.float64]


class FamilyGains(Protocol):
    """Values families and their neighbours."""

    def around(self, families: Sequence[Family], wanted: NDArray[np.bool_]) -> tuple[Values, Values]:
        """Return the gain of each family, and of each family after one change.

        ``wanted[k, y]`` asks for family k with y as a parent, or without it if it is one. The second result has the
        same shape, minus infinity where nothing was asked for.
        """
        ...


def family_gains(score: DecomposableScore, table: Table) -> FamilyGains:
    """Return the fastest way to value families by a score.

    Examples
    --------
    >>> from bayleaf.scores import LogLikelihood
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")), Variable("y", ("a", "b"))), [[0, 0], [1, 1]])
    >>> alone, changed = family_gains(LogLikelihood(), table).around([(1, ())], np.array([[True, False]]))
    >>> alone.round(4), changed.round(4)
    (array([-1.3863]), array([[  0., -inf]]))
    """
    form = _counted_form(score, table)
    if form is None or table.n_rows > MOST_ROWS:
        return ListedGains(score, table)
    return CountedGains(form, table)


class CountedGains:
    """Family gains from a native count of each family with all its candidates at once.

    Examples
    --------
    >>> from bayleaf.scores.likelihood import penalised_form
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")), Variable("y", ("a", "b"))), [[0, 0], [1, 1]])
    >>> gains = CountedGains(CountedForm(penalised_form(1.0)), table)
    >>> gains.around([(1, (0,))], np.array([[True, False]]))[1].round(4)
    array([[-2.3863,    -inf]])
    """

    def __init__(self, form: CountedForm, table: Table) -> None:
        given = form.form.given
        terms: list[SetTerm] = [form.form.joint]
        terms += [form.form.joint if given is None else given(int(arity)) for arity in table.arities]
        codes: Any = table.codes
        self.threads = thread_count(table.n_jobs)
        self.form = form
        self.kernel = _core.search_families(
            codes,
            table.arities,
            table.has_missing,
            table.weights,
            np.array([_KINDS[term.kind] for term in terms], dtype=np.int64),
            np.array([term.shift for term in terms], dtype=np.float64),
            np.array([term.penalty for term in terms], dtype=np.float64),
            self.threads,
        )

    def around(self, families: Sequence[Family], wanted: NDArray[np.bool_]) -> tuple[Values, Values]:
        """Return the gain of each family, and of each family after one change."""
        values, changed = np.empty(len(families)), np.full(wanted.shape, -np.inf)
        _core.family_gains(self.kernel, families, wanted, values, changed, self.threads)
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
    """Family gains from any decomposable score, each family valued once.

    Examples
    --------
    >>> from bayleaf.scores import AIC
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")), Variable("y", ("a", "b"))), [[0, 0], [1, 1]])
    >>> ListedGains(AIC(), table).around([(1, (0,))], np.array([[True, False]]))[1].round(4)
    array([[-2.3863,    -inf]])
    """

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


def _counted_form(score: DecomposableScore, table: Table) -> CountedForm | None:
    """Return the score in terms of counts, unless a subclass has changed what its families are worth."""
    kind = type(score)
    for method in ("counted_form", "set_form"):
        found: Any = getattr(score, method, None)
        if found is not None and _definer(kind, method) is _definer(kind, "families"):
            form = found(table)
            return form if form is None or isinstance(form, CountedForm) else CountedForm(form)
    return None


def _definer(kind: type, method: str) -> type | None:
    return next((cls for cls in kind.__mro__ if method in vars(cls)), None)
