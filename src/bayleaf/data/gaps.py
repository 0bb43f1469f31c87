"""Gaps that speak: a missing value has a state of its own where that it is missing tells about the class."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from .discretize.rows import TrainingRows
from .variable import Variable

# What learning a schema does about missing values; rows that are dropped for theirs do not come here.
Gaps = Literal["auto", "available", "state", "impute"]
MOST_STATES = 65535


def gap_tells(absent: NDArray[np.bool_], rows: TrainingRows) -> bool:
    """Tell whether gaps in a column say something about the class: 2 N I(gap; C) > (r - 1) ln N, as BIC asks.

    N is the weight of all rows, r the number of classes.

    Examples
    --------
    >>> rows = TrainingRows(np.repeat([0, 1], 50))
    >>> gap_tells(np.arange(100) < 10, rows), gap_tells(np.arange(100) % 10 == 0, rows)
    (True, False)
    """
    assert rows.target is not None
    totals, weights = rows.class_weights, rows.weights
    gaps = np.bincount(
        rows.target[absent], None if weights is None else weights[absent], minlength=len(totals)
    )
    return gap_counts_tell(gaps, totals)


def gap_counts_tell(gaps: NDArray[Any], totals: NDArray[Any]) -> bool:
    """Tell the same from the rows of each class that have a gap, and from all its rows.

    Examples
    --------
    >>> gap_counts_tell(np.array([10.0, 0.0]), np.array([50.0, 50.0]))
    True
    """
    counts = np.stack([gaps, totals - gaps])
    share = counts.sum(axis=1, keepdims=True) / totals.sum()
    expected = share * totals
    information = xlogy(counts, np.divide(counts, expected, where=expected > 0, out=np.ones_like(expected)))
    classes = np.count_nonzero(totals)
    return bool(2 * information.sum() > (classes - 1) * np.log(totals.sum()))


def settle_gaps(
    variable: Variable, codes: NDArray[np.integer[Any]], gaps: Gaps, rows: TrainingRows
) -> tuple[Variable, NDArray[np.integer[Any]]]:
    """Give the gaps of a column a state of their own if that is asked for, or if they tell about the class.

    Parameters
    ----------
    variable : Variable
        With the number of its missing values.
    codes : ndarray of int
        Of a signed type with -1 for missing, or of an unsigned one with its greatest number.
    gaps : str
    rows : TrainingRows

    Examples
    --------
    >>> rows = TrainingRows(np.array([0, 0, 0, 1, 1, 1]))
    >>> x = Variable("x", ("a", "b"), n_missing=2)
    >>> variable, codes = settle_gaps(x, np.array([0, 1, 0, -1, -1, 0]), "auto", rows)
    >>> variable.states, codes.tolist()
    (('a', 'b', '(missing)'), [0, 1, 0, 2, 2, 0])
    """
    if gaps not in ("auto", "state") or not variable.n_missing or variable.arity == MOST_STATES:
        return variable, codes
    kind = codes.dtype
    absent = codes == (np.iinfo(kind).max if kind.kind == "u" else -1)
    if gaps == "auto" and not gap_tells(absent, rows):
        return variable, codes
    with_gap = variable.with_gap()
    return with_gap, np.where(absent, with_gap.arity - 1, codes.astype(np.int32, copy=False))
