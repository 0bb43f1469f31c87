"""The zero-one loss ratio (ZLR) of two methods, and the paper's plots of it against the size of the data."""

import math
from collections.abc import Mapping

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from bayleaf.benchmark import Results

BLUE, RED, GREY = "#0072B2", "#D55E00", "#767676"


def zero_one_loss_ratio(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Zero-one loss of one method divided by that of another, per data set; below 1 the first is better.

    Equal losses, also two losses of 0, give 1; a loss against none gives infinity.

    Examples
    --------
    >>> zero_one_loss_ratio([0.1, 0.0, 0.2], [0.2, 0.0, 0.0])
    array([0.5, 1. , inf])
    """
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = first / second
    return np.where(first == second, 1.0, ratio)


def total_ratios(results: Results, first: str, second: str) -> dict[str, float]:
    """Total zero-one loss of one method over that of another, for every data set complete for both."""
    both = results.select(methods=[first, second])
    datasets = both.scoreboard("zero_one_loss").datasets
    # Losses times rows are whole numbers; rounding removes what the division left behind.
    wrong = (pl.col("zero_one_loss") * pl.col("test_rows")).sum().round()
    totals = {
        (d, m): count for d, m, count in both.frame.group_by("dataset", "method").agg(wrong).iter_rows()
    }
    losses = [[totals[dataset, method] for dataset in datasets] for method in (first, second)]
    return dict(zip(datasets, zero_one_loss_ratio(*losses).tolist(), strict=True))


def ratio_plot(
    ratios: Mapping[str, float], rows: Mapping[str, int], first: str, second: str, *, large: int
) -> Figure:
    """Zero-one loss ratio of two methods against the number of rows of the data sets.

    Below the line at 1 the first method is better. The vertical line separates small from large data sets;
    the numbers count the data sets of each part. Infinite ratios are drawn at the upper edge, ratios of 0 at
    the lower.

    Parameters
    ----------
    ratios : mapping of data set to ratio
        See `total_ratios`.
    rows : mapping of data set to number of rows
        For example from `Results.dataset_rows`.
    first, second : str
        The two methods.
    large : int
        Data sets with more rows than this are large.
    """
    names = list(ratios)
    size = np.array([rows[name] for name in names], dtype=np.float64)
    ratio = np.array([ratios[name] for name in names])
    inside = ratio[np.isfinite(ratio) & (ratio > 0)]
    reach = 1.15 * max(1.3, *inside, *(1 / inside)) if inside.size else 2.0
    shown = np.clip(ratio, 1 / reach, reach)
    is_large, is_better = size > large, ratio < 1
    parts = (
        (~is_large & ~is_better, RED, "s", (0.02, 0.97)),
        (is_large & ~is_better, RED, "D", (0.98, 0.97)),
        (~is_large & is_better, BLUE, "o", (0.02, 0.03)),
        (is_large & is_better, BLUE, "^", (0.98, 0.03)),
    )
    figure = Figure(figsize=(5.5, 3.4), dpi=150, layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
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


def _ratio_ticks(reach: float) -> list[float]:
    """Round ratios on both sides of 1, far enough apart for their labels."""
    ticks = [1.0]
    for step in (1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0):
        if step <= reach * 1.05 and math.log(step / ticks[-1]) >= 0.2 * math.log(reach):
            ticks.append(step)
    return sorted({1 / tick for tick in ticks} | set(ticks))
