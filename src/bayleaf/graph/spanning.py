"""Maximum spanning trees and forests of undirected graphs, directed away from their roots (Prim)."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from bayleaf.graph.matrices import check_node, check_symmetric


def maximum_spanning_tree(weights: npt.ArrayLike, root: int = 0) -> list[int | None]:
    """Return the parents of the nodes in the maximum spanning tree, directed away from the root.

    Of several edges with the same weight the one whose endpoints come first wins: edges are compared by
    weight, then by their smaller, then by their larger endpoint. So the tree is unique, and the root decides
    on the directions alone. Zero and negative weights count too: a tree over n nodes always has n - 1 edges.

    Parameters
    ----------
    weights : array of float, shape (n, n)
        Symmetric; the diagonal does not matter.
    root : int
        The node without a parent.

    Returns
    -------
    list of (int or None)
        The parent of each node; None for the root.

    References
    ----------
    Prim. Shortest connection networks and some generalizations. Bell System Technical Journal, 1957.

    Examples
    --------
    >>> weights = [[0, 3, 2], [3, 0, 1], [2, 1, 0]]
    >>> maximum_spanning_tree(weights, root=0)
    [None, 0, 0]
    >>> maximum_spanning_tree(weights, root=2)
    [2, 0, None]
    """
    checked = check_symmetric(weights, "weights")
    n = len(checked)
    check_node(root, n, "root")
    return _grow_trees(checked, usable=np.ones((n, n), dtype=bool), roots=[root])


def maximum_spanning_forest(
    weights: npt.ArrayLike,
    root: int | None,
    threshold: npt.ArrayLike,
    root_preference: Sequence[float] | npt.NDArray[np.floating] | None = None,
) -> list[int | None]:
    """Return the parents of the nodes in the maximum spanning forest of the edges above a threshold.

    Ties are broken as in `maximum_spanning_tree`.

    Parameters
    ----------
    weights : array of float, shape (n, n)
        Symmetric; the diagonal does not matter.
    root : int or None
        The root of the tree that contains it.
    threshold : float or array of float, shape (n, n)
        Only edges with a larger weight are used. An array gives each edge its own threshold.
    root_preference : array of float, shape (n,), optional
        Each other tree gets the member with the largest value as its root, the first of several; by default
        the member that comes first.

    Returns
    -------
    list of (int or None)
        The parent of each node; None for each root.

    Examples
    --------
    >>> weights = [[0, 3, 0, 0], [3, 0, 1, 0], [0, 1, 0, 2], [0, 0, 2, 0]]
    >>> maximum_spanning_forest(weights, root=1, threshold=1.5, root_preference=[0.1, 0.3, 0.2, 0.4])
    [1, None, 3, None]
    """
    checked = check_symmetric(weights, "weights")
    n = len(checked)
    limits = np.asarray(threshold, dtype=np.float64)
    limits = check_symmetric(np.broadcast_to(limits, (n, n)) if limits.ndim == 0 else limits, "threshold")
    if limits.shape != checked.shape:
        raise ValueError(f"threshold must be a number or a matrix of shape {(n, n)}; got {limits.shape}.")
    preference = np.zeros(n) if root_preference is None else np.asarray(root_preference, dtype=np.float64)
    if preference.shape != (n,) or np.isnan(preference).any():
        raise ValueError(f"root_preference must hold {n} numbers, one per node; got {root_preference!r}.")
    # The most preferred of all nodes outside the trees so far is also the most preferred one of its own tree.
    roots = np.argsort(-preference, kind="stable").tolist()
    if root is not None:
        check_node(root, n, "root")
        roots = [root, *roots]
    return _grow_trees(checked, usable=checked > limits, roots=roots)


def _grow_trees(
    weights: npt.NDArray[np.float64], usable: npt.NDArray[np.bool_], roots: Iterable[int]
) -> list[int | None]:
    """Grow a tree from each root in turn that no earlier tree has reached."""
    n = len(weights)
    nodes = np.arange(n)
    outside = np.ones(n, dtype=bool)
    # The best edge from the trees to each outside node: its weight, its rank among equals, its inner end.
    best_weight = np.full(n, -np.inf)
    best_rank = np.full(n, n * n)
    parent: list[int | None] = [None] * n
    inner_end = np.full(n, -1)

    def reach(node: int) -> None:
        outside[node] = False
        rank = np.minimum(node, nodes) * n + np.maximum(node, nodes)
        heavier = weights[node] > best_weight
        first_of_equals = (weights[node] == best_weight) & (rank < best_rank)
        better = usable[node] & (heavier | first_of_equals)
        best_weight[better] = weights[node, better]
        best_rank[better] = rank[better]
        inner_end[better] = node

    for root in roots:
        if not outside[root]:
            continue
        reach(root)
        while (reachable := np.flatnonzero(outside & (inner_end >= 0))).size:
            heaviest = reachable[best_weight[reachable] == best_weight[reachable].max()]
            node = int(heaviest[best_rank[heaviest].argmin()])
            parent[node] = int(inner_end[node])
            reach(node)
    return parent
