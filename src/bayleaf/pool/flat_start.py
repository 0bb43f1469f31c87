"""Naive Bayes tuned from a flat start: penalised logistic regression on categories and standardised numbers."""

from dataclasses import dataclass

import numpy as np

from bayleaf.learn.tuning import CellProblem, Correction, Part, follow, log_softmax, walk
from bayleaf.learn.tuning.corrections import Cells

from .gaussians import standardised
from .grids import FloatArray, FoldOrder, PoolRows

# How strongly coefficients are drawn to zero, from strong to weak, and how strongly the bias is.
STRENGTHS = (300.0, 30.0, 3.0, 0.3)
BIAS_PULL = 1e-3
MAX_ITER = 30
MOST_ROWS = 10_000
# A category with fewer rows has no coefficient, and no column has more of them.
LEAST_ROWS = 2
MOST_CATEGORIES = 200


@dataclass(frozen=True)
class FlatStart:
    """Scores that are linear in states and numbers.

    Attributes
    ----------
    states : dict
        By column, the coefficients of each fine code and of a missing value, [code, class].
    numbers : dict
        By column, the numbers of the fine codes and their coefficients, [class].
    bias : ndarray of shape (classes,)
    """

    states: dict[int, FloatArray]
    numbers: dict[int, tuple[FloatArray, FloatArray]]
    bias: FloatArray


def crossfit_flat_start(rows: PoolRows, folds: FoldOrder) -> tuple[FlatStart, FloatArray]:
    """Learn coefficients from the first rows, and score each row by coefficients of rows outside its fold.

    The penalty is the one with the lowest log-loss outside the folds. Rows after the first 10,000 teach nothing that
    these have not taught, and are scored by them.
    """
    cells, first = _cell_numbers(rows)
    counts = rows.columns.counts
    values = {j: standardised(rows.values[j], counts[j][: len(rows.values[j])]) for j in rows.numeric}
    weights = rows.class_weights
    prior = np.log((weights + 1) / (weights.sum() + rows.classes))
    problem = CellProblem(
        base=np.tile(prior, (folds.n_rows, 1)),
        cells=np.stack([np.take(own, rows.fine[: folds.n_rows, j], mode="clip") for j, own in cells.items()])
        if cells
        else np.empty((0, folds.n_rows), dtype=np.int32),
        target=rows.target[: folds.n_rows],
        weights=None if rows.weights is None else rows.weights[: folds.n_rows],
        n_jobs=rows.n_jobs,
        doubt=rows.doubt,
        numbers=np.ascontiguousarray(rows.numbers(values)[:, : folds.n_rows]),
    )
    teaching = np.arange(folds.n_rows) < MOST_ROWS
    sample, fold = problem.take(teaching) if not teaching.all() else problem, folds.fold[teaching]
    relative = np.ones(first + len(values))
    parts = [Part.of(sample, fold == k, relative, pull=BIAS_PULL) for k in range(len(folds))]
    found = walk(parts, sample.target, sample.weights, strengths=STRENGTHS, max_iter=MAX_ITER)
    whole = Part.of(sample, np.zeros(len(fold), dtype=bool), relative, pull=BIAS_PULL)
    learned = follow(whole, found.strengths, MAX_ITER)
    scores = log_softmax(problem.scores(learned))
    scores[teaching] = found.scores
    return _flat_start(learned, prior, cells, first, values), scores


def _cell_numbers(rows: PoolRows) -> tuple[dict[int, Cells], int]:
    """Return a number for each state that has a coefficient, through all columns; -1 for the others."""
    numbers: dict[int, Cells] = {}
    first = 0
    for j, (counts, intervals) in enumerate(zip(rows.columns.counts, rows.columns.intervals, strict=True)):
        weights = np.concatenate([np.zeros(intervals), counts[intervals:], [0.0]])
        ranked = np.argsort(-weights, kind="stable")[:MOST_CATEGORIES]
        chosen = np.sort(ranked[weights[ranked] >= LEAST_ROWS])
        if len(chosen):
            numbers[j] = np.full(len(weights), -1, dtype=np.int32)
            numbers[j][chosen] = first + np.arange(len(chosen))
            first += len(chosen)
    return numbers, first


def _flat_start(
    learned: Correction,
    prior: FloatArray,
    cells: dict[int, Cells],
    first: int,
    values: dict[int, FloatArray],
) -> FlatStart:
    """Sort the coefficients by column."""
    padded = np.vstack([learned.cells, np.zeros((1, len(prior)))])  # for states without a coefficient: -1
    return FlatStart(
        states={j: padded[own] for j, own in cells.items()},
        numbers={j: (own, learned.cells[first + k]) for k, (j, own) in enumerate(values.items())},
        bias=learned.scale * prior + learned.bias,
    )
