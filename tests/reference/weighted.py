"""Weighed tables by their formula: products of powers, row by row."""

import math


def posterior(dag, tables, weights, target, row) -> list[float]:
    """P(c | x) proportional to the product of theta^w over the families that the row has in full."""
    logs = []
    for c in range(tables[target].shape[-1]):
        full = [c if node == target else state for node, state in enumerate(row)]
        total = 0.0
        for node, table in enumerate(tables):
            family = [*dag.parent_indices[node], node]
            if all(full[j] >= 0 for j in family):
                total += weights[node] * math.log(table[tuple(full[j] for j in family)])
        logs.append(total)
    top = max(logs)
    sums = [math.exp(value - top) for value in logs]
    return [value / sum(sums) for value in sums]


def conditional_log_likelihood(dag, tables, weights, target, rows, row_weights) -> float:
    """Sum over rows of log P(own class | x)."""
    return sum(
        w * math.log(posterior(dag, tables, weights, target, row)[row[target]])
        for row, w in zip(rows, row_weights, strict=True)
    )
