"""Figures that compare methods, in one style; each function returns a matplotlib figure to save or show.

Colours are safe for colour-blind readers. Figures are made without pyplot, so nothing is registered globally and no
window opens.

References
----------
Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine
Learning Research 7, 1-30.
"""

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_curve

from bayleaf._util.params import require
from bayleaf.quality.measures import CALIBRATION_BINS, expected_calibration_error, reliability_points
from bayleaf.quality.outcome import Outcome

from .paired_tests import win_draw_loss
from .rank_tests import BonferroniDunnTest, NemenyiTest
from .result_tables import Scoreboard

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .runner import LearningCurve  # which draws with this module

# Okabe and Ito (2008), "Color universal design", without their yellow, which is too pale for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", (0, (1, 1)))
INK = "#222222"
GREY = "#767676"
PALE = "#d9d9d9"

_SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif",
    **dict.fromkeys(("font.size", "axes.titlesize", "axes.labelsize"), 9),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize", "legend.fontsize"), 8),
    **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.8),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon", "text.parse_math"), False),
    **dict.fromkeys(("axes.axisbelow", "axes.unicode_minus"), True),
    "axes.edgecolor": GREY,
    "grid.color": PALE,
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
}


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Draw in the style of bayleaf inside the block; matplotlib's own settings stay as they were."""
    with require("matplotlib", extra="plot").rc_context(_SETTINGS):
        yield


def new_figure(
    width: float,
    height: float,
    rows: int = 1,
    columns: int = 1,
    *,
    layout: Literal["constrained", "compressed"] = "constrained",
    **options: Any,
) -> tuple["Figure", Any]:
    """Make a figure with a grid of axes (an array of rows times columns); sizes are in inches.

    The layout "compressed" moves axes of fixed aspect together.
    """
    figure: Figure = require("matplotlib.figure", extra="plot").Figure(
        figsize=(width, height), dpi=150, layout=layout
    )
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def look(number: int) -> dict[str, Any]:
    """Colour, marker and line style of the method with this number.

    The marker changes with the colour, so that print in grey stays readable; methods of the same colour differ in
    their lines.
    """
    turn, place = divmod(number, len(COLOURS))
    return {"color": COLOURS[place], "marker": MARKERS[place], "linestyle": LINES[turn % len(LINES)]}


def diagonal(axes: "Axes", low: float, high: float) -> None:
    """Draw the line of equality."""
    axes.plot([low, high], [low, high], color=GREY, linewidth=0.9, linestyle="--", zorder=1)


def scatter_plot(
    board: Scoreboard,
    first: str,
    others: Sequence[str] | str | None = None,
    *,
    deviations: Mapping[str, NDArray[np.float64]] | None = None,
    columns: int = 3,
) -> "Figure":
    """One method (horizontal) against others (vertical), a dot per data set and a panel per other method.

    Dots on the shaded side of the diagonal are data sets on which ``first`` is better; W/D/L counts them (wins,
    draws, losses). ``deviations`` adds crosses of one standard deviation, as given for each method in the order of
    the data sets.

    Examples
    --------
    >>> board = Scoreboard([[0.1, 0.2], [0.3, 0.2]], methods=["TAN", "NB"], measure="zero-one loss")
    >>> figure = scatter_plot(board, "TAN")
    """
    if isinstance(others, str):
        others = [others]
    rivals = [name for name in board.methods if name != first] if others is None else list(others)
    rows = math.ceil(len(rivals) / columns)
    columns = math.ceil(len(rivals) / rows)
    side = 3.6 if len(rivals) == 1 else 2.3
    low, high = _padded(board.select([first, *rivals]).values)
    with house_style():
        width, height = side * columns + 0.4, (side + 0.2) * rows + 0.4
        figure, grid = new_figure(width, height, rows, columns, layout="compressed", sharex=True, sharey=True)
        for axes, rival in zip(grid.flat, rivals, strict=False):
            _scatter_panel(axes, board, first, rival, deviations, low, high)
        for number, axes in enumerate(grid.flat):
            axes.set_visible(number < len(rivals))
            # The lowest panel of a column carries the numbers, also where the last row is not full.
            axes.tick_params(labelbottom=number + columns >= len(rivals))
        figure.supxlabel(f"{board.measure} of {first}", fontsize=9)
        rival_text = rivals[0] if len(rivals) == 1 else "the other method"
        figure.supylabel(f"{board.measure} of {rival_text}", fontsize=9)
    return figure


