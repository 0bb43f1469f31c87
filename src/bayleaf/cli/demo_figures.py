"""The pictures of the demo."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import bayleaf
from bayleaf.evaluation import reliability_diagram
from bayleaf.evaluation.style import house_style, new_figure
from bayleaf.network import BayesNet

from .demo_steps import DemoData, Experiment
from .netview import anchor
from .output import note

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CLASS_COLOUR, LINE_COLOUR = "#CC79A7", "#767676"
ARROW = {"arrowstyle": "-|>", "color": LINE_COLOUR, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}


def draw(
    folder: Path, model: bayleaf.BayesNetClassifier, data: DemoData, row: int, experiment: Experiment
) -> None:
    """Draw all pictures into a folder; without matplotlib say so and draw none."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        note("no pictures, since matplotlib is not installed: pip install 'bayleaf[plot]'.")
        return
    with house_style():
        axes = model.explain(data.new.features[[row]]).plot()
        axes.figure.savefig(folder / "evidence.png", dpi=150)
    reliability_diagram(experiment.outcomes, bins=10).savefig(folder / "reliability.png")
    network_figure(model.network_).savefig(folder / "network.png")


def network_figure(network: BayesNet) -> "Figure":
    """Draw a network as a tree from left to right, each node once, beside one of its parents."""
    depth, height = _places(network)
    with house_style():
        figure, grid = new_figure(1.75 * (1 + max(depth.values())), 0.6 + 0.29 * (1 + max(height.values())))
        axes: Any = grid[0, 0]
        axes.axis("off")
        axes.set_xlim(-0.5, max(depth.values()) + 0.5)
        axes.set_ylim(max(height.values()) + 0.6, -0.6)
        boxes = {
            name: _box(axes, depth[name], height[name], name, is_class=name == network.target)
            for name in network.nodes
        }
        axes.set_title(f"Every feature also depends on {network.target}", color=CLASS_COLOUR, loc="left")
        figure.draw_without_rendering()  # boxes get their sizes, so that arrows can end at them
        for name in network.nodes:
            parent = anchor(network, name)
            if parent is not None:
                axes.annotate(
                    "",
                    xy=(depth[name], height[name]),
                    xytext=(depth[parent], height[parent]),
                    arrowprops=ARROW | {"patchA": boxes[parent], "patchB": boxes[name]},
                )
    return figure


def _places(network: BayesNet) -> tuple[dict[str, int], dict[str, float]]:
    """Depth of every node, and a height at which no two nodes of the tree meet: leaves one below the other."""
    below: dict[str | None, list[str]] = {}
    for name in network.nodes:
        below.setdefault(anchor(network, name), []).append(name)
    depth: dict[str, int] = {}
    height: dict[str, float] = {}
    leaves = 0

    def place(name: str, level: int) -> None:
        nonlocal leaves
        depth[name] = level
        children = below.get(name, [])
        for child in children:
            place(child, level + 1)
        if children:
            height[name] = (height[children[0]] + height[children[-1]]) / 2
        else:
            height[name] = leaves
            leaves += 1

    for root in below[None]:
        place(root, 0)
    return depth, height


def _box(axes: Any, x: float, y: float, text: str, *, is_class: bool) -> Any:
    label = axes.text(
        x,
        y,
        text,
        ha="center",
        va="center",
        fontsize=8,
        fontweight="bold" if is_class else "normal",
        color="white" if is_class else "#222222",
        bbox={
            "boxstyle": "round,pad=0.3",
            "facecolor": CLASS_COLOUR if is_class else "white",
            "edgecolor": LINE_COLOUR,
            "linewidth": 0.8,
        },
    )
    return label.get_bbox_patch()
