"""How good a model is, summed up in one record: from the outcome of all rows, or from sums over any number of rows.

With sums, means and what follows from the confusion matrix are those of all rows. Areas under curves come from
histograms of the probabilities, with bins that are narrow near 0 and 1. Intervals are those that the bootstrap of
`bayleaf.quality.intervals` tends to with many rows: normal for means, multinomial for the confusion matrix.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from bayleaf.classify.record import Quality
from bayleaf.data import Table

from . import measures
from .intervals import (
    Z,
    counted_figures,
    curve_areas,
    figure_lines,
    measures_with_intervals,
    percentiles,
    wilson_interval,
)
from .outcome import Outcome, cheapest_alone

# Bits of a single-precision number that a bin leaves out: neighbours differ by 1 in 512.
DROPPED_BITS = 14
HALF = int(np.float32(0.5).view(np.uint32)) >> DROPPED_BITS
BINS = 2 * HALF + 1
DRAWS = 1000
MOST_POINTS = 160
MOST_CURVES = 32


def quality_of(outcome: Outcome, absent: NDArray[np.int64], folds: int | None = None) -> Quality:
    """Summarise the quality of the probabilities of rows in which ``absent`` features are missing.

    ``folds`` are those of the cross-validation that the probabilities come from.
    """
    if outcome.probabilities is None:
        raise ValueError("Quality needs probabilities.")
    return Quality(
        rows=len(outcome.truth),
        folds=folds,
        classes=tuple(str(label) for label in outcome.labels),
        measures=measures_with_intervals(outcome),
        confusion=measures.confusion_matrix(outcome).tolist(),
        curves=class_curves(outcome),
        reliability=reliability(outcome),
        missing=accuracy_by_missing(outcome, absent),
        costs=_known_costs(outcome.costs),
    )


def _known_costs(costs: NDArray[np.float64] | None) -> list[list[float]] | None:
    """Return what decisions cost for the classes that the model knows, which come first."""
    if costs is None:
        return None
    known = int(np.count_nonzero(~np.isnan(costs.diagonal())))
    found: list[list[float]] = costs[:known, :known].tolist()
    return found


def missing_values(table: Table) -> NDArray[np.int64]:
    """Count the missing values of each row, those with a state of their own too."""
    counts = np.zeros(table.n_rows, dtype=np.int64)
    for j in range(table.n_variables):
        counts += table.gaps(j)
    return counts


def class_curves(outcome: Outcome) -> list[dict[str, Any]]:
    """ROC and precision-recall curves of each class against the rest (the most frequent classes of many)."""
    frequency = np.bincount(outcome.truth, minlength=len(outcome.labels))
    shown = np.sort(np.argsort(-frequency, kind="stable")[:MOST_CURVES])
    curves = []
    for k, is_class, score in measures.one_against_rest(outcome, shown.tolist()):
        false_alarms, hits, _ = roc_curve(is_class, score)
        precision, recall, _ = precision_recall_curve(is_class, score)
        curves.append(
            {
                "class": k,
                "roc": thinned(false_alarms, hits),
                "pr": thinned(recall[::-1], precision[::-1]),
                "auc": float(roc_auc_score(is_class, score)),
                "ap": float(average_precision_score(is_class, score)),
                "share": float(is_class.mean()),
            }
        )
    return curves


def thinned(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[list[float]]:
    """Keep points evenly along the curve: more than the page has pixels for are not seen."""
    length = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
    if len(x) > MOST_POINTS:
        wanted = np.linspace(0.0, length[-1], MOST_POINTS)
        chosen = np.unique(np.r_[0, np.searchsorted(length, wanted).clip(0, len(x) - 1), len(x) - 1])
        x, y = x[chosen], y[chosen]
    return np.column_stack([x, y]).round(4).tolist()  # type: ignore[no-any-return]


def reliability(outcome: Outcome) -> dict[str, Any]:
    """Confidence and accuracy of the predicted class by bin of confidence."""
    confidence, accuracy, rows = measures.reliability_points(outcome, measures.CALIBRATION_BINS)
    columns = zip(rows[rows > 0].tolist(), confidence.tolist(), accuracy.tolist(), strict=True)
    bins = [dict(zip(("rows", "confidence", "accuracy"), each, strict=True)) for each in columns]
    return {"bins": bins, "error": measures.expected_calibration_error(outcome)}


def accuracy_by_missing(outcome: Outcome, absent: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Accuracy of the rows with 0, 1, 2, ... missing features (grouped where there are many different numbers)."""
    right = outcome.predicted == outcome.truth
    edges = np.unique(absent)
    if len(edges) > 12:
        edges = np.unique(np.quantile(absent, np.linspace(0, 1, 11), method="lower"))
    groups = np.searchsorted(edges, absent, side="right") - 1
    ends = [*(edges[1:] - 1), absent.max()]
    return [
        {
            "from": int(low),
            "to": int(high),
            "rows": int((groups == k).sum()),
            "accuracy": float(right[groups == k].mean()),
        }
        for k, (low, high) in enumerate(zip(edges, ends, strict=True))
    ]


