"""Figures with 95% intervals: of a model and of the class frequencies, of each class, of groups of rows.

Shares have Wilson's interval. The others are bootstrapped over rows: a draw says how often each row counts, and every
measure is computed from these counts, the areas under curves from rows that are sorted once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bayleaf._util.optional import polars as pl

from . import measures
from .outcome import Outcome, class_frequencies

BOOTSTRAP_DRAWS = 10_000_000  # random row numbers in all, whatever the number of rows
# Areas under curves pass over all rows once per class and draw: the most in all; beyond, there is no interval.
MOST_RANKED = 40_000_000
FEWEST_RANKINGS, MOST_RANKINGS = 100, 300

Z = 1.959963984540054  # half the width of a 95% interval of a normal distribution, in standard deviations
# Thresholds 0, 0.005, ..., 1 at which hits and false alarms are counted.
THRESHOLDS = 200

FIGURES: dict[str, tuple[Callable[[Outcome], float], str]] = {
    "Accuracy": (measures.accuracy, "share of rows whose class is predicted correctly"),
    "Mean cost": (
        measures.mean_cost,
        "mean of what the decisions cost, by the costs of the model; lower is better",
    ),
    "Log-loss": (measures.log_loss, "mean of −ln P(true class); lower is better"),
    "Brier score": (
        measures.brier,
        "mean squared error of the probabilities, summed over classes; lower is better",
    ),
    "AUC": (measures.auc, "area under the ROC curve, mean over classes"),
    "Calibration error": (
        measures.expected_calibration_error,
        "mean gap between confidence and accuracy (ECE)",
    ),
    "Balanced accuracy": (
        measures.balanced_accuracy,
        "mean over classes of the share of their rows predicted correctly",
    ),
    "Macro F1": (measures.macro_f1, "mean over classes of F1, of precision and recall"),
    "MCC": (measures.matthews_correlation, "Matthews correlation of true and predicted classes; 0 is chance"),
    "PR-AUC": (
        measures.pr_auc,
        "area under the precision-recall curve, mean over classes; chance is a class's share",
    ),
    "Brier skill": (
        measures.brier_skill,
        "share of the class frequencies' Brier score that is saved; 0 is no better",
    ),
}
"""Names of the figures of a model, with what they mean."""


def measures_with_intervals(outcome: Outcome, seed: int = 0) -> list[dict[str, Any]]:
    """Every figure of a model: its value, its 95% interval, and that of the class frequencies (``baseline``).

    A figure that the rows do not define (an area with one class only) is left out. The calibration error has no
    interval: bootstrapped rows look worse calibrated than the rows themselves.

    Examples
    --------
    >>> outcome = Outcome.of([0, 1], classes=[0, 1], probabilities=[[1.0, 0.0], [0.5, 0.5]])
    >>> [(each["name"], round(each["value"], 2)) for each in measures_with_intervals(outcome)][:2]
    [('Accuracy', 0.5), ('Log-loss', 0.35)]
    """
    reference = class_frequencies(outcome)
    intervals = {
        # Rows that are all right, or all wrong, are so in every bootstrap sample: that would look like certainty.
        **_bootstrapped(outcome, reference, seed),
        "Accuracy": wilson_interval(measures.accuracy(outcome), len(outcome.truth)),
    }
    values, baselines = (
        {name: measure(each) for name, (measure, _) in FIGURES.items()} for each in (outcome, reference)
    )
    return figure_lines(values, baselines, intervals)


def figure_lines(
    values: Mapping[str, float],
    baselines: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]],
) -> list[dict[str, Any]]:
    """Return one line per figure that is defined, in the order of `FIGURES`."""
    lines = []
    for name, (_, hint) in FIGURES.items():
        if not math.isfinite(values[name]):
            continue
        line: dict[str, Any] = {"name": name, "value": values[name]}
        if name in intervals:
            line["low"], line["high"] = intervals[name]
        line["baseline"] = baselines[name] if math.isfinite(baselines[name]) else None
        lines.append({**line, "hint": hint})
    return lines


def _bootstrapped(outcome: Outcome, reference: Outcome, seed: int) -> dict[str, tuple[float, float]]:
    """Return the intervals of the measures that are means over rows, follow from the confusion matrix, or rank."""
    log_losses = -measures.conditional_log_likelihood(outcome)
    costs = measures.row_costs(outcome)
    has_cost = ~np.isnan(costs)
    errors = map(measures.squared_errors, (outcome, reference))
    per_row = np.stack([log_losses, *errors, np.where(has_cost, costs, 0.0), has_cost])
    rows, classes = per_row.shape[1], len(outcome.labels)
    draws = int(np.clip(BOOTSTRAP_DRAWS // rows, 200, 1000))
    rankings = [Ranking.of(*each[1:]) for each in measures.one_against_rest(outcome, range(classes))]
    ranked = int(np.clip(MOST_RANKED // max(rows * len(rankings), 1), 0, MOST_RANKINGS))
    right = outcome.truth == outcome.predicted
    rng = np.random.default_rng(seed)
    means = np.empty((draws, len(per_row)))
    by_class = np.empty((3, draws, classes))
    areas = np.full((draws, len(rankings), 2), np.nan)
    for draw in range(draws):
        counts = np.bincount(rng.integers(rows, size=rows), minlength=rows)
        means[draw] = per_row @ counts / rows
        by_class[0, draw] = np.bincount(outcome.truth, weights=counts * right, minlength=classes)
        by_class[1, draw] = np.bincount(outcome.truth, weights=counts, minlength=classes)
        by_class[2, draw] = np.bincount(outcome.predicted, weights=counts, minlength=classes)
        if rankings and draw < ranked:
            areas[draw] = [ranking.areas(counts) for ranking in rankings]
    drawn = {
        "Mean cost": means[:, 3] / np.where(means[:, 4] > 0, means[:, 4], np.nan),
        "Log-loss": means[:, 0],
        "Brier score": means[:, 1],
        "Brier skill": 1.0 - means[:, 1] / np.where(means[:, 2] > 0, means[:, 2], np.nan),
        **counted_figures(*by_class),
    }
    if rankings and ranked >= FEWEST_RANKINGS:
        areas = areas[:ranked]
        # Means over the classes that a draw has rows of, and rows of others.
        with np.errstate(invalid="ignore"):
            drawn["AUC"], drawn["PR-AUC"] = (np.nansum(areas, axis=1) / np.isfinite(areas).sum(axis=1)).T
    return {name: percentiles(values) for name, values in drawn.items() if np.isfinite(values).any()}


def percentiles(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the interval that holds 95% of what was drawn."""
    low, high = np.percentile(values[np.isfinite(values)], [2.5, 97.5])
    return float(low), float(high)


