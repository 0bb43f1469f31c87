"""The query that scores the rows of a table: codes, log-joints or scores, probabilities, the predicted class."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.words import listing
from bayleaf.data import Schema
from bayleaf.files.table_files import label_text
from bayleaf.network.decision import EQUAL, PRIOR_DECIMALS

from .dialects import Dialect, spelled
from .sql_columns import SOURCE, ColumnWriter
from .sql_steps import LOG_ZERO, Added, Steps, exponential, total


class Answer(Protocol):
    """What leads from codes to probabilities."""

    columns: Sequence[int]

    def add_steps(self, steps: Steps) -> None:
        """Add the steps from codes, c0, c1, ..., to probabilities, p0, p1, ..."""
        ...


def normalise(
    steps: Steps, scores: Sequence[str], outputs: Sequence[str], prior: NDArray[np.float64]
) -> None:
    """Add the steps from logarithms to probabilities that sum to one; the prior where all are impossible.

    Scores that are NULL, in all classes then, give probabilities that are.
    """
    tops, parts, wholes = (f"{mark}_{scores[0]}" for mark in ("top", "part", "whole"))
    names = [f"{parts}_{c}" for c in range(len(scores))]
    steps.add([Added(tops, steps.dialect.largest(scores), frozenset(scores))])
    steps.add(
        Added(name, exponential(f"{score} - {tops}"), frozenset({score, tops}))
        for name, score in zip(names, scores, strict=True)
    )
    steps.add([Added(wholes, f"CAST({total(names)} AS {steps.dialect.double})", frozenset(names))])
    steps.add(
        Added(
            output,
            f"CASE WHEN {tops} < {spelled(LOG_ZERO / 2)} THEN {steps.dialect.number(p)} "
            f"WHEN {tops} IS NOT NULL THEN {name} / {wholes} END",
            frozenset({tops, name, wholes}),
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
    steps = Steps(dialect, f"FROM {source} AS {SOURCE}")
    writer = ColumnWriter(schema, dialect, absent)
    kept = [Added(f"k{number}", f"{SOURCE}.{dialect.identifier(name)}") for number, name in enumerate(keep)]
    features = [schema.features[column] for column in answer.columns]
    steps.add([*kept, *(Added(f"c{j}", writer.code(variable)) for j, variable in enumerate(features))])
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


def _add_risks(steps: Steps, probabilities: Sequence[str], costs: NDArray[np.float64]) -> None:
    """Add the expected cost of each decision."""
    steps.add(
        Added(
            f"r{decision}",
            total([f"{p} * {spelled(cost)}" for p, cost in zip(probabilities, column.tolist(), strict=True)]),
            frozenset(probabilities),
        )
        for decision, column in enumerate(costs.T)
    )


def _chosen(labels: Sequence[str], prior: NDArray[np.float64], dialect: Dialect, *, by_cost: bool) -> str:
    """Return the class that is decided for; of equals, the one with the larger prior, then the first."""
    order = np.argsort(-prior.round(PRIOR_DECIMALS), kind="stable").tolist()
    if by_cost:  # see bayleaf.network.decision.cheapest
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
            f"The columns {listing([repr(name) for name in double])} are one to {dialect.title}, which does not "
            "distinguish upper and lower case: rename them and fit again."
        )
    if double := same(outputs):
        of_keep = [name for name in double if name in keep]
        raise ValueError(
            f"The result would have two columns {of_keep[0]!r}: leave it out of keep, or rename it."
            if of_keep
            else f"The classes {listing([repr(name) for name in double])} are one to {dialect.title}."
        )
