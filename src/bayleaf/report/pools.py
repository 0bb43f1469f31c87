"""A pool as the page needs it: what each feature says on the whole, and row by row why a class was predicted.

A pool has no graph that one could draw, and too many numbers to ask it from a page. So its rows are explained when
the page is written.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.data.columns import check_rows, take_rows
from bayleaf.data.raw_numbers import raw_numbers
from bayleaf.explain.evidence import Explanation
from bayleaf.pool import NetworkPool

from .networks import Known, node_data
from .rows import Examples
from .text import shorten

# A page carries so many rows with their reasons, and so many reasons in all.
MOST_ROWS = 100
MOST_REASONS = 20_000


def pool_data(
    pool: NetworkPool,
    known: Known,
    X: Any,
    examples: Examples | None,
    numbers: Sequence[int] | None,
) -> dict[str, Any]:
    """Return a pool as plain data: its columns, how large the evidence of each is, and rows with their reasons.

    Parameters
    ----------
    pool : NetworkPool
    known : Known
        What else is known of the columns.
    X : DataFrame or array, optional
    examples : Examples, optional
        What is known of the rows of X.
    numbers : sequence of int, optional
        By which readers know the rows of X: 1, 2, ... by default.
    """
    schema = pool.schema_
    variables = [*(schema.features[j] for j in schema.used), schema.variables[-1]]
    nodes = [{**node_data(variable, known), "cuts": None, "cutTexts": None} for variable in variables]
    labels = [
        dict(zip(map(str, variable.states), node["states"], strict=True))
        for variable, node in zip(variables, nodes, strict=True)
    ]
    for node in nodes[:-1]:
        node["states"] = []  # those that the rows shown have
    rows = [] if examples is None else _explained(pool, X, examples, numbers, nodes, labels)
    return {
        "target": len(nodes) - 1,
        "nodes": nodes,
        "parents": [[] for _ in nodes],
        "arcs": [],
        "parameters": pool.n_parameters_,
        "pool": {
            "evidence": pool.mean_evidence_[schema.used].tolist(),
            "columns": [
                [shorten(text) for text in (line.column, line.read_as, line.states, line.gaps, line.note)]
                for line in schema.lines()
            ],
            "rows": rows,
        },
    }


def _explained(
    pool: NetworkPool,
    X: Any,
    examples: Examples,
    numbers: Sequence[int] | None,
    nodes: list[dict[str, Any]],
    labels: list[dict[str, str]],
) -> list[dict[str, Any]]:
    """Explain some rows; the values that they have become states of the nodes."""
    chosen = examples.chosen(min(MOST_ROWS, MOST_REASONS // len(nodes) + 1))
    given = chosen if examples.positions is None else examples.positions[chosen]
    if not len(given):
        return []
    shown = take_rows(X, given)
    found, probabilities = pool.explain(shown), pool.predict_proba(shown)
    measured = raw_numbers(pool.schema_, check_rows(shown))
    used, classes = pool.schema_.used, pool.classes_.tolist()
    rows = []
    for k, position in enumerate(chosen.tolist()):
        row = int(given[k])
        explained = {
            "row": row + 1 if numbers is None else int(numbers[row]),
            "probabilities": probabilities[k].tolist(),
            "first": classes.index(_plain(found.target[k])),
            "second": classes.index(_plain(found.against[k])),
            "prior": float(found.prior[k]),
            "total": float(found.log_odds[k]),
            "terms": _terms(found, k, used, nodes, labels, measured),
            "truth": None,
        }
        if examples.outcome is not None:
            explained["truth"] = shorten(examples.outcome.labels[examples.outcome.truth[position]])
        rows.append(explained)
    return rows


def _terms(
    found: Explanation,
    k: int,
    used: Sequence[int],
    nodes: list[dict[str, Any]],
    labels: list[dict[str, str]],
    measured: dict[str, NDArray[np.float64]],
) -> list[list[Any]]:
    """Return node, state, weight and the number measured (or None) of the features of a row that say something."""
    terms: list[list[Any]] = []
    for i, feature in enumerate(used):
        weight = float(found.evidence[k, feature])
        if weight:
            value, states = str(found.values[k][feature]), nodes[i]["states"]
            label = labels[i].get(value, shorten(value))
            if label not in states:
                states.append(label)
            numbers = measured.get(found.features[feature])
            number = None if numbers is None or np.isnan(numbers[k]) else float(f"{numbers[k]:.10g}")
            terms.append([i, states.index(label), weight, number])
    return terms


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
