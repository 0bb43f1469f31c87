"""Slow, obvious versions of what a pool computes."""

import math
from itertools import product

import numpy as np

from bayleaf.data.discretize.bins import last_of_bins


def backed_off(rows, row, child, parents, states, classes, missing, strengths):
    """P(x | c, parents) of a row for each class, from rows of (states, class), with one strength per level.

    A missing parent is left out with those after it, and rows in which a parent is missing do not count from its
    level on.
    """
    x = row[child]
    known = [(values, own) for values, own in rows if values[child] != missing[child]]
    found = [(sum(values[child] == x for values, _ in known) + 0.5) / (len(known) + states / 2)] * classes
    for level, strength in enumerate(strengths):
        used = parents[:level]
        if any(row[parent] == missing[parent] for parent in used):
            break
        same = [(values, own) for values, own in known if all(values[j] == row[j] for j in used)]
        for c in range(classes):
            ours = [values for values, own in same if own == c]
            hits = sum(values[child] == x for values in ours)
            found[c] = (hits + strength * found[c]) / (len(ours) + strength)
    return found


def estimates(rows, row, child, parents, states, classes, missing, strengths):
    """The same, in which a missing value, and one that no row has, says nothing."""
    x = row[child]
    if x == missing[child] or all(values[child] != x for values, _ in rows):
        return [1.0] * classes
    return backed_off(rows, row, child, parents, states, classes, missing, strengths)


def best_strengths(rows, child, parents, states, classes, missing, grid):
    """Choose the strength of each level by the likelihood of rows that are left out one by one."""
    chosen = []
    for level in range(1 + len(parents)):
        totals = []
        for strength in grid:
            total = 0.0
            for number, (values, own) in enumerate(rows):
                if any(values[j] == missing[j] for j in (child, *parents[:level])):
                    continue
                others = rows[:number] + rows[number + 1 :]
                tried = [*chosen, strength]
                found = backed_off(others, values, child, parents, states, classes, missing, tried)
                total += math.log(found[own])
            totals.append(round(total, 9))
        chosen.append(grid[totals.index(max(totals))])
    return chosen


def set_gain(codes, columns, residuals, variances, penalty):
    """What a table over some columns could gain."""
    total = 0.0
    for cell in {tuple(row) for row in codes[:, columns].tolist()}:
        inside = (codes[:, columns] == cell).all(axis=1)
        for c in range(residuals.shape[1]):
            total += residuals[inside, c].sum() ** 2 / (2 * (variances[inside, c].sum() + penalty))
    return total


def additive_scores(score, codes):
    """The scores of rows of codes, term by term."""
    found = np.tile(score.bias, (len(codes), 1))
    for row, scores in zip(codes, found, strict=True):
        for term in score.terms:
            readings = [score.readings[k] for k in term.readings]
            states = [int(r.states[min(int(row[r.column]), len(r.states) - 1)]) for r in readings]
            arities = [int(r.states.max()) + 1 for r in readings]
            cell = list(product(*map(range, arities))).index(tuple(states))
            scores += term.table[cell]
        for form in score.forms:
            x = np.array(
                [v[min(int(row[j]), len(v) - 1)] for j, v in zip(form.columns, form.values, strict=True)]
            )
            scores -= 0.5 * np.array([x @ matrix @ x for matrix in form.matrices])
    return found


def gaussian_scores(X, target, weights, classes, own, x):
    """log densities of rows x under each class, constants common to all classes apart; see `Gaussian.of`."""
    d = X.shape[1]
    means, scatter = np.empty((classes, d)), np.empty((classes, d, d))
    for c in range(classes):
        inside = target == c
        means[c] = np.average(
            X if not inside.any() else X[inside],
            axis=0,
            weights=weights if not inside.any() else weights[inside],
        )
        away = X[inside] - means[c]
        scatter[c] = (weights[inside, None] * away).T @ away
    free = max(1.0, weights.sum() - classes)
    common = scatter.sum(axis=0) + 2 * np.diag(np.diag(scatter.sum(axis=0)) / free + 1e-6)
    scores = np.empty((len(x), classes))
    for c in range(classes):
        matrix, size = common, free + 2
        if own:
            matrix, size = scatter[c] + (d + 2) * common / (free + 2), weights[target == c].sum() + d + 2
        covariance = matrix / size + 1e-6 * np.eye(d)
        away = x - means[c]
        scores[:, c] = -0.5 * np.einsum("ij,jk,ik->i", away, np.linalg.inv(covariance), away)
        scores[:, c] -= 0.5 * np.linalg.slogdet(covariance)[1]
    return scores


def class_chances(states, target, weights, classes, row, missing, borrowed):
    """P(c | states of a row), the columns taken up one by one; a missing value is the level below."""
    found = [weights[target == c].sum() + borrowed for c in range(classes)]
    found = [chance / sum(found) for chance in found]
    for level in range(1, len(row) + 1):
        if row[level - 1] == missing[level - 1]:
            continue
        same = (states[:, :level] == row[:level]).all(axis=1)
        counts = [weights[same & (target == c)].sum() for c in range(classes)]
        found = [
            (n + borrowed * below) / (sum(counts) + borrowed) for n, below in zip(counts, found, strict=True)
        ]
    return found


def states_of_numbers(counts, intervals, bins, shift):
    """The state of each fine code: a border behind the last value of each bin, and behind all further codes."""
    borders = {*last_of_bins(counts[:intervals], bins, shift).tolist(), *range(intervals - 1, len(counts))}
    return [sum(border < code for border in borders) for code in range(len(counts))]


def states_of_categories(counts, most):
    """The state of each category: the most frequent have one each, the first of equal ones before the others."""
    if len(counts) <= most:
        return list(range(len(counts)))
    kept = sorted(sorted(range(len(counts)), key=lambda code: -counts[code])[: most - 1])
    return [kept.index(code) if code in kept else most - 1 for code in range(len(counts))]


def graph(order, withheld, dependence, arities, classes, most, most_numbers):
    """The parents of every column: of those before it, the ones it depends on most, as far as they fit."""
    found = [()] * len(order)
    for position, child in enumerate(order):
        before = order[:position]
        offered = [j for j in before if not withheld[child][j]] or before
        size, taken = classes * arities[child], []
        for parent in sorted(offered, key=lambda j: -dependence[child][j])[:most]:
            if size * arities[parent] <= most_numbers:
                taken.append(parent)
                size *= arities[parent]
        found[child] = tuple(taken)
    return tuple(found)
