"""The long lists of numbers of a model file, as texts: what a pool has learned, and the counts of ``partial_fit``.

Tables of a pool have five decimals and are written as whole numbers of hundred thousandths, other numbers to the last
bit: every probability comes back as it was, and a loaded model goes on learning where it was saved.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.words import warn
from bayleaf.classify.base import WAYS_WITH_GAPS
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.classify.online import OnlineCounts
from bayleaf.counts.contingency import CELL_BYTES, pair_bytes
from bayleaf.counts.growing import GrowingCounts
from bayleaf.data import Variable
from bayleaf.learn.tuning.online_weights import JudgedRows, OnlineWeights
from bayleaf.network.member import KNOTS, GapCaution, Gaps
from bayleaf.pool.additive import DECIMALS, AdditiveScore, Form, Reading, Term
from bayleaf.pool.mixture import GapFallback, ScoreMixture

UNIT = 10.0**DECIMALS


def mixture_to_plain(mixture: ScoreMixture) -> dict[str, Any]:
    """Return the scores of a pool as plain data."""
    plain: dict[str, Any] = {
        "prior": mixture.prior.tolist(),
        "caution": mixture.caution,
        "scores": [_score_to_plain(score) for score in mixture.scores],
    }
    if mixture.fallback is not None:
        fallback = mixture.fallback
        plain["fallback"] = {
            **mixture_to_plain(fallback.mixture),
            "gap_caution": fallback.gap_caution.to_dict(),
            "columns": list(fallback.columns),
            "seldom": list(fallback.seldom),
            "most": fallback.most,
        }
    return plain


def mixture_from_plain(data: dict[str, Any], features: Sequence[Variable], classes: int) -> ScoreMixture:
    """Rebuild the scores of a pool over these features; what does not fit them is refused."""
    prior, caution = np.array(data["prior"], dtype=np.float64), float(data["caution"])
    if prior.shape != (classes,) or not (prior >= 0).all() or not 0 < caution <= 1:
        raise ValueError("the class frequencies of the pool are not those of its classes")
    arities = [variable.arity for variable in features]
    scores = [_score_from_plain(item, arities, classes - 1) for item in data["scores"]]
    if not scores:
        raise ValueError("the pool has no score")
    fallback = data.get("fallback")  # files of pools that had none are read as they were meant
    return ScoreMixture(
        scores,
        caution,
        prior,
        None if fallback is None else _fallback_from_plain(fallback, features, classes),
    )


def _fallback_from_plain(data: dict[str, Any], features: Sequence[Variable], classes: int) -> GapFallback:
    columns = tuple(_number(j, len(features)) for j in data["columns"])
    seldom = tuple(bool(each) for each in data["seldom"])
    if len(seldom) != len(columns):
        raise ValueError("the pool was trained on gaps of columns that it does not have")
    # Pools had no caution at first: their networks count in full while anything is known.
    without = {"usual": len(columns), "weights": [[1.0] * (len(KNOTS) - 1) + [0.0]]}
    gap_caution = GapCaution.from_dict(data.get("gap_caution", without), readings=1)
    return GapFallback(
        mixture_from_plain(data, features, classes),
        Gaps([features[j] for j in columns]),
        gap_caution,
        columns,
        tuple(features[j].arity for j in columns),
        seldom,
        int(data["most"]),
    )


def _score_to_plain(score: AdditiveScore) -> dict[str, Any]:
    return {
        "bias": score.bias.tolist(),
        "readings": [_reading_to_plain(reading) for reading in score.readings],
        "terms": [
            {
                "readings": list(term.readings),
                "table": _text(np.rint(term.table.ravel().astype(np.float64) * UNIT).astype(np.int64)),
            }
            for term in score.terms
        ],
        "forms": [
            {
                "columns": list(form.columns),
                "values": [_text(values) for values in form.values],
                "matrices": _text(form.matrices.ravel()),
            }
            for form in score.forms
        ],
    }


def _score_from_plain(data: dict[str, Any], arities: Sequence[int], scores: int) -> AdditiveScore:
    bias = np.array(data["bias"], dtype=np.float64)
    readings = tuple(_reading_from_plain(item, arities) for item in data["readings"])
    terms, forms = [], []
    for item in data["terms"]:
        own = tuple(_number(k, len(readings)) for k in item["readings"])
        cells = prod(readings[k].arity for k in own)
        table = _numbers(item["table"], cells * scores) / UNIT
        terms.append(Term(own, table.astype(np.float32).reshape(cells, scores)))
    for item in data["forms"]:
        columns = tuple(_number(j, len(arities)) for j in item["columns"])
        values = tuple(
            _numbers(text, arities[j] + 1) for j, text in zip(columns, item["values"], strict=True)
        )
        size = len(columns)
        matrices = _numbers(item["matrices"], scores * size * size).reshape(scores, size, size)
        forms.append(Form(columns, values, matrices))
    if bias.shape != (scores,) or not np.isfinite(bias).all():
        raise ValueError("the pool has scores for other classes")
    return AdditiveScore(bias, readings, tuple(terms), tuple(forms))


def _reading_to_plain(reading: Reading) -> dict[str, Any]:
    """Return the states of codes as runs: codes that follow one another are often of one state."""
    states = reading.states.astype(np.int64)
    first = np.flatnonzero(np.diff(states, prepend=-1))
    return {
        "column": reading.column,
        "states": _text(states[first]),
        "codes": _text(np.diff(first, append=len(states))),
    }


def _reading_from_plain(data: dict[str, Any], arities: Sequence[int]) -> Reading:
    column = _number(data["column"], len(arities))
    codes = _numbers(data["codes"]).astype(np.int64)
    states = np.repeat(_numbers(data["states"], len(codes)), codes)
    if len(states) != arities[column] + 1 or states.min() < 0 or states.max() >= len(states):
        raise ValueError(f"the pool reads other states of column {column + 1}")
    return Reading(column, states.astype(np.uint16))


def _text(numbers: NDArray[Any]) -> str:
    return " ".join(map(repr, numbers.tolist()))


def _numbers(text: str, count: int | None = None) -> NDArray[np.float64]:
    numbers = np.array(text.split(), dtype=np.float64)
    if (count is not None and len(numbers) != count) or not np.isfinite(numbers).all():
        raise ValueError(
            "a list of its numbers is not as long as its columns say, or not all of it is numbers"
        )
    return numbers


def _number(value: Any, below: int) -> int:
    if not isinstance(value, int) or not 0 <= value < below:
        raise ValueError(f"a table of the pool is about a column that is not there ({value!r})")
    return value


# More would make a file of more than about a hundred megabytes.
MOST_COUNTS = 4_000_000
MOST_ROWS = 1 << 62  # what 64 bits can add to


def kept_to_plain(classifier: BayesNetClassifier) -> dict[str, Any] | None:
    """Return the counts of a classifier as plain data; None, and a warning, where they are too many for a file."""
    kept: OnlineCounts = classifier._online
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
        "missing": kept.missing,
        "half_life": counts.half_life,
        "weighted": counts.weighted,
        "gaps": counts.gaps.tolist(),
        "gap_states": [variable.gap for variable in counts.variables[:-1]],
        "cells": " ".join(map(repr, cells.tolist())),
        **({} if kept.caution is None else {"caution": _caution_to_plain(kept.caution)}),
        "warned": kept.warned,
    }


def _caution_to_plain(caution: OnlineWeights) -> dict[str, Any]:
    """Return what is needed to learn on how much evidence counts."""
    judged = caution.judged
    arrays = {"weights": caution.weights, "curvature": caution.curvature, "pull": caution.pull}
    arrays |= {"by_gaps": caution.by_gaps, "sums": judged.sums, "squares": judged.squares}
    return {
        **{name: " ".join(map(repr, numbers.ravel().tolist())) for name, numbers in arrays.items()},
        "rows": judged.rows,
        "costs": judged.costs,
    }


def _caution_from_plain(data: dict[str, Any], features: int, classes: int) -> OnlineWeights:
    """Return how much evidence counts, and what remains of the rows that said so."""
    begin = OnlineWeights.begin(features)
    found = {
        name: _numbers(data[name], pattern.size).reshape(pattern.shape)
        for name, pattern in (
            ("weights", begin.weights),
            ("curvature", begin.curvature),
            ("pull", begin.pull),
            ("by_gaps", begin.by_gaps),
            ("sums", begin.judged.sums),
            ("squares", begin.judged.squares),
        )
    }
    rows, costs = data["rows"], data["costs"]
    if costs is not None:
        stated = np.array(costs, dtype=np.float64)
        if stated.shape != (classes, classes) or not np.isfinite(stated).all():
            raise ValueError("the costs of the decisions that were judged are not those of its classes")
        costs = tuple(map(tuple, stated.tolist()))
    if not _is_number(rows, int) or not 0 <= rows < MOST_ROWS or (found["weights"] < 0).any():
        raise ValueError("what it learned of rows before they were counted is impossible")
    judged = JudgedRows(rows, found.pop("sums"), found.pop("squares"), costs)
    return OnlineWeights(**found, judged=judged)


def kept_from_plain(data: dict[str, Any], classifier: BayesNetClassifier) -> OnlineCounts:
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
    missing = data["missing"]
    if missing not in WAYS_WITH_GAPS:
        raise ValueError("it does not say what becomes of missing values")
    warned, caution = data.get("warned", False), data.get("caution")
    if warned not in (True, False):
        raise ValueError("it does not say whether it has warned")
    if caution is not None:
        caution = _caution_from_plain(caution, len(features), target.arity)
    return OnlineCounts(features, counts, missing, rows_of_graph, caution, warned)


def _is_number(value: object, kind: type = object) -> bool:
    return isinstance(value, int | float) and isinstance(value, kind) and not isinstance(value, bool)


def _without_gap(variable: Variable) -> Variable:
    """Return a variable as rows of the first batch settled it: missing values have no state of their own."""
    variable = replace(variable, n_missing=None)
    return replace(variable, states=variable.states[:-1], fill=None, gap=False) if variable.gap else variable


def _filled(
    variables: tuple[Variable, ...], half_life: float | None, weighted: bool, texts: list[str]
) -> GrowingCounts:
    """Return counts of the given number of cells; whether these are enough is known before any memory is taken."""
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
