"""Graphs as drawings: where the nodes go, and pictures of them as SVG for notebooks and files.

Trees are drawn by igraph's Reingold-Tilford layout. For other graphs igraph orders the nodes of each layer so that
few arcs cross, and each layer is then moved as near to its neighbours as its spacing allows. A class that is a parent
of many features, and of most, would cover the drawing with its arcs: it is put at the side instead, and the features
are laid out without it, each connected part by itself.
"""

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from bayleaf._util.params import require
from bayleaf.data.columns import as_frame
from bayleaf.graph import CPDAG, DAG, Arc
from bayleaf.network import BayesNet

# A node is 172 by 46 pixels on the page.
COLUMN, ROW = 224.0, 62.0  # layers as columns: distance of layers, distance within a layer
SIDE, DOWN = 192.0, 104.0  # layers as rows: distance within a layer, distance of layers
TIGHT_COLUMN, TIGHT_DOWN = 206.0, 72.0  # distance of layers where there are many
LEGIBLE = 0.75  # of the size of the page: names and states can be read without coming closer
SCREEN, PHONE = (1080.0, 720.0), (366.0, 480.0)
SWEEPS = 40
MANY_ARCS = 14
BEND = 0.34  # room for an arc that passes a layer, as a share of a node's
Point = tuple[float, float]

# Half the width and the height of a node, and what is left free around the drawing.
HALF = np.array([80.0, 16.0])
MARGIN = 12.0
MOST_LETTERS = 22
# Larger graphs are shown as text in a notebook: a drawing of them would not be readable. `plot` draws them anyway.
MOST_NODES = 100
INK, CLASS, PAPER = "#33403a", "#1d7a4f", "#eef5f0"
Strengths = Mapping[Arc, float] | Any


@dataclass(frozen=True)
class Layout:
    """Centres of the nodes, and the bends of arcs that pass other layers, in pixels.

    ``hub`` is the class where it is drawn at the side, ``distance`` how far layers are apart. Arcs go down
    (``downwards``) or to the right.
    """

    centres: NDArray[np.float64]
    bends: dict[tuple[int, int], list[Point]]
    hub: int | None
    downwards: bool
    distance: float


@dataclass(frozen=True)
class _Component:
    """One connected part on a grid: layer and place within the layer of each node and of each bend."""

    nodes: list[int]
    places: NDArray[np.float64]
    bends: dict[tuple[int, int], NDArray[np.float64]]

    @property
    def size(self) -> NDArray[np.float64]:
        corners = [self.places, *self.bends.values()]
        largest: NDArray[np.float64] = np.max([corner.max(axis=0) for corner in corners], axis=0)
        return largest + 1.0


def layered_layout(dag: DAG, target: int | None = None, importance: Sequence[float] | None = None) -> Layout:
    """Lay out a graph for a screen that is wider than high; see `layouts_for`."""
    return layouts_for((SCREEN,), dag, target, importance)[0]


def layouts_for(
    screens: Sequence[Point],
    dag: DAG,
    target: int | None = None,
    importance: Sequence[float] | None = None,
    *,
    beside: bool | None = None,
) -> list[Layout]:
    """Lay out a graph for each of several screens, given as width and height; ``beside`` puts the class at the side.

    Layers run down or to the right, whichever leaves the nodes larger. They move together where nodes would otherwise
    be too small to read. Parts of equal size come in descending order of ``importance``.
    """
    n = len(dag.nodes)
    hub = target if target is not None and (_is_hub(dag, target) if beside is None else beside) else None
    arcs = [(p, child) for child, parents in enumerate(dag.parent_indices) for p in parents if hub != p]
    weight = np.zeros(n) if importance is None else np.asarray(importance, dtype=float)
    members = _connected_parts(n, arcs, without=hub)
    members.sort(key=lambda part: (-len(part), -weight[part].max()))
    parts = [_lay_out_part(part, arcs) for part in members]
    ways = ((False, COLUMN), (True, DOWN), (False, TIGHT_COLUMN), (True, TIGHT_DOWN))
    return [
        max((_place(n, parts, hub, *way, screen) for way in ways), key=partial(_legibility, screen=screen))
        for screen in screens
    ]


def _is_hub(dag: DAG, target: int) -> bool:
    children = sum(target in parents for parents in dag.parent_indices)
    return not dag.parent_indices[target] and children > MANY_ARCS and 2 * children >= len(dag.nodes) - 1


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


