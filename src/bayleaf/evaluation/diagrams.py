"""The critical difference diagram.

References
----------
Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine
Learning Research 7, 1-30.
"""

import math
from typing import TYPE_CHECKING

from bayleaf.evaluation.ranks import BonferroniDunnTest, NemenyiTest
from bayleaf.evaluation.style import COLOURS, GREY, INK, house_style, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW = 0.26
"""Height of a line of text in inches."""

BAR = 0.11
"""Distance between the bars of two groups in inches."""


def critical_difference_diagram(test: NemenyiTest | BonferroniDunnTest, *, width: float = 6.5) -> "Figure":
    """Average ranks on a line, best at the left.

    After Nemenyi's test a bar connects methods that are not distinguishable. After the Bonferroni-Dunn test a
    band shows which ranks are not distinguishable from the control.

    Examples
    --------
    >>> import numpy as np
    >>> from bayleaf.evaluation import Scoreboard, nemenyi
    >>> board = Scoreboard(np.tile([0.1, 0.2, 0.3], (9, 1)), methods=["TAN", "NB", "ZeroR"])
    >>> figure = critical_difference_diagram(nemenyi(board))
    """
    groups = test.groups if isinstance(test, NemenyiTest) else []
    lines = math.ceil(len(test.ranks) / 2)
    head, bars = 0.62, BAR * len(groups) + 0.12
    height = head + bars + ROW * lines + 0.1
    with house_style():
        figure, grid = new_figure(width, height)
        axes = grid[0, 0]
        axes.set_axis_off()
        axes.set_ylim(-(bars + ROW * lines + 0.1), head)
        low, high = _limits(test)
        axes.set_xlim(low, high)
        _draw_scale(axes, low, high)
        _draw_critical_difference(axes, test, low)
        for number, group in enumerate(groups):
            _draw_group(axes, [test.ranks[name] for name in group], -BAR * (number + 1))
        _draw_methods(axes, test, low, high, top=-bars)
        axes.annotate(
            "average rank",
            (high, 0.0),
            (9, 0),
            textcoords="offset points",
            fontsize=8,
            color=GREY,
            annotation_clip=False,
        )
    return figure


def _limits(test: NemenyiTest | BonferroniDunnTest) -> tuple[float, float]:
    """Whole ranks around the average ranks: an axis from 1 to k would squeeze many methods together."""
    low, high = math.floor(min(test.ranks.values())), math.ceil(max(test.ranks.values()))
    high = max(high, low + 1)
    if low + test.critical_difference > high:
        high = math.ceil(low + test.critical_difference)
    return float(low), float(high)


def _draw_scale(axes: "Axes", low: float, high: float) -> None:
    axes.plot([low, high], [0, 0], color=INK, linewidth=1.0, clip_on=False)
    for rank in range(int(low), int(high) + 1):
        axes.plot([rank, rank], [0, 0.07], color=INK, linewidth=1.0, clip_on=False)
        axes.text(rank, 0.1, str(rank), ha="center", va="bottom", fontsize=8)
        if rank < high:
            axes.plot([rank + 0.5] * 2, [0, 0.04], color=INK, linewidth=0.8, clip_on=False)


def _draw_critical_difference(axes: "Axes", test: NemenyiTest | BonferroniDunnTest, low: float) -> None:
    y, width = 0.42, test.critical_difference
    axes.plot([low, low + width], [y, y], color=INK, linewidth=1.4, clip_on=False)
    for end in (low, low + width):
        axes.plot([end, end], [y - 0.04, y + 0.04], color=INK, linewidth=1.4, clip_on=False)
    axes.text(low + width / 2, y + 0.05, f"CD = {width:.2f}", ha="center", va="bottom", fontsize=8)
    if isinstance(test, BonferroniDunnTest):
        centre = test.ranks[test.control]
        left, right = axes.get_xlim()
        ends = [max(left, centre - width), min(right, centre + width)]
        axes.plot(ends, [0, 0], color=COLOURS[1], linewidth=5, alpha=0.45, solid_capstyle="butt", zorder=1)


def _draw_group(axes: "Axes", ranks: list[float], y: float) -> None:
    left, right = axes.get_xlim()
    reach = 0.006 * (right - left)
    axes.plot(
        [min(ranks) - reach, max(ranks) + reach],
        [y, y],
        color=COLOURS[0],
        linewidth=3.5,
        solid_capstyle="butt",
        clip_on=False,
        zorder=3,
    )


def _draw_methods(
    axes: "Axes", test: NemenyiTest | BonferroniDunnTest, low: float, high: float, *, top: float
) -> None:
    """Elbows from the scale to the names: the better half to the left, the others to the right."""
    methods = list(test.ranks.items())
    half = math.ceil(len(methods) / 2)
    margin = 0.02 * (high - low)
    left = [(name, rank, number, "right", low - margin) for number, (name, rank) in enumerate(methods[:half])]
    right = [
        (name, rank, number, "left", high + margin)
        for number, (name, rank) in enumerate(reversed(methods[half:]))
    ]
    for name, rank, number, side, x in left + right:
        y = top - ROW * (number + 0.5)
        is_control = isinstance(test, BonferroniDunnTest) and name == test.control
        strong = COLOURS[1] if is_control else INK
        axes.plot([rank, rank, x], [0, y, y], color=GREY, linewidth=0.8, clip_on=False, zorder=2)
        axes.plot([rank], [0], marker="o", markersize=3.5, color=strong, clip_on=False, zorder=4)
        value = f"{rank:.2f}"
        text = f"{name}  {value}" if side == "right" else f"{value}  {name}"
        axes.text(
            x, y, f" {text} ", ha=side, va="center", color=strong, fontweight="bold" if is_control else None
        )
