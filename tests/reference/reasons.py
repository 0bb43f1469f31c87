"""Slow, obvious reference: try every value of every feature that is left free."""

from itertools import product

import numpy as np


def class_log_joint(network, codes):
    """log P(class, features) of one complete row of codes, per class, by multiplying the tables."""
    target = network.dag.index(network.target)
    result = []
    for state in range(network.variables[target].arity):
        row = [*codes]
        row[target] = state
        result.append(
            sum(
                np.log(table[tuple(row[k] for k in (*parents, node))])
                for node, (parents, table) in enumerate(
                    zip(network.dag.parent_indices, network.tables, strict=True)
                )
            )
        )
    return np.array(result)


def worst_margins(network, kept, decision):
    """Smallest log-odds of the decision against each other class over all completions of the kept values."""
    target = network.dag.index(network.target)
    choices = [
        [kept[i]] if i in kept else [0] if i == target else range(variable.arity)
        for i, variable in enumerate(network.variables)
    ]
    joints = np.array([class_log_joint(network, row) for row in product(*choices)])
    return (joints[:, [decision]] - np.delete(joints, decision, axis=1)).min(axis=0)
