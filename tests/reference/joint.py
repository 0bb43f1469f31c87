"""Slow, obvious reference: the whole joint distribution of a small network."""

from itertools import product

import numpy as np


def full_joint(network):
    """P of every combination of states, one axis per node."""
    shape = [variable.arity for variable in network.variables]
    joint = np.empty(shape)
    for row in product(*map(range, shape)):
        joint[row] = np.prod(
            [
                table[tuple(row[k] for k in (*parents, node))]
                for node, (parents, table) in enumerate(
                    zip(network.dag.parent_indices, network.tables, strict=True)
                )
            ]
        )
    return joint


def conditional_information_bits(joint, a, b, given):
    """I(A; B | given) in bits, summed cell by cell."""
    axes = tuple(k for k in range(joint.ndim) if k not in (a, b, *given))
    p = joint.sum(axis=axes, keepdims=True)
    p_a, p_b, p_given = (
        p.sum(axis=b, keepdims=True),
        p.sum(axis=a, keepdims=True),
        p.sum(axis=(a, b), keepdims=True),
    )
    total = 0.0
    for cell in np.argwhere(p > 0):
        at = tuple(cell)
        zero_a = tuple(0 if k == a else i for k, i in enumerate(at))
        zero_b = tuple(0 if k == b else i for k, i in enumerate(at))
        both = tuple(0 if k in (a, b) else i for k, i in enumerate(at))
        total += p[at] * np.log2(p[at] * p_given[both] / (p_a[zero_b] * p_b[zero_a]))
    return total