def _scatter_panel(
    axes: "Axes",
    board: Scoreboard,
    first: str,
    rival: str,
    deviations: Mapping[str, NDArray[np.float64]] | None,
    low: float,
    high: float,
) -> None:
    x, y = board.column(first), board.column(rival)
    edge = [low, low] if board.higher_is_better else [high, high]
    axes.fill_between([low, high], [low, high], edge, color=COLOURS[0], alpha=0.07, linewidth=0)
    diagonal(axes, low, high)
    if deviations is not None:
        crosses: dict[str, Any] = {"fmt": "none", "ecolor": GREY, "elinewidth": 0.6, "zorder": 2}
        axes.errorbar(x, y, xerr=deviations[first], yerr=deviations[rival], **crosses)
    axes.scatter(x, y, s=20, color=COLOURS[0], edgecolor="white", linewidth=0.5, zorder=3)
    record = win_draw_loss(x, y, higher_is_better=board.higher_is_better)
    axes.set_title(rival, loc="left")
    axes.set_title(f"W/D/L {record}", loc="right", color=GREY, fontsize=8)
    axes.set(xlim=(low, high), ylim=(low, high), aspect="equal")


def interval_plot(
    intervals: Mapping[str, tuple[float, float, float]], label: str, *, higher_is_better: bool = True
) -> "Figure":
    """Draw a value with its interval for each method, the best at the top.

    Parameters
    ----------
    intervals : mapping of str to (value, low, high)
        By method.
    label : str
        What is measured.
    higher_is_better : bool
        Direction of "best".

    Examples
    --------
    >>> figure = interval_plot({"NB": (0.8, 0.75, 0.85), "TAN": (0.9, 0.87, 0.93)}, "accuracy")
    >>> [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    ['NB', 'TAN']
    """
    names = sorted(intervals, key=lambda name: intervals[name][0], reverse=not higher_is_better)
    with house_style():
        figure, grid = new_figure(5.5, 0.38 * len(names) + 0.8)
        axes = grid[0, 0]
        axes.grid(axis="x")
        for height, name in enumerate(names):
            value, low, high = intervals[name]
            axes.plot([low, high], [height, height], color=COLOURS[0], linewidth=2)
            axes.plot([value], [height], "o", color=COLOURS[1])
        axes.set_yticks(range(len(names)), names)
        axes.set(ylim=(-0.6, len(names) - 0.4), xlabel=f"{label} (95% intervals)")
    return figure


def box_plot(board: Scoreboard, *, relative_to_best: bool = False) -> "Figure":
    """Spread of every method over the data sets: box of quartiles, whiskers to 1.5 box lengths, all values.

    Parameters
    ----------
    board : Scoreboard
        Values to show; methods are sorted by median.
    relative_to_best : bool
        Show the distance to the best method of each data set instead, which makes data sets comparable.

    Examples
    --------
    >>> board = Scoreboard([[0.1, 0.2], [0.3, 0.2]], methods=["TAN", "NB"], measure="zero-one loss")
    >>> figure = box_plot(board)
    """
    values, label = board.values, board.measure
    if relative_to_best:
        best = (values.max if board.higher_is_better else values.min)(axis=1, keepdims=True)
        values = np.abs(values - best)
        label = f"{board.measure}: distance to the best method"
    medians = np.median(values, axis=0)
    rising = not board.higher_is_better or relative_to_best
    order = np.argsort(medians if rising else -medians, kind="stable")[::-1]
    rng = np.random.default_rng(0)
    with house_style():
        figure, grid = new_figure(5.5, 0.38 * len(order) + 0.8)
        axes = grid[0, 0]
        axes.grid(axis="x")
        axes.boxplot(
            [values[:, i] for i in order],
            orientation="horizontal",
            widths=0.6,
            showfliers=False,
            patch_artist=True,
            boxprops={"facecolor": COLOURS[5], "alpha": 0.35, "edgecolor": COLOURS[0]},
            medianprops={"color": COLOURS[1], "linewidth": 1.8},
            whiskerprops={"color": COLOURS[0]},
            capprops={"color": COLOURS[0]},
        )
        for position, i in enumerate(order, start=1):
            height = position + rng.uniform(-0.16, 0.16, len(values))
            axes.scatter(values[:, i], height, s=9, color=INK, alpha=0.55, linewidth=0, zorder=3)
        axes.set_yticks(range(1, len(order) + 1), [board.methods[i] for i in order])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(label)
    return figure


