"""Class-focused scores and searches by refitting every network with exact fractions: slow and obvious."""

from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import log

import numpy as np

EPSILON = Fraction(1, 100_000)


def known(row, columns):
    return all(row[j] is not None for j in columns)


@lru_cache(maxsize=1000)
def counted(rows, weights, arity, node, parents):
    """Weights of the states of a node by the values of its parents; rows that lack one of them are left out."""
    counts = {}
    for r, w in zip(rows, weights, strict=True):
        if known(r, [*parents, node]):
            counts.setdefault(tuple(r[p] for p in parents), [Fraction(0)] * arity)[r[node]] += Fraction(w)
    return counts


def probability(rows, weights, arities, node, parents, row, estimate):
    """P(node = row[node] | parents as in row) estimated from `rows`."""
    counts = counted(rows, weights, arities[node], node, tuple(parents)).get(tuple(row[p] for p in parents))
    counts = counts or [Fraction(0)] * arities[node]
    total = sum(counts)
    r_i = arities[node]
    q_i = int(np.prod([arities[p] for p in parents], dtype=object)) if parents else 1
    if estimate == "laplace":
        return (counts[row[node]] + 1) / (total + r_i)
    if estimate == "dirichlet":
        return (counts[row[node]] + Fraction(1, r_i * q_i)) / (total + Fraction(1, q_i))
    if total == 0:
        return Fraction(1, r_i)
    table = [n / total if n else EPSILON for n in counts]
    return table[row[node]] / sum(table)


def joint(rows, weights, arities, target, parents, row, estimate):
    """P(c, x) for each class, up to factors without the class; families with a missing value are left out."""
    rows, weights = tuple(map(tuple, rows)), tuple(weights)
    products = []
    for c in range(arities[target]):
        tried = list(row)
        tried[target] = c
        product = Fraction(1)
        for node, of_node in enumerate(parents):
            family = [*of_node, node]
            if target in family and known(tried, family):
                product *= probability(rows, weights, arities, node, of_node, tried, estimate)
        products.append(product)
    return products


def prior(rows, weights, classes, target):
    return [
        sum(Fraction(w) for r, w in zip(rows, weights, strict=True) if r[target] == c) for c in range(classes)
    ]


def judged(rows, weights, arities, target, parents, fold=None, estimate="ml"):
    """(row, weight, products, prior) of every judged row, from the tables that may judge it."""
    learned = {}  # what the rows outside each fold say
    for m, row in enumerate(rows):
        own = None if fold is None else fold[m]
        if own == 255:
            continue
        if own not in learned:
            training = [k for k in range(len(rows)) if fold is None or fold[k] != own]
            some, some_weights = tuple(rows[k] for k in training), tuple(weights[k] for k in training)
            learned[own] = some, some_weights, prior(some, some_weights, arities[target], target)
        some, some_weights, frequencies = learned[own]
        products = joint(some, some_weights, arities, target, parents, row, estimate)
        yield row, weights[m], products, frequencies


def decide(products, frequencies):
    """The most probable class; ties go to the more frequent, then to the first."""
    return max(range(len(products)), key=lambda c: (products[c], frequencies[c], -c))


def error_rate(rows, weights, arities, target, parents, fold=None, estimate="ml"):
    wrong = total = Fraction(0)
    for row, w, products, frequencies in judged(rows, weights, arities, target, parents, fold, estimate):
        total += Fraction(w)
        wrong += Fraction(w) * (decide(products, frequencies) != row[target])
    return wrong / total


def conditional_log_likelihood(rows, weights, arities, target, parents, fold=None, estimate="ml"):
    return sum(
        float(w) * log(products[row[target]] / sum(products))
        for row, w, products, _ in judged(rows, weights, arities, target, parents, fold, estimate)
    )


