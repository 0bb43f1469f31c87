"""How far the class posteriors of two networks are apart."""

from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf.table.table import Codes, empty_codes

from .bayesnet import BayesNet

# Up to so many configurations of the features are enumerated.
EXACT_CONFIGURATIONS = 2**18


def posterior_divergence(
    p: BayesNet, q: BayesNet, target: str, n_samples: int = 100_000, random_state: int | None = 0
) -> float:
    """Return the Kullback-Leibler divergence from the class posterior of one network to that of another.

    KL = sum_x P(x) sum_c P(c | x) log[P(c | x) / Q(c | x)], over all configurations x of the other variables where
    those are few, else over rows drawn from ``p``.

    Parameters
    ----------
    p, q : BayesNet
        Over the same variables in the same order.
    target : str
        The class.
    n_samples : int, default=100000
        Rows to draw when the configurations are too many to enumerate.
    random_state : int, optional

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.table import Variable
    >>> coin = Variable("c", ("heads", "tails"))
    >>> fair, bent = (BayesNet([coin], DAG(["c"]), [[h, 1 - h]]) for h in (0.5, 0.25))
    >>> round(posterior_divergence(fair, bent, "c"), 4), posterior_divergence(fair, fair, "c")
    (0.1438, 0.0)
    """
    if p.variables != q.variables:
        raise ValueError("The two networks are not over the same variables.")
    node = p.dag.index(target)
    arities = [1 if j == node else variable.arity for j, variable in enumerate(p.variables)]
    if prod(arities) <= EXACT_CONFIGURATIONS:
        codes = empty_codes(prod(arities), p.variables)
        codes[...] = np.array(list(product(*(range(arity) for arity in arities))), dtype=codes.dtype)
        joint = p.log_joint(codes, node)
        weights = np.exp(logsumexp(joint, axis=1))
    else:
        codes = p.sample_table(n_samples, random_state).codes
        joint = p.log_joint(codes, node)
        weights = np.full(len(codes), 1.0 / n_samples)
    return _mean_divergence(joint, _log_posterior(q, codes, node), weights)


def _log_posterior(network: BayesNet, codes: Codes, node: int) -> NDArray[np.float64]:
    joint = network.log_joint(codes, node)
    result: NDArray[np.float64] = joint - logsumexp(joint, axis=1, keepdims=True)
    return result


def _mean_divergence(
    joint: NDArray[np.float64], other: NDArray[np.float64], weights: NDArray[np.float64]
) -> float:
    possible = weights > 0  # a configuration that cannot occur has no posterior, and no weight
    log_p = joint[possible] - logsumexp(joint[possible], axis=1, keepdims=True)
    p = np.exp(log_p)
    with np.errstate(invalid="ignore"):
        terms = np.where(p > 0, p * (log_p - other[possible]), 0.0)
    return max(0.0, float(weights[possible] @ terms.sum(axis=1)))
