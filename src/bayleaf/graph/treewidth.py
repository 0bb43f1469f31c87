"""Tree-width of an undirected graph: a quick upper bound, and an exact test against a limit.

The test treats the graph as a dictionary from each node to the set of its neighbours.
"""

import operator
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from bayleaf.graph.elimination import elimination_width, min_fill_order
from bayleaf.graph.matrices import check_adjacency
from bayleaf.graph.order import closure

Neighbours: TypeAlias = dict[int, set[int]]


def treewidth_bound(adjacency: npt.ArrayLike) -> int:
    """Return an upper bound on the tree-width: the width of the min-fill elimination order.

    It is exact for chordal graphs, hence for forests.

    Examples
    --------
    >>> cycle = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]], dtype=bool)
    >>> treewidth_bound(cycle)
    2
    """
    graph = check_adjacency(adjacency)
    return elimination_width(graph, min_fill_order(graph, range(len(graph))))


def has_treewidth_at_most(adjacency: npt.ArrayLike, k: int) -> bool:
    """Tell, exactly, whether the tree-width of an undirected graph is at most k.

    Four steps, each only for what the steps before left open:

    1. Reductions: a node with at most k neighbours, all but one of which are joined with one another, can go
       without changing the answer. For k <= 2 this alone decides.
    2. A min-fill order of width at most k proves yes.
    3. A minor with more than k neighbours everywhere (minor-min-width) proves no.
    4. A search through the elimination orders, each set of eliminated nodes visited once. Its time can grow
       exponentially with the nodes that the reductions leave; for the graphs of classifiers these are few.

    Parameters
    ----------
    adjacency : array of bool, shape (n, n)
        Symmetric; the diagonal does not matter.
    k : int
        The limit, zero or more.

    References
    ----------
    Bodlaender, Koster and van den Eijkhof. Preprocessing rules for triangulation of probabilistic networks.
    Computational Intelligence, 2005.
    Gogate and Dechter. A complete anytime algorithm for treewidth. UAI, 2004.

    Examples
    --------
    >>> cycle = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]], dtype=bool)
    >>> has_treewidth_at_most(cycle, 1), has_treewidth_at_most(cycle, 2)
    (False, True)
    """
    if operator.index(k) < 0:
        raise ValueError(f"k must be zero or a positive integer; got {k}.")
    matrix = check_adjacency(adjacency)
    graph = _reduced({node: set(np.flatnonzero(row).tolist()) for node, row in enumerate(matrix)}, k)
    return all(_component_fits(component, k) for component in _components(graph))


def _component_fits(graph: Neighbours, k: int) -> bool:
    return len(graph) <= k + 1 or treewidth_bound(_matrix(graph)) <= k or _some_order_fits(graph, k)


def _some_order_fits(graph: Neighbours, k: int) -> bool:
    """Search for an elimination order in which every node has at most k neighbours at its turn.

    What is left after eliminating a set of nodes does not depend on their order, so each set is tried once.
    """
    tried: set[frozenset[int]] = set()
    stack = [graph]
    while stack:
        left = _reduced(stack.pop(), k)
        if len(left) <= k + 1:
            return True
        nodes = frozenset(left)
        if nodes in tried or _minor_min_width(left) > k:
            continue
        tried.add(nodes)
        fitting = [node for node in left if len(left[node]) <= k]
        # The last one pushed is the next one tried: the one with the fewest neighbours.
        fitting.sort(key=lambda node: (len(left[node]), node), reverse=True)
        stack.extend(_without(left, node) for node in fitting)
    return False


def _reduced(graph: Neighbours, k: int) -> Neighbours:
    """Eliminate almost simplicial nodes of at most k neighbours until there is none.

    Contracting such a node into the neighbour that stands apart does what eliminating it does. So the smaller
    graph is a minor, its tree-width is no larger, and it stays within k exactly if the larger graph does.
    """
    graph = {node: set(around) for node, around in graph.items()}
    to_check = sorted(graph, reverse=True)
    while to_check:
        node = to_check.pop()
        if node in graph and len(graph[node]) <= k and _is_almost_simplicial(graph, node):
            # Only nodes near the eliminated one can have become almost simplicial.
            touched = set(graph[node]).union(*(graph[other] for other in graph[node])) - {node}
            _eliminate(graph, node)
            to_check += sorted(touched, reverse=True)
    return graph


def _is_almost_simplicial(graph: Neighbours, node: int) -> bool:
    """Tell whether all neighbours of the node, but for at most one, are joined with one another."""
    gaps = [pair for pair in combinations(sorted(graph[node]), 2) if pair[1] not in graph[pair[0]]]
    return not gaps or any(all(apart in gap for gap in gaps) for apart in gaps[0])


def _eliminate(graph: Neighbours, node: int) -> None:
    around = graph.pop(node)
    for other in around:
        graph[other] |= around
        graph[other] -= {node, other}


def _without(graph: Neighbours, node: int) -> Neighbours:
    smaller = {other: set(around) for other, around in graph.items()}
    _eliminate(smaller, node)
    return smaller


def _minor_min_width(graph: Neighbours) -> int:
    """Bound the tree-width from below: the largest minimum degree met while contracting edges.

    The node with the fewest neighbours is contracted into the neighbour that shares the fewest with it, so
    that few edges are lost. No minor of a graph has a larger tree-width, and none is below its least degree.
    """
    minor = {node: set(around) for node, around in graph.items()}
    width = 0
    while minor:
        node = min(minor, key=lambda node: (len(minor[node]), node))
        around = minor.pop(node)
        width = max(width, len(around))
        for other in around:
            minor[other].discard(node)
        if around:
            into = min(around, key=lambda other: (len(minor[other] & around), other))
            minor[into] |= around - {into}
            for other in around - {into}:
                minor[other].add(into)
    return width


def _components(graph: Neighbours) -> list[Neighbours]:
    parts = []
    left = set(graph)
    while left:
        part = closure(graph, [min(left)])
        parts.append({node: graph[node] for node in sorted(part)})
        left -= part
    return parts


def _matrix(graph: Neighbours) -> npt.NDArray[np.bool_]:
    nodes = sorted(graph)
    return np.array([[other in graph[node] for other in nodes] for node in nodes], dtype=bool)
