"""Maximum spanning arborescence of a directed graph (Chu-Liu/Edmonds), with one root, chosen or given."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from bayleaf.graph.matrices import check_node, check_square
from bayleaf.graph.order import closure


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
