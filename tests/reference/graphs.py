"""Slow, obvious versions of the graph algorithms, and random graphs to compare them on.

A DAG is one tuple of parent indices per node; an undirected graph is a boolean matrix.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, combinations, permutations, product
from math import comb

import numpy as np
from hypothesis import strategies as st

Parents = tuple[tuple[int, ...], ...]
Edge = tuple[int, int]


# Random graphs


@st.composite
def random_parents(draw, min_nodes: int = 1, max_nodes: int = 6) -> Parents:
    """Draw a DAG: an order of the nodes, and any set of arcs that respects it."""
    n = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations(range(n)))
    parents: list[tuple[int, ...]] = [()] * n
    for position, node in enumerate(order):
        before = sorted(order[:position])
        chosen = draw(st.lists(st.booleans(), min_size=position, max_size=position))
        parents[node] = tuple(other for other, taken in zip(before, chosen, strict=True) if taken)
    return tuple(parents)


@st.composite
def random_adjacency(draw, max_nodes: int = 6) -> np.ndarray:
    """Draw an undirected graph as a symmetric boolean matrix."""
    n = draw(st.integers(0, max_nodes))
    joined = np.zeros((n, n), dtype=bool)
    for first, second in combinations(range(n), 2):
        joined[first, second] = joined[second, first] = draw(st.booleans())
    return joined


# Directed acyclic graphs


def is_acyclic(parents: Parents) -> bool:
    """Some order of the nodes puts all parents first."""
    return any(
        all(set(parents[node]) <= set(order[:position]) for position, node in enumerate(order))
        for order in permutations(range(len(parents)))
    )


def dags_by_filtering(n: int) -> Iterator[Parents]:
    """All directed graphs without a cycle."""
    families = [powerset(other for other in range(n) if other != node) for node in range(n)]
    return filter(is_acyclic, product(*families))


def number_of_dags(n: int) -> int:
    """Robinson's recurrence."""
    if n == 0:
        return 1
    terms = (
        (-1) ** (k + 1) * comb(n, k) * 2 ** (k * (n - k)) * number_of_dags(n - k) for k in range(1, n + 1)
    )
    return sum(terms)


def powerset(items) -> list[tuple[int, ...]]:
    items = list(items)
    return list(chain.from_iterable(combinations(items, size) for size in range(len(items) + 1)))


def descendants(parents: Parents, node: int) -> set[int]:
    """The node's children and theirs."""
    children = [child for child, family in enumerate(parents) if node in family]
    return set(children).union(*(descendants(parents, child) for child in children))


def topological_orders(parents: Parents) -> Iterator[tuple[int, ...]]:
    """All orders with parents first, in lexicographic order."""
    for order in permutations(range(len(parents))):
        if all(set(parents[node]) <= set(order[:position]) for position, node in enumerate(order)):
            yield order


# Separation and equivalence


def trails(parents: Parents, start: int, end: int) -> Iterator[list[int]]:
    """All paths without repeated nodes, whatever the directions of the arcs."""

    def extend(trail: list[int]) -> Iterator[list[int]]:
        if trail[-1] == end:
            yield trail
            return
        for node in range(len(parents)):
            if node not in trail and (node in parents[trail[-1]] or trail[-1] in parents[node]):
                yield from extend([*trail, node])

    return extend([start])


def is_active(parents: Parents, trail: Sequence[int], given: set[int]) -> bool:
    """The definition of an active trail, node by node."""
    for before, node, after in zip(trail, trail[1:], trail[2:], strict=False):
        is_collider = before in parents[node] and after in parents[node]
        if is_collider and not given & ({node} | descendants(parents, node)):
            return False
        if not is_collider and node in given:
            return False
    return True


def separated_by_trails(parents: Parents, x: set[int], y: set[int], given: set[int]) -> bool:
    return not any(
        is_active(parents, trail, given)
        for start, end in product(x, y)
        for trail in trails(parents, start, end)
    )


def separated_by_moralisation(parents: Parents, x: set[int], y: set[int], given: set[int]) -> bool:
    """Cut the moral graph of the ancestors at the evidence; x and y must fall apart."""
    n = len(parents)
    ancestral = {node for node in range(n) if ({node} | descendants(parents, node)) & (x | y | given)}
    joined = {pair for node in ancestral for pair in combinations(sorted({node, *parents[node]}), 2)}
    side = set(x)
    for _ in range(n):
        for pair in joined:
            if side & set(pair):
                side |= set(pair) - given
    return not side & y


