"""What is measured on one test fold.

Every measure is a function of an `Outcome`: the true classes of the test rows, the probabilities of the classifier,
computed once, and the class it decided for.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from bayleaf.network.decisions import LossLike, class_costs

from .outcome import Outcome, class_frequencies


def confusion_matrix(outcome: Outcome) -> NDArray[np.int64]:
    """Count rows by true class (rows) and predicted class (columns)."""
    n = len(outcome.labels)
    return np.bincount(outcome.truth * n + outcome.predicted, minlength=n * n).reshape(n, n)


def precision_recall_f1(outcome: Outcome) -> tuple[NDArray[np.float64], ...]:
    """Return precision, recall and F1 of each label; 0 where there is nothing to divide by."""
    labels = np.arange(len(outcome.labels))
    found = metrics.precision_recall_fscore_support(
        outcome.truth, outcome.predicted, labels=labels, zero_division=0.0
    )
    return tuple(found[:3])


def balanced_accuracy(outcome: Outcome) -> float:
    """Mean over the classes of the share of their rows that are classified correctly.

    Classes that no test row has are left out.

    Examples
    --------
    >>> balanced_accuracy(Outcome.of([0, 0, 0, 1], classes=[0, 1], predicted=[0, 0, 0, 0]))
    0.5
    """
    recall = precision_recall_f1(outcome)[1]
    return float(recall[np.unique(outcome.truth)].mean())


def macro_f1(outcome: Outcome) -> float:
    """Mean over the classes of F1, the harmonic mean of precision and recall.

    Classes that neither the test rows have nor a prediction names are left out.

    Examples
    --------
    >>> macro_f1(Outcome.of([0, 1, 1], classes=[0, 1], predicted=[0, 0, 1])).__round__(3)
    0.667
    """
    seen = np.union1d(outcome.truth, outcome.predicted)
    return float(precision_recall_f1(outcome)[2][seen].mean())


def matthews_correlation(outcome: Outcome) -> float:
    """Correlation of true and predicted classes, from -1 to 1; 0 where one of the two is constant.

    References
    ----------
    J. Gorodkin. Comparing two K-category assignments by a K-category correlation coefficient. Computational Biology
    and Chemistry 28, 2004.

    Examples
    --------
    >>> matthews_correlation(Outcome.of([0, 1, 1], classes=[0, 1], predicted=[0, 0, 1]))
    0.5
    """
    if np.ptp(outcome.truth) == 0 or np.ptp(outcome.predicted) == 0:
        return 0.0  # scikit-learn says the same, with a warning where both are constant
    return float(metrics.matthews_corrcoef(outcome.truth, outcome.predicted))


def class_f1(outcome: Outcome, label: str) -> float:
    """F1 of the class that is spelled like this; NaN where neither the test rows nor the predictions have it."""
    spelled = [str(each) for each in outcome.labels]
    position = spelled.index(label) if label in spelled else -1
    if position not in outcome.truth and position not in outcome.predicted:
        return float("nan")
    return float(precision_recall_f1(outcome)[2][position])


EPSILON = 1e-15
"""Probabilities below this count as this in the log-loss, so one impossible row costs at most 34.5."""

CALIBRATION_BINS = 15


def zero_one_loss(outcome: Outcome) -> float:
    """Share of misclassified rows.

    Examples
    --------
    >>> zero_one_loss(Outcome.of([0, 1], classes=[0, 1], probabilities=[[0.9, 0.1], [0.6, 0.4]]))
    0.5
    """
    return float(np.mean(outcome.predicted != outcome.truth))


def accuracy(outcome: Outcome) -> float:
    """Share of correctly classified rows.

    Examples
    --------
    >>> accuracy(Outcome.of([0, 1, 0], classes=[0, 1], predicted=[0, 1, 1])).__round__(3)
    0.667
    """
    return 1.0 - zero_one_loss(outcome)


def row_costs(outcome: Outcome) -> NDArray[np.float64]:
    """Return what the decision about each row costs; NaN where it has no cost, as for classes the model lacks."""
    if outcome.costs is None:
        return np.full(outcome.truth.size, np.nan)
    found: NDArray[np.float64] = outcome.costs[outcome.truth, outcome.predicted]
    return found


def mean_cost(outcome: Outcome) -> float:
    """Mean over rows of what the decisions cost; NaN where decisions have no costs.

    Rows of classes that the model does not know have none, and are left out.

    Examples
    --------
    >>> mean_cost(Outcome.of(["no", "yes"], classes=["no", "yes"], predicted=["yes", "yes"], costs=[[0, 3], [20, 0]]))
    1.5
    """
    costs = row_costs(outcome)
    known = costs[~np.isnan(costs)]
    return float(known.mean()) if known.size else math.nan


def mean_cost_by(loss: LossLike) -> "Measure":
    """Return the measure of what decisions cost by given costs, also of methods that have none of their own.

    ``loss`` is what a classifier takes as its ``loss``.

    Examples
    --------
    >>> outcome = Outcome.of(["no", "yes"], classes=["no", "yes"], predicted=["yes", "yes"])
    >>> mean_cost_by({"no": {"yes": 3.0}})(outcome)
    1.5
    """

    def by_these(outcome: Outcome) -> float:
        costs = class_costs(loss, list(outcome.labels), "mean_cost_by")
        return float(costs[outcome.truth, outcome.predicted].mean())

    return Measure("mean_cost", by_these, label="mean cost")


def conditional_log_likelihood(outcome: Outcome) -> NDArray[np.float64]:
    """Natural logarithm of the probability of the true class, one value per row.

    Probabilities below `EPSILON` count as `EPSILON`.

    Examples
    --------
    >>> outcome = Outcome.of([0, 1], classes=[0, 1], probabilities=[[1.0, 0.0], [0.5, 0.5]])
    >>> conditional_log_likelihood(outcome).round(3)
    array([ 0.   , -0.693])
    """
    if outcome.probabilities is None:
        return np.full(outcome.truth.size, np.nan)
    of_truth = outcome.probabilities[np.arange(outcome.truth.size), outcome.truth]
    return np.log(np.maximum(of_truth, EPSILON))


def log_loss(outcome: Outcome) -> float:
    """Mean of -ln P(true class), see `conditional_log_likelihood`.

    Examples
    --------
    >>> log_loss(Outcome.of([0, 1], classes=[0, 1], probabilities=[[1.0, 0.0], [0.5, 0.5]])).__round__(3)
    0.347
    """
    return float(-np.mean(conditional_log_likelihood(outcome)))


def brier(outcome: Outcome) -> float:
    """Mean over rows of the squared errors summed over all classes, between 0 and 2.

    For two classes this is twice the value of the formula that looks at one class only.

    Examples
    --------
    >>> brier(Outcome.of([0, 1], classes=[0, 1], probabilities=[[1.0, 0.0], [0.5, 0.5]]))
    0.25
    """
    if outcome.probabilities is None:
        return math.nan
    return float(np.mean(squared_errors(outcome)))


def squared_errors(outcome: Outcome) -> NDArray[np.float64]:
    """Return the squared errors of each row, summed over the classes."""
    wanted = np.eye(len(outcome.labels))[outcome.truth]
    errors: NDArray[np.float64] = ((np.asarray(outcome.probabilities) - wanted) ** 2).sum(axis=1)
    return errors


def brier_skill(outcome: Outcome) -> float:
    """Share of the class frequencies' Brier score that the model saves: 1 is perfect, 0 no better than they are.

    NaN where they make no error, as with one class only; see `class_frequencies`.

    Examples
    --------
    >>> brier_skill(Outcome.of([0, 1], classes=[0, 1], probabilities=[[1.0, 0.0], [0.5, 0.5]]))
    0.5
    """
    reference = brier(class_frequencies(outcome))
    return 1.0 - brier(outcome) / reference if reference > 0 else math.nan


def pr_auc(outcome: Outcome) -> float:
    """Area under the precision-recall curve (average precision), the mean over all classes against the rest.

    Both classes of two count: unlike the area under the ROC curve, the two differ. Classes that no test row (or every
    test row) has are skipped; NaN when none is left. Chance gives a class its own share.

    Examples
    --------
    >>> pr_auc(Outcome.of([0, 0, 1], classes=[0, 1], probabilities=[[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]]))
    1.0
    """
    if outcome.probabilities is None:
        return math.nan
    return _mean_area(outcome, metrics.average_precision_score, range(len(outcome.labels)))


def auc(outcome: Outcome) -> float:
    """Area under the ROC curve; for more than two classes the unweighted mean of one class against the rest.

    Classes that no test row (or every test row) has are skipped; NaN when none is left.

    Examples
    --------
    >>> auc(Outcome.of([0, 0, 1], classes=[0, 1], probabilities=[[0.9, 0.1], [0.4, 0.6], [0.3, 0.7]]))
    1.0
    """
    if outcome.probabilities is None:
        return math.nan
    # With two classes, the area of one class equals that of the other.
    classes = [1] if len(outcome.labels) == 2 else range(len(outcome.labels))
    return _mean_area(outcome, metrics.roc_auc_score, classes)


def one_against_rest(
    outcome: Outcome, classes: Iterable[int]
) -> Iterator[tuple[int, NDArray[np.bool_], NDArray[np.float64]]]:
    """Yield each class that some rows have and some do not: its number, which rows have it, its probability."""
    for k in classes:
        is_class = outcome.truth == k
        if is_class.any() and not is_class.all():
            yield k, is_class, np.asarray(outcome.probabilities)[:, k]


def _mean_area(outcome: Outcome, area: Callable[..., float], classes: Iterable[int]) -> float:
    areas = [area(is_class, score) for _, is_class, score in one_against_rest(outcome, classes)]
    return float(np.mean(areas)) if areas else math.nan


def expected_calibration_error(outcome: Outcome) -> float:
    """How far confidence and accuracy lie apart, for the most probable class.

    Rows are sorted by the probability of their most probable class into 15 bins of equal width, closed on the
    right; the result is the mean distance between accuracy and mean confidence of the bins, weighted by rows.
    Decisions that weigh costs do not matter here.

    Examples
    --------
    >>> expected_calibration_error(Outcome.of([0, 1], classes=[0, 1], probabilities=[[0.5, 0.5], [0.5, 0.5]]))
    0.0
    """
    if outcome.probabilities is None:
        return math.nan
    confidence, right = confidence_and_hits(outcome)
    bins = calibration_bin(confidence, CALIBRATION_BINS)
    gaps = np.bincount(bins, weights=right - confidence, minlength=CALIBRATION_BINS)
    return float(np.abs(gaps).sum() / outcome.truth.size)


def confidence_and_hits(outcome: Outcome) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the largest probability of each row, and whether the class that has it is right.

    Without costs this class is the predicted one, by which ties are broken.
    """
    probabilities = np.asarray(outcome.probabilities)
    named = outcome.predicted if outcome.costs is None else probabilities.argmax(axis=1)
    return probabilities.max(axis=1), named == outcome.truth


