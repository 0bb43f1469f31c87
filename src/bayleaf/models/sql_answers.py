r"""What leads from the codes of a row to probabilities, in SQL: a network, two readings of its graph, or a pool.

Missing values of trees are summed out exactly. With codes :math:`c_j` of the features, a complete row has
:math:`\log P(c) + \sum_j \log P(c_j | c_{p(j)}, c)`. Where a feature j is missing, a message to its parent replaces
the term of its family and those of its children,

.. math:: M_j(s) = \log \sum_x P(x | s, c) \exp S_j(x), \quad S_j(x) = \sum_k \log P(c_k | x, c),

over the children k, or with :math:`M_k(x)` for a child that is missing too; and 0 for a missing leaf.

Of two readings, the evidence adds up entries of tables in which a missing value is one more state. It is mixed with
the class frequencies and with the network by the number of gaps. A row of gaps alone gets the class frequencies.

A pool adds up entries of tables and quadratic forms.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Variable
from bayleaf.network import BayesNet
from bayleaf.network.member import TwoReadings
from bayleaf.pool.additive import AdditiveScore, Form, Term
from bayleaf.pool.mixture import GapFallback, ScoreMixture

from .dialects import Dialect, spelled
from .sql_query import LOG_ZERO, QueryColumn, QuerySteps, exponential, may_be_missing, normalise, total

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class NetworkWriter:
    """Writes the steps from the codes of a row, columns c0, c1, ..., to its log-joint with each class, l0, l1, ..."""

    network: BayesNet  # the class is its last node
    dialect: Dialect
    wanted: str = ""  # a column that is above zero in rows whose log-joint is wanted; without it, in all rows
    emptied: bool = False  # whether states that stand for a missing value can be missing too

    @cached_property
    def _class(self) -> int:
        return len(self.network.nodes) - 1

    @cached_property
    def _classes(self) -> range:
        return range(self.network.variables[-1].arity)

    @cached_property
    def _parents(self) -> list[list[int]]:
        """The parents of each feature among the features."""
        return [
            [parent for parent in parents if parent != self._class]
            for parents in self.network.dag.parent_indices[: self._class]
        ]

    @cached_property
    def _children(self) -> list[list[int]]:
        return [
            [child for child, parents in enumerate(self._parents) if node in parents]
            for node in range(self._class)
        ]

    @cached_property
    def _gappy(self) -> list[bool]:
        """Which features can be missing."""
        features = self.network.variables[: self._class]
        return [may_be_missing(variable) or (self.emptied and variable.gap) for variable in features]

    @cached_property
    def is_forest(self) -> bool:
        """Whether each feature has at most one other for a parent, and the class has none."""
        one = all(len(parents) <= 1 for parents in self._parents)
        return one and not self.network.dag.parent_indices[self._class]

    def add_steps(self, steps: QuerySteps) -> None:
        """Add the steps to a query."""
        if self.is_forest:
            self._add_messages(steps)
        steps.add(self._log_joint(c) for c in self._classes)

    def _log_joint(self, c: int) -> QueryColumn:
        terms, needs = self._terms(c)
        added = total([self._prior(c), *terms])
        if self.wanted:
            added, needs = f"CASE WHEN {self.wanted} > 0 THEN {added} END", {*needs, self.wanted}
        return QueryColumn(f"l{c}", added, frozenset(needs))

    def _terms(self, c: int) -> tuple[list[str], set[str]]:
        terms, needs = [], {f"c{parent}" for parent in self.network.dag.parent_indices[self._class]}
        for node in range(self._class):
            if self._is_constant(node):
                continue
            terms.append(self._term(node, c))
            needs |= {f"c{other}" for other in (*self._parents[node], node)}
            if self._has_messages(node):
                needs |= {self._message(node, c, state) for state in self._states_above(node)}
        return terms, needs

    def _is_constant(self, node: int) -> bool:
        """Tell whether a feature's table says the same to all classes, in every row."""
        constant = (
            self._class not in self.network.dag.parent_indices[node]
            and not any(self._gappy[parent] for parent in self._parents[node])
            and not self._has_messages(node)
        )
        return constant and bool((self.network.tables[node] > 0).all())

    def _prior(self, c: int) -> str:
        parents = self.network.dag.parent_indices[self._class]
        logs = _logs(self.network.tables[self._class][..., c])
        return self._look_up(logs, parents) if parents else self.dialect.number(float(logs))

    def _look_up(self, values: FloatArray, nodes: Sequence[int]) -> str:
        """Return an entry of a table by the codes of its axes; NULL where one of them is missing."""
        return _entry(self.dialect, values, [f"c{node}" for node in nodes])

    def _table(self, node: int, c: int) -> FloatArray:
        """Return P(node | feature parents, class c): the parents first, then the node."""
        table, parents = self.network.tables[node], self.network.dag.parent_indices[node]
        return np.take(table, c, axis=parents.index(self._class)) if self._class in parents else table

    def _term(self, node: int, c: int) -> str:
        """Return what a family adds to the log-joint; zero where messages account for it."""
        parents = self._parents[node]
        known = self._look_up(_logs(self._table(node, c)), [*parents, node])
        tests = []
        if self.is_forest and parents and self._gappy[parents[0]]:
            tests.append(f"WHEN c{parents[0]} IS NULL THEN 0")
        if self._has_messages(node):
            messages = [self._message(node, c, state) for state in self._states_above(node)]
            named = "".join(f" WHEN {state} THEN {message}" for state, message in enumerate(messages))
            sent = f"CASE c{parents[0]}{named} END" if parents else messages[0]
            tests.append(f"WHEN c{node} IS NULL THEN {sent}")
        elif self._gappy[node] and not self._children[node]:
            tests.append(f"WHEN c{node} IS NULL THEN 0")
        return f"CASE {' '.join(tests)} ELSE {known} END" if tests else known

    # Messages

    def _has_messages(self, node: int) -> bool:
        """Tell whether a feature that is missing leaves a sum over its states."""
        return self.is_forest and self._gappy[node] and bool(self._children[node])

    def _states_above(self, node: int) -> list[int | None]:
        """Return the states of the parent, to each of which there is a message."""
        parents = self._parents[node]
        return list(range(self.network.variables[parents[0]].arity)) if parents else [None]

    @staticmethod
    def _message(node: int, c: int, state: int | None) -> str:
        return f"m{node}_{c}" if state is None else f"m{node}_{c}_{state}"

    def _said(self, child: int, c: int, state: int) -> str:
        """Return what a child says of a state of its parent: the logarithm of its value, or its message."""
        known = self._look_up(_logs(self._table(child, c)[state]), [child])
        if not self._gappy[child]:
            return known
        return f"COALESCE({known}, {self._message(child, c, state) if self._has_messages(child) else '0'})"

    def _add_messages(self, steps: QuerySteps) -> None:
        """Add the messages of all features that may be missing, from the leaves up."""
        heights: dict[int, int] = {}
        for node in reversed(self.network.dag.topological_indices):
            if node != self._class:
                heights[node] = 1 + max((heights[child] for child in self._children[node]), default=-1)
        for height in range(1, max(heights.values(), default=0) + 1):
            nodes = [node for node in heights if heights[node] == height and self._has_messages(node)]
            if not nodes:
                continue
            steps.add(self._sum(node, c, x) for node in nodes for c in self._classes for x in self._of(node))
            steps.add(self._top(node, c) for node in nodes for c in self._classes)
            steps.add(self._part(node, c, x) for node in nodes for c in self._classes for x in self._of(node))
            steps.add(
                self._sent(node, c, state)
                for node in nodes
                for c in self._classes
                for state in self._states_above(node)
            )

    def _of(self, node: int) -> range:
        return range(self.network.variables[node].arity)

    def _sum(self, node: int, c: int, x: int) -> QueryColumn:
        """Return S(x): what the children say of a state; only where the feature is missing."""
        children = self._children[node]
        terms = [self._said(child, c, x) for child in children]
        needs = {f"c{node}", *(f"c{child}" for child in children)}
        needs |= {self._message(child, c, x) for child in children if self._has_messages(child)}
        return QueryColumn(
            f"s{node}_{c}_{x}", f"CASE WHEN c{node} IS NULL THEN {total(terms)} END", frozenset(needs)
        )

    def _top(self, node: int, c: int) -> QueryColumn:
        """Return the largest S(x), which keeps exponentials in range."""
        names = [f"s{node}_{c}_{x}" for x in self._of(node)]
        return QueryColumn(f"a{node}_{c}", self.dialect.largest(names), frozenset(names))

    def _part(self, node: int, c: int, x: int) -> QueryColumn:
        """Return exp(S(x) - largest)."""
        own, top = f"s{node}_{c}_{x}", f"a{node}_{c}"
        return QueryColumn(f"e{node}_{c}_{x}", exponential(f"{own} - {top}"), frozenset({own, top}))

    def _sent(self, node: int, c: int, state: int | None) -> QueryColumn:
        """Return the message to the parent; where the feature is known, a number that nobody reads."""
        table = self._table(node, c)
        row = table if state is None else table[state]
        names = [f"e{node}_{c}_{x}" for x in self._of(node)]
        weighed = total([f"{spelled(p)} * {name}" for p, name in zip(row.tolist(), names, strict=True)])
        top = f"a{node}_{c}"
        value = (
            f"COALESCE({top} + LN(NULLIF(CAST({weighed} AS {self.dialect.double}), 0)), {spelled(LOG_ZERO)})"
        )
        return QueryColumn(self._message(node, c, state), value, frozenset({top, *names}))


