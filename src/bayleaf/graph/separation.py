"""D-separation by reachability: which nodes an active trail leads to."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from bayleaf.graph.order import children_of


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