def _lay_out_part(part: list[int], arcs: Sequence[tuple[int, int]]) -> _Component:
    if len(part) == 1:
        return _Component(part, np.zeros((1, 2)), {})
    igraph = require("igraph", extra="report")
    position = {node: k for k, node in enumerate(part)}
    inner = [(position[a], position[b]) for a, b in arcs if a in position]
    if len({b for _, b in inner}) == len(inner):  # no node has two parents
        tree = igraph.Graph(len(part), inner, directed=True).layout_reingold_tilford(mode="out")
        places = np.array(tree.coords)[:, ::-1]
        return _Component(part, places - places.min(axis=0), {})
    layer = _layers(len(part), inner)
    # Arcs over several layers get a bend in each, a node of its own until the drawing is done.
    chains, ends = [], list(layer)
    for a, b in inner:
        chains.append([a, *range(len(ends), len(ends) + layer[b] - layer[a] - 1), b])
        ends += range(layer[a] + 1, layer[b])
    links = [(x, y) for chain in chains for x, y in itertools.pairwise(chain)]
    graph = igraph.Graph(len(ends), links, directed=True)
    drawing = np.array(graph.layout_sugiyama(layers=ends, maxiter=300).coords)
    width = np.where(np.arange(len(ends)) < len(part), 1.0, BEND)
    across = _straighten(np.array(ends), drawing[: len(ends), 0], width, links)
    places = np.column_stack([ends, across - across.min()]).astype(float)
    bends = {(part[chain[0]], part[chain[-1]]): places[chain[1:-1]] for chain in chains if len(chain) > 2}
    return _Component(part, places[: len(part)], bends)


def _layers(n: int, arcs: Sequence[tuple[int, int]]) -> list[int]:
    """Layer of each node: its longest path from a root; roots move up to just before their first child."""
    parents: list[list[int]] = [[] for _ in range(n)]
    children: list[list[int]] = [[] for _ in range(n)]
    for a, b in arcs:
        parents[b].append(a)
        children[a].append(b)
    layer = [-1] * n
    ready = [node for node in range(n) if not parents[node]]
    while ready:
        node = ready.pop()
        layer[node] = 1 + max((layer[p] for p in parents[node]), default=-1)
        ready += [b for b in children[node] if all(layer[p] >= 0 for p in parents[b])]
    for node in range(n):
        if not parents[node] and children[node]:
            layer[node] = min(layer[b] for b in children[node]) - 1
    lowest = min(layer)
    return [each - lowest for each in layer]


def _straighten(
    layer: NDArray[np.int64],
    across: NDArray[np.float64],
    width: NDArray[np.float64],
    links: Sequence[tuple[int, int]],
) -> NDArray[np.float64]:
    """Move nodes towards the mean of their neighbours, keeping the order of each layer and room for each node."""
    rows = [np.flatnonzero(layer == k) for k in range(layer.max() + 1)]
    rows = [row[np.argsort(across[row], kind="stable")] for row in rows]
    place = np.empty(len(layer))
    centres = [np.cumsum(width[row]) - width[row] / 2 for row in rows]
    for row, centre in zip(rows, centres, strict=True):
        place[row] = centre - width[row].sum() / 2
    near: list[list[int]] = [[] for _ in layer]
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    for sweep in range(SWEEPS):
        for k in range(len(rows)) if sweep % 2 == 0 else reversed(range(len(rows))):
            wanted = np.array([np.mean(place[near[node]]) if near[node] else place[node] for node in rows[k]])
            place[rows[k]] = isotonic_regression(wanted - centres[k]).x + centres[k]
    return place


