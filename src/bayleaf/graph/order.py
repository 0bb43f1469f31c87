"""Orders, cycles, reachability and d-separation of a directed graph given as one list of neighbours per node."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from .checks import ParentSets


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
    """Return the nodes of a cycle, back to the first; of a long one the beginning, a count and the end.

    Examples
    --------
    >>> " -> ".join(around(["a", "b"]))
    'a -> b -> a'
    >>> around([str(node) for node in range(20000)])[-4:]
    ['10', '(19,988 more nodes)', '19999', '0']
    """
    if len(cycle) <= MOST_SHOWN:
        return [*cycle, cycle[0]]
    left_out = len(cycle) - MOST_SHOWN
    return [*cycle[: MOST_SHOWN - 1], f"({left_out:,} more nodes)", cycle[-1], cycle[0]]