def _entry(dialect: Dialect, values: FloatArray, axes: Sequence[str]) -> str:
    """Return an entry of a table by columns that say where it is on each axis."""
    index = axes[0]
    for axis, size in zip(axes[1:], values.shape[1:], strict=True):
        index = f"({index} * {size} + {axis})"
    return dialect.entry(values.ravel().tolist(), index)


def _logs(probabilities: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(probabilities), LOG_ZERO)


@dataclass(frozen=True)
class NetworkAnswer:
    """The probabilities of one network."""

    writer: NetworkWriter
    columns: Sequence[int]
    prior: NDArray[np.float64]

    def add_steps(self, steps: QuerySteps) -> None:
        """Add the steps from codes to probabilities."""
        features, classes = self.writer.network.variables[:-1], range(len(self.prior))
        nothing = None
        if all(map(may_be_missing, features)):
            steps.add([_gaps([(j, None) for j in range(len(features))])])
            nothing = (GAPS, f">= {len(features)}")
        self.writer.add_steps(steps)
        normalise(steps, [f"l{c}" for c in classes], [f"p{c}" for c in classes], self.prior, nothing)


# The column that counts the gaps of a row.
GAPS = "gaps"


def _gaps(columns: Sequence[tuple[int, int | None]], name: str = GAPS) -> QueryColumn:
    """Return the number of gaps in some columns: of codes that are missing, or a state that means this."""
    terms = [
        f"CASE WHEN c{j} IS NULL{'' if state is None else f' OR c{j} = {state}'} THEN 1 ELSE 0 END"
        for j, state in columns
    ]
    return QueryColumn(name, total(terms), frozenset(f"c{j}" for j, _ in columns))


