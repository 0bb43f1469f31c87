"""From log-joints to posteriors and decisions, deterministic where nothing decides."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf._native import _core
from bayleaf._util.threads import thread_count
from bayleaf.graph import DAG
from bayleaf.table.table import Codes


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

    def log_joint(self, codes: Codes, query: int, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Log P(query, observed values) for rows of codes."""
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


def most_probable(posterior: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.int64]:
    """Choose the most probable class of each row; of equals, the one with the larger prior, then the first.

    Examples
    --------
    >>> most_probable(np.array([[0.5, 0.5], [0.6, 0.4]]), np.array([0.3, 0.7]))
    array([1, 0])
    """
    best: NDArray[np.int64] = posterior.argmax(axis=1)
    top = posterior == posterior.max(axis=1, keepdims=True)
    ties = top.sum(axis=1) > 1
    if ties.any():
        best[ties] = np.where(top[ties], prior, -1.0).argmax(axis=1)
    return best


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
    chosen: NDArray[np.int64] = np.where(equal, prior, -1.0).argmax(axis=1)
    return chosen