def learning_curve_plot(curve: "LearningCurve") -> "Figure":
    """Mean of every method against the number of training rows, with bands of one standard error.

    Examples
    --------
    >>> from bayleaf.benchmark import LearningCurve
    >>> curve = LearningCurve(
    ...     np.array([10, 100]), {"NB": np.array([0.3, 0.2])}, {"NB": np.array([0.02, 0.01])}, "loss"
    ... )
    >>> figure = learning_curve_plot(curve)
    """
    with house_style():
        figure, grid = new_figure(5.0, 3.3)
        axes = grid[0, 0]
        axes.set_xscale("log")
        axes.grid(axis="y")
        for number, (method, means) in enumerate(curve.means.items()):
            style, errors = look(number), curve.errors[method]
            band = {"color": style["color"], "alpha": 0.15, "linewidth": 0}
            axes.fill_between(curve.sizes, means - errors, means + errors, **band)
            axes.plot(curve.sizes, means, label=method, **style)
        axes.set_xticks(curve.sizes, [str(size) for size in curve.sizes])
        axes.minorticks_off()
        axes.set(xlabel="training rows", ylabel=curve.measure)
        axes.legend()
    return figure


def _padded(values: NDArray[np.float64]) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low) or 0.05
    return low - margin, high + margin


# The height of a line of text, and the distance between the bars of two groups, in inches.
ROW, BAR = 0.26, 0.11


def critical_difference_diagram(test: NemenyiTest | BonferroniDunnTest, *, width: float = 6.5) -> "Figure":
    """Average ranks on a line, best at the left.

    After Nemenyi's test a bar connects methods that are not distinguishable. After the Bonferroni-Dunn test a
    band shows which ranks are not distinguishable from the control.

    Examples
    --------
    >>> import numpy as np
    >>> from bayleaf.benchmark import Scoreboard, nemenyi
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
        low, high = _limits(test)
        axes.set(xlim=(low, high), ylim=(-(bars + ROW * lines + 0.1), head))
        _draw_scale(axes, low, high)
        _draw_critical_difference(axes, test, low)
        reach = 0.006 * (high - low)
        bar: dict[str, Any] = {"color": COLOURS[0], "linewidth": 3.5, "solid_capstyle": "butt", "zorder": 3}
        for number, group in enumerate(groups, start=1):
            ranks = [test.ranks[name] for name in group]
            axes.plot([min(ranks) - reach, max(ranks) + reach], [-BAR * number] * 2, clip_on=False, **bar)
        _draw_methods(axes, test, low, high, top=-bars)
        label: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8, "color": GREY}
        axes.annotate("average rank", (high, 0.0), (9, 0), annotation_clip=False, **label)
    return figure


def _limits(test: NemenyiTest | BonferroniDunnTest) -> tuple[float, float]:
    """Whole ranks around the average ranks: an axis from 1 to k would squeeze many methods together."""
    low, high = math.floor(min(test.ranks.values())), math.ceil(max(test.ranks.values()))
    return float(low), float(max(high, low + 1, math.ceil(low + test.critical_difference)))


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
        text = f" {name}  {rank:.2f} " if side == "right" else f" {rank:.2f}  {name} "
        weight = "bold" if is_control else None
        axes.text(x, y, text, ha=side, va="center", color=strong, fontweight=weight)


FEW_ROWS = 10


def reliability_diagram(outcomes: Mapping[str, Outcome], *, bins: int = CALIBRATION_BINS) -> "Figure":
    """Accuracy against confidence of the predicted class; on the diagonal the probabilities are calibrated.

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
        upper.set(xlim=(max(0.0, lowest - 0.04), 1.01), ylim=(-0.02, 1.02), ylabel="accuracy")
        figure.legend(loc="outside upper center", ncols=2)
        lower.set_yscale("log")
        lower.yaxis.set_major_formatter(lambda rows, _: f"{rows:,.0f}")  # powers would be set as formulas
        lower.yaxis.set_minor_formatter(lambda rows, _: "")
        lower.set(xlabel="confidence (probability of the predicted class)", ylabel="rows")
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
        axes.set(xlim=(-0.01, 1.0), ylim=(0.0, 1.01), aspect="equal")
        axes.set(xlabel="false positive rate", ylabel="true positive rate")
        axes.legend(loc="lower right")
    return figure
