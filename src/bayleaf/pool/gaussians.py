"""Gaussian networks over the numeric columns: a complete graph, so that its tables are means and covariances."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.special import ndtri

from .grids import FloatArray, IntArray
from .networks import FoldOrder, PoolRows

# Standardised values are cut off here.
FARTHEST = 6.0
# What is added to the variances of the data, in rows of the common variances, and in shares.
IMAGINARY_ROWS = 2.0
RIDGE = 1e-6


def normal_scores(counts: FloatArray) -> FloatArray:
    """Return for each of some ordered values the normal quantile of its middle rank.

    Examples
    --------
    >>> normal_scores(np.array([1.0, 1.0, 1.0])).round(3)
    array([-0.967,  0.   ,  0.967])
    """
    total = counts.sum()
    if total == 0:
        return np.zeros(len(counts))
    middle = (np.cumsum(counts) - counts / 2) / total
    return np.asarray(ndtri(np.clip(middle, 0.5 / total, 1 - 0.5 / total)))


def standardised(values: FloatArray, counts: FloatArray) -> FloatArray:
    """Return values with mean 0 and variance 1 over the rows, cut off at 6.

    Examples
    --------
    >>> standardised(np.array([1.0, 3.0]), np.array([1.0, 1.0]))
    array([-1.,  1.])
    """
    total = max(float(counts.sum()), 1.0)
    mean = float(counts @ values) / total
    deviation = (float(counts @ (values - mean) ** 2) / total) ** 0.5
    return np.clip((values - mean) / (deviation or 1.0), -FARTHEST, FARTHEST)


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

    def __add__(self, other: "ClassSums") -> "ClassSums":
        return ClassSums(
            self.weight + other.weight, self.total + other.total, self.products + other.products
        )


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


def crossfit_gaussian(
    X: FloatArray, rows: PoolRows, folds: FoldOrder, own: bool
) -> tuple[Gaussian, FloatArray]:
    """Return the densities of all rows, and the scores of each row by those of the rows outside its fold."""
    parts = [folds.order[start:stop] for start, stop in zip(folds.starts, folds.starts[1:], strict=False)]
    sums = [ClassSums.of(X, rows, part) for part in parts]
    scores = np.empty((rows.n_rows, rows.classes))
    for k, part in enumerate(parts):
        others = [each for number, each in enumerate(sums) if number != k]
        scores[part] = Gaussian.of(_sum(others), own).scores(X[part])
    return Gaussian.of(_sum(sums), own), scores


def _sum(parts: list[ClassSums]) -> ClassSums:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
