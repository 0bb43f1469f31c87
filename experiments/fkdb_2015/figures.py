"""The paper's Figure 14: whether more information goes with a smaller loss."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure


def ratio_and_information(ratios: Mapping[str, float], information: Mapping[str, float]) -> Figure:
    """ZLR(FKDB/KDB) against Info_ratio(FKDB/KDB), a dot per data set; names where a dot stands out."""
    names = [name for name in ratios if np.isfinite(ratios[name]) and ratios[name] > 0]
    x = np.array([information[name] for name in names])
    y = np.array([ratios[name] for name in names])
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.subplots()
    expected = ((x >= 1) & (y < 1)) | ((x <= 1) & (y > 1))
    for chosen, colour, label in (
        (expected, "#1b7837", "more information, smaller loss (or less, larger)"),
        (~expected, "#8c6bb1", "other"),
    ):
        axes.scatter(
            x[chosen], y[chosen], s=22, color=colour, label=f"{label}: {chosen.sum()} data sets", alpha=0.85
        )
    axes.axhline(1, color="#666666", linewidth=0.8)
    axes.axvline(1, color="#666666", linewidth=0.8)
    axes.set_yscale("log")
    ticks = [0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylim(min(0.75, y.min() * 0.95), max(1.35, y.max() * 1.05))
    labelled: list[int] = []
    for k in np.flatnonzero((np.abs(np.log(y)) > 0.1) | (np.abs(x - 1) > 0.06)):
        if any(abs(x[k] - x[j]) < 0.1 * np.ptp(x) and abs(np.log(y[k] / y[j])) < 0.02 for j in labelled):
            continue  # two labels on one another cannot be read
        labelled.append(int(k))
        at_edge = x[k] > (x.min() + x.max()) / 2
        axes.annotate(
            names[k],
            (x[k], y[k]),
            xytext=(-6 if at_edge else 6, -3),
            textcoords="offset points",
            ha="right" if at_edge else "left",
            fontsize=8,
        )
    axes.set_xlabel("Info_ratio(FKDB/KDB): above 1 FKDB draws more information")
    axes.set_ylabel("ZLR(FKDB/KDB): below 1 FKDB is better")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    return figure
