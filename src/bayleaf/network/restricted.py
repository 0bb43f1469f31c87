"""Networks that speak of some states only: those in which their first nodes were seen."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .bayesnet import BayesNet


def restricted(network: BayesNet, first: Sequence[int], allowed: NDArray[np.bool_]) -> tuple[BayesNet, float]:
    """Condition a network on the states of its first features, and return the probability of that condition.

    P(c, x | X_first in allowed) has the same graph: only the tables of the class and of these features change.

    Parameters
    ----------
    network : BayesNet
        In which the class has no parent, and each of these features the class and those before it.
    first : sequence of int
        Features, in the order of the nodes.
    allowed : array of bool
        One axis per feature: the combinations of states that are possible from now on; one at least.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> from bayleaf.graph import DAG
    >>> x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    >>> net = BayesNet([x, c], DAG(["x", "c"], [("c", "x")]), [[[0.5, 0.5], [0.1, 0.9]], [0.5, 0.5]], "c")
    >>> seen, share = restricted(net, [0], np.array([True, False]))
    >>> round(share, 3), seen.cpt("c").round(3)
    (0.3, array([0.833, 0.167]))
    """
    assert network.target is not None
    target = network.dag.index(network.target)
    joint = network.tables[target]  # axes: the class, then the features
    for feature in first:
        parents = network.dag.parent_indices[feature]
        # Parents are in node order; the class comes first here.
        joint = joint[..., None] * np.moveaxis(network.tables[feature], parents.index(target), 0)
    joint = np.where(allowed, joint, 0.0)
    tables = list(network.tables)
    share = float(joint.sum())
    tables[target] = joint.sum(axis=tuple(range(1, joint.ndim))) / share
    for depth, feature in enumerate(first, 1):
        cells = joint.sum(axis=tuple(range(depth + 1, joint.ndim)))
        totals = cells.sum(axis=-1, keepdims=True)
        old = np.moveaxis(tables[feature], network.dag.parent_indices[feature].index(target), 0)
        # Where a configuration of the parents is impossible, nobody asks for the rest.
        new = np.where(totals > 0, cells / np.where(totals > 0, totals, 1.0), old)
        tables[feature] = np.moveaxis(new, 0, network.dag.parent_indices[feature].index(target))
    return BayesNet(network.variables, network.dag, tables, network.target), share
