"""How far posteriors of two networks are apart, and how much information a network's arcs carry.

References
----------
L. Wang and H. Zhao. Learning a flexible K-dependence Bayesian classifier from the chain rule of joint probability
distribution. Entropy 17, 2015.
"""

from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf.counts import mutual_information
from bayleaf.data import Table, read_columns
from bayleaf.data.columns import as_frame
from bayleaf.data.encoding import encode_column
from bayleaf.data.packing import assemble
from bayleaf.data.table import Codes, empty_codes

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
    >>> from bayleaf.data import Variable
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


def sum_mi(network: BayesNet, X: Any, y: Any = None) -> float:
    """Sum_MI = sum over the features of I(X_i; Pa_i, C), in nats: what the parents tell, all features together.

    I(X_i; Pa_i, C) is the mutual information between a feature and all its parents jointly with the class, over the
    rows in which all of them are known.

    Parameters
    ----------
    network : BayesNet
        With a class. Only its graph and its variables (categories, cut points) matter, not its tables.
    X : DataFrame, array or Table
        The features; columns by name, or in node order in an array. A Table, or a DataFrame with a column for the
        class, needs no y.
    y : array-like, optional
        The class.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.data import Variable
    >>> a, c = Variable("a", (0, 1), dtype="integer"), Variable("c", ("no", "yes"))
    >>> net = BayesNet([a, c], DAG(["a", "c"], [("c", "a")]), [[[0.5, 0.5], [0.5, 0.5]], [0.5, 0.5]], "c")
    >>> round(sum_mi(net, [[0], [0], [1], [1]], ["no", "no", "yes", "yes"]), 4)
    0.6931
    """
    if network.target is None:
        raise ValueError("Sum_MI needs a class: this network has no target.")
    table = _with_class(network, X, y)
    features = [node for node in network.nodes if node != network.target]
    return sum(mutual_information(table, node, [*network.parents(node), network.target]) for node in features)


def info_ratio(a: BayesNet, b: BayesNet, X: Any, y: Any = None) -> float:
    """Info_ratio = Sum_MI(a) / Sum_MI(b): above 1 where the first network draws more information from the data.

    Parameters
    ----------
    a, b : BayesNet
        Networks with the same variables.
    X, y
        Data as in `sum_mi`.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.data import Variable
    >>> a, c = Variable("a", (0, 1), dtype="integer"), Variable("c", ("no", "yes"))
    >>> net = BayesNet([a, c], DAG(["a", "c"], [("c", "a")]), [[[0.5, 0.5], [0.5, 0.5]], [0.5, 0.5]], "c")
    >>> info_ratio(net, net, [[0], [0], [1], [1]], ["no", "no", "yes", "yes"])
    1.0
    """
    below = sum_mi(b, X, y)
    above = sum_mi(a, X, y)
    if below == 0:
        return 1.0 if above == 0 else float("inf")
    return above / below


def _with_class(network: BayesNet, X: Any, y: Any) -> Table:
    """Encode features and class by the variables of a network, one column per node."""
    if y is None:
        return network.encode(X)
    features = [variable for variable in network.variables if variable.name != network.target]
    names = [variable.name for variable in features]
    frame = as_frame(X)
    if frame is not None:
        lacking = [name for name in names if name not in frame.columns]
        if lacking:
            raise ValueError(f"The data has no column for the node{'s' * (len(lacking) > 1)} {lacking}.")
        X = frame.select(names).to_native()
    columns = read_columns(X)
    if len(columns) != len(features):
        raise ValueError(f"The data has {len(columns)} columns; the network has {len(features)} features.")
    codes = {
        variable.name: encode_column(variable, column)
        for variable, column in zip(features, columns, strict=True)
    }
    target = next(variable for variable in network.variables if variable.name == network.target)
    labels = read_columns(np.asarray(y).reshape(-1, 1))[0]
    codes[target.name] = encode_column(target, labels, unknown="error")
    if len(codes[target.name]) != len(codes[names[0]]):
        raise ValueError(f"X has {len(codes[names[0]])} rows and y has {len(codes[target.name])}.")
    position = network.nodes.index(target.name)
    return assemble(network.variables, [codes[node] for node in network.nodes], None, None, target=position)
