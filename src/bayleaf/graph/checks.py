"""Checks of what callers hand in: node names, arcs between them, parent indices, square matrices."""

import operator
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from bayleaf._util.words import short

# From a parent to its child, by names.
Arc: TypeAlias = tuple[str, str]
# A node and its parents, by numbers.
Family: TypeAlias = tuple[int, tuple[int, ...]]
ParentSets: TypeAlias = tuple[tuple[int, ...], ...]


def quoted(names: Iterable[str], limit: int = 8) -> str:
    """List names for a message, without flooding the reader.

    Examples
    --------
    >>> quoted(["a", "b", "c"], limit=2)
    "'a', 'b', ... (3 in all)"
    """
    names = list(names)
    shown = ", ".join(f"'{short(name)}'" for name in names[:limit])
    return shown if len(names) <= limit else f"{shown}, ... ({len(names)} in all)"


def check_names(nodes: Sequence[str]) -> tuple[str, ...]:
    """Return the node names as a tuple, or say why they cannot be node names.

    Examples
    --------
    >>> check_names(["a", "b"])
    ('a', 'b')
    """
    if isinstance(nodes, str):
        raise TypeError(f"Pass the nodes as a list of names; got the string '{nodes}'.")
    names = tuple(nodes)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"Node names must be strings; got {name!r} ({type(name).__name__}).")
    name, times = max(Counter(names).items(), key=operator.itemgetter(1), default=("", 0))
    if times > 1:
        raise ValueError(f"Node names must be unique; '{name}' occurs {times} times.")
    # str() also turns numpy strings into plain ones.
    return tuple(str(name) for name in names)


def position_of(name: str, positions: Mapping[str, int]) -> int:
    """Find a node's index, or say which nodes there are.

    Examples
    --------
    >>> position_of("b", {"a": 0, "b": 1})
    1
    """
    if not isinstance(name, str):
        raise TypeError(f"A node is given by its name, a string; got {name!r} ({type(name).__name__}).")
    if name not in positions:
        raise ValueError(f"Unknown node '{name}'; the nodes are {quoted(positions) or 'none'}.")
    return positions[name]


def listed_arcs(arcs: object, what: str) -> list[Arc]:
    """Return arcs as a list of pairs of names, or say which parameter holds something else.

    Examples
    --------
    >>> listed_arcs([["a", "b"]], "The required arcs")
    [('a', 'b')]
    >>> listed_arcs([("a", "b", "c")], "The required arcs")
    Traceback (most recent call last):
        ...
    ValueError: The required arcs must be pairs of names (parent, child); got ('a', 'b', 'c').
    """
    if isinstance(arcs, Iterator):
        raise TypeError(
            f"{what} must be a list of (parent, child) pairs: an iterator is used up by the first fit. "
            f"Got {arcs!r} instead."
        )
    if isinstance(arcs, str) or not isinstance(arcs, Iterable):
        raise TypeError(f"{what} must be a list of (parent, child) pairs. Got {arcs!r} instead.")
    listed = []
    for arc in arcs:
        pair = () if isinstance(arc, str) or not isinstance(arc, Iterable) else tuple(arc)
        if len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            raise ValueError(f"{what} must be pairs of names (parent, child); got {arc!r}.")
        listed.append((str(pair[0]), str(pair[1])))
    return listed


def constraint_arcs(arcs: object, names: Sequence[str], what: str) -> list[tuple[int, int]]:
    """Turn the required or forbidden arcs of a search into arcs between indices, or say what is wrong with one.

    Examples
    --------
    >>> constraint_arcs([("b", "a")], ["a", "b"], "required")
    [(1, 0)]
    >>> constraint_arcs([("a", "mean txture")], ["a", "mean texture"], "required")
    Traceback (most recent call last):
        ...
    ValueError: The required arc 'a' -> 'mean txture' names 'mean txture', which the data lacks. Did you mean
    'mean texture'?
    """
    pairs = []
    for parent, child in listed_arcs(arcs, f"The {what} arcs"):
        for name in (parent, child):
            if name not in names:
                near = get_close_matches(name, names, n=1)
                help_ = f". Did you mean '{near[0]}'?" if near else f"; it has {quoted(names, 20)}."
                raise ValueError(
                    f"The {what} arc '{parent}' -> '{child}' names '{name}', which the data lacks{help_}"
                )
        if parent == child:
            raise ValueError(f"The {what} arc '{parent}' -> '{child}' is a loop.")
        pairs.append((names.index(parent), names.index(child)))
    return pairs


