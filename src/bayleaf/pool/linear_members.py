"""The members of a pool that are linear or quadratic in the numbers: Gaussian networks, and a regression.

A Gaussian network over the numeric columns is a complete graph, so that its tables are means and covariances. The
flat start is naive Bayes tuned from zero: penalised logistic regression on categories and standardised numbers.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import ndtri

from bayleaf.learn.tuning import CellProblem, Correction, Part, follow, log_softmax, walk
from bayleaf.learn.tuning.corrections import Cells

from .grids import HUGE, FloatArray, FoldOrder, IntArray, PoolRows

# Standardised values are cut off here.
FARTHEST = 6.0
# What is added to the variances of the data, in rows of the common variances, and in shares.
IMAGINARY_ROWS = 2.0
RIDGE = 1e-6
# More columns have no covariances here, and more covariances of all classes together are not estimated.
MOST_COLUMNS = 500
MOST_COVARIANCES = 200_000


@dataclass(frozen=True)
class ClassSums:
    """Weights, sums and sums of products of the rows of each class."""

    weight: FloatArray  # [class]
    total: FloatArray  # [class, column]
    products: FloatArray  # [class, column, column]

    @classmethod
    def of(cls, X: FloatArray, rows: PoolRows, chosen: IntArray) -> "ClassSums":
        """Add up some of the rows."""
        d = X.shape[1]
        weight, total = np.zeros(rows.classes), np.zeros((rows.classes, d))
        products = np.zeros((rows.classes, d, d))
        own = rows.target[chosen]
        for c in np.unique(own):
            part = chosen[own == c]
            values = X[part]
            weighted = values if rows.weights is None else values * rows.weights[part, None]
            weight[c] = len(part) if rows.weights is None else rows.weights[part].sum()
            total[c], products[c] = weighted.sum(axis=0), weighted.T @ values
        return cls(weight, total, products)


@dataclass(frozen=True)
class Gaussian:
    """Scores of classes that are quadratic in the numbers: constant + linear x - x' quadratic x / 2.

    Attributes
    ----------
    constant : ndarray of shape (classes,)
    linear : ndarray of shape (classes, columns)
    quadratic : ndarray of shape (classes, columns, columns) or None
        None where all classes have the same, which then decides nothing.
    """

    constant: FloatArray
    linear: FloatArray
    quadratic: FloatArray | None

    @classmethod
    def of(cls, sums: ClassSums, own: bool) -> "Gaussian":
        """Estimate the Gaussian densities of the classes.

        Parameters
        ----------
        sums : ClassSums
        own : bool
            Whether every class has its own covariances, shrunk to the common ones by columns + 2 imaginary rows; or
            all have the common ones.
        """
        classes, d = sums.total.shape
        rows, seen = float(sums.weight.sum()), sums.weight > 0
        means = np.where(
            seen[:, None],
            sums.total / np.where(seen, sums.weight, 1.0)[:, None],
            sums.total.sum(axis=0) / max(rows, 1.0),
        )
        scatter = sums.products - sums.weight[:, None, None] * means[:, :, None] * means[:, None, :]
        free = max(1.0, rows - classes)
        pooled = scatter.sum(axis=0)
        common = pooled + IMAGINARY_ROWS * np.diag(np.diag(pooled) / free + RIDGE)
        size = free + IMAGINARY_ROWS
        constant, linear = np.empty(classes), np.empty((classes, d))
        quadratic = np.empty((classes, d, d)) if own else None
        for c in range(classes):
            matrix, weight = common, size
            if own:
                matrix, weight = scatter[c] + (d + 2) * common / size, float(sums.weight[c]) + d + 2
            factor = cho_factor(matrix + RIDGE * weight * np.eye(d), lower=True)
            linear[c] = weight * cho_solve(factor, means[c])
            constant[c] = -0.5 * float(linear[c] @ means[c])
            if quadratic is not None:
                quadratic[c] = weight * cho_solve(factor, np.eye(d))
                constant[c] -= float(np.log(np.diag(factor[0])).sum()) - 0.5 * d * np.log(weight)
        return cls(constant, linear, quadratic)

    def scores(self, X: FloatArray) -> FloatArray:
        """Return the scores of rows, [row, class]."""
        scores: FloatArray = self.constant + X @ self.linear.T
        if self.quadratic is not None:
            for c, matrix in enumerate(self.quadratic):
                scores[:, c] -= 0.5 * np.einsum("ij,ij->i", X @ matrix, X)
        return scores


@dataclass(frozen=True)
class GaussianNetwork:
    """A member of the pool: numbers for the codes of some columns, and the densities of the classes over them."""

    values: dict[int, FloatArray]
    density: Gaussian


def gaussian_networks(rows: PoolRows, folds: FoldOrder) -> list[tuple[GaussianNetwork, FloatArray]]:
    """Return the Gaussian networks of the numeric columns, each with the scores of rows outside their fold.

    There are four: of normal scores and of standardised values, with common and with own covariances.
    """
    columns = rows.numeric[:MOST_COLUMNS]
    if not columns:
        return []
    counts = rows.columns.counts
    found = []
    for values in (
        {j: normal_scores(counts[j][: len(rows.values[j])]) for j in columns},
        {j: standardised(rows.values[j], counts[j][: len(rows.values[j])]) for j in columns},
    ):
        X = rows.numbers(values).T
        for own in (False, True):
            if own and rows.classes * len(columns) ** 2 > MOST_COVARIANCES:
                continue
            density, scores = crossfit_gaussian(X, rows, folds, own)
            found.append((GaussianNetwork(values, density), scores))
    return found


def normal_scores(counts: FloatArray) -> FloatArray:
    """Return for each of some ordered values the normal quantile of its middle rank."""
    total = float(counts.sum())
    if total == 0:
        return np.zeros(len(counts))
    middle = (np.cumsum(counts) - counts / 2) / total
    half_a_row = 0.5 / max(total, 2.0)
    return np.asarray(ndtri(np.clip(middle, half_a_row, 1 - half_a_row)))


def standardised(values: FloatArray, counts: FloatArray) -> FloatArray:
    """Return values with mean 0 and variance 1 over the rows, cut off at 6."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest > HUGE:
        values = values / largest
    total = float(counts.sum()) or 1.0
    mean = float(counts @ values) / total
    deviation = (float(counts @ (values - mean) ** 2) / total) ** 0.5
    return np.clip((values - mean) / (deviation or 1.0), -FARTHEST, FARTHEST)


