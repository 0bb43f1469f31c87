"""Class-focused scores by their definitions: every model is fitted from its rows, in exact fractions."""

import math
from collections import Counter
from fractions import Fraction

EPSILON = Fraction(1, 100_000)


def fit(rows, parents, arities):
    """Maximum-likelihood tables as functions (node, row) -> probability, zeros replaced by epsilon."""
    tables = []
    for node, family in enumerate(parents):
        joint = Counter((tuple(row[p] for p in family), row[node]) for row in rows)
        total = Counter(tuple(row[p] for p in family) for row in rows)
        tables.append((node, family, joint, total, arities[node]))
    return tables


def probability(tables, row):
    """P(row): the product over all families."""
    result = Fraction(1)
    for node, family, joint, total, arity in tables:
        given = tuple(row[p] for p in family)
        if total[given] == 0:
            result *= Fraction(1, arity)
            continue
        shares = [Fraction(joint[given, state], total[given]) or EPSILON for state in range(arity)]
        result *= shares[row[node]] / sum(shares)
    return result


def posterior(tables, row, classes):
    """P(class | features), the class being the last column."""
    joint = [probability(tables, [*row[:-1], c]) for c in range(classes)]
    return [share / sum(joint) for share in joint]


def decide(posterior, prior, cost=None):
    """Smallest expected cost; ties go to the class more frequent in training, then the first."""
    decisions = range(len(posterior) if cost is None else len(cost[0]))
    risk = {
        d: -posterior[d] if cost is None else sum(p * cost[c][d] for c, p in enumerate(posterior))
        for d in decisions
    }
    return min(decisions, key=lambda d: (risk[d], -prior[d], d))


def held_out_losses(rows, fold, parents, arities, cost=None):
    """Loss of every row that has a fold, under a model of the rows outside that fold."""
    classes = arities[-1]
    losses = []
    for k in sorted({f for f in fold if f != 255}):
        training = [row for row, f in zip(rows, fold, strict=True) if f != k]
        tables = fit(training, parents, arities)
        counts = Counter(row[-1] for row in training)
        prior = [counts[c] for c in range(classes)]
        for row, f in zip(rows, fold, strict=True):
            if f == k:
                decision = decide(posterior(tables, row, classes), prior, cost)
                losses.append(int(decision != row[-1]) if cost is None else cost[row[-1]][decision])
    return losses


def conditional_log_likelihood(rows, parents, arities):
    """Sum over the rows of log P(c | x), fitted to the same rows."""
    tables = fit(rows, parents, arities)
    return sum(math.log(posterior(tables, row, arities[-1])[row[-1]]) for row in rows)


def dimension(parents, arities):
    """Free parameters of all nodes."""
    return sum(math.prod(arities[p] for p in family) * (arities[i] - 1) for i, family in enumerate(parents))