def tier_arcs(tiers: Sequence[Iterable[str]]) -> list[Arc]:
    """Return the arcs that tiers forbid: those from a later tier into an earlier one.

    Parameters
    ----------
    tiers : sequence of iterables of str
        Names, the earliest first: what comes before in time, or cannot be an effect of what follows.

    Examples
    --------
    >>> tier_arcs([["age", "sex"], ["pressure"]])
    [('pressure', 'age'), ('pressure', 'sex')]
    """
    named = [[names] if isinstance(names, str) else list(names) for names in tiers]
    every = [name for names in named for name in names]
    twice = next((name for name in every if every.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"'{twice}' is in the tiers twice: each name has one place.")
    return [
        (later, earlier)
        for place, names in enumerate(named)
        for later in names
        for before in named[:place]
        for earlier in before
    ]


def index_arcs(arcs: Iterable[Arc], positions: Mapping[str, int]) -> list[tuple[int, int]]:
    """Turn arcs between names into arcs between indices.

    Examples
    --------
    >>> index_arcs([("b", "a")], {"a": 0, "b": 1})
    [(1, 0)]
    """
    return [index_arc(arc, positions) for arc in arcs]


def index_arc(arc: Arc, positions: Mapping[str, int]) -> tuple[int, int]:
    """Turn one arc between names into an arc between indices.

    Examples
    --------
    >>> index_arc(("b", "a"), {"a": 0, "b": 1})
    (1, 0)
    """
    if isinstance(arc, str) or not isinstance(arc, Collection) or len(arc) != 2:
        raise ValueError(f"An arc is a pair of node names (parent, child); got {arc!r}.")
    parent, child = arc
    for end in (parent, child):
        if not isinstance(end, str) or end not in positions:
            nodes = quoted(positions) or "none"
            raise ValueError(f"Unknown node {end!r} in the arc {parent} -> {child}; the nodes are {nodes}.")
    if parent == child:
        raise ValueError(f"The arc {parent} -> {child} is a self loop; an arc joins two different nodes.")
    return positions[parent], positions[child]


def parents_from_arcs(n: int, arcs: Iterable[tuple[int, int]]) -> ParentSets:
    """Collect the arcs between indices into one sorted parent set per node.

    Examples
    --------
    >>> parents_from_arcs(3, [(1, 2), (0, 2), (1, 2)])
    ((), (), (0, 1))
    """
    parents: list[set[int]] = [set() for _ in range(n)]
    for parent, child in arcs:
        parents[child].add(parent)
    return tuple(tuple(sorted(family)) for family in parents)


def check_parent_indices(names: tuple[str, ...], parent_indices: Iterable[Iterable[int]]) -> ParentSets:
    """Return sorted parent sets of plain integers, or say which one is wrong.

    Examples
    --------
    >>> check_parent_indices(("a", "b", "c"), [[], [0], [1, 0]])
    ((), (0,), (0, 1))
    """
    families = [[operator.index(parent) for parent in family] for family in parent_indices]
    if len(families) != len(names):
        raise ValueError(
            f"There must be one parent set per node; got {len(families)} for {len(names)} nodes."
        )
    for name, family, own in zip(names, families, range(len(names)), strict=True):
        for parent in family:
            if not 0 <= parent < len(names):
                raise ValueError(
                    f"Node '{name}' has the parent index {parent}; indices run from 0 to {len(names) - 1}."
                )
        if own in family:
            raise ValueError(f"The arc {name} -> {name} is a self loop; an arc joins two different nodes.")
    return tuple(tuple(sorted(set(family))) for family in families)


class Named(Protocol):
    """A graph with named nodes.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> graph: Named = DAG(["a", "b"])
    """

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes."""


def check_comparable(graph: Named, other: Named) -> None:
    """Refuse to compare two graphs of different kinds, or over different node names.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> check_comparable(DAG(["a", "b"]), DAG(["b", "a"]))
    """
    kind = type(graph).__name__
    if not isinstance(other, type(graph)):
        raise TypeError(f"A {kind} is compared with a {kind}; got an object of type {type(other).__name__}.")
    different = sorted(set(graph.nodes) ^ set(other.nodes))
    if different:
        raise ValueError(
            f"The two graphs must have the same nodes; only one of them has {quoted(different)}."
        )


def arc_matrix(parents: Sequence[Sequence[int]]) -> npt.NDArray[np.bool_]:
    """Return the arcs of a directed graph as a read-only matrix [parent, child].

    Examples
    --------
    >>> arc_matrix([(), (0,)])
    array([[False,  True],
           [False, False]])
    """
    matrix = np.zeros((len(parents), len(parents)), dtype=bool)
    for child, family in enumerate(parents):
        matrix[list(family), child] = True
    matrix.flags.writeable = False
    return matrix


def moral_matrix(parents: Sequence[Sequence[int]]) -> npt.NDArray[np.bool_]:
    """Return the pairs of nodes that an arc or a common child joins as a read-only symmetric matrix.

    Examples
    --------
    >>> moral_matrix([(), (), (0, 1)])[0]
    array([False,  True,  True])
    """
    arcs = arc_matrix(parents)
    matrix = arcs | arcs.T
    for family in parents:
        matrix[np.ix_(family, family)] = True
    np.fill_diagonal(matrix, False)
    matrix.flags.writeable = False
    return matrix


def check_square(matrix: npt.NDArray[np.generic], name: str) -> int:
    """Return the number of rows of a square matrix, or say what its shape is.

    Examples
    --------
    >>> check_square(np.zeros((3, 3)), "weights")
    3
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} must be a square matrix; its shape is {matrix.shape}.")
    return len(matrix)


def check_adjacency(adjacency: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return a private copy of the adjacency matrix of an undirected graph, its diagonal cleared.

    Examples
    --------
    >>> check_adjacency([[1, 0], [0, 0]])
    array([[False, False],
           [False, False]])
    """
    graph = np.array(adjacency, dtype=bool)
    check_square(graph, "adjacency")
    if not np.array_equal(graph, graph.T):
        first, second = np.argwhere(graph != graph.T)[0]
        raise ValueError(
            f"adjacency must be symmetric; entries [{first}, {second}] and [{second}, {first}] differ."
        )
    np.fill_diagonal(graph, False)
    return graph


def check_symmetric(weights: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    """Return a symmetric copy of the weights; rounding differences give way to the upper triangle.

    The diagonal means nothing for a graph without loops and becomes zero.

    Examples
    --------
    >>> check_symmetric([[9, 1], [1, 9]], "weights")
    array([[0., 1.],
           [1., 0.]])
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
    """Refuse an index that is not a node.

    Examples
    --------
    >>> check_node(1, 2, "root")
    """
    if not 0 <= operator.index(node) < n:
        raise ValueError(f"{name} must be a node index from 0 to {n - 1}; got {node}.")
