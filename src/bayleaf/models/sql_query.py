"""The query that scores the rows of a table: codes, log-joints or scores, probabilities, the predicted class.

It is written in steps: each adds columns to those of the step before and drops those that no later step needs. The
first one encodes the columns of the table, as `bayleaf.data.encode` does.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.words import listing
from bayleaf.data import Schema, Variable
from bayleaf.data.dates import ISO, MOMENTS
from bayleaf.data.text_values import SPELLED, SPELLED_OTHERWISE, TIME, NumberFormat
from bayleaf.data.variable import WORD, example_text
from bayleaf.network.decisions import EQUAL, PRIOR_DECIMALS
from bayleaf.tables.table_files import label_text

from .dialects import LARGEST, Dialect, spelled

# Used as the logarithm of zero: no sum of real ones is as small.
LOG_ZERO = -1e6
# Below this, PostgreSQL refuses to take the exponential.
LEAST_EXPONENT = -700


@dataclass(frozen=True)
class QueryColumn:
    """A column that a step adds: an expression, and the columns of earlier steps that it needs."""

    name: str
    expression: str
    needs: frozenset[str] = frozenset()


@dataclass
class QuerySteps:
    """The steps of a query, in order."""

    dialect: Dialect
    source: str
    _steps: list[list[QueryColumn]] = field(default_factory=list)

    def add(self, columns: Iterable[QueryColumn]) -> None:
        """Add a step."""
        self._steps.append(list(columns))

    def query(self, needed: Sequence[str], prefix: str, body: str) -> str:
        """Return the query whose last step has the columns that are needed; ``body`` is what it selects of them."""
        wanted = set(needed)
        used: list[tuple[list[str], list[QueryColumn]]] = []  # the last step first
        for number in range(len(self._steps) - 1, -1, -1):
            own = [column for column in self._steps[number] if column.name in wanted]
            kept = sorted(wanted.difference(column.name for column in own))
            wanted = set(kept).union(*(column.needs for column in own))
            if own or not number:
                self._check_width(len(kept) + len(own))
                used.append((kept, own))
        texts, source = [], self.source
        for number, (kept, own) in enumerate(reversed(used)):
            columns = [*kept, *(f"{column.expression} AS {column.name}" for column in own)]
            lines = ",\n  ".join(columns or ["0 AS nothing"])  # of a network without features
            texts.append(f"{prefix}{number} AS {self.dialect.barrier}(SELECT\n  {lines}\n{source})")
            source = f"FROM {prefix}{number}"
        common = ",\n".join(texts)
        return f"WITH {common}\nSELECT\n  {body}\n{source}\n"

    def _check_width(self, columns: int) -> None:
        if columns > self.dialect.most_columns:
            raise ValueError(
                f"The model needs {columns:,} columns in one step of the query; {self.dialect.title} has "
                f"{self.dialect.most_columns:,} at most. Select features, or use coarser categories."
            )


def total(terms: Sequence[str]) -> str:
    """Add up terms in a balanced way: long chains are too deep for some databases."""
    if not terms:
        return "0"
    while len(terms) > 1:
        pairs = [f"({a} + {b})" for a, b in zip(terms[::2], terms[1::2], strict=False)]
        terms = [*pairs, terms[-1]] if len(terms) % 2 else pairs
    return terms[0]


def exponential(difference: str) -> str:
    """Return the exponential of a number that is not above zero; zero where that is too small, or unknown."""
    return f"CASE WHEN {difference} > {LEAST_EXPONENT} THEN EXP({difference}) ELSE 0 END"


# What the table is called within the query: SQLite takes a quoted name without a column for a text.
SOURCE = "src"


def may_be_missing(variable: Variable) -> bool:
    """Tell whether new rows can lack a state of a variable: whether a gap, or an unknown category, has none."""
    if variable.fill is None:
        return True
    return variable.gap and variable.cuts is None and variable.part is None and variable.other is None


class ColumnWriter:
    """Writes the code of each feature of a schema as an expression over the columns of a table."""

    def __init__(self, schema: Schema, dialect: Dialect, absent: Collection[str]) -> None:
        self._sources = {variable.name: variable for variable in schema.columns}
        self._dialect = dialect
        self._absent = frozenset(absent)

    def code(self, variable: Variable) -> str:
        """Return the expression of a feature's code, NULL where it is missing."""
        source = self._sources[variable.source or variable.name]
        column = f"{SOURCE}.{self._dialect.identifier(source.name)}"
        if variable.dtype == "untyped" or source.name in self._absent:
            return f"CAST({_code(variable.fill)} AS INTEGER)"
        if source.dtype in MOMENTS and source.cuts is not None:
            self._check_moments(source)
            wanted = "UTC" if source.zone else source.dtype if source.spelling else ""
            column = self._dialect.from_text.get(wanted, "{x}").format(x=column)
        if variable.part == WORD:
            raise ValueError(
                f"Column '{source.name}' is free text, whose words a query cannot find: fit the model without it, "
                "or to columns that say which words there are."
            )
        if variable.part is not None:
            return self._part(variable, column)
        if variable.cuts is not None:
            return self._interval(variable, column)
        return self._category(variable, column)

    def _check_moments(self, variable: Variable) -> None:
        if variable.dtype not in self._dialect.moments:
            raise ValueError(
                f"Column '{variable.name}' holds {variable.dtype} values, which {self._dialect.title} does not have: "
                "use seconds."
            )
        if variable.zone not in (None, "UTC"):
            raise ValueError(
                f"Column '{variable.name}' has the time zone {variable.zone}, and a query would show its times by "
                "the clock of the session: fit the model to times in UTC or without a time zone."
            )
        if variable.spelling not in (None, ISO, TIME):
            text = dt.datetime(2024, 1, 31).strftime(str(variable.spelling))
            raise ValueError(
                f"Column '{variable.name}' was read from texts such as {text!r}, which a query cannot read: fit the "
                "model to dates, or to texts such as '2024-01-31'."
            )

    def _interval(self, variable: Variable, column: str) -> str:
        assert variable.cuts is not None
        number, missing = self._dialect.number, _code(variable.fill)
        reading = self._dialect.moments.get(variable.dtype, self._dialect.reading)
        texts = self._mark_texts(variable, column)
        if variable.reading is None:
            column = reading.format(x=column)
        elif self._dialect.matches:
            column = self._written_number(variable.reading, column)
        else:
            raise ValueError(
                f"Column '{variable.name}' was read from texts such as {example_text(variable)!r} "
                f"({variable.reading}), which {self._dialect.title} cannot read: fit the model to numbers."
            )
        marks = [f"{column} = {number(mark)}" for mark in variable.marks if not isinstance(mark, str)]
        marked = "".join(f" WHEN {is_mark} THEN {missing}" for is_mark in [*texts, *marks])
        steps = "".join(f" WHEN {column} <= {number(cut)} THEN {k}" for k, cut in enumerate(variable.cuts))
        return (
            f"CASE{marked} WHEN {column} < {number(-LARGEST)} THEN {missing}{steps} "
            f"WHEN {column} <= {number(LARGEST)} THEN {len(variable.cuts)} ELSE {missing} END"
        )

    def _written_number(self, reading: NumberFormat, column: str) -> str:
        """Return the number that a text is, as `bayleaf.data.text_values` reads it; NULL where it is none."""
        dialect, text = self._dialect, self._dialect.text
        plain = f"TRIM(TRANSLATE(CAST({column} AS TEXT), {text(SPELLED_OTHERWISE)}, {text(SPELLED)}))"
        positive, negative = (text(pattern) for pattern in reading.patterns())
        digits = dialect.found.format(
            x=plain, pattern=text(r"[0-9.,](?:[0-9., ']*[0-9.,])?(?:[eE][-+]?[0-9]+)?")
        )
        if reading.thousands:
            digits = f"REPLACE({digits}, {text(reading.thousands)}, '')"
        value = f"CAST(REPLACE({digits}, {text(reading.decimal)}, '.') AS {dialect.double})"
        is_text = dialect.is_text.format(x=column)
        return (
            f"CASE WHEN NOT ({is_text}) THEN {dialect.reading.format(x=column)} "
            f"WHEN {dialect.matches.format(x=plain, pattern=positive)} THEN {value} "
            f"WHEN {dialect.matches.format(x=plain, pattern=negative)} THEN -{value} END"
        )

    def _mark_texts(self, variable: Variable, column: str) -> list[str]:
        """Return the condition that a column has a text that marks a missing value; none where there is no such."""
        texts = ", ".join(self._dialect.literal(mark) for mark in variable.marks if isinstance(mark, str))
        return [f"CAST({column} AS TEXT) IN ({texts})"] if texts else []

    def _part(self, variable: Variable, column: str) -> str:
        assert variable.part is not None
        code = self._dialect.parts[variable.part].format(x=column)
        return code if variable.fill is None else f"COALESCE({code}, {variable.fill})"

    def _category(self, variable: Variable, column: str) -> str:
        literal = self._dialect.literal
        # A label such as (missing) is a text: among numbers there is none to compare with.
        states = variable.states if variable.dtype == "string" else variable.value_states
        unknown = None if variable.gap else variable.fill
        if variable.other is not None:
            unknown = variable.other
        known = "".join(f" WHEN {column} = {literal(state)} THEN {k}" for k, state in enumerate(states))
        missing = ""
        if unknown != variable.fill:
            missing = f" WHEN {self._is_missing(variable, column)} THEN {_code(variable.fill)}"
        return f"CASE{missing}{known} ELSE {_code(unknown)} END"

    def _is_missing(self, variable: Variable, column: str) -> str:
        is_null = " OR ".join([f"{column} IS NULL", *self._mark_texts(variable, column)])
        if variable.dtype not in ("integer", "float"):
            return is_null
        number = self._dialect.number
        return (
            f"{is_null} OR {column} > {number(LARGEST)} OR {column} < {number(-LARGEST)}"  # the first for NaN
        )