def probability_bin(probabilities: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the bin of each probability: of what is below a half by its own bits, above by those of the rest."""
    rest = np.minimum(probabilities, 1.0 - probabilities).astype(np.float32)
    bits = (np.maximum(rest, 0.0).view(np.uint32) >> DROPPED_BITS).astype(np.int64)
    return np.where(probabilities <= 0.5, bits, 2 * HALF - bits)


class QualitySums:
    """What is kept of the rows that a model was measured on.

    The model knows these ``classes``. It is compared with their weights in the training rows (``prior``), by default
    with their shares in the rows measured. ``costs`` are those of its decisions, [true class, decision].
    """

    def __init__(
        self,
        classes: Sequence[Any],
        prior: Sequence[float] | None = None,
        costs: NDArray[np.float64] | None = None,
    ) -> None:
        self.labels: list[Any] = list(classes)
        self._known = len(self.labels)
        self._prior = prior
        self._costs = costs
        self.rows = 0
        self._confusion = np.zeros((self._known, self._known), dtype=np.int64)
        self._losses, self._squares = np.zeros(2), np.zeros(2)  # of log-loss and Brier score
        self._by_class = np.zeros(self._known)  # the sum of squared errors of each true class
        self._by_confidence = np.zeros((3, measures.CALIBRATION_BINS))  # rows, confidence, how many are right
        self._ranks = np.zeros((self._known, 2, BINS), dtype=np.int64)

    def add(self, outcome: Outcome) -> None:
        """Add rows; they may have classes that the model does not know."""
        assert outcome.probabilities is not None
        for label in outcome.labels[self._known :]:
            if label not in self.labels:
                self.labels.append(label)
                self._confusion = np.pad(self._confusion, (0, 1))
                self._by_class = np.append(self._by_class, 0.0)
        place = np.array([self.labels.index(label) for label in outcome.labels])
        self.rows += len(outcome.truth)
        self._confusion[np.ix_(place, place)] += measures.confusion_matrix(outcome)
        errors = np.stack([-measures.conditional_log_likelihood(outcome), measures.squared_errors(outcome)])
        self._losses += errors.sum(axis=1)
        self._squares += (errors**2).sum(axis=1)
        self._by_class[place] += np.bincount(outcome.truth, errors[1], minlength=len(place))
        confidence, right = measures.confidence_and_hits(outcome)
        bins = measures.calibration_bin(confidence, measures.CALIBRATION_BINS)
        for sums, values in zip(self._by_confidence, (np.ones(len(bins)), confidence, right), strict=True):
            sums += np.bincount(bins, values, minlength=measures.CALIBRATION_BINS)
        for k in range(self._known):
            found = probability_bin(outcome.probabilities[:, k]) + BINS * (outcome.truth == k)
            self._ranks[k] += np.bincount(found, minlength=2 * BINS).reshape(2, BINS)

    def quality(self) -> Quality:
        """Return the figures; what is known by the number of gaps is left out."""
        order = [
            *range(self._known),
            *sorted(range(self._known, len(self.labels)), key=lambda k: str(self.labels[k])),
        ]
        confusion = self._confusion[np.ix_(order, order)]
        values, intervals = self._values(confusion, self._by_class[order])
        return Quality(
            rows=self.rows,
            folds=None,
            classes=tuple(str(self.labels[k]) for k in order),
            measures=figure_lines(values, self._baselines(confusion), intervals),
            confusion=confusion.tolist(),
            curves=self._curves(),
            reliability={"bins": self._reliability(), "error": values["Calibration error"]},
            missing=[],
            costs=_known_costs(self._costs),
        )

    def _values(
        self, confusion: NDArray[np.int64], by_class: NDArray[np.float64]
    ) -> tuple[dict[str, float], dict[str, tuple[float, float]]]:
        n = self.rows
        means, squares = self._losses / n, self._squares / n
        half = Z * np.sqrt(np.maximum(squares - means**2, 0.0) / n)
        share = float(np.trace(confusion)) / n
        auc, pr_auc = self._areas(confusion)
        values = {
            "Accuracy": share,
            "Mean cost": math.nan,
            "Log-loss": float(means[0]),
            "Brier score": float(means[1]),
            "AUC": auc,
            "Calibration error": float(np.abs(self._by_confidence[2] - self._by_confidence[1]).sum() / n),
            **_figures_of(confusion),
            "PR-AUC": pr_auc,
        }
        intervals = {
            "Accuracy": wilson_interval(share, n),
            "Log-loss": (float(means[0] - half[0]), float(means[0] + half[0])),
            "Brier score": (float(means[1] - half[1]), float(means[1] + half[1])),
            **_drawn_intervals(confusion),
        }
        if self._costs is not None:
            mean, width = self._mean_cost(confusion)
            values["Mean cost"], intervals["Mean cost"] = mean, (mean - width, mean + width)
        errors = _constant_errors(self._shares(confusion))
        reference = float(confusion.sum(axis=1) @ errors) / n
        values["Brier skill"] = math.nan
        if reference > 0:
            ratio = float(means[1]) / reference
            together = float(by_class @ errors) / n
            of_reference = float(confusion.sum(axis=1) @ errors**2) / n
            spread = max(float(squares[1]) - 2 * ratio * together + ratio**2 * of_reference, 0.0)
            width = Z * math.sqrt(spread / n) / reference
            values["Brier skill"] = 1 - ratio
            intervals["Brier skill"] = (1 - ratio - width, 1 - ratio + width)
        return values, intervals

    def _mean_cost(self, confusion: NDArray[np.int64]) -> tuple[float, float]:
        """Return the mean cost of the rows whose class the model knows, and half the width of its interval."""
        assert self._costs is not None
        counts = confusion[: self._known, : self._known]
        rows = int(counts.sum())
        if not rows:
            return math.nan, math.nan
        mean = float((counts * self._costs).sum()) / rows
        spread = max(float((counts * self._costs**2).sum()) / rows - mean**2, 0.0)
        return mean, Z * math.sqrt(spread / rows)

    def _shares(self, confusion: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share of each class in the training rows, or in these."""
        if self._prior is None:
            return np.asarray(confusion.sum(axis=1) / self.rows)
        weights = np.asarray(self._prior, dtype=np.float64)
        return np.pad(weights / weights.sum(), (0, len(self.labels) - self._known))

    def _areas(self, confusion: NDArray[np.int64]) -> tuple[float, float]:
        """Return the mean areas under the ROC and the precision-recall curves."""
        true = confusion.sum(axis=1)
        areas = np.full((len(true), 2), np.nan)
        for k, rows in enumerate(true):
            if 0 < rows < self.rows:
                # Classes that the model does not know are as probable in each row as in any other.
                ranks = self._ranks[k, :, ::-1] if k < self._known else np.array([[self.rows - rows], [rows]])
                areas[k] = curve_areas(ranks[1], ranks[0])
        if np.isnan(areas).all():
            return math.nan, math.nan
        of_roc = areas[1:2] if len(true) == 2 and not np.isnan(areas[1, 0]) else areas
        return float(np.nanmean(of_roc[:, 0])), float(np.nanmean(areas[:, 1]))

    def _reliability(self) -> list[dict[str, Any]]:
        """Return confidence and accuracy of the predicted class by bin of confidence."""
        filled = self._by_confidence[:, self._by_confidence[0] > 0]
        return [
            {"rows": int(rows), "confidence": confidence / rows, "accuracy": right / rows}
            for rows, confidence, right in filled.T.tolist()
        ]

    def _curves(self) -> list[dict[str, Any]]:
        """Return the curves of the classes that the model knows; of many, those of the most frequent ones."""
        true = self._confusion.sum(axis=1)[: self._known]
        shown = np.sort(np.argsort(-true, kind="stable")[:MOST_CURVES])
        curves = []
        for k in shown[(true[shown] > 0) & (true[shown] < self.rows)].tolist():
            outside, inside = self._ranks[k, :, ::-1]
            filled = (inside + outside) > 0
            hits, alarms = inside[filled].cumsum(), outside[filled].cumsum()
            recall, precision = hits / hits[-1], hits / (hits + alarms)
            auc, ap = curve_areas(inside, outside)
            curves.append(
                {
                    "class": k,
                    "roc": thinned(np.append(0.0, alarms / alarms[-1]), np.append(0.0, recall)),
                    "pr": thinned(np.append(0.0, recall), np.append(1.0, precision)),
                    "auc": auc,
                    "ap": ap,
                    "share": float(true[k]) / self.rows,
                }
            )
        return curves

    def _baselines(self, confusion: NDArray[np.int64]) -> dict[str, float]:
        """Return the figures of the class frequencies, which say the same of every row."""
        shares, true = self._shares(confusion), confusion.sum(axis=1)
        chosen = cheapest_alone(shares, self._padded_costs())
        predicted = np.zeros_like(confusion)
        predicted[:, chosen] = true
        accuracy, likeliest = float(true[chosen]) / self.rows, int(shares.argmax())
        present = true[(true > 0) & (true < self.rows)] / self.rows
        reference = float(true @ _constant_errors(shares)) / self.rows
        return {
            "Accuracy": accuracy,
            "Mean cost": math.nan if self._costs is None else self._mean_cost(predicted)[0],
            "Log-loss": float(-(true @ np.log(np.maximum(shares, measures.EPSILON))) / self.rows),
            "Brier score": reference,
            "AUC": 0.5 if len(present) else math.nan,
            "Calibration error": abs(float(true[likeliest]) / self.rows - float(shares[likeliest])),
            **_figures_of(predicted),
            "PR-AUC": float(present.mean()) if len(present) else math.nan,
            "Brier skill": 0.0 if reference > 0 else math.nan,
        }

    def _padded_costs(self) -> NDArray[np.float64] | None:
        if self._costs is None:
            return None
        more = len(self.labels) - self._known
        return np.pad(self._costs.astype(np.float64), (0, more), constant_values=math.nan)


def _constant_errors(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared error of these probabilities for a row of each class."""
    errors: NDArray[np.float64] = (shares**2).sum() - 2 * shares + 1
    return errors


def _figures_of(confusion: NDArray[np.int64]) -> dict[str, float]:
    """Return balanced accuracy, macro F1 and MCC."""
    found = counted_figures(*_counts_of(confusion[None]))
    return {name: float(values[0]) for name, values in found.items()}


def _counts_of(confusions: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
    """Return for each class the rows that are right, that have it, and that are predicted to have it."""
    right = np.diagonal(confusions, axis1=1, axis2=2)
    return tuple(each.astype(np.float64) for each in (right, confusions.sum(axis=2), confusions.sum(axis=1)))


def _drawn_intervals(confusion: NDArray[np.int64]) -> dict[str, tuple[float, float]]:
    """Return the intervals of what follows from the confusion matrix: rows drawn again and again are multinomial."""
    shares = confusion.ravel() / confusion.sum()
    drawn = np.random.default_rng(0).multinomial(confusion.sum(), shares, size=DRAWS)
    found = counted_figures(*_counts_of(drawn.reshape(DRAWS, *confusion.shape)))
    return {name: percentiles(values) for name, values in found.items()}
