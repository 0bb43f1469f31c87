"""All DAGs on a few nodes, for checks against brute force."""

import operator
from collections.abc import Iterator

from bayleaf.graph.parents import ParentSets

LARGEST = 6


def all_dags(n: int) -> Iterator[ParentSets]:
    """Iterate over all labelled DAGs on n nodes as parent sets, each once; the empty graph comes first.

    There are 1, 3, 25, 543, 29281 and 3781503 of them for n = 1, ..., 6; larger n is refused.

    Examples
    --------
    >>> list(all_dags(2))
    [((), ()), ((), (0,)), ((1,), ())]
    >>> sum(1 for _ in all_dags(4))
    543
    """
    if not 0 <= operator.index(n) <= LARGEST:
        raise ValueError(f"all_dags lists the DAGs on 0 to {LARGEST} nodes; n = {n} is out of range.")
    members = [tuple(node for node in range(n) if subset >> node & 1) for subset in range(1 << n)]
    return (tuple(members[family] for family in masks) for masks in _extensions((), n))


def _extensions(parents: tuple[int, ...], n: int) -> Iterator[tuple[int, ...]]:
    """Add the missing nodes one by one, each with all children and parents that make no cycle.

    Sets of nodes are bit masks. The parents of a new node are any nodes outside its children and their
    descendants. A DAG without its last nodes is one smaller DAG, so none comes up twice.
    """
    new = len(parents)
    if new == n:
        yield parents
        return
    below = _with_descendants(parents)
    for children in range(1 << new):
        forbidden = 0
        for node in range(new):
            if children >> node & 1:
                forbidden |= below[node]
        extended = tuple(family | (children >> node & 1) << new for node, family in enumerate(parents))
        for family in range(1 << new):
            if not family & forbidden:
                yield from _extensions((*extended, family), n)


def _with_descendants(parents: tuple[int, ...]) -> list[int]:
    """Return for each node the mask of itself and its descendants."""
    below = [1 << node for node in range(len(parents))]
    # Each round follows the arcs one step further, and no path has more steps than there are nodes.
    for _ in parents:
        for child, family in enumerate(parents):
            for node in range(len(parents)):
                if family >> node & 1:
                    below[node] |= below[child]
    return below