def _place(
    n: int, parts: list[_Component], hub: int | None, downwards: bool, distance: float, screen: Point
) -> Layout:
    """Turn grid places into pixels and set the parts next to one another, largest first."""
    step = np.array([distance, SIDE if downwards else ROW])

    def turn(grid: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled: NDArray[np.float64] = grid * step
        return scaled[..., ::-1] if downwards else scaled

    sizes = [turn(part.size) for part in parts]
    offsets = _pack(sizes, screen)
    centres = np.zeros((n, 2))
    bends: dict[tuple[int, int], NDArray[np.float64]] = {}
    for part, offset in zip(parts, offsets, strict=True):
        centres[part.nodes] = turn(part.places) + offset
        bends |= {arc: (turn(route) + offset) for arc, route in part.bends.items()}
    if hub is not None and parts:
        move = np.array([0.0, distance] if downwards else [distance, 0.0])
        others = [node for node in range(n) if node != hub]
        centres[others] += move
        bends = {arc: route + move for arc, route in bends.items()}
        first = parts[0].nodes[int(parts[0].places[:, 0].argmin())]  # in line with the first root
        middle = (centres[others].min(0) + centres[others].max(0)) / 2
        beside = centres[first] if len(parts[0].nodes) > 1 else middle
        centres[hub] = (beside[0], 0.0) if downwards else (0.0, beside[1])
    routes = {arc: [(float(x), float(y)) for x, y in route] for arc, route in bends.items()}
    return Layout(centres, routes, hub, downwards, distance)


def _pack(sizes: Sequence[NDArray[np.float64]], screen: Point) -> list[NDArray[np.float64]]:
    """Set blocks in rows so that the whole has about the shape of a screen; return their top left corners."""
    area = sum(float(width * height) for width, height in sizes)
    square = np.sqrt(area * screen[0] / screen[1])
    limit = max([square, *(float(size[0]) for size in sizes)], default=0.0) + 1.0
    left = top = high = 0.0
    corners = []
    for width, height in sizes:
        if left + width > limit:
            left, top, high = 0.0, top + high, 0.0
        corners.append(np.array([left, top]))
        left += float(width)
        high = max(high, float(height))
    return corners


def _legibility(layout: Layout, screen: Point) -> tuple[float, float, float]:
    """How well a layout can be read on a screen: up to a size that is enough, room between layers is worth more."""
    width, height = layout.centres.max(axis=0) - layout.centres.min(axis=0) + (COLUMN, ROW)
    scale = float(min(screen[0] / width, screen[1] / height, 1.2))
    return min(scale, LEGIBLE), layout.distance / (DOWN if layout.downwards else COLUMN), scale


@dataclass(frozen=True, repr=False)
class Picture:
    """A drawing of a graph: notebooks show it, and ``save`` writes it.

    Parameters
    ----------
    svg : str
        The drawing, a whole SVG document.
    left_out : int, default=0
        How many arcs from the class are not drawn, where it is drawn at the side.
    """

    svg: str
    left_out: int = 0

    def __repr__(self) -> str:
        return f"<Picture of {len(self.svg):,} characters: show it in a notebook, or .save('graph.svg')>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing to an SVG file, all or nothing."""
        from bayleaf._util.whole_files import write_text

        if not os.fspath(path).endswith(".svg"):
            raise ValueError(f"A picture is written as SVG: '{path}' must end in .svg.")
        write_text(path, self.svg)


def draw(
    graph: DAG | CPDAG | BayesNet,
    strengths: Strengths | None = None,
    *,
    target: str | None = None,
    aside: bool = False,
) -> Picture:
    """Draw a graph, parents before children; the class stands out, and strong arcs are thick.

    ``strengths``, by (parent, child) or as the DataFrame of `bayleaf.arc_strengths`, say how thick arcs are, from 0
    to 1; either direction counts. ``target`` is the class of a graph; that of a network is known. ``aside`` puts a
    class that is a parent of many features, and of most, at the side, without its arcs, which would cover the
    drawing.
    """
    target = graph.target if isinstance(graph, BayesNet) else target
    directed = graph.directed if isinstance(graph, CPDAG) else graph.arcs
    undirected = graph.undirected if isinstance(graph, CPDAG) else ()
    dag = _acyclic(graph) if isinstance(graph, CPDAG) else DAG(graph.nodes, graph.arcs)
    layout = layered_layout(dag, dag.index(target) if aside and target is not None else None)
    thick = _thickness(strengths)
    lines = _opening(layout)
    drawn = [arc for arc in [*directed, *undirected] if layout.hub is None or arc[0] != target]
    for parent, child in drawn:
        # The layout may have turned an edge without a direction.
        turned = (parent, child) not in dag.arcs
        ends = (child, parent) if turned else (parent, child)
        tip = ' marker-end="url(#bayleaf-tip)"' if (parent, child) in directed else ""
        route = _route(layout, dag.index(ends[0]), dag.index(ends[1]))
        lines.append(
            f'<path class="arc" d="{route}" fill="none" stroke="{INK}" '
            f'stroke-width="{thick.get(frozenset((parent, child)), 1.2):.2f}"{tip}>'
            f"<title>{escape(parent)} {'→' if tip else '—'} {escape(child)}</title></path>"
        )
    lines += [
        _box(name, centre, name == target) for name, centre in zip(dag.nodes, layout.centres, strict=True)
    ]
    return Picture("\n".join([*lines, "</svg>"]), len(directed) + len(undirected) - len(drawn))


def _opening(layout: Layout) -> list[str]:
    """Return how the document begins: as large as its boxes and bends need, and the tip of arcs."""
    bends = [point for points in layout.bends.values() for point in points]
    places = np.vstack([layout.centres, np.reshape(bends, (-1, 2))])
    corner = places.min(axis=0, initial=0.0) - HALF - MARGIN
    width, height = places.max(axis=0, initial=0.0) + HALF + MARGIN - corner
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{corner[0]:.0f} {corner[1]:.0f} {width:.0f} {height:.0f}" '
        f'style="max-width:100%;width:{min(width, 960):.0f}px" font-family="sans-serif" font-size="13">',
        '<defs><marker id="bayleaf-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0,0L8,4L0,8z" fill="{INK}"/></marker></defs>',
    ]