def calibration_bin(confidence: NDArray[np.float64], bins: int) -> NDArray[np.intp]:
    """Bin number of every probability: bin i holds (i / bins, (i + 1) / bins]."""
    return np.clip(np.ceil(confidence * bins).astype(np.intp) - 1, 0, bins - 1)


def reliability_points(
    outcome: Outcome, bins: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Mean confidence and accuracy of every bin that has rows, and the number of rows of all bins."""
    if outcome.probabilities is None:
        raise ValueError("A reliability diagram needs probabilities; this classifier gives none.")
    confidence, is_right = confidence_and_hits(outcome)
    number = calibration_bin(confidence, bins)
    rows = np.bincount(number, minlength=bins)
    filled = rows > 0
    sums = np.bincount(number, weights=confidence, minlength=bins)
    right = np.bincount(number, weights=is_right, minlength=bins)
    return sums[filled] / rows[filled], right[filled] / rows[filled], rows


@dataclass(frozen=True)
class Measure:
    """A named number computed from an `Outcome`.

    Parameters
    ----------
    name : str
        Column name in result tables.
    function : callable
        From an outcome to a float; NaN where undefined.
    higher_is_better : bool
        Direction of "best".
    label : str
        Text for tables and figures; the name when empty.

    Examples
    --------
    >>> errors = Measure("errors", lambda outcome: float((outcome.predicted != outcome.truth).sum()))
    >>> errors(Outcome.of(["a", "b"], classes=["a", "b"], predicted=["a", "a"]))
    1.0
    """

    name: str
    function: Callable[[Outcome], float]
    higher_is_better: bool = False
    label: str = ""

    def __call__(self, outcome: Outcome) -> float:
        """Value of the measure."""
        return float(self.function(outcome))

    @property
    def title(self) -> str:
        """Text for people."""
        return self.label or self.name.replace("_", " ")


MEASURES: tuple[Measure, ...] = (
    Measure("zero_one_loss", zero_one_loss, label="zero-one loss"),
    Measure("accuracy", accuracy, higher_is_better=True),
    Measure("log_loss", log_loss, label="log-loss"),
    Measure("brier", brier, label="Brier score"),
    Measure("auc", auc, higher_is_better=True, label="AUC"),
    Measure("ece", expected_calibration_error, label="calibration error"),
    Measure("fit_seconds", attrgetter("fit_seconds"), label="fit time (s)"),
    Measure("predict_seconds", attrgetter("predict_seconds"), label="predict time (s)"),
    Measure("n_parameters", attrgetter("n_parameters"), label="parameters"),
)
"""The measures taken by default."""

FURTHER_MEASURES: tuple[Measure, ...] = (
    Measure("balanced_accuracy", balanced_accuracy, higher_is_better=True),
    Measure("macro_f1", macro_f1, higher_is_better=True, label="macro F1"),
    Measure("mcc", matthews_correlation, higher_is_better=True, label="MCC"),
    Measure("pr_auc", pr_auc, higher_is_better=True, label="PR-AUC"),
    Measure("brier_skill", brier_skill, higher_is_better=True, label="Brier skill"),
    Measure("mean_cost", mean_cost, label="mean cost"),
)
"""Measures that are taken where they are named, as is the F1 of one class: ``f1(label)``."""

ONE_CLASS = re.compile(r"f1\((?P<label>.+)\)", re.DOTALL)


def resolve_measures(measures: Sequence[str | Measure] | None) -> tuple[Measure, ...]:
    """Turn names into measures; None means all of `MEASURES`."""
    if measures is None:
        return MEASURES
    resolved = tuple(known_measure(each) for each in measures)
    names = [measure.name for measure in resolved]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"The measures must be one or more different names. Got {names}.")
    return resolved


def known_measure(measure: str | Measure, extra: Iterable[Measure] = ()) -> Measure:
    """Look up a measure that bayleaf knows, by default or by name, or one of those given."""
    known = (*MEASURES, *FURTHER_MEASURES, *extra)
    if isinstance(measure, str) and measure not in {each.name for each in known}:
        one = ONE_CLASS.fullmatch(measure)
        if one is not None:
            of_class = partial(class_f1, label=one["label"])
            return Measure(measure, of_class, higher_is_better=True, label=f"F1 of {one['label']}")
    return find_measure(measure, known)


def find_measure(measure: str | Measure, among: Iterable[Measure]) -> Measure:
    """Look up a measure by name; a `Measure` is returned as it is."""
    if isinstance(measure, Measure):
        return measure
    known = {each.name: each for each in among}
    if measure not in known:
        raise ValueError(f"There is no measure '{measure}'. Known here: {', '.join(sorted(known))}.")
    return known[measure]
