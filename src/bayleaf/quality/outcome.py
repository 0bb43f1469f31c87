"""What a classifier said about test rows, beside the truth; and what the class frequencies alone would say."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a classifier said about test rows, beside the truth.

    Attributes
    ----------
    labels : tuple
        Classes known from the training rows, then those that only occur in the test rows.
    truth, predicted : int arrays
        Positions in ``labels``, one per test row.
    probabilities : (rows, labels) array or None
        None for classifiers without ``predict_proba``; 0 for classes missing from the training rows.
    fit_seconds, predict_seconds, n_parameters : float
        NaN where unknown.
    prior : array of float or None
        Share of each label in the training rows; None where it is not known.

    Examples
    --------
    >>> outcome = Outcome.of(["no", "yes"], classes=["no", "yes"], probabilities=[[0.9, 0.1], [0.6, 0.4]])
    >>> outcome.predicted
    array([0, 0])
    """

    labels: tuple[Any, ...]
    truth: NDArray[np.intp]
    predicted: NDArray[np.intp]
    probabilities: NDArray[np.float64] | None
    fit_seconds: float = math.nan
    predict_seconds: float = math.nan
    n_parameters: float = math.nan
    prior: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        truth: ArrayLike,
        classes: ArrayLike,
        probabilities: ArrayLike | None = None,
        predicted: ArrayLike | None = None,
        prior: ArrayLike | None = None,
        **costs: float,
    ) -> "Outcome":
        """Align true labels with the columns of ``predict_proba`` and with the predicted labels.

        Without ``predicted``, the class is the most probable one, the first of equals. ``prior`` is the weight of
        each class in the training rows.
        """
        actual = list(np.asarray(truth).tolist())
        known = list(np.asarray(classes).tolist())
        labels = tuple(known + sorted(set(actual) - set(known), key=str))
        position = {label: index for index, label in enumerate(labels)}
        codes = np.array([position[label] for label in actual], dtype=np.intp)
        table = None
        if probabilities is not None:
            table = _checked_probabilities(probabilities, len(actual), len(known))
            table = np.pad(table, ((0, 0), (0, len(labels) - len(known))))
        if predicted is not None:
            answer = np.array([position[label] for label in np.asarray(predicted).tolist()], dtype=np.intp)
        elif table is not None:
            answer = table.argmax(axis=1)
        else:
            raise ValueError("Pass the probabilities or the predicted classes of the test rows.")
        shares = None
        if prior is not None:
            weights = np.asarray(prior, dtype=np.float64)
            shares = np.pad(weights / weights.sum(), (0, len(labels) - len(known)))
        return cls(labels, codes, answer, table, prior=shares, **costs)


def _checked_probabilities(probabilities: ArrayLike, rows: int, classes: int) -> NDArray[np.float64]:
    table = np.asarray(probabilities, dtype=np.float64)
    if table.shape != (rows, classes):
        raise ValueError(f"The probabilities must have shape {(rows, classes)}. Got {table.shape}.")
    broken = ~np.isfinite(table).all(axis=1)
    if broken.any():
        raise ValueError(f"predict_proba gave NaN or infinite values in {broken.sum()} of {rows} rows.")
    return table


def class_frequencies(outcome: Outcome) -> Outcome:
    """Return what the class frequencies say about the same rows: what a model must beat to be of use.

    Every row gets the share of each class in the training rows (in the test rows where those are not known), and the
    most frequent class, the first of equals.

    Examples
    --------
    >>> outcome = Outcome.of([0, 1], classes=[0, 1], predicted=[0, 1], prior=[3, 1])
    >>> class_frequencies(outcome).probabilities
    array([[0.75, 0.25], [0.75, 0.25]])
    """
    rows, classes = outcome.truth.size, len(outcome.labels)
    shares = outcome.prior
    if shares is None:
        shares = np.bincount(outcome.truth, minlength=classes) / rows
    probabilities = np.tile(shares, (rows, 1))
    return Outcome(outcome.labels, outcome.truth, probabilities.argmax(axis=1), probabilities, prior=shares)