def _emptied(
    name: str, column: int, variable: Variable, cautious: str, needs: Collection[str]
) -> QueryColumn:
    """Return the code of a column, in rows with caution without the state that stands for a missing value."""
    code, state = f"c{column}", variable.arity - 1
    text = f"CASE WHEN {code} = {state} AND ({cautious}) THEN NULL ELSE {code} END"
    return QueryColumn(name, text, frozenset({code, *needs}))


def _telling_gaps(features: Sequence[Variable], columns: Sequence[int]) -> QueryColumn:
    """Return the number of gaps in the columns of some features, as `bayleaf.network.member.Gaps` counts them."""
    return _gaps(
        [
            (j, variable.arity - 1 if variable.gap else None)
            for variable, j in zip(features, columns, strict=True)
            if variable.arity > 1 and (variable.gap or may_be_missing(variable))
        ]
    )


@dataclass(frozen=True)
class ReadingsAnswer:
    """The probabilities of one graph that is read in two ways, see `bayleaf.network.member`."""

    readings: TwoReadings
    columns: Sequence[int]
    prior: NDArray[np.float64]
    dialect: Dialect

    @cached_property
    def _features(self) -> Sequence[Variable]:
        return self.readings.network.variables[:-1]

    @cached_property
    def _weights(self) -> FloatArray:
        """What evidence and network count by the number of gaps, [reading, gaps]."""
        features, caution = self.readings.gaps.features, self.readings.gap_caution
        return caution.of_share(caution.share(np.arange(features + 1), features))

    @cached_property
    def _gappy(self) -> list[bool]:
        """Which features can be missing: also where this is a state, which tells nothing in rows with more gaps."""
        return [variable.gap or may_be_missing(variable) for variable in self._features]

    @cached_property
    def _has_gaps(self) -> bool:
        """Whether a row can have any."""
        return self.readings.gaps.features > 0 and any(self._gappy)

    @cached_property
    def _asks_network(self) -> bool:
        """Whether the network counts in any row."""
        return self._has_gaps and bool(self._weights[1].any())

    @property
    def numbers(self) -> int:
        """How many numbers the tables have that are written."""
        tables = [
            *self.readings.evidence.tables,
            *(self.readings.network.tables if self._asks_network else ()),
        ]
        return sum(table.size for table in tables)

    def add_steps(self, steps: QuerySteps) -> None:
        """Add the steps from codes to probabilities."""
        classes = range(len(self.prior))
        if not self._has_gaps:
            steps.add(map(self._evidence, classes))
            normalise(steps, [f"e{c}" for c in classes], [f"p{c}" for c in classes], self.prior)
            return
        steps.add([_telling_gaps(self._features, range(len(self._features)))])
        steps.add(
            QueryColumn(name, self.dialect.entry(weights.tolist(), GAPS), frozenset({GAPS}))
            for name, weights in zip(("we", "wn"), self._weights, strict=True)
        )
        steps.add(
            _emptied(f"c{j}", j, variable, "we <> 1 OR wn <> 0", {"we", "wn"})
            for j, variable in enumerate(self._features)
            if variable.gap
        )
        steps.add(
            QueryColumn(f"z{j}", f"COALESCE(c{j}, {variable.arity})", frozenset({f"c{j}"}))
            for j, variable in enumerate(self._features)
            if self._gappy[j]
        )
        steps.add(map(self._evidence, classes))
        if self._asks_network:
            NetworkWriter(self.readings.network, self.dialect, wanted="wn", emptied=True).add_steps(steps)
        steps.add(map(self._mixed, classes))
        nothing = (GAPS, f">= {self.readings.gaps.features}")
        normalise(steps, [f"x{c}" for c in classes], [f"p{c}" for c in classes], self.prior, nothing)

    def _evidence(self, c: int) -> QueryColumn:
        """Return the sum of what is said of a class by each value of a row, and before any."""
        before_any = np.maximum(self.readings.evidence.log_prior, LOG_ZERO)[c]
        terms, needs = [self.dialect.number(float(before_any))], set()
        parents_of = self.readings.dag.parent_indices
        for node, table in enumerate(self.readings.evidence.tables):
            family = [j for j in (*parents_of[node], node) if j < len(self._features)]
            gappy = [self._has_gaps and self._gappy[j] for j in family]
            # A value that is never missing needs no state for that.
            entries = table[(*(slice(None if gap else -1) for gap in gappy), c)]
            if not entries.any():
                continue
            axes = [f"{'z' if gap else 'c'}{j}" for j, gap in zip(family, gappy, strict=True)]
            terms.append(_entry(self.dialect, np.maximum(entries, LOG_ZERO), axes))
            needs.update(axes)
        return QueryColumn(f"e{c}", total(terms), frozenset(needs))

    def _mixed(self, c: int) -> QueryColumn:
        """Return what evidence, network and class frequencies say of a class together."""
        prior = self.dialect.number(float(np.log(self.readings.prior[c])))
        mixed, needs = f"we * e{c} + (1 - we) * {prior}", {"we", f"e{c}"}
        if self._asks_network:
            both = f"we * e{c} + wn * l{c} + (1 - we - wn) * {prior}"
            mixed, needs = f"CASE WHEN wn > 0 THEN {both} ELSE {mixed} END", needs | {"wn", f"l{c}"}
        return QueryColumn(f"x{c}", mixed, frozenset(needs))