def mean_cost(rows, weights, arities, target, parents, cost, fold=None, estimate="ml"):
    spent = total = Fraction(0)
    decisions = len(cost[0])
    for row, w, products, frequencies in judged(rows, weights, arities, target, parents, fold, estimate):
        risks = [sum(p * cost[c][d] for c, p in enumerate(products)) for d in range(decisions)]
        preferred = frequencies if decisions == len(products) else [0] * decisions
        chosen = min(range(decisions), key=lambda d: (risks[d], -preferred[d], d))
        spent += Fraction(w) * cost[row[target]][chosen]
        total += Fraction(w)
    return spent / total


def accuracy(rows, arities, target, parents, fold=None):
    return 1 - error_rate(rows, [1] * len(rows), arities, target, parents, fold)


def naive_parents(arities, target):
    return [() if node == target else (target,) for node in range(len(arities))]


def has_cycle(parents):
    done, active = set(), set()

    def visit(node):
        if node in active:
            return True
        if node in done:
            return False
        active.add(node)
        found = any(visit(p) for p in parents[node])
        active.discard(node)
        done.add(node)
        return found

    return any(visit(node) for node in range(len(parents)))


def with_parents(parents, node, chosen, target):
    changed = list(parents)
    changed[node] = tuple(sorted([target, *chosen]))
    return changed


def order_based(arities, target, order, k, score, first_arc="always"):
    """Algorithm 1 of Pernkopf & Bilmes for k feature parents, by calling `score(parents)` on whole networks."""
    parents = naive_parents(arities, target)
    best = None
    for j, node in enumerate(order[1:], start=1):
        earlier = order[:j]
        if j == 1 and first_arc == "always":
            parents = with_parents(parents, node, earlier, target)
            continue
        if best is None:
            best = -np.inf if first_arc == "always" else score(parents)
        chosen, chosen_score = None, best
        for size in range(1, k + 1):
            for combination in combinations(earlier, size):
                value = score(with_parents(parents, node, combination, target))
                if value > chosen_score:
                    chosen, chosen_score = combination, value
        if chosen is not None:
            parents, best = with_parents(parents, node, chosen, target), chosen_score
    return parents


def greedy_tree(arities, target, k, score):
    """Add the best arc as long as one improves the score; the first in (child, parent) order among equals."""
    parents = naive_parents(arities, target)
    features = [j for j in range(len(arities)) if j != target]
    best = score(parents)
    while True:
        chosen = None
        for child in features:
            own = [p for p in parents[child] if p != target]
            if len(own) >= k:
                continue
            for parent in features:
                if parent == child or parent in own:
                    continue
                changed = with_parents(parents, child, [*own, parent], target)
                if has_cycle(changed):
                    continue
                value = score(changed)
                if value > best:
                    chosen, best = changed, value
        if chosen is None:
            return parents
        parents = chosen


def superparent(arities, target, k, score):
    """Keogh & Pazzani's SuperParent, with k edges kept per round as Pernkopf & Bilmes generalise it."""
    parents = naive_parents(arities, target)
    features = [j for j in range(len(arities)) if j != target]
    best = score(parents)

    def adopt(node, children):
        changed = list(parents)
        for child in children:
            changed[child] = tuple(sorted([*changed[child], node]))
        return changed

    while True:
        top, top_score = None, None
        for node in features:
            children = children_open_to(node, parents, features, target, k)
            if not children:
                continue
            value = score(adopt(node, children))
            if top is None or value > top_score:
                top, top_score = node, value
        if top is None:
            return parents
        children = children_open_to(top, parents, features, target, k)
        kept, kept_score = None, best
        for some in combinations(children, min(k, len(children))):
            value = score(adopt(top, some))
            if value > kept_score:
                kept, kept_score = adopt(top, some), value
        if kept is None:
            return parents
        parents, best = kept, kept_score


def children_open_to(node, parents, features, target, k):
    """Features with fewer than k feature parents that are no ancestors of the node."""
    ancestors, stack = set(), [node]
    while stack:
        for p in parents[stack.pop()]:
            if p not in ancestors:
                ancestors.add(p)
                stack.append(p)
    return [
        child
        for child in features
        if child != node
        and child not in ancestors
        and node not in parents[child]
        and len(parents[child]) - 1 < k
    ]
