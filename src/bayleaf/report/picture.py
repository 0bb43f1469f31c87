"""Pictures of graphs as SVG, for notebooks and files."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.data.columns import as_frame
from bayleaf.graph import CPDAG, DAG, Arc
from bayleaf.network import BayesNet

from .drawing import Layout, layered_layout

# Half the width and the height of a node, and what is left free around the drawing.
HALF = np.array([80.0, 16.0])
MARGIN = 12.0
MOST_LETTERS = 22
# Larger graphs are shown as text in a notebook: a drawing of them says nothing. `plot` draws them all the same.
MOST_NODES = 100
INK, CLASS, PAPER = "#33403a", "#1d7a4f", "#eef5f0"
Strengths = Mapping[Arc, float] | Any


@dataclass(frozen=True, repr=False)
class Picture:
    """A drawing of a graph: notebooks show it, and ``save`` writes it.

    Parameters
    ----------
    svg : str
        The drawing, a whole SVG document.
    left_out : int, default=0
        How many arcs from the class are not drawn, where it stands aside.
    """

    svg: str
    left_out: int = 0

    def __repr__(self) -> str:
        return f"<Picture of {len(self.svg):,} characters: show it in a notebook, or .save('graph.svg')>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing to an SVG file, all or nothing."""
        from bayleaf.files.whole_files import write_text

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

    Parameters
    ----------
    graph : DAG, CPDAG or BayesNet
    strengths : mapping from (parent, child) to number, or DataFrame, optional
        How thick arcs are, from 0 to 1; a DataFrame as `bayleaf.arc_strengths` returns it. Either direction counts.
    target : str, optional
        The class of a graph; that of a network is known.
    aside : bool, default=False
        Whether a class that is a parent of many features, and of most, stands aside without its arcs, which would
        cover the drawing.

    Examples
    --------
    >>> picture = draw(DAG(["rain", "wet"], [("rain", "wet")]))
    >>> picture.svg.count("<rect"), picture.svg.count('class="arc"')
    (2, 1)
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
    """Return a graph for a notebook: a line in words and, where it can be drawn, the drawing.

    Examples
    --------
    >>> html(DAG(["a", "b"])).startswith("<div>")
    True
    """
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