# Columns that say how far the gaps of a row are from those of training rows, how many of its values are missing, and
# what the networks of a pool count in it.
UNFORESEEN, LOST, WEIGHT = "unforeseen", "lost", "w"


@dataclass(frozen=True)
class PoolAnswer:
    """The steps from the codes of all features to the probabilities of a mixture."""

    mixture: ScoreMixture
    features: Sequence[Variable]  # of the schema: all of them are read

    @property
    def columns(self) -> Sequence[int]:
        """Where these features stand in the schema."""
        return range(len(self.features))

    def add_steps(self, steps: QuerySteps) -> None:
        """Add the steps from codes to probabilities."""
        fallback, classes = self.mixture.fallback, range(len(self.mixture.prior))
        scores = [*self.mixture.scores, *(() if fallback is None else fallback.mixture.scores)]
        emptied = () if fallback is None else [j for j in fallback.columns if self.features[j].gap]
        first = len(self.mixture.scores)
        writers = [
            ScoreWriter(k, score, steps.dialect, () if k < first else emptied)
            for k, score in enumerate(scores)
        ]
        if fallback is not None:
            self._add_weight(steps, fallback, emptied)
        steps.add(column for writer in writers for column in writer.readings())
        steps.add(writer.score(c) for writer in writers for c in classes)
        for writer in writers:
            shares = [writer.share(c) for c in classes]
            normalise(steps, [writer.name(c) for c in classes], shares, self.mixture.prior)
        own, alone = writers[:first], writers[first:]
        if self._can_be_empty:
            steps.add([_gaps([(j, None) for j in self.columns], LOST)])
        if fallback is not None:
            self._add_fallback(steps, fallback, alone)
        steps.add(self._answer(c, own, steps.dialect) for c in classes)

    @property
    def _can_be_empty(self) -> bool:
        """Whether all values of a row can be missing."""
        return all(map(may_be_missing, self.features))

    def _answer(self, c: int, own: Sequence["ScoreWriter"], dialect: Dialect) -> QueryColumn:
        """Return the probability of a class: the mixture's, but for rows with gaps."""
        fallback, cases, needs = self.mixture.fallback, "", set(_shares(own, c))
        if self._can_be_empty:
            frequency = dialect.number(float(self.mixture.prior[c]))
            cases, needs = f" WHEN {LOST} >= {len(self.features)} THEN {frequency}", needs | {LOST}
        if fallback is not None:
            usual = fallback.gap_caution.usual
            cases += f" WHEN {UNFORESEEN} > {fallback.most} OR {GAPS} > {usual} THEN f{c}"
            needs |= {UNFORESEEN, GAPS, f"f{c}"}
        mixed = _mixed(self.mixture, own, c)
        return QueryColumn(f"p{c}", f"CASE{cases} ELSE {mixed} END" if cases else mixed, frozenset(needs))

    def _add_weight(self, steps: QuerySteps, fallback: GapFallback, emptied: Sequence[int]) -> None:
        """Add what the networks alone count in a row, and the codes that they read."""
        caution, features = fallback.gap_caution, fallback.gaps.features
        known = [self.features[column] for column in fallback.columns]
        (weights,) = caution.of_share(caution.share(np.arange(features + 1), features))
        steps.add([_unforeseen(fallback), _telling_gaps(known, fallback.columns)])
        steps.add([QueryColumn(WEIGHT, steps.dialect.entry(weights.tolist(), GAPS), frozenset({GAPS}))])
        steps.add(_emptied(f"d{j}", j, self.features[j], f"{WEIGHT} <> 1", {WEIGHT}) for j in emptied)

    def _add_fallback(self, steps: QuerySteps, fallback: GapFallback, alone: Sequence["ScoreWriter"]) -> None:
        """Add what the networks alone say, with caution: f0, f1, ..."""
        classes, prior, number = range(len(self.mixture.prior)), self.mixture.prior, steps.dialect.number
        steps.add(
            QueryColumn(f"y{c}", _mixed(fallback.mixture, alone, c), _shares(alone, c)) for c in classes
        )
        steps.add(
            QueryColumn(
                f"x{c}",
                f"{WEIGHT} * CASE WHEN y{c} > 0 THEN LN(y{c}) ELSE {spelled(LOG_ZERO)} END "
                f"+ (1 - {WEIGHT}) * {number(float(np.log(prior[c])))}",
                frozenset({WEIGHT, f"y{c}"}),
            )
            for c in classes
        )
        normalise(steps, [f"x{c}" for c in classes], [f"f{c}" for c in classes], prior, (WEIGHT, "<= 0"))


