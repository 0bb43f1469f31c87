"""Information measures by their definitions: every probability by counting, every combination of values visited."""

import itertools
import math


def known_rows(rows, columns, weights=None):
    weights = [1.0] * len(rows) if weights is None else weights
    return [(row, w) for row, w in zip(rows, weights, strict=True) if all(row[j] >= 0 for j in columns)]


def probabilities(rows, columns, every_column, arities, smoothing=0.0, weights=None):
    """P over all combinations of values of `columns`, from the rows that have all of `every_column`."""
    usable = known_rows(rows, every_column, weights)
    total = sum(w for _, w in usable)
    combinations = list(itertools.product(*(range(arities[j]) for j in columns)))
    frequency = dict.fromkeys(combinations, 0.0)
    for row, w in usable:
        frequency[tuple(row[j] for j in columns)] += w
    return {
        values: (count + smoothing / len(combinations)) / (total + smoothing) if total + smoothing else 0.0
        for values, count in frequency.items()
    }


def entropy(rows, columns, every_column, arities, smoothing=0.0, weights=None):
    p = probabilities(rows, sorted(set(columns)), every_column, arities, smoothing, weights)
    return -sum(value * math.log(value) for value in p.values() if value > 0)


def conditional_mutual_information(rows, x, y, z, arities, smoothing=0.0, weights=None):
    """I(X; Y | Z) = sum P(x,y,z) log P(x,y,z) P(z) / (P(x,z) P(y,z)) for disjoint sets of columns."""
    every = [*x, *y, *z]
    joint = probabilities(rows, every, every, arities, smoothing, weights)
    left = probabilities(rows, [*x, *z], every, arities, smoothing, weights)
    right = probabilities(rows, [*y, *z], every, arities, smoothing, weights)
    given = probabilities(rows, list(z), every, arities, smoothing, weights)
    total = 0.0
    for values, p in joint.items():
        a, b, c = values[: len(x)], values[len(x) : len(x) + len(y)], values[len(x) + len(y) :]
        if p > 0:
            total += p * math.log(p * given[c] / (left[a + c] * right[b + c]))
    return total
