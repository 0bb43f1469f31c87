"""Where the nodes go: a layered drawing from left to right, parents before children.

Names are wider than high, so layers stand as columns. A class that is a parent of most features would draw one long
column: it is put at the left instead, and the features are laid out without it, each connected part by itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import require
from bayleaf.graph import DAG

COLUMN, ROW = 212.0, 62.0
ASPECT = 1.7  # width of the drawing over its height, where the parts leave a choice
Point = tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """Centres of the nodes, and the bends of arcs that pass other layers, in pixels."""

    centres: NDArray[np.float64]
    bends: dict[tuple[int, int], list[Point]] = field(default_factory=dict)
    hub: int | None = None


def layered_layout(dag: DAG, target: int | None = None, importance: Sequence[float] | None = None) -> Layout:
    """Lay out a graph.

    Parameters
    ----------
    dag : DAG
    target : int, optional
        The class.
    importance : sequence of float, optional
        Parts of equal size come in descending order of this.

    Examples
    --------
    >>> dag = DAG(["a", "b", "class"], [("class", "a"), ("class", "b"), ("a", "b")])
    >>> layered_layout(dag, target=2).centres.round().tolist()
    [[212.0, 0.0], [424.0, 0.0], [0.0, 0.0]]
    """
    n = len(dag.nodes)
    hub = target if target is not None and _is_hub(dag, target) else None
    arcs = [(p, child) for child, parents in enumerate(dag.parent_indices) for p in parents if hub != p]
    parts = _connected_parts(n, arcs, without=hub)
    weight = np.zeros(n) if importance is None else np.asarray(importance, dtype=float)
    parts.sort(key=lambda part: (-len(part), -weight[part].max()))
    layout = Layout(np.zeros((n, 2)), {}, hub)
    blocks = [_lay_out_part(part, arcs, layout) for part in parts]
    _pack(parts, blocks, layout)
    others = [node for node in range(n) if node != hub]
    if hub is not None and others:
        layout.centres[others, 0] += COLUMN
        for points in layout.bends.values():
            points[:] = [(x + COLUMN, y) for x, y in points]
        layout.centres[hub] = (0.0, np.median([layout.centres[others, 1].min(), layout.centres[others, 1].max()]))
    return layout


def _is_hub(dag: DAG, target: int) -> bool:
    children = sum(target in parents for parents in dag.parent_indices)
    return not dag.parent_indices[target] and 2 * children >= len(dag.nodes) - 1


def _connected_parts(n: int, arcs: Sequence[tuple[int, int]], without: int | None) -> list[list[int]]:
    part = list(range(n))
    members = {node: [node] for node in range(n) if node != without}
    for a, b in arcs:
        keep, lose = sorted((part[a], part[b]))
        if keep != lose:
            for node in members[lose]:
                part[node] = keep
            members[keep] += members.pop(lose)
    return [sorted(nodes) for nodes in members.values()]


def _layers(part: Sequence[int], arcs: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Layer of each node: its longest path from a root; roots move up to just before their first child."""
    inside = set(part)
    parents = {node: [a for a, b in arcs if b == node] for node in part}
    children = {node: [b for a, b in arcs if a == node] for node in part}
    layer: dict[int, int] = {}
    ready = [node for node in part if not parents[node]]
    while ready:
        node = ready.pop()
        layer[node] = 1 + max((layer[p] for p in parents[node]), default=-1)
        ready += [b for b in children[node] if b in inside and all(p in layer for p in parents[b])]
    for node in part:
        if not parents[node] and children[node]:
            layer[node] = min(layer[b] for b in children[node]) - 1
    return layer


def _lay_out_part(part: list[int], arcs: Sequence[tuple[int, int]], layout: Layout) -> Point:
    """Place one connected part with its top left node at the origin; return its width and height."""
    if len(part) == 1:
        return COLUMN, ROW
    igraph = require("igraph", extra="report")
    position = {node: k for k, node in enumerate(part)}
    inner = [(a, b) for a, b in arcs if a in position]
    layer = _layers(part, inner)
    graph = igraph.Graph(len(part), [(position[a], position[b]) for a, b in inner], directed=True)
    drawing = graph.layout_sugiyama(layers=[layer[node] for node in part], maxiter=300)
    xy = np.array(drawing.coords)[: len(part), ::-1]
    routes = getattr(drawing, "edge_routing", None) or [[]] * len(inner)  # igraph before 1.0 gives none
    bent = [np.array(route).reshape(-1, 2)[:, ::-1] for route in routes]
    lowest = np.min([xy.min(axis=0), *(route.min(axis=0) for route in bent if len(route))], axis=0)
    scale = np.array([COLUMN, ROW])
    layout.centres[part] = (xy - lowest) * scale
    for arc, route in zip(inner, bent, strict=True):
        if len(route):
            layout.bends[arc] = [(float(x), float(y)) for x, y in (route - lowest) * scale]
    width, height = (xy - lowest).max(axis=0) * scale + scale
    return float(width), float(height)


def _pack(parts: list[list[int]], blocks: list[Point], layout: Layout) -> None:
    """Set the parts in rows, largest first, so that the whole is about ASPECT times as wide as high."""
    area = sum(width * height for width, height in blocks)
    limit = max([np.sqrt(area * ASPECT), *(width for width, _ in blocks)], default=0.0) + 1.0
    left = top = high = 0.0
    for part, (width, height) in zip(parts, blocks, strict=True):
        if left + width > limit:
            left, top, high = 0.0, top + high, 0.0
        layout.centres[part] += (left, top)
        inside = set(part)
        for (a, _), points in layout.bends.items():
            if a in inside:
                points[:] = [(x + left, y + top) for x, y in points]
        left += width
        high = max(high, height)


__all__ = ["Layout", "layered_layout"]