@dataclass(frozen=True)
class ScoreWriter:
    """Writes one of the scores of a mixture."""

    number: int
    additive: AdditiveScore
    dialect: Dialect
    emptied: Sequence[int] = ()  # columns whose codes are read from d0, d1, ... instead of c0, c1, ...

    def name(self, c: int) -> str:
        """Return the column of the score of a class."""
        return f"u{self.number}_{c}"

    def share(self, c: int) -> str:
        """Return the column of the probability of a class."""
        return f"q{self.number}_{c}"

    def _reading(self, k: int) -> str:
        return f"g{self.number}_{k}"

    def _code(self, column: int) -> str:
        return f"{'d' if column in self.emptied else 'c'}{column}"

    def _value(self, form: int, k: int) -> str:
        return f"v{self.number}_{form}_{k}"

    def readings(self) -> list[QueryColumn]:
        """Return the states of columns on grids, and the numbers of forms."""
        added = [
            _by_code(self.dialect, self._reading(k), self._code(reading.column), reading.states)
            for k, reading in enumerate(self.additive.readings)
        ]
        for f, form in enumerate(self.additive.forms):
            added += [
                _by_code(self.dialect, self._value(f, k), self._code(column), values)
                for k, (column, values) in enumerate(zip(form.columns, form.values, strict=True))
            ]
        return added

    def score(self, c: int) -> QueryColumn:
        """Return the score of a class against the first, that of the first being zero."""
        if c == 0:
            return QueryColumn(self.name(0), self.dialect.number(0.0))
        terms = [self.dialect.number(float(self.additive.bias[c - 1]))]
        terms += [self._entry(term, c - 1) for term in self.additive.terms if term.table[:, c - 1].any()]
        terms += [self._form(f, form, c - 1) for f, form in enumerate(self.additive.forms)]
        needs = {self._reading(k) for term in self.additive.terms for k in term.readings}
        for f, form in enumerate(self.additive.forms):
            needs |= {self._value(f, k) for k in range(len(form.columns))}
        return QueryColumn(self.name(c), total(terms), frozenset(needs))

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


def _unforeseen(fallback: GapFallback) -> QueryColumn:
    """Return a column that is above ``most`` where the networks alone score a row: a rare gap counts as many."""
    gaps = [
        f"CASE WHEN c{column} IS NULL THEN {fallback.most + 1 if seldom else 1} ELSE 0 END"
        for column, seldom in zip(fallback.columns, fallback.seldom, strict=True)
    ]
    return QueryColumn(UNFORESEEN, total(gaps), frozenset(f"c{column}" for column in fallback.columns))


def _by_code(dialect: Dialect, name: str, code: str, values: NDArray[Any]) -> QueryColumn:
    """Return the value of a code, the last one where it is missing."""
    *known, last = values.tolist()
    whole = values.dtype.kind != "f"
    entry = f"COALESCE({dialect.entry(known, code)}, {spelled(last)})" if known else spelled(last)
    return QueryColumn(name, f"CAST({entry} AS INTEGER)" if whole else entry, frozenset({code}))
