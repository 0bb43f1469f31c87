"""The critical difference diagram, reliability diagrams and ROC curves.

References
----------
Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine
Learning Research 7, 1-30.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import roc_curve

from .figures import COLOURS, GREY, INK, diagonal, house_style, look, new_figure
from .measures import CALIBRATION_BINS, expected_calibration_error, reliability_points
from .outcome import Outcome
from .rank_tests import BonferroniDunnTest, NemenyiTest

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


FEW_ROWS = 10


def reliability_diagram(outcomes: Mapping[str, Outcome], *, bins: int = CALIBRATION_BINS) -> "Figure":
    """Accuracy against confidence of the predicted class; on the diagonal the probabilities are honest.

    Hollow marks without a line are bins with fewer than 10 rows, which say little. The lower panel counts the
    rows of every bin. The legend gives the expected calibration error (ECE) of all rows together.

    Examples
    --------
    >>> outcome = Outcome.of([0, 1], classes=[0, 1], probabilities=[[0.9, 0.1], [0.6, 0.4]])
    >>> figure = reliability_diagram({"NB": outcome})
    """
    edges = np.linspace(0.0, 1.0, bins + 1)
    lowest = 1.0 / max(len(outcome.labels) for outcome in outcomes.values())
    with house_style():
        figure, grid = new_figure(
            4.2, 5.4, rows=2, sharex=True, gridspec_kw={"height_ratios": [3.0, 1.0], "hspace": 0.02}
        )
        upper, lower = grid[:, 0]
        upper.grid()
        lower.grid(axis="y")
        diagonal(upper, 0.0, 1.0)
        for number, (method, outcome) in enumerate(outcomes.items()):
            confidence, share_right, rows = reliability_points(outcome, bins)
            label = f"{method} (ECE {expected_calibration_error(outcome):.3f})"
            style = look(number)
            telling = rows[rows > 0] >= FEW_ROWS
            upper.plot(confidence[telling], share_right[telling], label=label, **style)
            hollow = {"linestyle": "none", "markersize": 4, "markerfacecolor": "none", "alpha": 0.5}
            upper.plot(confidence[~telling], share_right[~telling], **style | hollow)
            del style["marker"]
            lower.stairs(rows, edges, linewidth=1.4, **style)
        upper.set_ylim(-0.02, 1.02)
        upper.set_xlim(max(0.0, lowest - 0.04), 1.01)
        upper.set_ylabel("accuracy")
        figure.legend(loc="outside upper center", ncols=2)
        lower.set_yscale("log")
        lower.yaxis.set_major_formatter(lambda rows, _: f"{rows:,.0f}")  # powers would be set as formulas
        lower.yaxis.set_minor_formatter(lambda rows, _: "")
        lower.set_xlabel("confidence (probability of the predicted class)")
        lower.set_ylabel("rows")
    return figure


def roc_plot(outcomes: Mapping[str, Outcome], positive: Any) -> "Figure":
    """ROC curves of one class against the rest.

    Examples
    --------
    >>> outcome = Outcome.of([0, 1, 1], classes=[0, 1], probabilities=[[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    >>> figure = roc_plot({"NB": outcome}, positive=1)
    """
    with house_style():
        figure, grid = new_figure(4.0, 4.0)
        axes = grid[0, 0]
        axes.grid()
        diagonal(axes, 0.0, 1.0)
        for number, (method, outcome) in enumerate(outcomes.items()):
            if outcome.probabilities is None or positive not in outcome.labels:
                raise ValueError(f"'{method}' gives no probabilities of the class {positive!r}.")
            column = outcome.labels.index(positive)
            is_positive = outcome.truth == column
            if is_positive.all() or not is_positive.any():
                raise ValueError(f"A ROC curve needs rows of class {positive!r} and rows of others.")
            false_alarms, hits, _ = roc_curve(is_positive, outcome.probabilities[:, column])
            area = np.trapezoid(hits, false_alarms)
            style = look(number) | {"marker": ""}
            axes.plot(false_alarms, hits, label=f"{method} (AUC {area:.3f})", **style)
        axes.set_xlim(-0.01, 1.0)
        axes.set_ylim(0.0, 1.01)
        axes.set_aspect("equal")
        axes.set_xlabel("false positive rate")
        axes.set_ylabel("true positive rate")
        axes.legend(loc="lower right")
    return figure
