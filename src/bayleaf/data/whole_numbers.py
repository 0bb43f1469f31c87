"""Whole numbers of few values: each value keeps a state of its own, since the next one may mean something else.

The limits were chosen on data: see ``experiments/columns/whole_numbers.py``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .packing import count_integers

MOST_VALUES = 10
FEWEST_ROWS = 30  # per value, on average
# Values that rule out most columns, spread over all rows.
_LOOK = 1000


def value_cuts(values: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Return the midpoints between the values of a column of few whole numbers, NaN for missing; else None.

    A row of weight w counts as w rows.

    Examples
    --------
    >>> value_cuts(np.repeat([1, 2, 4], 30), None)
    array([1.5, 3. ])
    >>> value_cuts(np.array([1, 2, 4]), None) is None  # too few rows to tell
    True
    """
    look = _distinct(values[:: max(1, len(values) // _LOOK)])
    if look is None or len(look) > MOST_VALUES:
        return None
    levels = _distinct(values)
    if levels is None or not 1 < len(levels) <= MOST_VALUES:
        return None
    if _known_rows(values, weights) < FEWEST_ROWS * len(levels):
        return None
    return np.asarray(levels[:-1] / 2 + levels[1:] / 2)  # halved first: a sum may be too large


def _distinct(values: NDArray[Any]) -> NDArray[Any] | None:
    """Return the different values, ascending; None if one of them is not a whole number."""
    if values.dtype.kind == "f":
        values = values[~np.isnan(values)]
        if not (values == np.floor(values)).all() or (np.abs(values) > 2**53).any():
            return None
        values = values.astype(np.int64)
    counted = count_integers(values) if len(values) > _LOOK else None  # sorting a few is faster
    if counted is not None:
        low, present = counted
        return np.flatnonzero(present) + low
    return np.unique(values)


def _known_rows(values: NDArray[Any], weights: NDArray[np.float64] | None) -> float:
    known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
    return float(known.sum() if weights is None else weights[known].sum())
