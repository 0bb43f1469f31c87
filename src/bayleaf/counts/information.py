"""Entropy and mutual information of tables of counts, in nats."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from bayleaf.table import Table

from .contingency import Counts, count
from .pairs import DECIMALS, PairInformation


def entropy_of_counts(counts: Counts, axes: int | None = None) -> NDArray[np.float64]:
    """Entropy of the distribution that a table of counts describes.

    Parameters
    ----------
    counts : ndarray
    axes : int, optional
        How many of the last axes make up one table; the axes before them are separate tables. All by default.

    Examples
    --------
    >>> entropy_of_counts(np.array([2, 2])).round(4)
    np.float64(0.6931)
    """
    over = tuple(range(-(counts.ndim if axes is None else axes), 0))
    total = counts.sum(axis=over)
    sums = xlogy(counts, counts).sum(axis=over)
    known = total > 0
    safe = np.where(known, total, 1)
    result: NDArray[np.float64] = np.where(known, np.log(safe) - sums / safe, 0.0)
    return result[()]


def mutual_information_of_counts(counts: Counts) -> NDArray[np.float64]:
    """Mutual information I(A; B) of two-way tables; axes before the last two are separate tables.

    Examples
    --------
    >>> mutual_information_of_counts(np.array([[2, 0], [0, 2]])).round(4)
    np.float64(0.6931)
    """
    left = entropy_of_counts(counts.sum(axis=-1), axes=1)
    right = entropy_of_counts(counts.sum(axis=-2), axes=1)
    return np.maximum(0.0, (left + right - entropy_of_counts(counts, axes=2)).round(DECIMALS))


def class_information(
    table: Table, pairs: PairInformation | None = None, *, smoothing: float = 0.0
) -> NDArray[np.float64]:
    """I(X_i; C) for every feature of a table, in column order.

    If the pairs were counted already (with the same smoothing), and no value is missing, it follows from their
    margins. ``smoothing`` rows are spread evenly over the cells of each joint table (1 for Laplace smoothing).

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    >>> class_information(Table.from_codes((x, c), [[0, 0], [1, 1]], target=1)).round(4)
    array([0.6931])
    """
    if table.target is None:
        raise ValueError("Information about the class needs a class: this table has no target column.")
    if pairs is not None and pairs.n_features > 1 and not table.has_missing.any():
        return pairs.with_class()
    tables = count(table, [[table.target, j] for j in table.features])
    information = np.zeros(len(tables))
    # Tables of one shape go together: a loop over hundreds of small arrays would cost more than counting.
    shapes = np.array([counts.shape[1] for counts in tables])
    for arity in np.unique(shapes):
        same = np.flatnonzero(shapes == arity)
        stacked = np.stack([tables[k] for k in same])
        share = smoothing / max(stacked[0].size, 1)
        information[same] = mutual_information_of_counts(stacked + share if smoothing else stacked)
    return information
