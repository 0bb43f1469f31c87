"""Elimination orders of an undirected graph: the plan of exact inference, and a bound on tree-width."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from bayleaf.graph.matrices import check_adjacency, check_node


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