def _code(code: int | None) -> str:
    return "NULL" if code is None else str(code)


class Answer(Protocol):
    """What leads from codes to probabilities."""

    columns: Sequence[int]

    def add_steps(self, steps: QuerySteps) -> None:
        """Add the steps from codes, c0, c1, ..., to probabilities, p0, p1, ..."""


def normalise(
    steps: QuerySteps,
    scores: Sequence[str],
    outputs: Sequence[str],
    prior: NDArray[np.float64],
    nothing: tuple[str, str] | None = None,
) -> None:
    """Add the steps from logarithms to probabilities that sum to one; the prior where all are impossible.

    Scores that are NULL, in all classes then, give probabilities that are. ``nothing`` is a column, and how it
    compares where nothing is known: such rows get the prior, to the last bit, whatever their scores are.
    """
    column, comparison = nothing or ("", "")
    unknown, asked = (f"{column} {comparison} OR ", {column}) if nothing else ("", set())
    tops, parts, wholes = (f"{mark}_{scores[0]}" for mark in ("top", "part", "whole"))
    names = [f"{parts}_{c}" for c in range(len(scores))]
    steps.add([QueryColumn(tops, steps.dialect.largest(scores), frozenset(scores))])
    steps.add(
        QueryColumn(name, exponential(f"{score} - {tops}"), frozenset({score, tops}))
        for name, score in zip(names, scores, strict=True)
    )
    steps.add([QueryColumn(wholes, f"CAST({total(names)} AS {steps.dialect.double})", frozenset(names))])
    steps.add(
        QueryColumn(
            output,
            f"CASE WHEN {unknown}{tops} < {spelled(LOG_ZERO / 2)} THEN {steps.dialect.number(p)} "
            f"WHEN {tops} IS NOT NULL THEN {name} / {wholes} END",
            frozenset({tops, name, wholes, *asked}),
        )
        for output, name, p in zip(outputs, names, prior.tolist(), strict=True)
    )


