"""Slow, obvious versions of structure learners and parameter estimates."""

import itertools
import math
from collections import Counter


def conditional_mutual_information(rows, i, j, c):
    """I(X_i; X_j | C) by its definition, over rows in which all three values are known (>= 0)."""
    known = [row for row in rows if min(row[i], row[j], row[c]) >= 0]
    n = len(known)
    joint = Counter((row[i], row[j], row[c]) for row in known)
    left = Counter((row[i], row[c]) for row in known)
    right = Counter((row[j], row[c]) for row in known)
    given = Counter(row[c] for row in known)
    return sum(
        count / n * math.log(count * given[k] / (left[a, k] * right[b, k]))
        for (a, b, k), count in joint.items()
    )


def spanning_trees(n):
    """Every tree over n nodes as a set of edges."""
    edges = list(itertools.combinations(range(n), 2))
    for chosen in itertools.combinations(edges, n - 1):
        group = list(range(n))
        for a, b in chosen:
            group = [group[a] if g == group[b] else g for g in group]
        if len(set(group)) == 1:
            yield chosen


def arborescences(n):
    """Every directed tree over n nodes, as a tuple of parents."""
    for parents in itertools.product([None, *range(n)], repeat=n):
        if parents.count(None) == 1 and all(reaches_root(parents, node) for node in range(n)):
            yield parents


def reaches_root(parents, node):
    for _ in parents:
        if parents[node] is None:
            return True
        node = parents[node]
    return parents[node] is None
