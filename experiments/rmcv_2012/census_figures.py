"""Figures 2 to 6 of Kelner and Lerner (2012): accuracy against score, one dot per graph."""

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("agg")
import matplotlib.pyplot as plt

FIGURES = {
    "figure2_mdl": (("MDL", "Training"), ("MDL", "Test")),
    "figure3_cmdl": (("CMDL", "Training"), ("CMDL", "Test")),
    "figure4_cll": (("CLL", "Training"), ("CLL", "Test")),
    "figure5_rmho": (("RMHO", "Test"), ("RMHO-f", "Test")),
    "figure6_rmcv": (("RMCV", "Training"), ("RMCV", "Test")),
}


def draw(found: dict[str, dict[str, np.ndarray]], out: Path) -> None:
    for name, panels in FIGURES.items():
        figure, axes = plt.subplots(len(found), 2, figsize=(9, 3 * len(found)), layout="constrained")
        for row, (dataset, values) in zip(axes, found.items(), strict=True):
            for axis, (score, accuracy) in zip(row, panels, strict=True):
                _panel(axis, dataset, values[score], score, values[accuracy], accuracy)
        figure.savefig(out / f"{name}.png", dpi=110)
        plt.close(figure)


def _panel(axis, dataset: str, scores: np.ndarray, score: str, accuracy: np.ndarray, which: str) -> None:
    axis.scatter(scores, accuracy, s=2, alpha=0.25, linewidths=0, rasterized=True)
    if score.startswith("RM"):
        ends = [min(scores.min(), accuracy.min()), max(scores.max(), accuracy.max())]
        axis.plot(ends, ends, color="0.5", linewidth=0.8)
    axis.set(
        title=dataset, xlabel=f"1 - {score}" if score.startswith("RM") else score, ylabel=f"{which} accuracy"
    )
