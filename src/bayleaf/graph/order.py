"""Orders, cycles and reachability of a directed graph given as one list of neighbours per node."""

import heapq
from collections.abc import Iterable, Mapping, Sequence

from bayleaf.graph.names import ParentSets


def children_of(parents: Sequence[Sequence[int]]) -> ParentSets:
    """Turn parent sets into child sets, sorted.

    Examples
    --------
    >>> children_of([(), (0,), (0, 1)])
    ((1, 2), (2,), ())
    """
    children: list[list[int]] = [[] for _ in parents]
    for child, family in enumerate(parents):
        for parent in family:
            children[parent].append(child)
    return tuple(tuple(family) for family in children)


def topological_order(parents: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Order the nodes so that parents come first; of several ready nodes the smallest index goes first.

    Nodes on a cycle, or below one, never become ready: with a cycle the order is shorter than the graph.

    Examples
    --------
    >>> topological_order([(1, 2), (), ()])
    (1, 2, 0)
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
    """Return the nodes of one directed cycle along its arcs, smallest index first; empty when there is none.

    Examples
    --------
    >>> find_cycle([(2,), (0,), (1,)])
    [0, 1, 2]
    """
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

    Examples
    --------
    >>> sorted(closure([(), (0,), (1,), ()], [2]))
    [0, 1, 2]
    """
    reached = set(starts)
    frontier = list(reached)
    while frontier:
        for node in neighbours[frontier.pop()]:
            if node not in reached:
                reached.add(node)
                frontier.append(node)
    return reached
