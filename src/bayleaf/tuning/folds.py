"""Rows dealt out to folds, and the loss of rows that were held out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

FloatArray = NDArray[np.float64]
Target = NDArray[np.int32]


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


def held_out_loss(scores: FloatArray, target: Target, weights: FloatArray | None = None) -> float:
    """Return the mean log-loss of scores [row, class].

    Examples
    --------
    >>> round(held_out_loss(np.zeros((3, 2)), np.array([0, 1, 1], dtype=np.int32)), 4)
    0.6931
    """
    own = log_softmax(scores)[np.arange(len(target)), target]
    return -float(np.average(own, weights=weights))
