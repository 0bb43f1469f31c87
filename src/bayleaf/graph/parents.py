"""Directed graphs as parent sets: checked names and arcs, orders, cycles, reachability and d-separation.

A graph is one tuple of parents per node, by number. What users hand in, by name, is turned into that here.
"""

import heapq
import operator
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from bayleaf._util.words import short

# From a parent to its child, by names.
Arc: TypeAlias = tuple[str, str]
# A node and its parents, by numbers.
Family: TypeAlias = tuple[int, tuple[int, ...]]
ParentSets: TypeAlias = tuple[tuple[int, ...], ...]


def quoted(names: Iterable[str], limit: int = 8) -> str:
    """List names for a message, without flooding the reader."""
    names = list(names)
    shown = ", ".join(f"'{short(name)}'" for name in names[:limit])
    return shown if len(names) <= limit else f"{shown}, ... ({len(names)} in all)"


def check_names(nodes: Sequence[str]) -> tuple[str, ...]:
    """Return the node names as a tuple, or say why they cannot be node names."""
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
    """Find a node's index, or say which nodes there are."""
    if not isinstance(name, str):
        raise TypeError(f"A node is given by its name, a string; got {name!r} ({type(name).__name__}).")
    if name not in positions:
        raise ValueError(f"Unknown node '{name}'; the nodes are {quoted(positions) or 'none'}.")
    return positions[name]


def listed_arcs(arcs: object, what: str) -> list[Arc]:
    """Return arcs as a list of pairs of names, or say which parameter holds something else."""
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
    """Turn the required or forbidden arcs of a search into arcs between indices, or say what is wrong with one."""
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
    """Turn arcs between names into arcs between indices."""
    return [index_arc(arc, positions) for arc in arcs]


def index_arc(arc: Arc, positions: Mapping[str, int]) -> tuple[int, int]:
    """Turn one arc between names into an arc between indices."""
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
    """Collect the arcs between indices into one sorted parent set per node."""
    parents: list[set[int]] = [set() for _ in range(n)]
    for parent, child in arcs:
        parents[child].add(parent)
    return tuple(tuple(sorted(family)) for family in parents)


def check_parent_indices(names: tuple[str, ...], parent_indices: Iterable[Iterable[int]]) -> ParentSets:
    """Return sorted parent sets of plain integers, or say which one is wrong."""
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


def acyclic_order(names: tuple[str, ...], parents: ParentSets) -> tuple[int, ...]:
    """Return the topological order of a graph, or say which arcs form a cycle."""
    order = topological_order(parents)
    if len(order) < len(names):
        cycle = [names[node] for node in find_cycle(parents)]
        raise ValueError(f"The arcs form a cycle: {' -> '.join(around(cycle))}.")
    return order


def checked_graph(
    nodes: Sequence[str], parent_indices: Iterable[Iterable[int]]
) -> tuple[tuple[str, ...], ParentSets, tuple[int, ...]]:
    """Return the names of the nodes, their parents and a topological order, or say what is wrong with them."""
    names = check_names(nodes)
    parents = check_parent_indices(names, parent_indices)
    return names, parents, acyclic_order(names, parents)


class Drawable:
    """What is drawn as a graph, by `plot` and by notebooks: a `DAG`, a `CPDAG` or a `BayesNet`."""

    def plot(self, strengths: Any = None) -> Any:
        """Draw the graph, parents before children; needs igraph (the extra ``report``).

        Parameters
        ----------
        strengths : mapping from (parent, child) to number, or DataFrame, optional
            How thick the arcs are, from 0 to 1; `bayleaf.arc_strengths` returns such a DataFrame.

        Returns
        -------
        Picture
            Shown by notebooks; ``.save("graph.svg")`` writes it.
        """
        from bayleaf.page.drawing import draw

        graph: Any = self
        return draw(graph, strengths)

    def _repr_html_(self) -> str:
        from bayleaf.page.drawing import html

        graph: Any = self
        return html(graph)