@cache
def independences(parents: Parents) -> frozenset[tuple[int, int, tuple[int, ...]]]:
    """All statements "x and y are separated given z" about two single nodes."""
    n = len(parents)
    return frozenset(
        (x, y, z)
        for x, y in combinations(range(n), 2)
        for z in powerset(node for node in range(n) if node not in (x, y))
        if separated_by_trails(parents, {x}, {y}, set(z))
    )


# Tree-width


def width_of_order(adjacency: np.ndarray, order: Sequence[int]) -> int:
    graph = {node: set(np.flatnonzero(row).tolist()) for node, row in enumerate(adjacency)}
    width = 0
    for node in order:
        around = graph.pop(node)
        width = max(width, len(around))
        for other in around:
            graph[other] = (graph[other] | around) - {node, other}
    return width


def treewidth_by_orders(adjacency: np.ndarray) -> int:
    """The least width of all elimination orders."""
    return min(width_of_order(adjacency, order) for order in permutations(range(len(adjacency))))


def treewidth_by_subsets(adjacency: np.ndarray) -> int:
    """The same by dynamic programming over the set of nodes eliminated so far, for a few nodes more."""

    @cache
    def best(eliminated: frozenset[int]) -> int:
        return min(
            (max(best(eliminated - {last}), degree(eliminated - {last}, last)) for last in eliminated),
            default=0,
        )

    def degree(eliminated: frozenset[int], node: int) -> int:
        seen, frontier = {node}, [node]
        while frontier:
            for other in np.flatnonzero(adjacency[frontier.pop()]).tolist():
                if other not in seen:
                    seen.add(other)
                    if other in eliminated:
                        frontier.append(other)
        return len(seen - eliminated - {node})

    return best(frozenset(range(len(adjacency))))


def min_fill_by_definition(adjacency: np.ndarray, eliminate: Sequence[int]) -> list[int]:
    """Count all missing edges anew at each step; ties by degree, then by index."""
    graph = {node: set(np.flatnonzero(row).tolist()) for node, row in enumerate(adjacency)}
    waiting, order = set(eliminate), []

    def cost(node: int) -> tuple[int, int, int]:
        missing = sum(second not in graph[first] for first, second in combinations(graph[node], 2))
        return missing, len(graph[node]), node

    while waiting:
        node = min(waiting, key=cost)
        around = graph.pop(node)
        for other in around:
            graph[other] = (graph[other] | around) - {node, other}
        waiting.remove(node)
        order.append(node)
    return order


# Trees


def best_spanning_forest(weights: np.ndarray, usable: np.ndarray) -> set[Edge]:
    """The forest with the most edges whose sorted list of edges, best edge first, comes first.

    Edges are better with a larger weight, then with a smaller first, then with a smaller second endpoint.
    """
    n = len(weights)
    edges = sorted(
        (edge for edge in combinations(range(n), 2) if usable[edge]), key=lambda e: (-weights[e], e)
    )
    forests = [subset for subset in powerset(range(len(edges))) if is_forest(n, [edges[i] for i in subset])]
    best = min(forests, key=lambda subset: (-len(subset), subset))
    return {edges[i] for i in best}


def is_forest(n: int, edges: Sequence[Edge]) -> bool:
    """No edge joins two nodes that those before it have joined."""
    part = list(range(n))
    for first, second in edges:
        if part[first] == part[second]:
            return False
        part = [part[first] if label == part[second] else label for label in part]
    return True


def component(edges: set[Edge], node: int) -> set[int]:
    reached = {node}
    for _ in edges:
        for edge in edges:
            if reached & set(edge):
                reached |= set(edge)
    return reached


def arborescences(n: int, allowed: np.ndarray) -> Iterator[tuple[int | None, ...]]:
    """All ways to give every node but one an allowed parent so that following parents leads to that one."""
    for root in range(n):
        choices = [
            [None]
            if node == root
            else [other for other in range(n) if other != node and allowed[other, node]]
            for node in range(n)
        ]
        for parents in product(*choices):
            if all(leads_to_root(parents, node) for node in range(n)):
                yield parents


def leads_to_root(parents: Sequence[int | None], node: int | None) -> bool:
    for _ in parents:
        if node is not None:
            node = parents[node]
    return node is None


def total_weight(weights: np.ndarray, parents: Sequence[int | None]) -> float:
    return sum(weights[parent, child] for child, parent in enumerate(parents) if parent is not None)
