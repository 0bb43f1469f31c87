"""KDB, FKDB and functional dependencies, row by row and value by value."""

import itertools
import math

from reference.information import conditional_mutual_information


def information_matrices(rows, features, target, arities, smoothing=0.0):
    relevance = {
        i: round(conditional_mutual_information(rows, [i], [target], [], arities, smoothing), 12)
        for i in features
    }
    dependence = {
        (i, j): round(conditional_mutual_information(rows, [i], [j], [target], arities, smoothing), 12)
        for i, j in itertools.permutations(features, 2)
    }
    return relevance, dependence


def ranked_before(order, dependence):
    """Earlier features of each feature, the strongest first, ties by order."""
    ranked = {}
    for position, i in enumerate(order):
        earlier = order[:position]
        ranked[i] = sorted(earlier, key=lambda j: (-dependence[i, j], earlier.index(j)))
    return ranked


def kdb_order(relevance):
    return sorted(relevance, key=lambda i: (-relevance[i], i))


def fkdb_order(relevance, dependence, k):
    order = []
    while len(order) < len(relevance):

        def information(i):
            return relevance[i] + math.fsum(sorted((dependence[i, j] for j in order), reverse=True)[:k])

        rest = [i for i in sorted(relevance) if i not in order]
        best = max(information(i) for i in rest)
        order.append(next(i for i in rest if information(i) >= best - 1e-13))
    return order


def functional_dependencies(rows, features, min_count):
    """{(x, a, y, b): count} by looking at all rows for every value."""
    found = {}
    for x, y in itertools.permutations(features, 2):
        for a in {row[x] for row in rows if row[x] >= 0}:
            implied = [row[y] for row in rows if row[x] == a]
            if len(implied) >= min_count and len(set(implied)) == 1 and implied[0] >= 0:
                found[x, a, y, implied[0]] = len(implied)
    return found


def parents_in_row(row, ranked, k, dependencies):
    """Drop parents that another parent determines, put in the next candidate, until nothing changes."""

    def determines(x, y):
        return (x, row[x], y, row[y]) in dependencies

    parents, waiting = list(ranked[:k]), list(ranked[k:])
    while True:
        drop = None
        for y in reversed(parents):  # of two that determine each other the worse goes
            if any(determines(x, y) for x in parents if x != y):
                drop = y
                break
        if drop is None:
            return sorted(parents)
        parents.remove(drop)
        if waiting:
            parents.append(waiting.pop(0))


def log_joint_of_row(row, c, rows, features, target, ranked, k, dependencies, arities):
    """log P(c, x) with Laplace estimates counted from the training rows for this very row."""
    labels = [r[target] for r in rows if r[target] >= 0]
    total = math.log((labels.count(c) + 1) / (len(labels) + arities[target]))
    for i in features:
        parents = parents_in_row(row, ranked[i], k, dependencies)
        family = [*parents, target, i]
        known = [r for r in rows if all(r[j] >= 0 for j in family)]
        same = [r for r in known if all(r[j] == row[j] for j in parents) and r[target] == c]
        total += math.log((sum(r[i] == row[i] for r in same) + 1) / (len(same) + arities[i]))
    return total
