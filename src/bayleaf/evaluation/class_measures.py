"""Measures that look at each class: what a rare class contributes is as much as what a frequent one does."""

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import matthews_corrcoef, precision_recall_fscore_support

from .outcome import Outcome


def confusion_matrix(outcome: Outcome) -> NDArray[np.int64]:
    """Count rows by true class (rows) and predicted class (columns).

    Examples
    --------
    >>> confusion_matrix(Outcome.of([0, 1, 1], classes=[0, 1], predicted=[0, 0, 1]))
    array([[1, 0], [1, 1]])
    """
    n = len(outcome.labels)
    return np.bincount(outcome.truth * n + outcome.predicted, minlength=n * n).reshape(n, n)


def precision_recall_f1(outcome: Outcome) -> tuple[NDArray[np.float64], ...]:
    """Return precision, recall and F1 of each label; 0 where there is nothing to divide by.

    Examples
    --------
    >>> precision_recall_f1(Outcome.of([0, 1, 1], classes=[0, 1], predicted=[0, 0, 1]))[1]
    array([1. , 0.5])
    """
    labels = np.arange(len(outcome.labels))
    precision, recall, f1, _ = precision_recall_fscore_support(
        outcome.truth, outcome.predicted, labels=labels, zero_division=0.0
    )
    return precision, recall, f1


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
    return float(matthews_corrcoef(outcome.truth, outcome.predicted))


def class_f1(outcome: Outcome, label: str) -> float:
    """F1 of the class that is spelled like this; NaN where neither the test rows nor the predictions have it.

    Examples
    --------
    >>> class_f1(Outcome.of(["a", "b", "b"], classes=["a", "b"], predicted=["a", "a", "b"]), "a").__round__(3)
    0.667
    """
    spelled = [str(each) for each in outcome.labels]
    position = spelled.index(label) if label in spelled else -1
    if position not in outcome.truth and position not in outcome.predicted:
        return float("nan")
    return float(precision_recall_f1(outcome)[2][position])