def html(graph: DAG | CPDAG | BayesNet) -> str:
    """Return a graph for a notebook: a line in words and, where it can be drawn, the drawing."""
    arcs = len(graph.directed) + len(graph.undirected) if isinstance(graph, CPDAG) else len(graph.arcs)
    words = (
        repr(graph)
        if isinstance(graph, BayesNet)
        else f"<{type(graph).__name__} of {len(graph.nodes)} nodes and {arcs} arcs>"
    )
    drawing = ""
    if 0 < len(graph.nodes) <= MOST_NODES:
        try:
            drawing = draw(graph).svg
        except ImportError:  # igraph is an extra
            words = repr(graph)
    return f"<div><pre>{escape(words)}</pre>{drawing}</div>"


def _acyclic(graph: CPDAG) -> DAG:
    """Give edges without a direction one that closes no cycle with the arcs, for the layout alone."""
    order = DAG(graph.nodes, graph.directed).topological_order()
    place = {name: k for k, name in enumerate(order)}
    edges = [(a, b) if place[a] < place[b] else (b, a) for a, b in graph.undirected]
    return DAG(graph.nodes, [*graph.directed, *edges])


def _thickness(strengths: Strengths | None) -> dict[frozenset[str], float]:
    if strengths is None:
        return {}
    if not isinstance(strengths, Mapping):
        frame = as_frame(strengths)
        if frame is None or not {"parent", "child", "strength"} <= set(frame.columns):
            raise TypeError(
                "strengths must be a mapping from (parent, child) to numbers, or the DataFrame of arc_strengths. Got "
                f"{type(strengths).__name__} instead."
            )
        columns = (frame[name].to_list() for name in ("parent", "child", "strength"))
        strengths = {(parent, child): strength for parent, child, strength in zip(*columns, strict=True)}
    return {frozenset(arc): 0.4 + 3.6 * min(max(float(value), 0.0), 1.0) for arc, value in strengths.items()}


def _route(layout: Layout, parent: int, child: int) -> str:
    """Return the path of an arc, from the border of one box over its bends to the border of the other."""
    away = np.array([0.0, HALF[1]]) if layout.downwards else np.array([HALF[0], 0.0])
    points = [
        layout.centres[parent] + away,
        *map(np.asarray, layout.bends.get((parent, child), [])),
        layout.centres[child] - away,
    ]
    return "M" + "L".join(f"{x:.0f},{y:.0f}" for x, y in _smooth(points))


def _smooth(points: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Cut the corners of a line once."""
    if len(points) < 3:
        return list(points)
    inner = [
        point + (near - point) * 0.25
        for before, point, after in zip(points, points[1:], points[2:], strict=False)
        for near in (before, after)
    ]
    return [points[0], *inner, points[-1]]


def _box(name: str, centre: NDArray[np.float64], is_class: bool) -> str:
    x, y = centre - HALF
    shown = name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"
    fill, letters = (CLASS, "white") if is_class else (PAPER, INK)
    return (
        f'<g><title>{escape(name)}</title><rect x="{x:.0f}" y="{y:.0f}" width="{2 * HALF[0]:.0f}" '
        f'height="{2 * HALF[1]:.0f}" rx="8" fill="{fill}" stroke="{INK}" stroke-width="0.8"/>'
        f'<text x="{centre[0]:.0f}" y="{centre[1]:.0f}" text-anchor="middle" dominant-baseline="central" '
        f'fill="{letters}">{escape(shown)}</text></g>'
    )
