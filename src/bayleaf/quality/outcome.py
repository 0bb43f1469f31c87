"""What a classifier predicts for test rows, with their true classes; and what the class frequencies alone predict."""

import math
import warnings
from collections import Counter
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from bayleaf.classify.base import NetworkClassifier
from bayleaf.classify.record import NothingLearnedWarning
from bayleaf.data.columns import take_rows
from bayleaf.data.reader import GroupsWarning
from bayleaf.network.decisions import cheapest


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a classifier predicted for test rows, with their true classes.

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
    costs : (labels, labels) array or None
        What decisions cost, [true class, decision], where the classifier has costs; NaN for classes that it does not
        know.

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
    costs: NDArray[np.float64] | None = None

    @classmethod
    def of(
        cls,
        truth: ArrayLike,
        classes: ArrayLike,
        probabilities: ArrayLike | None = None,
        predicted: ArrayLike | None = None,
        prior: ArrayLike | None = None,
        costs: ArrayLike | None = None,
        **spent: float,
    ) -> "Outcome":
        """Align true labels with the columns of ``predict_proba`` and with the predicted labels.

        Without ``predicted``, the class is the most probable one; ties go to the first. ``prior`` is the weight of
        each class in the training rows, and ``costs`` [true class, decision] what decisions about the known classes
        cost.
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
        matrix = None
        if costs is not None:
            matrix = np.full((len(labels), len(labels)), np.nan)
            matrix[: len(known), : len(known)] = costs
        return cls(labels, codes, answer, table, prior=shares, costs=matrix, **spent)


def _checked_probabilities(probabilities: ArrayLike, rows: int, classes: int) -> NDArray[np.float64]:
    table = np.asarray(probabilities, dtype=np.float64)
    if table.shape != (rows, classes):
        raise ValueError(f"The probabilities must have shape {(rows, classes)}. Got {table.shape}.")
    broken = ~np.isfinite(table).all(axis=1)
    if broken.any():
        raise ValueError(f"predict_proba gave NaN or infinite values in {broken.sum()} of {rows} rows.")
    return table


def class_frequencies(outcome: Outcome) -> Outcome:
    """Return what the class frequencies predict for the same rows: a model must beat this to be useful.

    Every row gets the share of each class in the training rows (in the test rows where those are not known), and the
    most frequent class; ties go to the first. Where decisions have costs, it is the cheapest class instead.

    Examples
    --------
    >>> outcome = Outcome.of([0, 1], classes=[0, 1], predicted=[0, 1], prior=[3, 1])
    >>> class_frequencies(outcome).probabilities
    array([[0.75, 0.25], [0.75, 0.25]])
    >>> outcome = Outcome.of([0, 1], classes=[0, 1], predicted=[0, 1], prior=[3, 1], costs=[[0, 1], [9, 0]])
    >>> class_frequencies(outcome).predicted
    array([1, 1])
    """
    rows, classes = outcome.truth.size, len(outcome.labels)
    shares = outcome.prior
    if shares is None:
        shares = np.bincount(outcome.truth, minlength=classes) / rows
    probabilities = np.tile(shares, (rows, 1))
    chosen = cheapest_alone(shares, outcome.costs)
    return Outcome(
        outcome.labels,
        outcome.truth,
        np.full(rows, chosen, dtype=np.intp),
        probabilities,
        prior=shares,
        costs=outcome.costs,
    )


def cheapest_alone(shares: NDArray[np.float64], costs: NDArray[np.float64] | None) -> int:
    """Return the class to decide for where nothing but the frequencies is known; without costs the most frequent."""
    if costs is None:
        return int(shares.argmax())
    known = np.flatnonzero(~np.isnan(costs.diagonal()))
    chosen = cheapest(shares[None, known], costs[np.ix_(known, known)], shares[known])
    return int(known[chosen[0]])


def fit_and_predict(
    estimator: Any,
    X: Any,
    y: Any,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    groups: NDArray[np.intp] | None = None,
) -> Outcome:
    """Fit a fresh copy of an estimator on the training rows and ask it about the test rows once.

    ``groups`` of the training rows go to classifiers of bayleaf, which tune by them.
    """
    model = clone(estimator)
    # Of a single group nothing can be held out.
    tunes = groups is not None and isinstance(model, NetworkClassifier) and groups.min() < groups.max()
    known = {"groups": groups} if tunes else {}
    train, test = np.asarray(train), np.asarray(test)
    X_train, y_train, X_test = (take_rows(part, rows) for part, rows in ((X, train), (y, train), (X, test)))
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NothingLearnedWarning)  # the measures say it
        warnings.simplefilter("ignore", GroupsWarning)  # whoever chose the folds knows
        model.fit(X_train, y_train, **known)
    fitted = perf_counter()
    probabilities = model.predict_proba(X_test) if hasattr(model, "predict_proba") else None
    done = perf_counter()
    predicted = decisions(model, X_test, probabilities)
    if probabilities is None:
        done = perf_counter()
    return Outcome.of(
        target_array(y)[test],
        model.classes_,
        probabilities,
        predicted,
        fit_seconds=fitted - start,
        predict_seconds=done - fitted,
        prior=_class_sizes(y_train, model.classes_),
        costs=decision_costs(model),
        n_parameters=model_size(model),
    )


def _class_sizes(y: Any, classes: Any) -> list[int] | None:
    """Count the training rows of each class; None where the model has other labels than the rows."""
    found = Counter(target_array(y).tolist())
    sizes = [found[label] for label in np.asarray(classes).tolist()]
    return sizes if any(sizes) else None


def decisions(model: Any, X: Any, probabilities: Any) -> Any:
    """Return the classes that the model itself predicts; ties, thresholds and costs are up to the model.

    Models that can decide from their probabilities (``decide``) are not asked twice.
    """
    if probabilities is not None and hasattr(model, "decide"):
        return model.decide(probabilities)
    return model.predict(X) if hasattr(model, "predict") else None


def decision_costs(model: Any) -> NDArray[np.float64] | None:
    """Return what the decisions of a fitted model cost; its last step or best estimator may say; None for nothing."""
    if isinstance(model, NetworkClassifier):
        return model._costs()
    inner = model.steps[-1][1] if getattr(model, "steps", None) else getattr(model, "best_estimator_", None)
    return None if inner is None else decision_costs(inner)


def target_array(y: Any) -> NDArray[Any]:
    """Return labels of any kind as a one-dimensional array."""
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"The target must be one column. Got shape {array.shape}.")
    return array


def model_size(model: Any) -> float:
    """Count parameters: ``n_parameters_`` of a fitted model, its last step or best estimator, else NaN."""
    if hasattr(model, "n_parameters_"):
        return float(model.n_parameters_)
    if hasattr(model, "best_estimator_"):
        return model_size(model.best_estimator_)
    if getattr(model, "steps", None):
        return model_size(model.steps[-1][1])
    return math.nan
