"""From log-joints to posteriors and decisions; ties are always broken in the same way."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf._native import _core
from bayleaf._util.params import thread_count
from bayleaf.data import Table
from bayleaf.data.table import Codes
from bayleaf.graph import DAG

# Posteriors that differ by less, relative to the larger, are equal on paper.
EQUAL = 1e-10
# Probabilities may be larger than one by so much: someone else may have rounded them.
ROUNDING = 1e-6
# The prior of a class with parents is a sum, with rounding errors of its own.
PRIOR_DECIMALS = 12


class Predictor(Protocol):
    """What decisions and explanations ask of a model: a `BayesNet`, or an `InstanceNetwork`."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes' names, the class last."""
        ...

    @property
    def dag(self) -> DAG:
        """The graph."""
        ...

    def log_joint(self, rows: Table | Codes, query: int, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Log P(query, observed values) for rows of a table, or of codes, which are checked first."""
        ...


def posteriors(
    log_joint: NDArray[np.float64], prior: NDArray[np.float64], n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Normalise log-joints per row; a row that is impossible under every class gets the prior.

    Examples
    --------
    >>> posteriors(np.log([[0.1, 0.3], [0.0, 0.0]], where=[[1, 1], [0, 0]], out=np.full((2, 2), -np.inf)),
    ...            np.array([0.5, 0.5]))
    array([[0.25, 0.75], [0.5 , 0.5 ]])
    """
    out = np.empty_like(log_joint)
    _core.normalize_rows(log_joint, prior, out, thread_count(n_jobs))
    return out


def log_posteriors(log_joint: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """Natural logarithm of `posteriors`, exact where probabilities underflow.

    Examples
    --------
    >>> log_posteriors(np.array([[-2000.0, -2001.0]]), np.array([0.5, 0.5])).round(4)
    array([[-0.3133, -1.3133]])
    """
    impossible = np.isneginf(log_joint).all(axis=1, keepdims=True)
    possible = np.where(impossible, np.log(prior), log_joint)
    result: NDArray[np.float64] = possible - logsumexp(possible, axis=1, keepdims=True)
    return result


def best_class(
    posterior: NDArray[np.float64], prior: NDArray[np.float64], costs: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Choose a class for each row: the `cheapest` where decisions have costs, otherwise the `most_probable`.

    Examples
    --------
    >>> best_class(np.array([[0.6, 0.4]]), np.array([0.5, 0.5]), np.array([[0.0, 1.0], [5.0, 0.0]]))
    array([1])
    """
    posterior = as_posteriors(posterior, len(prior))
    return most_probable(posterior, prior) if costs is None else cheapest(posterior, costs, prior)


def as_posteriors(given: object, classes: int) -> NDArray[np.float64]:
    """Return probabilities as an array, and refuse anything else.

    Examples
    --------
    >>> as_posteriors([[0.25, 0.75]], 2)
    array([[0.25, 0.75]])
    """
    array = np.asarray(given)
    fits = array.ndim == 2 and array.shape[1] == classes and array.dtype.kind in "fiub"
    if not fits or (array.size and not (array.min() >= 0.0 and array.max() <= 1.0 + ROUNDING)):
        raise ValueError(
            f"decide takes probabilities as predict_proba returns them, {classes} in each row; got other values "
            f"({type(given).__name__} of shape {array.shape}). For rows of data use predict."
        )
    return array.astype(np.float64, copy=False)


def most_probable(posterior: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.int64]:
    """Choose the most probable class of each row; of equals, the one with the larger prior, then the first.

    Products of the same size but of different factors differ by rounding errors: they count as equal, as they do
    for the scores that a search maximises.

    Examples
    --------
    >>> most_probable(np.array([[0.5, 0.5], [0.6, 0.4]]), np.array([0.3, 0.7]))
    array([1, 0])
    """
    largest = posterior.max(axis=1, keepdims=True)
    return _preferred(posterior >= largest * (1.0 - EQUAL), prior)


def cheapest(
    posterior: NDArray[np.float64], cost: NDArray[np.float64], prior: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Choose the class with the smallest expected cost; of equals, the one with the larger prior, then the first.

    ``cost`` is [true class, decision].

    Examples
    --------
    >>> sick_is_missed = np.array([[0.0, 1.0], [10.0, 0.0]])
    >>> cheapest(np.array([[0.8, 0.2], [0.95, 0.05]]), sick_is_missed, np.array([0.9, 0.1]))
    array([1, 0])
    """
    risk = posterior @ cost
    smallest = risk.min(axis=1, keepdims=True)
    # Expected costs that are equal on paper differ by rounding errors.
    equal = risk <= smallest + 1e-12 * np.abs(smallest) + 1e-15
    return _preferred(equal, prior)


def _preferred(candidates: NDArray[np.bool_], prior: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the candidate with the largest prior in each row; of equals the first."""
    first: NDArray[np.int64] = candidates.argmax(axis=1)
    ties = candidates.sum(axis=1) > 1
    if ties.any():
        first[ties] = np.where(candidates[ties], prior.round(PRIOR_DECIMALS), -1.0).argmax(axis=1)
    return first
