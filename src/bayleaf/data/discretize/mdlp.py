"""Entropy-based discretisation with the minimum description length stop of Fayyad and Irani."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import declared, whole

from .discretizer import Discretizer, FloatArray, IntArray, TrainingRows, as_kernel_numbers

# Whole numbers are counted where their table (values times classes) has no more cells than rows, or than this.
_FEW_CELLS = 4096
# Beyond, not every whole number is a float.
_EXACT = 2**53


class MDLP(Discretizer):
    r"""Recursive minimal entropy partitioning with the minimum description length stopping rule.

    The cut T of the rows S that leaves the least class entropy

        E(T; S) = |S_1| / N * Ent(S_1) + |S_2| / N * Ent(S_2)

    is accepted where it shortens the description of the classes, that is where

        Ent(S) - E(T; S) > log2(N - 1) / N + Delta(T; S) / N,
        Delta(T; S) = log2(3^k - 2) - [k Ent(S) - k_1 Ent(S_1) - k_2 Ent(S_2)],

    with N the number of rows and k, k_1, k_2 the numbers of classes in S, S_1, S_2.
    Both sides are then cut in the same way. Cuts are midpoints between adjacent distinct values. A column
    without an accepted cut becomes constant.

    Parameters
    ----------
    max_bins : int, optional
        Upper limit on the bins of a column. The cuts that shorten the description most are made first, so the
        limit keeps these. None lets the stopping rule decide alone.

    Notes
    -----
    A row of weight w counts as w rows, in the entropies and in N, so multiplying all weights by a constant
    does change the result.

    Differs from the paper: ties between cuts, which the paper leaves open, go to the lower cut; ``max_bins``;
    :math:`\log_2(N - 1)` is taken as 0 where fractional weights make N less than 2.

    References
    ----------
    U. M. Fayyad and K. B. Irani. Multi-interval discretization of continuous-valued attributes for
    classification learning. International Joint Conference on Artificial Intelligence, pages 1022-1027, 1993.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> mdlp = MDLP().fit(X[:, 2:], y)
    >>> mdlp.cuts_
    [array([2.45, 4.75]), array([0.8 , 1.75])]
    >>> mdlp.transform([[1.4, 0.2], [4.75, np.nan]])
    array([[ 0.,  0.],
           [ 1., nan]])
    """

    settings = declared(max_bins=whole(low=2, or_none=True))

    def __init__(self, max_bins: int | None = None) -> None:
        self.max_bins = max_bins

    def cut_points(
        self,
        values: FloatArray,
        target: IntArray | None = None,
        weights: FloatArray | None = None,
        name: str | int | None = None,
    ) -> FloatArray:
        """Return the cuts of one column without missing values, given class codes and weights."""
        if target is None:
            raise ValueError("MDLP needs the class of every row. Got target=None; Quantiles works without.")
        if weights is not None and not (weights > 0).all():
            present = weights > 0
            values, target, weights = values[present], target[present], weights[present]
        return self._cuts(values, TrainingRows(target, weights))

    def column_cuts(
        self, values: NDArray[Any], rows: TrainingRows, name: str | int | None = None
    ) -> FloatArray:
        """Return the cuts of a column as it stands in a table; NaN means missing."""
        if type(self).cut_points is not MDLP.cut_points or rows.target is None:
            return super().column_cuts(values, rows, name)
        return self._cuts(values, rows)

    def _cuts(self, values: NDArray[Any], rows: TrainingRows) -> FloatArray:
        self.check_params()
        values = as_kernel_numbers(values)
        if rows.classes.n_classes < 2 or len(values) < 2:
            return np.empty(0)
        counted = _count_values(values, rows)
        if counted is not None:
            return np.array(_core.mdlp_counted(*counted, self.max_bins))
        weights = None
        if rows.weights is None:
            ordered, counts = _sorted_by_class(values, rows)
        else:
            ordered, weights, counts = _sorted_with_weights(values, rows)
        return np.array(_core.mdlp_sorted(ordered, weights, rows.classes.starts, counts, self.max_bins))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _count_values(values: NDArray[Any], rows: TrainingRows) -> tuple[int, IntArray] | None:
    """Return the lowest value and the rows of each value from it on and class, where a table of them is small."""
    if values.dtype.kind == "f" or rows.weights is not None:
        return None
    lowest, highest = _core.value_range(values)
    cells = (highest - lowest + 1) * rows.classes.n_classes
    if cells > max(len(values), _FEW_CELLS) or lowest < -_EXACT or highest > _EXACT:
        return None
    counts = np.zeros((highest - lowest + 1, rows.classes.n_classes), dtype=np.int64)
    _core.count_by_class(values, rows.classes.codes, lowest, counts)
    return lowest, counts


def _sorted_by_class(values: NDArray[Any], rows: TrainingRows) -> tuple[FloatArray, IntArray]:
    """Return the known values of each class apart, in order, and how many there are of each."""
    ordered, spare = rows.sorting_space()
    counts = np.empty(rows.classes.n_classes, dtype=np.int64)
    _core.sort_by_class(values, rows.classes.codes, rows.classes.starts, ordered, spare, counts)
    return ordered.view(np.float64), counts


def _sorted_with_weights(values: NDArray[Any], rows: TrainingRows) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the same with the weights of the rows, in the order of the values."""
    assert rows.weights is not None
    by_class = np.argsort(rows.classes.codes, kind="stable")
    ordered, weights = values[by_class].astype(np.float64), rows.weights[by_class]
    counts = np.empty(rows.classes.n_classes, dtype=np.int64)
    ends = np.append(rows.classes.starts[1:], len(values)).tolist()
    for c, (start, end) in enumerate(zip(rows.classes.starts.tolist(), ends, strict=True)):
        order = np.argsort(ordered[start:end])  # NaN goes to the end
        ordered[start:end] = ordered[start:end][order]
        weights[start:end] = weights[start:end][order]
        counts[c] = end - start - np.count_nonzero(np.isnan(ordered[start:end]))
    return ordered, weights, counts
