"""Figures 3, 7, 9, 10 and 11 to 13 of the paper, from our results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import steps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# One colour per structure; tables trained by CL are dashed, as in the paper.
COLOURS = {
    "NB": "#7f7f7f",
    "TAN-CMI": "#1f77b4",
    "TAN-OMI-CR": "#d62728",
    "TAN-CR": "#2ca02c",
    "TAN-SuperParent": "#9467bd",
    "TAN-OMI-CL": "#8c564b",
    "TAN-CL": "#2ca02c",
    "TAN-RO-CL": "#bcbd22",
    "TAN, least order, CL": "#17becf",
    "SVM": "#000000",
    "true model": "#000000",
}
MARKERS = dict(zip(COLOURS, "os^Dvx*Ph.+", strict=True))
DPI = 110
Curve = dict[float, float]


def write(out: Path) -> list[str]:
    """Draw every figure that there are results for; return the names of the files."""
    drawn = []
    for name, draw in FIGURES.items():
        if (out / f"{name}.csv").exists():
            for suffix, figure in draw(steps.read(out / f"{name}.csv")).items():
                file = f"{name}{suffix}.png"
                figure.savefig(out / file, dpi=DPI)
                drawn.append(file)
    return drawn


def curves(lines: Sequence[Mapping[str, str]], x: str, y: str, scale: float = 1.0) -> dict[str, Curve]:
    """Mean of y over the runs, for each method and x."""
    values: dict[str, dict[float, list[float]]] = {}
    for line in lines:
        values.setdefault(line["method"], {}).setdefault(float(line[x]), []).append(scale * float(line[y]))
    return {name: {at: float(np.mean(some)) for at, some in curve.items()} for name, curve in values.items()}


def _draw(axes: Axes, found: Mapping[str, Curve], spread: Mapping[str, Curve] | None = None) -> None:
    for name, curve in found.items():
        structure = name[:-3] if name.endswith(("-ML", "-CL")) else name
        x, y = np.array(sorted(curve.items())).T
        axes.plot(
            x,
            y,
            label=name,
            color=COLOURS[structure],
            marker=MARKERS[structure],
            markersize=4,
            linewidth=1.3,
            linestyle="--" if name.endswith("-CL") else "-",
        )
        if spread is not None:
            half = np.array([spread[name][at] for at in x])
            axes.fill_between(x, y - half, y + half, color=COLOURS[structure], alpha=0.12, linewidth=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)


def _figure(width: float = 6.4) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, 4.2), layout="constrained")
    return figure, figure.subplots()


def section_3(lines: list[dict[str, str]]) -> dict[str, Figure]:
    """Accuracy against training rows; only one dependence tells the classes apart."""
    figure, axes = _figure()
    _draw(axes, curves(lines, "rows", "accuracy", 100))
    axes.set_xscale("log")
    sizes = sorted({int(line["rows"]) for line in lines})
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("training rows")
    axes.set_ylabel("accuracy on 1000 test rows, per cent")
    axes.legend(frameon=False, fontsize=8, ncols=2, loc="lower right", bbox_to_anchor=(1, 0.11))
    return {"": figure}


def section_63(lines: list[dict[str, str]]) -> dict[str, Figure]:
    """Training CLL of trees on random distributions, above that of naive Bayes."""
    found = curves(lines, "variables", "cll")
    base = found.pop("NB-ML")
    gain = {name: {at: value - base[at] for at, value in curve.items()} for name, curve in found.items()}
    figure, axes = _figure()
    _draw(axes, gain)
    axes.set_xticks(sorted(base), [f"{at:.0f}" for at in sorted(base)])
    axes.set_xlabel("variables")
    axes.set_ylabel("training CLL above naive Bayes, nats")
    axes.legend(frameon=False, fontsize=8)
    return {"": figure}


def figure_7(lines: list[dict[str, str]]) -> dict[str, Figure]:
    """Training CLL per row of three kinds of orders, one group per data set, less the mean of the random ones."""
    figure, axes = _figure(9.6)
    summary = orders_summary(lines)
    at = np.arange(len(summary))
    scale = [each.rows for each in summary.values()]
    for name, colour in (("omi", COLOURS["TAN-OMI-CL"]), ("least", COLOURS["TAN, least order, CL"])):
        gains = [(getattr(each, name) - each.random) / each.rows for each in summary.values()]
        axes.plot(at, gains, "o", color=colour, markersize=5, label=f"{name} order")
    deviations = np.array([each.deviation for each in summary.values()]) / scale
    axes.errorbar(
        at, np.zeros(len(at)), deviations, fmt=".", color=COLOURS["TAN-RO-CL"], label="random orders"
    )
    axes.set_xticks(at, [name.lower() for name in summary], rotation=60, ha="right", fontsize=7)
    axes.set_ylabel("training CLL per row above\nthe mean of random orders, nats")
    axes.legend(frameon=False, fontsize=8)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    return {"": figure}


@dataclass(frozen=True)
class Orders:
    """Training CLL of trees by three kinds of orders, on one data set."""

    omi: float
    least: float
    random: float  # mean over the orders
    deviation: float
    rows: int

    @property
    def omi_is_best(self) -> bool:
        """Whether OMI is above the least order and above the mean of the random ones, as the paper counts."""
        return self.omi > max(self.least, self.random)


def orders_summary(lines: Sequence[Mapping[str, str]]) -> dict[str, Orders]:
    """Return the figures of each data set."""
    found: dict[str, dict[str, list[float]]] = {}
    rows: dict[str, int] = {}
    for line in lines:
        found.setdefault(line["dataset"], {}).setdefault(line["order"], []).append(float(line["cll"]))
        rows[line["dataset"]] = int(line["rows"])
    return {
        name: Orders(
            values["omi"][0],
            values["least"][0],
            float(np.mean(values["random"])),
            float(np.std(values["random"], ddof=1)),
            rows[name],
        )
        for name, values in sorted(found.items())
    }


def section_64(lines: list[dict[str, str]]) -> dict[str, Figure]:
    """Accuracy against the number of features; classes follow trees of their own, in part."""
    figure, axes = _figure()
    _draw(
        axes,
        curves([line for line in lines if line["confusion"] == "same tables"], "features", "accuracy", 100),
    )
    axes.set_xlabel("features")
    axes.set_ylabel("accuracy on 75000 test rows, per cent")
    axes.legend(frameon=False, fontsize=8)
    return {"": figure}


def missing(lines: list[dict[str, str]]) -> dict[str, Figure]:
    """One figure per data set: tables that describe on the left, tables that classify on the right."""
    figures = {}
    for name in dict.fromkeys(line["dataset"] for line in lines):
        own = [line for line in lines if line["dataset"] == name]
        mean, spread = (curves(own, "missing", column, 100) for column in ("accuracy", "deviation"))
        greedy = "TAN-CR-ML" if "TAN-CR-ML" in mean else "TAN-OMI-CR-ML"
        figure = Figure(figsize=(9.6, 4.2), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        _draw(left, {method: curve for method, curve in mean.items() if method.endswith("-ML")}, spread)
        shown = ("NB-ML", "NB-CL", "TAN-CMI-CL", greedy, greedy[:-2] + "CL")
        _draw(right, {method: mean[method] for method in shown if method in mean}, spread)
        for axes in (left, right):
            axes.set_xlabel("missing features per row")
            axes.legend(frameon=False, fontsize=8, loc="lower left")
        left.set_ylabel(f"{name.lower()}: test accuracy, per cent")
        figures[f"_{name.lower()}"] = figure
    return figures


FIGURES = {
    "section3": section_3,
    "figure7": figure_7,
    "section63": section_63,
    "section64": section_64,
    "missing": missing,
}