class Named(Protocol):
    """A graph with named nodes."""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes."""


def check_comparable(graph: Named, other: Named) -> None:
    """Refuse to compare two graphs of different kinds, or over different node names."""
    kind = type(graph).__name__
    if not isinstance(other, type(graph)):
        raise TypeError(f"A {kind} is compared with a {kind}; got an object of type {type(other).__name__}.")
    different = sorted(set(graph.nodes) ^ set(other.nodes))
    if different:
        raise ValueError(
            f"The two graphs must have the same nodes; only one of them has {quoted(different)}."
        )


def arc_matrix(parents: Sequence[Sequence[int]]) -> npt.NDArray[np.bool_]:
    """Return the arcs of a directed graph as a read-only matrix [parent, child]."""
    matrix = np.zeros((len(parents), len(parents)), dtype=bool)
    for child, family in enumerate(parents):
        matrix[list(family), child] = True
    matrix.flags.writeable = False
    return matrix


def moral_matrix(parents: Sequence[Sequence[int]]) -> npt.NDArray[np.bool_]:
    """Return the pairs of nodes that an arc or a common child joins as a read-only symmetric matrix."""
    arcs = arc_matrix(parents)
    matrix = arcs | arcs.T
    for family in parents:
        matrix[np.ix_(family, family)] = True
    np.fill_diagonal(matrix, False)
    matrix.flags.writeable = False
    return matrix


def children_of(parents: Sequence[Sequence[int]]) -> ParentSets:
    """Turn parent sets into child sets, sorted."""
    children: list[list[int]] = [[] for _ in parents]
    for child, family in enumerate(parents):
        for parent in family:
            children[parent].append(child)
    return tuple(tuple(family) for family in children)


def topological_order(parents: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Order the nodes so that parents come first; of several ready nodes the smallest index goes first.

    Nodes on a cycle, or below one, never become ready: with a cycle the order is shorter than the graph.
    """
    children = children_of(parents)
    waiting_for = [len(set(family)) for family in parents]
    ready = [node for node, count in enumerate(waiting_for) if count == 0]
    order = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for child in children[node]:
            waiting_for[child] -= 1
            if waiting_for[child] == 0:
                heapq.heappush(ready, child)
    return tuple(order)


def find_cycle(parents: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes of one directed cycle along its arcs, smallest index first; empty when there is none."""
    stuck = set(range(len(parents))) - set(topological_order(parents))
    if not stuck:
        return []
    # Every stuck node waits for a stuck parent, so walking from parent to parent must come back.
    walk = [min(stuck)]
    while True:
        parent = next(parent for parent in parents[walk[-1]] if parent in stuck)
        if parent in walk:
            break
        walk.append(parent)
    cycle = walk[walk.index(parent) :][::-1]
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]


def closure(
    neighbours: Sequence[Iterable[int]] | Mapping[int, Iterable[int]], starts: Iterable[int]
) -> set[int]:
    """Return the starting nodes and all that can be reached from them.

    With parent sets this gives the starts and their ancestors, with child sets their descendants.
    """
    reached = set(starts)
    frontier = list(reached)
    while frontier:
        for node in neighbours[frontier.pop()]:
            if node not in reached:
                reached.add(node)
                frontier.append(node)
    return reached


def d_connected(
    parents: Sequence[Sequence[int]], sources: Iterable[int], given: AbstractSet[int]
) -> set[int]:
    """Return the sources and all nodes that an active trail joins to one of them, given the evidence.

    A trail is active when each collider on it is in the evidence or has a descendant there, and no other
    inner node is in the evidence. Each node is visited at most twice, once from below (arriving from a child)
    and once from above (arriving from a parent), so the time is linear in nodes and arcs.

    References
    ----------
    Shachter. Bayes-ball: the rational pastime. UAI, 1998.
    Koller and Friedman. Probabilistic Graphical Models, algorithm 3.1. MIT Press, 2009.

    Examples
    --------
    A collider 0 -> 2 <- 1 separates its parents until it is observed.

    >>> d_connected([(), (), (0, 1)], [0], given=set())
    {0, 2}
    >>> d_connected([(), (), (0, 1)], [0], given={2})
    {0, 1}
    """
    children = children_of(parents)
    connected = set()
    visited = set()
    arrivals = [(source, "from below") for source in sources]
    while arrivals:
        arrival = arrivals.pop()
        if arrival in visited:
            continue
        visited.add(arrival)
        node, direction = arrival
        if node not in given:
            connected.add(node)
            arrivals += [(child, "from above") for child in children[node]]
        # Evidence stops what comes from below and sends back what comes from above. The latter opens the
        # colliders above it as well: what went down through them returns by the same way.
        if (node in given) == (direction == "from above"):
            arrivals += [(parent, "from below") for parent in parents[node]]
    return connected


MOST_SHOWN = 12  # nodes of a cycle in a message


def around(cycle: Sequence[str]) -> list[str]:
    """Return the nodes of a cycle, back to the first; of a long one the beginning, a count and the end."""
    if len(cycle) <= MOST_SHOWN:
        return [*cycle, cycle[0]]
    left_out = len(cycle) - MOST_SHOWN
    return [*cycle[: MOST_SHOWN - 1], f"({left_out:,} more nodes)", cycle[-1], cycle[0]]
