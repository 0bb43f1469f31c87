"""The best trees and forests: maximum spanning trees (Prim) and arborescences (Chu-Liu/Edmonds)."""

import operator
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from .parents import closure


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


def maximum_arborescence(
    weights: npt.ArrayLike,
    allowed: npt.ArrayLike | None = None,
    root: int | None = None,
    *,
    names: Sequence[str] | None = None,
) -> list[int | None]:
    """Return the parents of the nodes in the directed spanning tree of the largest total weight.

    Every node but the root has one parent and can be reached from the root. Weights may be negative. Equal
    input gives equal output; among roots that allow the same total the smallest index wins. Totals are equal
    when floating-point arithmetic makes them so.

    Parameters
    ----------
    weights : array of float, shape (n, n)
        The weight of the arc parent -> child at [parent, child]. Must be finite where the arc is allowed.
    allowed : array of bool, shape (n, n), optional
        Which arcs may be used; by default all. The diagonal does not matter.
    root : int, optional
        The node without a parent; by default the one that allows the largest total.
    names : sequence of str, optional
        What errors call the nodes; their numbers by default.

    Returns
    -------
    list of (int or None)
        The parent of each node; None for the root.

    Notes
    -----
    The root is found in the same run: an extra node, the origin, has an arc to every possible root. Arcs are
    compared by three numbers in turn: first whether they leave the origin, so that as few of those as
    possible are used, which is one; then weight; then the index of the root. The algorithm only adds,
    subtracts and compares, so it is as right for such triples as for numbers, and no large penalty spoils
    the precision.

    References
    ----------
    Edmonds. Optimum branchings. Journal of Research of the National Bureau of Standards, 1967.
    Tarjan. Finding optimum branchings. Networks, 1977 (the contraction of one growing path at a time).

    Examples
    --------
    >>> weights = [[0, 5, 1], [6, 0, 2], [1, 1, 0]]
    >>> maximum_arborescence(weights)
    [1, None, 1]
    >>> maximum_arborescence(weights, root=0)
    [None, 0, 1]
    """
    numbers = np.array(weights, dtype=np.float64)
    n = check_square(numbers, "weights")
    usable = np.ones((n, n), dtype=bool) if allowed is None else np.array(allowed, dtype=bool)
    if usable.shape != numbers.shape:
        raise ValueError(f"allowed must have the shape of weights, {numbers.shape}; got {usable.shape}.")
    np.fill_diagonal(usable, False)
    for parent, child in np.argwhere(usable & ~np.isfinite(numbers)):
        value = numbers[parent, child]
        raise ValueError(f"weights must be finite where allowed; weights[{parent}, {child}] is {value:g}.")
    roots = _possible_roots(usable, root, names)
    graph = _ContractibleGraph(_keys(numbers, usable, roots), origin=n)
    for node in range(n):
        graph.grow_path(node)
    entering = graph.expand()
    return [None if parent == n else parent for parent in (entering[node][0] for node in range(n))]


def _possible_roots(
    usable: npt.NDArray[np.bool_], root: int | None, names: Sequence[str] | None
) -> list[int]:
    """Return the nodes that reach all others, restricted to the given root; complain when there is none."""
    n = len(usable)
    children = [np.flatnonzero(row).tolist() for row in usable]
    if root is not None:
        check_node(root, n, "root")
        missed = sorted(set(range(n)) - closure(children, [root]))
        if missed:
            called = range(n) if names is None else [f"'{name}'" for name in names]
            shown = ", ".join(str(called[node]) for node in missed[:8]) + (", ..." if len(missed) > 8 else "")
            raise ValueError(
                f"No spanning arborescence: {len(missed)} of {n} nodes ({shown}) cannot be reached from root "
                f"{called[root]} through allowed arcs."
            )
        return [root]
    # If some node reaches all, so does the last one that no earlier search came across.
    candidate, seen = 0, set[int]()
    for node in range(n):
        if node not in seen:
            candidate = node
            seen |= closure(children, [node])
    if n == 0 or len(closure(children, [candidate])) < n:
        raise ValueError(
            f"No spanning arborescence: none of the {n} nodes reaches all the others through allowed arcs."
        )
    parents = [np.flatnonzero(column).tolist() for column in usable.T]
    return sorted(closure(parents, [candidate]))


def _keys(
    weights: npt.NDArray[np.float64], usable: npt.NDArray[np.bool_], roots: list[int]
) -> npt.NDArray[np.float64]:
    """Stack what arcs are compared by: origin arcs last, then weight, then small root first.

    The first number is minus infinity where there is no arc, so such a place never wins a comparison.
    """
    n = len(weights)
    keys = np.zeros((3, n + 1, n + 1))
    keys[0] = -np.inf
    keys[0, :n, :n][usable] = 0.0
    keys[1, :n, :n][usable] = weights[usable]
    keys[0, n, roots] = -1.0
    keys[2, n, roots] = -np.array(roots, dtype=np.float64)
    return keys


