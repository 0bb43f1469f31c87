"""Slow, obvious versions of what the tuning room computes."""

import numpy as np

from reference import shrinkage


def pool_objective(members, target, weights, bias, centre, penalty, sample_weight):
    """Minus the penalised conditional log-likelihood of a log-linear pool, row by row."""
    total = 0.0
    for row, own in enumerate(target):
        scores = bias + sum(w * member[row].astype(float) for w, member in zip(weights, members, strict=True))
        total -= sample_weight[row] * (scores[own] - np.log(np.exp(scores).sum()))
    return total + penalty / 2 * (((weights - centre) ** 2).sum() + (bias**2).sum())


def corrected(base, cells, scale, bias, corrections):
    """Corrected scores, row by row."""
    scores = scale * base + bias
    for family in cells:
        for row, cell in enumerate(family):
            if cell >= 0:
                scores[row] = scores[row] + corrections[cell]
    return scores


def cell_loss(base, cells, target, sample_weight, scale, bias, corrections):
    """Minus the conditional log-likelihood of corrected scores."""
    scores = corrected(base, cells, scale, bias, corrections)
    own = scores[np.arange(len(target)), target]
    return float((sample_weight * (np.log(np.exp(scores).sum(axis=1)) - own)).sum())


def slope(function, at, step=1e-6):
    """The gradient of a function by finite differences."""
    gradient = np.empty(len(at))
    for k in range(len(at)):
        up, down = at.copy(), at.copy()
        up[k], down[k] = up[k] + step, down[k] - step
        gradient[k] = (function(up) - function(down)) / (2 * step)
    return gradient


def family_score(rows, row, columns, target, classes, states, strengths):
    """log P(x | parents, c) of a row for each class, by rows that do not hold it; the node is the first column.

    Gaps are -1: a missing parent is left out with those after it, and so are rows in which a value of the family is
    missing, wherever they are counted.
    """
    node, *parents = columns
    known = [other for other in rows if all(other[j] >= 0 for j in columns)]
    if row[node] < 0 or not any(other[node] == row[node] for other in known):
        return np.zeros(classes)
    used = []
    for parent in parents:
        if row[parent] < 0:
            break
        used.append(parent)
    counted = [tuple(other[j] for j in (target, *parents, node)) for other in known]
    chosen = shrinkage.best_strengths(counted, strengths, states)[: 1 + len(used)]
    shorter = [(*other[: 1 + len(used)], other[-1]) for other in counted]
    cell = [row[j] for j in (*used, node)]
    return np.log([shrinkage.estimate(shorter, (c, *cell), chosen, states) for c in range(classes)])
