"""Families of two and three columns, chosen by what held-out probabilities still get wrong."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from bayleaf._native import _core
from bayleaf._util.params import thread_count

from .grids import FloatArray, Grid, GridCodes
from .networks import FoldOrder, PoolRows

Columns = tuple[int, ...]
# Intervals of the columns of such families, and the most states of a column of categories.
PARTS = 8
MOST_CATEGORIES = 24
# What is added to the variance of a cell before it may gain.
GAIN_PENALTY = 10.0


def residual_gains(
    rows: PoolRows,
    grid: Grid,
    codes: GridCodes,
    probabilities: FloatArray,
    folds: FoldOrder,
    sets: Sequence[Columns],
) -> FloatArray:
    """Return what a table over each set of columns could gain: on the rows outside each fold, then on all rows.

    With held-out probabilities p, residuals g = 1[y = c] - p and variances h = p (1 - p), it is the sum over cells and
    classes of (sum g)^2 / (2 (sum h + 10)).
    """
    residuals = -probabilities
    residuals[np.arange(rows.n_rows), rows.target] += 1.0
    variances = probabilities * (1.0 - probabilities)
    if rows.weights is not None:
        residuals, variances = residuals * rows.weights[:, None], variances * rows.weights[:, None]
    if rows.classes == 2:  # the other class says the same
        residuals, variances = residuals[:, 1:], variances[:, 1:]
    gains = np.empty((len(folds) + 1, len(sets)))
    _core.set_gains(
        codes,
        grid.arities,
        np.array([column for each in sets for column in each], dtype=np.int64),
        np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64),
        folds.fold,
        len(folds),
        np.ascontiguousarray(residuals, dtype=np.float32),
        np.ascontiguousarray(variances, dtype=np.float32),
        GAIN_PENALTY,
        gains,
        thread_count(rows.n_jobs),
    )
    return gains


def best_sets(
    rows: PoolRows,
    grid: Grid,
    codes: GridCodes,
    probabilities: FloatArray,
    folds: FoldOrder,
    size: int,
    most: int,
) -> list[list[Columns]]:
    """Return the sets of columns that gain most, for the rows outside each fold and for all rows.

    Sets of three are grown from the best pairs.
    """
    candidates: list[Columns] = list(combinations(range(rows.n_columns), 2))
    if not candidates:
        return [[] for _ in range(len(folds) + 1)]
    gains = residual_gains(rows, grid, codes, probabilities, folds, candidates)
    chosen = [_largest(candidates, gain, most) for gain in gains]
    for _ in range(2, size):
        grown = [sorted({tuple(sorted({*each, j})) for each in sets for j in range(rows.n_columns) if j not in each}) for sets in chosen]
        candidates = sorted(set().union(*grown))
        if not candidates:
            return [[] for _ in chosen]
        gains = residual_gains(rows, grid, codes, probabilities, folds, candidates)
        place = {each: number for number, each in enumerate(candidates)}
        chosen = [
            _largest(own, gain[[place[each] for each in own]], most) for own, gain in zip(grown, gains, strict=True)
        ]
    return chosen


def _largest(sets: Sequence[Columns], gains: FloatArray, most: int) -> list[Columns]:
    return [sets[k] for k in np.argsort(-gains, kind="stable")[:most]]