def write_query(
    schema: Schema,
    classes: NDArray[Any],
    answer: Answer,
    decision: NDArray[np.float64],
    costs: NDArray[np.float64] | None,
    table: str | Sequence[str],
    dialect: Dialect,
    keep: Sequence[str],
    absent: Sequence[str],
) -> str:
    """Return the query; ``decision`` are the class frequencies by which ties are broken."""
    labels = [label.item() if isinstance(label, np.generic) else label for label in classes]
    outputs = [f"P({label_text(label)})" for label in labels]
    _check_names(schema, dialect, [*keep, "prediction", *outputs], keep)
    path = [table] if isinstance(table, str) else list(table)
    source = ".".join(map(dialect.identifier, path))
    steps = QuerySteps(dialect, f"FROM {source} AS {SOURCE}")
    writer = ColumnWriter(schema, dialect, absent)
    kept = [
        QueryColumn(f"k{number}", f"{SOURCE}.{dialect.identifier(name)}") for number, name in enumerate(keep)
    ]
    features = [schema.features[column] for column in answer.columns]
    steps.add([*kept, *(QueryColumn(f"c{j}", writer.code(variable)) for j, variable in enumerate(features))])
    answer.add_steps(steps)
    probabilities = [f"p{c}" for c in range(len(labels))]
    needed = [*(column.name for column in kept), *probabilities]
    if costs is not None:
        _add_risks(steps, probabilities, costs)
        needed += [f"r{c}" for c in range(len(labels))]
    texts = [label if isinstance(label, str | int | float) else str(label) for label in labels]
    prefix = "bayleaf_"
    while any(part.casefold().startswith(prefix) for part in path):
        prefix += "_"
    chosen = _chosen([dialect.literal(text) for text in texts], decision, dialect, by_cost=costs is not None)
    lines = [
        *(f"k{number} AS {dialect.identifier(name)}" for number, name in enumerate(keep)),
        f"{chosen} AS {dialect.identifier('prediction')}",
        *(f"{p} AS {dialect.identifier(name)}" for p, name in zip(probabilities, outputs, strict=True)),
    ]
    return steps.query(needed, prefix, ",\n  ".join(lines))


