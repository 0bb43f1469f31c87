"""Figures about the probabilities of classifiers: reliability diagrams and ROC curves."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_curve

from bayleaf.evaluation.measures import CALIBRATION_BINS, Outcome, calibration_bin, expected_calibration_error
from bayleaf.evaluation.style import colour, diagonal, house_style, line_style, marker, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FEW_ROWS = 10


def reliability_diagram(outcomes: Mapping[str, Outcome], *, bins: int = CALIBRATION_BINS) -> "Figure":
    """Accuracy against confidence of the predicted class; on the diagonal the probabilities are honest.

    Hollow marks without a line are bins with fewer than 10 rows, which say little. The lower panel counts the
    rows of every bin. The legend gives the expected calibration error.

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
            look = {"color": colour(number), "linestyle": line_style(number)}
            telling = rows[rows > 0] >= FEW_ROWS
            upper.plot(confidence[telling], share_right[telling], marker=marker(number), label=label, **look)
            upper.plot(
                confidence[~telling],
                share_right[~telling],
                marker=marker(number),
                color=colour(number),
                linestyle="none",
                markersize=4,
                markerfacecolor="none",
                alpha=0.5,
            )
            lower.stairs(rows, edges, linewidth=1.4, **look)
        upper.set_ylim(-0.02, 1.02)
        upper.set_xlim(max(0.0, lowest - 0.04), 1.01)
        upper.set_ylabel("accuracy")
        figure.legend(loc="outside upper center", ncols=2)
        lower.set_yscale("log")
        lower.set_xlabel("confidence (probability of the predicted class)")
        lower.set_ylabel("rows")
    return figure


def reliability_points(
    outcome: Outcome, bins: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Mean confidence and accuracy of every bin that has rows, and the number of rows of all bins.

    Examples
    --------
    >>> outcome = Outcome.of([0, 1], classes=[0, 1], probabilities=[[0.9, 0.1], [0.6, 0.4]])
    >>> reliability_points(outcome, bins=2)
    (array([0.75]), array([0.5]), array([0, 2]))
    """
    if outcome.probabilities is None:
        raise ValueError("A reliability diagram needs probabilities; this classifier gives none.")
    confidence = outcome.probabilities.max(axis=1)
    number = calibration_bin(confidence, bins)
    rows = np.bincount(number, minlength=bins)
    filled = rows > 0
    sums = np.bincount(number, weights=confidence, minlength=bins)
    right = np.bincount(number, weights=outcome.predicted == outcome.truth, minlength=bins)
    return sums[filled] / rows[filled], right[filled] / rows[filled], rows


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
            look = {"color": colour(number), "linestyle": line_style(number)}
            axes.plot(false_alarms, hits, label=f"{method} (AUC {area:.3f})", **look)
        axes.set_xlim(-0.01, 1.0)
        axes.set_ylim(0.0, 1.01)
        axes.set_aspect("equal")
        axes.set_xlabel("false positive rate")
        axes.set_ylabel("true positive rate")
        axes.legend(loc="lower right")
    return figure