def crossfit_gaussian(
    X: FloatArray, rows: PoolRows, folds: FoldOrder, own: bool
) -> tuple[Gaussian, FloatArray]:
    """Return the densities of all rows, and the scores of each row of a fold by those of the rows outside it."""
    parts = [folds.rows(k) for k in range(len(folds))]
    sums = [ClassSums.of(X, rows, part) for part in (*parts, np.arange(folds.n_rows, rows.n_rows))]
    scores = np.empty((folds.n_rows, rows.classes))
    for k, part in enumerate(parts):
        scores[part] = Gaussian.of(sum_of(sums[:k] + sums[k + 1 :]), own).scores(X[part])
    return Gaussian.of(sum_of(sums), own), scores


def sum_of(parts: list[ClassSums]) -> ClassSums:
    """Add up the sums of several parts of the rows."""
    return ClassSums(
        np.sum([part.weight for part in parts], axis=0),
        np.sum([part.total for part in parts], axis=0),
        np.sum([part.products for part in parts], axis=0),
    )


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
    learned: Correction, prior: FloatArray, cells: dict[int, Cells], first: int, values: dict[int, FloatArray]
) -> FlatStart:
    """Sort the coefficients by column."""
    padded = np.vstack([learned.cells, np.zeros((1, len(prior)))])  # for states without a coefficient: -1
    return FlatStart(
        states={j: padded[own] for j, own in cells.items()},
        numbers={j: (own, learned.cells[first + k]) for k, (j, own) in enumerate(values.items())},
        bias=learned.scale * prior + learned.bias,
    )