def _add_risks(steps: QuerySteps, probabilities: Sequence[str], costs: NDArray[np.float64]) -> None:
    """Add the expected cost of each decision."""
    steps.add(
        QueryColumn(
            f"r{decision}",
            total([f"{p} * {spelled(cost)}" for p, cost in zip(probabilities, column.tolist(), strict=True)]),
            frozenset(probabilities),
        )
        for decision, column in enumerate(costs.T)
    )


def _chosen(labels: Sequence[str], prior: NDArray[np.float64], dialect: Dialect, *, by_cost: bool) -> str:
    """Return the class that is decided for; ties go to the one with the larger prior, then to the first."""
    order = np.argsort(-prior.round(PRIOR_DECIMALS), kind="stable").tolist()
    if by_cost:  # see bayleaf.network.decisions.cheapest
        names = [f"r{c}" for c in range(len(labels))]
        least = f"(-{dialect.largest([f'-{name}' for name in names])})" if len(names) > 1 else names[0]
        limit = f"{least} + 1e-12 * ABS({least}) + 1e-15"
        tests = [f" WHEN {names[c]} <= {limit} THEN {labels[c]}" for c in order]
    else:
        names = [f"p{c}" for c in range(len(labels))]
        limit = f"{dialect.largest(names)} * {spelled(1.0 - EQUAL)}"
        tests = [f" WHEN {names[c]} >= {limit} THEN {labels[c]}" for c in order]
    return f"CASE{''.join(tests)} END"


def _check_names(schema: Schema, dialect: Dialect, outputs: Sequence[str], keep: Sequence[str]) -> None:
    """Refuse names that would be the same to the database."""

    def same(names: Sequence[str]) -> list[str]:
        folded = [name.casefold() if dialect.folds_case else name for name in names]
        return [name for name, fold in zip(names, folded, strict=True) if folded.count(fold) > 1]

    if double := same([variable.name for variable in schema.columns]):
        raise ValueError(
            f"The columns {listing([repr(name) for name in double])} are the same name to {dialect.title}, which "
            "does not distinguish upper and lower case: rename them and fit again."
        )
    if double := same(outputs):
        of_keep = [name for name in double if name in keep]
        raise ValueError(
            f"The result would have two columns {of_keep[0]!r}: leave it out of keep, or rename it."
            if of_keep
            else f"The classes {listing([repr(name) for name in double])} are the same name to {dialect.title}."
        )
