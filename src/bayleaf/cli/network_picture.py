"""A picture of a network that fits a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayleaf.evaluation.figures import house_style, new_figure
from bayleaf.network import BayesNet

from .views import anchor

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASS_COLOUR, LINE_COLOUR = "#CC79A7", "#767676"
# Down from the parent, then right to the child.
ARROW = {"arrowstyle": "-|>", "color": LINE_COLOUR, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
ARROW |= {"connectionstyle": "angle,angleA=-90,angleB=0,rad=0"}
# Of the outline, in inches.
INDENT, LABEL_WIDTH, LINE_HEIGHT = 0.4, 2.2, 0.3


def network_figure(network: BayesNet) -> Figure:
    """Draw a network as an outline: each node once, on a line of its own, below and right of one of its parents."""
    depth = _outline(network)
    line = {name: k for k, name in enumerate(depth)}
    with house_style():
        width = INDENT * max(depth.values()) + LABEL_WIDTH
        figure, grid = new_figure(width, 0.6 + LINE_HEIGHT * len(depth))
        axes: Any = grid[0, 0]
        axes.axis("off")
        axes.set_xlim(0, width)
        axes.set_ylim(len(depth) - 0.4, -0.6)
        boxes = {
            name: _box(axes, INDENT * depth[name], line[name], name, is_class=name == network.target)
            for name in depth
        }
        axes.set_title(f"Every feature also depends on {network.target}", color=CLASS_COLOUR, loc="left")
        figure.draw_without_rendering()  # boxes get their sizes, so that arrows can end at them
        for name in depth:
            parent = anchor(network, name)
            if parent is not None:
                axes.annotate(
                    "",
                    xy=(INDENT * depth[name], line[name]),
                    xytext=(INDENT * (depth[name] - 0.5), line[parent]),
                    arrowprops=ARROW | {"patchA": boxes[parent], "patchB": boxes[name]},
                )
    return figure


def _outline(network: BayesNet) -> dict[str, int]:
    """Return how far each node is from the root, in the order of the lines: a node, then all below it."""
    below: dict[str | None, list[str]] = {}
    for name in network.nodes:
        below.setdefault(anchor(network, name), []).append(name)
    depth: dict[str, int] = {}
    waiting = [(name, 0) for name in reversed(below[None])]
    while waiting:
        name, level = waiting.pop()
        depth[name] = level
        waiting += [(child, level + 1) for child in reversed(below.get(name, []))]
    return depth


def _box(axes: Any, x: float, y: float, text: str, *, is_class: bool) -> Any:
    back, ink, weight = (CLASS_COLOUR, "white", "bold") if is_class else ("white", "#222222", "normal")
    box = {"boxstyle": "round,pad=0.3", "facecolor": back, "edgecolor": LINE_COLOUR, "linewidth": 0.8}
    style = {"ha": "left", "va": "center", "fontsize": 8, "fontweight": weight, "color": ink, "bbox": box}
    return axes.text(x, y, text, **style).get_bbox_patch()
