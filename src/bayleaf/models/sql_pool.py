"""The probabilities of a pool of networks, in SQL: entries of tables and quadratic forms, added up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.pool.additive import AdditiveScore, Form, Term
from bayleaf.pool.mixture import GapFallback, ScoreMixture

from .dialects import Dialect, spelled
from .sql_query import Added, Steps, normalise, total

# A column that says how far the gaps of a row are from those of training rows.
UNFORESEEN = "unforeseen"


@dataclass(frozen=True)
class PoolAnswer:
    """The steps from the codes of all features to the probabilities of a mixture.

    Parameters
    ----------
    mixture : ScoreMixture
    columns : sequence of int
        The features of the schema that are read, all of them.
    """

    mixture: ScoreMixture
    columns: Sequence[int]

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.mixture.prior)

    def add_steps(self, steps: Steps) -> None:
        """Add the steps from codes to probabilities."""
        fallback = self.mixture.fallback
        scores = [*self.mixture.scores, *(() if fallback is None else fallback.mixture.scores)]
        writers = [ScoreWriter(k, score, steps.dialect) for k, score in enumerate(scores)]
        readings = [column for writer in writers for column in writer.readings()]
        steps.add([*readings, *(() if fallback is None else [_unforeseen(fallback)])])
        steps.add(writer.score(c) for writer in writers for c in range(self.classes))
        for writer in writers:
            shares = [writer.share(c) for c in range(self.classes)]
            normalise(steps, [writer.name(c) for c in range(self.classes)], shares, self.mixture.prior)
        own = writers[: len(self.mixture.scores)]
        if fallback is None:
            steps.add(
                Added(f"p{c}", _mixed(self.mixture, own, c), _shares(own, c)) for c in range(self.classes)
            )
            return
        steps.add(
            Added(
                f"p{c}",
                f"CASE WHEN {UNFORESEEN} > {fallback.most} THEN {_mixed(fallback.mixture, writers[len(own) :], c)} "
                f"ELSE {_mixed(self.mixture, own, c)} END",
                _shares(writers, c) | {UNFORESEEN},
            )
            for c in range(self.classes)
        )


@dataclass(frozen=True)
class ScoreWriter:
    """Writes one of the scores of a mixture."""

    number: int
    additive: AdditiveScore
    dialect: Dialect

    def name(self, c: int) -> str:
        """Return the column of the score of a class."""
        return f"u{self.number}_{c}"

    def share(self, c: int) -> str:
        """Return the column of the probability of a class."""
        return f"q{self.number}_{c}"

    def _reading(self, k: int) -> str:
        return f"g{self.number}_{k}"

    def _value(self, form: int, k: int) -> str:
        return f"v{self.number}_{form}_{k}"

    def readings(self) -> list[Added]:
        """Return the states of columns on grids, and the numbers of forms."""
        added = [
            _by_code(self.dialect, self._reading(k), reading.column, reading.states)
            for k, reading in enumerate(self.additive.readings)
        ]
        for f, form in enumerate(self.additive.forms):
            added += [
                _by_code(self.dialect, self._value(f, k), column, values)
                for k, (column, values) in enumerate(zip(form.columns, form.values, strict=True))
            ]
        return added

    def score(self, c: int) -> Added:
        """Return the score of a class against the first, that of the first being zero."""
        if c == 0:
            return Added(self.name(0), self.dialect.number(0.0))
        terms = [self.dialect.number(float(self.additive.bias[c - 1]))]
        terms += [self._entry(term, c - 1) for term in self.additive.terms if term.table[:, c - 1].any()]
        terms += [self._form(f, form, c - 1) for f, form in enumerate(self.additive.forms)]
        needs = {self._reading(k) for term in self.additive.terms for k in term.readings}
        for f, form in enumerate(self.additive.forms):
            needs |= {self._value(f, k) for k in range(len(form.columns))}
        return Added(self.name(c), total(terms), frozenset(needs))

    def _entry(self, term: Term, c: int) -> str:
        cell = self._reading(term.readings[0])
        for k in term.readings[1:]:
            cell = f"({cell} * {self.additive.readings[k].arity} + {self._reading(k)})"
        return self.dialect.entry(term.table[:, c].astype(np.float64).tolist(), cell)

    def _form(self, f: int, form: Form, c: int) -> str:
        """Return - x' M x / 2."""
        names = [self._value(f, k) for k in range(len(form.columns))]
        rows = []
        for j, own in enumerate(names):
            matrix = form.matrices[c][j].tolist()
            products = [f"{spelled(m)} * {name}" for m, name in zip(matrix, names, strict=True) if m]
            if products:
                rows.append(f"{own} * {total(products)}")
        return f"(-0.5e0 * {total(rows)})"


def _shares(writers: Sequence[ScoreWriter], c: int) -> frozenset[str]:
    return frozenset(writer.share(c) for writer in writers)


def _mixed(mixture: ScoreMixture, writers: Sequence[ScoreWriter], c: int) -> str:
    """Return the probability of a class by a mixture of scores and class frequencies."""
    caution = 1.0 - mixture.share * len(writers)
    shares = total([writer.share(c) for writer in writers])
    return f"{spelled(caution * float(mixture.prior[c]))} + {spelled(mixture.share)} * {shares}"


def _unforeseen(fallback: GapFallback) -> Added:
    """Return a column that is above ``most`` where the fallback scores a row: a seldom gap is as bad as many."""
    gaps = [
        f"CASE WHEN c{column} IS NULL THEN {fallback.most + 1 if seldom else 1} ELSE 0 END"
        for column, seldom in zip(fallback.columns, fallback.seldom, strict=True)
    ]
    return Added(UNFORESEEN, total(gaps), frozenset(f"c{column}" for column in fallback.columns))


def _by_code(dialect: Dialect, name: str, column: int, values: NDArray[Any]) -> Added:
    """Return the value of a column's code, the last one where it is missing."""
    *known, last = values.tolist()
    whole = values.dtype.kind != "f"
    entry = f"COALESCE({dialect.entry(known, f'c{column}')}, {spelled(last)})" if known else spelled(last)
    return Added(name, f"CAST({entry} AS INTEGER)" if whole else entry, frozenset({f"c{column}"}))
