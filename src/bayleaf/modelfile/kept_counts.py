"""The counts of ``partial_fit`` in a model file: a loaded model goes on learning where it was saved."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.warning import warn
from bayleaf.counts.growing import GrowingCounts
from bayleaf.counts.pairs import CELL_BYTES, pair_bytes
from bayleaf.data import Variable
from bayleaf.estimator import BayesNetClassifier
from bayleaf.online import Kept

# More would make a file of more than about a hundred megabytes.
MOST_COUNTS = 4_000_000
MOST_ROWS = 1 << 62  # what 64 bits can add to


def kept_to_plain(classifier: BayesNetClassifier) -> dict[str, Any] | None:
    """Return the counts of a classifier as plain data; None, and a warning, where they are too many for a file.

    Examples
    --------
    >>> clf = BayesNetClassifier().partial_fit([["a"], ["b"], ["a"]], [0, 1, 1], classes=[0, 1])
    >>> kept_to_plain(clf)["cells"]  # of the classes, and of the feature, whose last state are gaps
    '1 2 1 0 0 1 1 0'
    """
    kept: Kept = classifier._kept
    counts = kept.counts
    cells = np.concatenate([counts.classes, *(each.ravel() for each in counts.by_class), counts.pairs.cells])
    if len(cells) > MOST_COUNTS:
        warn(
            f"A model file holds at most {MOST_COUNTS:,} counts, and partial_fit has kept {len(cells):,}: the loaded "
            "model predicts the same, but partial_fit would start anew. Pickle it to go on."
        )
        return None
    return {
        "rows": counts.rows,
        "rows_of_graph": kept.rows_of_graph,
        "half_life": counts.half_life,
        "weighted": counts.weighted,
        "gaps": counts.gaps.tolist(),
        "gap_states": [variable.gap for variable in counts.variables[:-1]],
        "cells": " ".join(map(repr, cells.tolist())),
    }


def kept_from_plain(data: dict[str, Any], classifier: BayesNetClassifier) -> Kept:
    """Return what `partial_fit` of a classifier goes on from, restored to the last bit."""
    features = tuple(_without_gap(variable) for variable in classifier.schema_.features)
    target = classifier.schema_.target
    assert target is not None
    half_life, weighted = data["half_life"], data["weighted"]
    if half_life is not None and not (_is_number(half_life) and 0 < half_life < MOST_ROWS):
        raise ValueError("the half-life of its counts is not a number of rows")
    if weighted not in (True, False) or (half_life is not None and not weighted):
        raise ValueError("it does not say whether its counts are sums of weights")
    gap_states = data["gap_states"]
    if not isinstance(gap_states, list) or any(gap not in (True, False) for gap in gap_states):
        raise ValueError("it does not say which missing values were counted")
    stored = [
        variable.with_gap() if gap else variable for variable, gap in zip(features, gap_states, strict=True)
    ]
    counts = _filled((*stored, target), half_life, weighted, data["cells"].split())
    rows, rows_of_graph = data["rows"], data["rows_of_graph"]
    numbers = _is_number(rows, int) and _is_number(rows_of_graph, int) and rows < MOST_ROWS
    if not numbers or not 0 < rows_of_graph <= rows:
        raise ValueError("its counts are of an impossible number of rows")
    gaps = data["gaps"]
    if len(gaps) != len(stored) + 1 or not all(_is_number(gap, int) and 0 <= gap <= rows for gap in gaps):
        raise ValueError("its numbers of missing values are impossible")
    if not weighted and counts.classes.sum() > rows:
        raise ValueError("its classes have more rows than were counted")
    counts.rows, counts.gaps = rows, np.array(gaps, dtype=np.int64)
    return Kept(features, counts, rows_of_graph)


def _is_number(value: object, kind: type = object) -> bool:
    return isinstance(value, int | float) and isinstance(value, kind) and not isinstance(value, bool)


def _without_gap(variable: Variable) -> Variable:
    """Return a variable as rows of the first batch settled it: missing values have no state of their own."""
    variable = replace(variable, n_missing=None)
    return replace(variable, states=variable.states[:-1], fill=None, gap=False) if variable.gap else variable


def _filled(
    variables: tuple[Variable, ...], half_life: float | None, weighted: bool, texts: list[str]
) -> GrowingCounts:
    """Return counts of so many cells; whether these are enough is known before any memory is taken."""
    classes = variables[-1].arity
    sizes = [classes, *(classes * variable.arity for variable in variables[:-1])]
    pairs = pair_bytes(variables, len(variables) - 1) // CELL_BYTES
    if len(texts) != sum(sizes) + pairs:
        raise ValueError("its counts are not those of its columns")
    cells: NDArray[Any] = np.array(texts, dtype=np.float64 if weighted else np.int64)
    if not (np.isfinite(cells).all() and (cells >= 0).all()):
        raise ValueError("some of its counts are negative or no numbers")
    counts = GrowingCounts(variables, half_life)
    if weighted and not counts.weighted:
        counts.take_weights()
    counts.classes, *by_class, counts.pairs.cells = np.split(cells, np.cumsum(sizes))
    counts.by_class = [
        each.reshape(classes, variable.arity) for each, variable in zip(by_class, variables[:-1], strict=True)
    ]
    slack = 1.0 + 1e-6  # sums of weights are rounded
    if any((each.sum(axis=1) > slack * counts.classes).any() for each in counts.by_class):
        raise ValueError("some of its counts are above those of their class")
    return counts
