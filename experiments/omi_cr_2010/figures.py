"""Figures 3, 9, 10 and 11 to 13 of the paper, from our results."""

from collections.abc import Mapping, Sequence
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
    "TAN, reversed OMI order, CL": "#17becf",
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


FIGURES = {"section3": section_3, "section63": section_63, "section64": section_64, "missing": missing}
