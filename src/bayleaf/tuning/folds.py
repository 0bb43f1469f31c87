"""Rows dealt out to folds, and the loss of rows that were held out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf.data import Table

FloatArray = NDArray[np.float64]
Target = NDArray[np.int32]


def class_codes(table: Table) -> Target:
    """Return the class of every row, for kernels.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> class_codes(Table.from_codes((Variable("class", ("no", "yes")),), [[1], [0]], target=0))
    array([1, 0], dtype=int32)
    """
    return np.ascontiguousarray(table.codes[:, table.target], dtype=np.int32)


def order_of_content(table: Table, seed: int = 0) -> NDArray[np.int64]:
    """Return the rows of a table in an order that depends on what they say, not on where they stand.

    Classes come one after the other, and within them rows as if shuffled, equal ones together. Another order of the
    table's rows or columns gives the same sequence of rows.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> codes = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 0]])
    >>> table = Table.from_codes(variables, codes, target=2)
    >>> moved = Table.from_codes(variables, codes[::-1], target=2)
    >>> bool((table.codes[order_of_content(table)] == moved.codes[order_of_content(moved)]).all())
    True
    """
    key = np.zeros(table.n_rows, dtype=np.uint64)
    for column in table.features:
        variable = table.variables[column]
        if variable.arity == 1:  # says nothing, and must not matter
            continue
        numbers = np.random.default_rng([seed, *variable.name.encode()]).integers(
            2**64, size=variable.arity + 1, dtype=np.uint64
        )
        key += numbers[np.minimum(table.codes[:, column], variable.arity)]
    weights = np.zeros(table.n_rows) if table.weights is None else table.weights
    return np.lexsort((weights, key, table.codes[:, table.target]))


def stratified_folds(target: NDArray[np.integer[Any]], folds: int, seed: int = 0) -> NDArray[np.uint8]:
    """Deal the rows of each class out to folds, one after the other, and return the fold of every row.

    Folds differ by at most one row, and so do the rows that they have of a class.

    Examples
    --------
    >>> folds = stratified_folds(np.array([0, 0, 0, 1, 1, 1]), 3)
    >>> sorted(folds[:3].tolist()), sorted(folds[3:].tolist())
    ([0, 1, 2], [0, 1, 2])
    """
    shuffled = np.random.default_rng(seed).permutation(len(target))
    by_class = shuffled[np.argsort(target[shuffled], kind="stable")]
    fold = np.empty(len(target), dtype=np.uint8)
    fold[by_class] = np.arange(len(target)) % folds
    return fold


def log_softmax(scores: FloatArray) -> FloatArray:
    """Return the logarithms of the probabilities that scores [row, class] stand for.

    Examples
    --------
    >>> np.exp(log_softmax(np.log([[1.0, 3.0]])))
    array([[0.25, 0.75]])
    """
    normalised: FloatArray = scores - logsumexp(scores, axis=-1, keepdims=True)
    return normalised


def held_out_loss(
    scores: FloatArray, target: Target, weights: FloatArray | None = None, doubt: FloatArray | None = None
) -> float:
    """Return the mean log-loss of scores [row, class].

    Parameters
    ----------
    scores : array of shape (rows, classes)
    target : int32 array of shape (rows,)
    weights : array of shape (rows,), optional
    doubt : array of shape (classes,), optional
        As much as this says a row counts for each class, and with the rest for its own: see `doubt_about`.

    Examples
    --------
    >>> round(held_out_loss(np.zeros((3, 2)), np.array([0, 1, 1], dtype=np.int32)), 4)
    0.6931
    """
    logarithms = log_softmax(scores)
    said = logarithms[np.arange(len(target)), target]
    if doubt is not None:
        said = (1 - doubt.sum()) * said + logarithms @ doubt
    return -float(np.average(said, weights=weights))


def doubt_about(target: Target, classes: int, weights: FloatArray | None = None) -> FloatArray:
    """Return how much of a row's label is doubted, by class: as if one row more had come whose class nobody knows.

    Rows that are told apart without an error would make scores as large as penalties allow, and a new row that is
    an error after all would then cost as much. With this doubt no probability is surer than the rows can show.

    Examples
    --------
    >>> doubt_about(np.array([0, 1, 1], dtype=np.int32), 2) * 4 * 5
    array([2., 3.])
    """
    counts = np.bincount(target, weights, minlength=classes)
    total = float(counts.sum())
    doubt: FloatArray = (counts + 1) / (total + classes) / (total + 1)
    return doubt
