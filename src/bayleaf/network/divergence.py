"""How far apart the posteriors of two networks are, and how much information a network's arcs carry.

References
----------
L. Wang and H. Zhao. Learning a flexible K-dependence Bayesian classifier from the chain rule of joint probability
distribution. Entropy 17, 2015.
"""

from itertools import product
from math import prod
from typing import Any

import numpy as np
from scipy.special import logsumexp

from bayleaf.counts import mutual_information
from bayleaf.data import Table, read_columns
from bayleaf.data.categories import encode_column
from bayleaf.data.encoding import assemble

from .bayesnet import BayesNet, columns_by_name

# The most configurations of the features that are enumerated.
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
    >>> import bayleaf as bl
    >>> coin = bl.data.Variable("c", ("heads", "tails"))
    >>> fair, bent = (bl.BayesNet([coin], bl.DAG(["c"]), [[h, 1 - h]]) for h in (0.5, 0.25))
    >>> round(posterior_divergence(fair, bent, "c"), 4), posterior_divergence(fair, fair, "c")
    (0.1438, 0.0)
    """
    if p.variables != q.variables:
        raise ValueError("The two networks are not over the same variables.")
    node = p.dag.index(target)
    arities = [1 if j == node else variable.arity for j, variable in enumerate(p.variables)]
    if prod(arities) <= EXACT_CONFIGURATIONS:
        rows = Table.from_codes(p.variables, list(product(*(range(arity) for arity in arities))))
        joint = p.log_joint(rows, node)
        weights = np.exp(logsumexp(joint, axis=1))
    else:
        rows = p.sample_table(n_samples, random_state)
        joint = p.log_joint(rows, node)
        weights = np.full(rows.n_rows, 1.0 / n_samples)
    other = q.log_joint(rows, node)
    log_q = other - logsumexp(other, axis=1, keepdims=True)
    possible = weights > 0  # a configuration that cannot occur has no posterior, and no weight
    log_p = joint[possible] - logsumexp(joint[possible], axis=1, keepdims=True)
    posterior = np.exp(log_p)
    with np.errstate(invalid="ignore"):
        terms = np.where(posterior > 0, posterior * (log_p - log_q[possible]), 0.0)
    return max(0.0, float(weights[possible] @ terms.sum(axis=1)))


def sum_mi(network: BayesNet, X: Any, y: Any = None) -> float:
    """Sum_MI = sum over the features of I(X_i; Pa_i, C), in nats: the information of the parents, over all features.

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
    >>> import bayleaf as bl
    >>> a, c = bl.data.Variable("a", (0, 1), dtype="integer"), bl.data.Variable("c", ("no", "yes"))
    >>> net = bl.BayesNet([a, c], bl.DAG(["a", "c"], [("c", "a")]), [[[0.5, 0.5], [0.5, 0.5]], [0.5, 0.5]], "c")
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
    >>> import bayleaf as bl
    >>> a, c = bl.data.Variable("a", (0, 1), dtype="integer"), bl.data.Variable("c", ("no", "yes"))
    >>> net = bl.BayesNet([a, c], bl.DAG(["a", "c"], [("c", "a")]), [[[0.5, 0.5], [0.5, 0.5]], [0.5, 0.5]], "c")
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
    target = network.nodes.index(network.target)
    features = [variable for node, variable in enumerate(network.variables) if node != target]
    columns = read_columns(columns_by_name(X, [variable.name for variable in features], "features"))
    codes = [encode_column(variable, column) for variable, column in zip(features, columns, strict=True)]
    labels = read_columns(np.asarray(y).reshape(-1, 1))[0]
    codes.insert(target, encode_column(network.variables[target], labels, unknown="error"))
    if len(labels) != len(columns[0]):
        raise ValueError(f"X has {len(columns[0])} rows and y has {len(labels)}.")
    return assemble(network.variables, codes, target)