class _ContractibleGraph:
    """A graph in which cycles of best arcs become single nodes, remembered so that they can be opened again.

    A contracted cycle lives on in the place (row and column) of one of its members. Groups number the
    original nodes and then, counting on, the contracted cycles.
    """

    def __init__(self, keys: npt.NDArray[np.float64], origin: int) -> None:
        size = keys.shape[1]
        self.keys = keys
        # The original arc behind each entry.
        self.tail, self.head = (ends.copy() for ends in np.indices((size, size)))
        self.group_at = list(range(size))
        self.enclosing: dict[int, int] = {}
        self.entering: dict[int, tuple[int, int]] = {}
        self.best_parent = [-1] * size
        self.settled = {origin}
        self.n_groups = size

    def grow_path(self, start: int) -> None:
        """From the start, go to the best parent, again and again, until a settled place is met."""
        if self.group_at[start] in self.enclosing or start in self.settled:
            return
        path = [start]
        while path[-1] not in self.settled:
            child = path[-1]
            parent = self._choose_parent(child)
            if parent in path:
                cycle = path[path.index(parent) :]
                path = [*path[: path.index(parent)], self._contract(cycle)]
            else:
                path.append(parent)
        self.settled.update(path)

    def _choose_parent(self, child: int) -> int:
        candidates = np.arange(self.keys.shape[1])
        for component in self.keys[:, :, child]:
            values = component[candidates]
            candidates = candidates[values == values.max()]
        parent = int(candidates[0])
        self.best_parent[child] = parent
        arc = int(self.tail[parent, child]), int(self.head[parent, child])
        self.entering[self.group_at[child]] = arc
        return parent

    def _contract(self, cycle: list[int]) -> int:
        """Make one node of the cycle; an arc into it is worth its gain over the cycle arc it replaces."""
        place, *others = cycle
        for member in cycle:
            self.keys[:, :, member] -= self.keys[:, [self.best_parent[member]], member]
        for member in others:
            self._keep_better((slice(None), place), (slice(None), member))
            self._keep_better((place, slice(None)), (member, slice(None)))
            self.keys[0, member, :] = self.keys[0, :, member] = -np.inf
        self.keys[0, place, place] = -np.inf
        for member in cycle:
            self.enclosing[self.group_at[member]] = self.n_groups
        self.group_at[place] = self.n_groups
        self.n_groups += 1
        return place

    def _keep_better(
        self, line: tuple[slice | int, slice | int], other: tuple[slice | int, slice | int]
    ) -> None:
        """Replace the arcs of one row or column by those of another where these are better."""
        key, rival = self.keys[:, *line], self.keys[:, *other]
        better = rival[2] > key[2]
        for component in (1, 0):
            better = (rival[component] > key[component]) | ((rival[component] == key[component]) & better)
        key[:, better] = rival[:, better]
        self.tail[line][better] = self.tail[other][better]
        self.head[line][better] = self.head[other][better]

    def expand(self) -> dict[int, tuple[int, int]]:
        """Open the contracted cycles, last one first: the arc into a cycle replaces one arc inside it."""
        entering = dict(self.entering)
        for cycle in sorted(set(self.enclosing.values()), reverse=True):
            arc = entering[cycle]
            member = arc[1]
            while self.enclosing[member] != cycle:
                member = self.enclosing[member]
            entering[member] = arc
        return entering


def check_square(matrix: npt.NDArray[np.generic], name: str) -> int:
    """Return the number of rows of a square matrix, or say what its shape is."""
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} must be a square matrix; its shape is {matrix.shape}.")
    return len(matrix)


def check_symmetric(weights: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    """Return a symmetric copy of the weights; rounding differences give way to the upper triangle.

    The diagonal means nothing for a graph without loops and becomes zero.
    """
    given = np.array(weights, dtype=np.float64)
    check_square(given, name)
    np.fill_diagonal(given, 0.0)
    if np.isnan(given).any():
        first, second = np.argwhere(np.isnan(given))[0]
        raise ValueError(f"{name} must be numbers; {name}[{first}, {second}] is NaN.")
    unequal = ~np.isclose(given, given.T, rtol=1e-9, atol=1e-12)
    if unequal.any():
        first, second = np.argwhere(unequal)[0]
        raise ValueError(
            f"{name} must be symmetric; {name}[{first}, {second}] is {given[first, second]:g} but "
            f"{name}[{second}, {first}] is {given[second, first]:g}."
        )
    return np.where(np.tri(len(given), dtype=bool), given.T, given)


def check_node(node: int, n: int, name: str) -> None:
    """Refuse an index that is not a node."""
    if not 0 <= operator.index(node) < n:
        raise ValueError(f"{name} must be a node index from 0 to {n - 1}; got {node}.")
