"""What a pool has learned, as plain data: readings of columns, tables and quadratic forms.

Tables have five decimals and are written as whole numbers of hundred thousandths, others to the last bit; so every
probability comes back as it was.
"""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Variable
from bayleaf.pool.additive import AdditiveScore, Form, Reading, Term
from bayleaf.pool.collapse import DECIMALS
from bayleaf.pool.mixture import Mixture, Spare

UNIT = 10.0**DECIMALS


def mixture_to_plain(mixture: Mixture) -> dict[str, Any]:
    """Return the scores of a pool as plain data."""
    plain: dict[str, Any] = {
        "prior": mixture.prior.tolist(),
        "caution": mixture.caution,
        "scores": [_score_to_plain(score) for score in mixture.scores],
    }
    if mixture.spare is not None:
        spare = mixture.spare
        plain["spare"] = {
            **mixture_to_plain(spare.mixture),
            "columns": list(spare.columns),
            "seldom": list(spare.seldom),
            "most": spare.most,
        }
    return plain


def mixture_from_plain(data: dict[str, Any], features: Sequence[Variable], classes: int) -> Mixture:
    """Rebuild the scores of a pool over these features; what does not fit them is refused."""
    prior, caution = np.array(data["prior"], dtype=np.float64), float(data["caution"])
    if prior.shape != (classes,) or not (prior >= 0).all() or not 0 < caution <= 1:
        raise ValueError("the class frequencies of the pool are not those of its classes")
    arities = [variable.arity for variable in features]
    scores = [_score_from_plain(item, arities, classes - 1) for item in data["scores"]]
    if not scores:
        raise ValueError("the pool has no score")
    spare = data.get("spare")  # files of pools that had none are read as they were meant
    return Mixture(
        scores, caution, prior, None if spare is None else _spare_from_plain(spare, features, classes)
    )


def _spare_from_plain(data: dict[str, Any], features: Sequence[Variable], classes: int) -> Spare:
    columns = tuple(_number(j, len(features)) for j in data["columns"])
    seldom = tuple(bool(each) for each in data["seldom"])
    if len(seldom) != len(columns):
        raise ValueError("the pool foresees gaps of other columns than it has")
    arities = tuple(features[j].arity for j in columns)
    return Spare(mixture_from_plain(data, features, classes), columns, arities, seldom, int(data["most"]))


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
            "a table of the pool is not as large as its columns say, or not all of it is numbers"
        )
    return numbers


def _number(value: Any, below: int) -> int:
    if not isinstance(value, int) or not 0 <= value < below:
        raise ValueError(f"a table of the pool is about a column that is not there ({value!r})")
    return value