def counted_figures(
    right: NDArray[np.float64], true: NDArray[np.float64], predicted: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Balanced accuracy, macro F1 and MCC of many draws at once (rows of the arrays), by the counts of each class.

    These are the diagonal, the row sums and the column sums of a confusion matrix.
    """
    rows = true.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        recall, f1 = right / true, 2 * right / (true + predicted)
        agreement = right.sum(axis=1) * rows - (true * predicted).sum(axis=1)
        spread = (rows**2 - (true**2).sum(axis=1)) * (rows**2 - (predicted**2).sum(axis=1))
        correlation = np.where(spread > 0, agreement / np.sqrt(spread), 0.0)
    means = {"Balanced accuracy": np.nanmean(recall, axis=1), "Macro F1": np.nanmean(f1, axis=1)}
    return {**means, "MCC": correlation}


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows sorted by the probability of one class, so that areas under its curves take one pass per draw."""

    order: NDArray[np.intp]
    starts: NDArray[np.intp]
    is_class: NDArray[np.bool_]

    @classmethod
    def of(cls, is_class: NDArray[np.bool_], score: NDArray[np.float64]) -> Ranking:
        """Sort the rows, the most probable first; equal ones are one step of the curves."""
        order = np.argsort(-score, kind="stable")
        ranked = score[order]
        starts = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
        return cls(order, starts, is_class[order])

    def areas(self, counts: NDArray[Any]) -> tuple[float, float]:
        """Return the areas under the ROC and the precision-recall curve where each row counts so often."""
        ranked = counts[self.order]
        inside = np.add.reduceat(np.where(self.is_class, ranked, 0), self.starts)
        outside = np.add.reduceat(np.where(self.is_class, 0, ranked), self.starts)
        return curve_areas(inside, outside)


def curve_areas(inside: NDArray[Any], outside: NDArray[Any]) -> tuple[float, float]:
    """Return the areas under both curves by the rows inside and outside of the class at each probability, falling."""
    hits, alarms = inside.cumsum(), outside.cumsum()
    if not hits[-1] or not alarms[-1]:
        return math.nan, math.nan
    beaten = (outside * (hits - inside / 2)).sum() / (float(hits[-1]) * float(alarms[-1]))
    precision = hits / np.maximum(hits + alarms, 1)
    return float(beaten), float((inside * precision).sum() / hits[-1])


def wilson_interval(share: float, rows: int) -> tuple[float, float]:
    """Return the 95% score interval of a share.

    References
    ----------
    E. B. Wilson. Probable inference, the law of succession, and statistical inference. Journal of the American
    Statistical Association 22, 1927.
    """
    centre = (share + Z**2 / (2 * rows)) / (1 + Z**2 / rows)
    half = Z / (1 + Z**2 / rows) * np.sqrt(share * (1 - share) / rows + Z**2 / (4 * rows**2))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def class_table(outcome: Outcome) -> pl.DataFrame:
    """Tabulate precision, recall and F1 of each class, with Wilson's intervals.

    F1 is a function of a share, F1 = 2 s / (1 + s) with s = hits / (hits + misses + false alarms), and has the
    interval of that share. Columns ``*_low`` and ``*_high`` are null where there are no rows to count.

    References
    ----------
    K. F. Y. Lam, V. Gopal and J. Qian. Confidence intervals for the F1 score: a comparison of four methods.
    arXiv:2309.14621, 2023.

    Examples
    --------
    >>> table = class_table(Outcome.of(["a", "b", "b"], classes=["a", "b"], predicted=["a", "a", "b"]))
    >>> table["class", "rows", "precision", "recall"].rows()
    [('a', 1, 0.5, 1.0), ('b', 2, 1.0, 0.5)]
    """
    return pl.DataFrame(class_figures(outcome.labels, measures.confusion_matrix(outcome)))


def class_figures(labels: Sequence[Any], confusion: ArrayLike) -> list[dict[str, Any]]:
    """Return the lines of `class_table` from a confusion matrix."""
    counts = np.asarray(confusion)
    columns = (each.tolist() for each in (np.diag(counts), counts.sum(axis=1), counts.sum(axis=0)))
    lines = []
    for label, right, rows, predicted in zip(labels, *columns, strict=True):
        line: dict[str, Any] = {"class": str(label), "rows": rows, "predicted": predicted}
        line |= _with_interval("precision", right, predicted) | _with_interval("recall", right, rows)
        f1 = _with_interval("f1", right, rows + predicted - right)
        line |= {name: None if share is None else 2 * share / (1 + share) for name, share in f1.items()}
        lines.append(line)
    return lines


def _with_interval(name: str, part: int, whole: int) -> dict[str, float | None]:
    """Return a share and the ends of its interval as columns; None where there is nothing to count."""
    values = (part / whole, *wilson_interval(part / whole, whole)) if whole else (None, None, None)
    return dict(zip((name, f"{name}_low", f"{name}_high"), values, strict=True))


def rarest_class(outcome: Outcome) -> int:
    """Return the class of the fewest rows among those that have any; ties go to the last."""
    counts = np.bincount(outcome.truth, minlength=len(outcome.labels))
    present = np.flatnonzero(counts)
    return int(present[::-1][counts[present[::-1]].argmin()])


def group_counts(
    outcome: Outcome, groups: NDArray[np.int64], n_groups: int, positive: int
) -> NDArray[np.int64]:
    """Count the rows of each group: all, right; of one class, called so; of other classes, called so.

    ``groups`` are numbers from 0; rows of negative numbers are left out.
    """
    is_class, called = outcome.truth == positive, outcome.predicted == positive
    right, counted = outcome.truth == outcome.predicted, groups >= 0
    parts = (True, right, is_class, is_class & called, ~is_class, ~is_class & called)
    columns = [np.bincount(groups[counted & part], minlength=n_groups) for part in parts]
    return np.column_stack(columns)


def group_table(outcome: Outcome, groups: Sequence[Any], positive: Any = None) -> pl.DataFrame:
    """Tabulate how good a model is for groups of rows, with Wilson's 95% intervals.

    Parameters
    ----------
    outcome : Outcome
        Truth and predictions.
    groups : sequence
        The group of each row, such as a column of the data; None where it is not known.
    positive : class label, optional
        The class whose recall and false alarms are counted; by default the rarest one.

    Returns
    -------
    polars.DataFrame
        A line for each group: ``group``, ``rows``, ``accuracy``, ``recall`` (of the rows of the class, the share that
        is called so) and ``false_alarms`` (of the other rows, the share that is), each with ``_low`` and ``_high``;
        null where there is nothing to count.

    Examples
    --------
    >>> outcome = Outcome.of(["no", "yes", "no", "yes"], ["no", "yes"], predicted=["no", "yes", "yes", "yes"])
    >>> group_table(outcome, ["f", "f", "m", "m"], "yes")["group", "rows", "accuracy", "false_alarms"].rows()
    [('f', 2, 1.0, 0.0), ('m', 2, 0.5, 1.0)]
    """
    values = list(groups)
    if len(values) != len(outcome.truth):
        raise ValueError(f"There are {len(outcome.truth):,} rows, and groups of {len(values):,}.")
    if positive is not None and positive not in outcome.labels:
        raise ValueError(f"There is no class {positive!r}; there are {', '.join(map(str, outcome.labels))}.")
    labels = sorted(
        {value for value in values if value is not None}, key=lambda value: (str(type(value)), value)
    )
    place = {label: k for k, label in enumerate(labels)}
    codes = np.array([place.get(value, -1) for value in values], dtype=np.int64)
    chosen = rarest_class(outcome) if positive is None else outcome.labels.index(positive)
    lines = []
    for label, counts in zip(labels, group_counts(outcome, codes, len(labels), chosen).tolist(), strict=True):
        rows, right, positives, hits, negatives, alarms = counts
        shares = _with_interval("accuracy", right, rows) | _with_interval("recall", hits, positives)
        shares |= _with_interval("false_alarms", alarms, negatives)
        lines.append({"group": label, "rows": rows, **shares})
    return pl.DataFrame(lines)


def threshold_counts(outcome: Outcome, positive: int) -> dict[str, list[int]]:
    """Count hits and false alarms of one class where it is decided for from a probability on: 0, 0.005, ..., 1."""
    score = np.asarray(outcome.probabilities)[:, positive]
    is_class = outcome.truth == positive
    grid = np.arange(THRESHOLDS + 1) / THRESHOLDS
    return {
        name: (part.sum() - np.searchsorted(np.sort(score[part]), grid, side="left")).tolist()
        for name, part in (("hits", is_class), ("alarms", ~is_class))
    }
