"""Elimination orders of an undirected graph, and its tree-width: bounds, and an exact test against a limit.

The test treats the graph as a dictionary from each node to the set of its neighbours.
"""

import operator
from collections.abc import Iterable
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .parents import closure
from .trees import check_node, check_square


def min_fill_order(adjacency: npt.ArrayLike, eliminate: Iterable[int]) -> list[int]:
    """Order nodes for elimination: always the one whose neighbours lack the fewest edges among themselves.

    To eliminate a node is to join all its neighbours with one another and take the node away. Ties go to the
    node with fewer neighbours, then to the smaller index.

    Parameters
    ----------
    adjacency : array of bool, shape (n, n)
        Symmetric; the diagonal does not matter.
    eliminate : iterable of int
        The nodes to order. The others stay in the graph to the end.

    Returns
    -------
    list of int
        The nodes of ``eliminate``, in the order of elimination.

    References
    ----------
    Kjaerulff. Triangulation of graphs: algorithms giving small total state space. Aalborg University, 1990.

    Examples
    --------
    The centre of a star waits until at most one ray is left.

    >>> star = np.zeros((4, 4), dtype=bool)
    >>> star[0, 1:] = star[1:, 0] = True
    >>> min_fill_order(star, range(4))
    [1, 2, 0, 3]
    """
    graph = _EliminationGraph(check_adjacency(adjacency))
    nodes = sorted(set(eliminate))
    for node in nodes:
        check_node(node, graph.n, "A node to eliminate")
    waiting = np.array(nodes, dtype=np.intp)
    order = []
    while len(waiting):
        # Both keys in one number: the degree is always smaller than n.
        cost = graph.fill_in(waiting) * graph.n + graph.degree[waiting]
        node = int(waiting[cost.argmin()])
        graph.eliminate(node)
        order.append(node)
        waiting = waiting[waiting != node]
    return order


def elimination_width(adjacency: npt.ArrayLike, order: Iterable[int]) -> int:
    """Return the largest number of neighbours a node has when its turn in the elimination order comes.

    The smallest width over all orders of all nodes is the tree-width of the graph.

    Examples
    --------
    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool)
    >>> elimination_width(path, [0, 1, 2]), elimination_width(path, [1, 0, 2])
    (1, 2)
    """
    graph = check_adjacency(adjacency)
    width = 0
    for node in order:
        check_node(node, len(graph), "A node to eliminate")
        neighbours = np.flatnonzero(graph[node])
        width = max(width, len(neighbours))
        graph[np.ix_(neighbours, neighbours)] = True
        graph[neighbours, neighbours] = False
        graph[node, :] = graph[:, node] = False
    return width


class _EliminationGraph:
    """A graph that keeps count, under elimination, of the edges among the neighbours of each node."""

    def __init__(self, joined: npt.NDArray[np.bool_]) -> None:
        self.n = len(joined)
        self.joined = joined
        self.degree = joined.sum(axis=1)
        # Floats because numpy multiplies them with BLAS; these counts are far below 2**53, hence exact.
        common_neighbours = joined.astype(np.float64) @ joined
        self.links = (common_neighbours * joined).sum(axis=1).astype(np.int64) // 2

    def fill_in(self, nodes: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        """Count the edges that each node's elimination would add."""
        degree = self.degree[nodes]
        fill: npt.NDArray[np.int64] = degree * (degree - 1) // 2 - self.links[nodes]
        return fill

    def eliminate(self, node: int) -> None:
        neighbours = np.flatnonzero(self.joined[node])
        self.links[neighbours] -= (self.joined[neighbours] & self.joined[node]).sum(axis=1)
        self.degree[neighbours] -= 1
        self.joined[node, :] = self.joined[:, node] = False
        missing = np.triu(~self.joined[np.ix_(neighbours, neighbours)], k=1)
        for first, second in np.argwhere(missing):
            self._join(neighbours[first], neighbours[second])

    def _join(self, first: np.intp, second: np.intp) -> None:
        common = self.joined[first] & self.joined[second]
        self.links[common] += 1
        self.links[[first, second]] += np.count_nonzero(common)
        self.degree[[first, second]] += 1
        self.joined[first, second] = self.joined[second, first] = True


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


def check_adjacency(adjacency: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return a private copy of the adjacency matrix of an undirected graph, its diagonal cleared."""
    graph = np.array(adjacency, dtype=bool)
    check_square(graph, "adjacency")
    if not np.array_equal(graph, graph.T):
        first, second = np.argwhere(graph != graph.T)[0]
        raise ValueError(
            f"adjacency must be symmetric; entries [{first}, {second}] and [{second}, {first}] differ."
        )
    np.fill_diagonal(graph, False)
    return graph
