"""Figures that compare methods over data sets; each function returns a matplotlib figure to save or show."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .degradation import LearningCurve
from .paired_tests import win_draw_loss
from .scoreboard import Scoreboard
from .style import COLOURS, GREY, INK, colour, diagonal, house_style, line_style, marker, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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


def zero_one_ratio_plot(
    ratios: Mapping[str, float], rows: Mapping[str, int], first: str, second: str, *, large: int = 4177
) -> "Figure":
    """Zero-one loss ratio of two methods against the number of rows of the data sets.

    Below the line at 1 the first method is better. The vertical line separates small from large data sets;
    the numbers count the data sets of each part. Infinite ratios are drawn at the upper edge, ratios of 0 at
    the lower.

    Parameters
    ----------
    ratios : mapping of data set to ratio
        For example from `Results.zero_one_ratios`.
    rows : mapping of data set to number of rows
        For example from `Results.dataset_rows`.
    first, second : str
        The two methods.
    large : int
        Data sets with more rows than this are large.

    Examples
    --------
    >>> figure = zero_one_ratio_plot({"iris": 0.9, "adult": 0.8}, {"iris": 150, "adult": 48842}, "FKDB", "NB")
    """
    names = list(ratios)
    size = np.array([rows[name] for name in names], dtype=np.float64)
    ratio = np.array([ratios[name] for name in names])
    inside = ratio[np.isfinite(ratio) & (ratio > 0)]
    reach = 1.15 * max(1.3, *inside, *(1 / inside)) if inside.size else 2.0
    shown = np.clip(ratio, 1 / reach, reach)
    is_large, is_better = size > large, ratio < 1
    parts = (
        (~is_large & ~is_better, COLOURS[1], "s", (0.02, 0.97)),
        (is_large & ~is_better, COLOURS[1], "D", (0.98, 0.97)),
        (~is_large & is_better, COLOURS[0], "o", (0.02, 0.03)),
        (is_large & is_better, COLOURS[0], "^", (0.98, 0.03)),
    )
    with house_style():
        figure, grid = new_figure(5.5, 3.4)
        axes = grid[0, 0]
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.axhline(1.0, color=GREY, linewidth=0.9)
        axes.axvline(large, color=GREY, linewidth=0.9, linestyle="--")
        for chosen, tint, mark, (x, y) in parts:
            axes.scatter(
                size[chosen], shown[chosen], s=28, color=tint, marker=mark, edgecolor="white", linewidth=0.5
            )
            side, level = "left" if x < 0.5 else "right", "top" if y > 0.5 else "bottom"
            verdict = f"{first} better" if y < 0.5 else f"{first} not better"
            where = {"ha": side, "va": level, "transform": axes.transAxes, "fontsize": 8, "color": tint}
            axes.text(x, y, f"{verdict}: {chosen.sum()}", **where)
        # Room above and below the points for the counts in the corners.
        axes.set_ylim(1 / reach**1.35, reach**1.35)
        axes.set_yticks(_ratio_ticks(reach), [f"{tick:.2g}" for tick in _ratio_ticks(reach)])
        axes.minorticks_off()
        axes.set_xlabel(f"rows of the data set (dashed: {large})")
        axes.set_ylabel(f"zero-one loss, {first} / {second}")
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
            tint = colour(number)
            errors = curve.errors[method]
            axes.fill_between(
                curve.sizes, means - errors, means + errors, color=tint, alpha=0.15, linewidth=0
            )
            axes.plot(
                curve.sizes,
                means,
                color=tint,
                marker=marker(number),
                linestyle=line_style(number),
                label=method,
            )
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


def _ratio_ticks(reach: float) -> list[float]:
    """Round ratios on both sides of 1, far enough apart for their labels."""
    ticks = [1.0]
    for step in (1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0):
        if step <= reach * 1.05 and math.log(step / ticks[-1]) >= 0.2 * math.log(reach):
            ticks.append(step)
    return sorted({1 / tick for tick in ticks} | set(ticks))
