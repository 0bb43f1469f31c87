"""The house style, and figures that compare methods; each function returns a matplotlib figure to save or show.

One look for all figures: colours safe for colour-blind readers, quiet axes, readable type. They are made without
pyplot, so nothing is registered globally and nothing pops up.
"""

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import require

from .paired_tests import win_draw_loss
from .runner import LearningCurve
from .tables import Scoreboard

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008), "Color universal design", without their yellow, which is too pale for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", (0, (1, 1)))
INK = "#222222"
GREY = "#767676"
PALE = "#d9d9d9"

_SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": PALE,
    "grid.linewidth": 0.5,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.8,
    "ytick.major.width": 0.8,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "text.parse_math": False,
}


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style inside the block, and leave matplotlib's settings as they were.

    Examples
    --------
    >>> with house_style():
    ...     figure, grid = new_figure(3.0, 2.0)
    >>> grid.shape
    (1, 1)
    """
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

    Examples
    --------
    >>> figure, grid = new_figure(6.0, 4.0, rows=2, columns=3)
    >>> grid.shape
    (2, 3)
    """
    figure: Figure = require("matplotlib.figure", extra="plot").Figure(
        figsize=(width, height), dpi=150, layout=layout
    )
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def look(number: int) -> dict[str, Any]:
    """Colour, marker and line style of the method with this number.

    The marker changes with the colour, so that print in grey stays readable; methods of the same colour differ in
    their lines.

    Examples
    --------
    >>> look(0), look(7)
    ({'color': '#0072B2', 'marker': 'o', 'linestyle': '-'}, {'color': '#0072B2', 'marker': 'o', 'linestyle': '--'})
    """
    turn, place = divmod(number, len(COLOURS))
    return {"color": COLOURS[place], "marker": MARKERS[place], "linestyle": LINES[turn % len(LINES)]}


def diagonal(axes: "Axes", low: float, high: float) -> None:
    """Draw the line of equality.

    Examples
    --------
    >>> figure, grid = new_figure(2.0, 2.0)
    >>> diagonal(grid[0, 0], 0.0, 1.0)
    """
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

    Dots on the shaded side of the diagonal are data sets on which ``first`` is better; W/D/L
    counts them (wins, draws, losses). ``deviations`` adds
    crosses of one standard deviation, as given for each method in the order of the data sets.

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
        figure, grid = new_figure(
            side * columns + 0.4,
            (side + 0.2) * rows + 0.4,
            rows,
            columns,
            layout="compressed",
            sharex=True,
            sharey=True,
        )
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
        axes.errorbar(
            x,
            y,
            xerr=deviations[first],
            yerr=deviations[rival],
            fmt="none",
            ecolor=GREY,
            elinewidth=0.6,
            zorder=2,
        )
    axes.scatter(x, y, s=20, color=COLOURS[0], edgecolor="white", linewidth=0.5, zorder=3)
    record = win_draw_loss(x, y, higher_is_better=board.higher_is_better)
    axes.set_title(rival, loc="left")
    axes.set_title(f"W/D/L {record}", loc="right", color=GREY, fontsize=8)
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_aspect("equal")


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
        axes.set_ylim(-0.6, len(names) - 0.4)
        axes.set_xlabel(f"{label} (95% intervals)")
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


def learning_curve_plot(curve: LearningCurve) -> "Figure":
    """Mean of every method against the number of training rows, with bands of one standard error.

    Examples
    --------
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
        axes.set_xlabel("training rows")
        axes.set_ylabel(curve.measure)
        axes.legend()
    return figure


def _padded(values: NDArray[np.float64]) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low) or 0.05
    return low - margin, high + margin
