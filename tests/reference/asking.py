"""Questions to a small network, answered by its whole joint distribution."""

from itertools import product

import numpy as np

from reference.joint import full_joint


def joint_given(network, codes, soft=None):
    """P(everything, evidence): the joint with all that contradicts the evidence set to zero, times soft weights."""
    joint = full_joint(network)
    for node, code in codes.items():
        hit = np.zeros(joint.shape[node])
        hit[code] = 1
        joint = joint * along(hit, node, joint.ndim)
    for node, weights in (soft or {}).items():
        joint = joint * along(np.asarray(weights), node, joint.ndim)
    return joint


def along(values, axis, ndim):
    return values.reshape([-1 if k == axis else 1 for k in range(ndim)])


def marginal(joint, nodes):
    """Unnormalised distribution of nodes, one axis each, in the order given."""
    summed = joint.sum(axis=tuple(k for k in range(joint.ndim) if k not in nodes))
    left = sorted(nodes)
    return summed.transpose([left.index(node) for node in nodes])


def information(table):
    """I(A; B) in nats of a joint distribution of two, summed cell by cell."""
    table = table / table.sum()
    a, b = table.sum(axis=1), table.sum(axis=0)
    return sum(
        table[i, j] * np.log(table[i, j] / (a[i] * b[j]))
        for i, j in product(*map(range, table.shape))
        if table[i, j] > 0
    )


def with_entry(table, at, value):
    """A table with one entry changed, the others of its row in their old proportions (evenly where zero)."""
    changed = table.copy()
    row = changed[at[:-1]]
    others = np.arange(len(row)) != at[-1]
    left = row[others].sum()
    if others.any():
        row[others] = (1 - value) * (row[others] / left if left > 0 else 1 / others.sum())
    row[at[-1]] = value
    return changed
