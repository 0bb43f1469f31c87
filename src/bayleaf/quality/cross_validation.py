"""How good a model is: on rows that it has not seen, and with features missing at prediction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve
from sklearn.utils import column_or_1d
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from bayleaf._util.optional import polars as pl
from bayleaf._util.params import check_param
from bayleaf._util.progress import track
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.classify.record import Quality, TrainingRecord
from bayleaf.data import Table, encode
from bayleaf.data.columns import check_rows, take_rows
from bayleaf.data.reader import labelled_rows
from bayleaf.data.table import missing_code
from bayleaf.data.target import unknown_labels

from .intervals import measures_with_intervals
from .measures import CALIBRATION_BINS, confusion_matrix, expected_calibration_error, reliability_points
from .outcome import Outcome, fit_and_predict, target_array
from .protocol import CrossValidation, Rows, SplitProtocol, check_protocol


def out_of_fold(
    estimator: Any,
    X: Any,
    y: Any,
    protocol: SplitProtocol | None = None,
    *,
    n_jobs: int | None = None,
) -> Outcome:
    """Predict every row by a model that has not seen it, for reliability diagrams and ROC curves.

    The test folds of the protocol's first repeat are put together, in the order of the data.

    Parameters
    ----------
    estimator : classifier
        With ``predict_proba``; it stays as it is.
    X, y : data and class labels
    protocol : protocol, optional
        How to split; stratified ten-fold cross-validation by default.
    n_jobs : int or None
        Folds at the same time; None means 1, -1 all cores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> outcome = out_of_fold(GaussianNB(), *load_iris(return_X_y=True))
    >>> outcome.probabilities.shape
    (150, 3)
    """
    protocol = CrossValidation(stratified=True) if protocol is None else protocol
    check_protocol(protocol)
    target = target_array(y)
    folds = [protocol.split(target, repeat, fold) for repeat, fold in protocol.cells if repeat == 0]
    # Those of scikit-learn, so that workers heed the caller's filters of warnings.
    tasks = (delayed(fit_and_predict)(estimator, X, y, fold.train, fold.test) for fold in folds)
    # Folds come back in their order; when anything goes wrong, closing stops those that are not yet done.
    with closing(Parallel(n_jobs=n_jobs, return_as="generator")(tasks)) as done:
        parts = list(track(done, "Cross-validating", total=len(folds)))
    if any(part.probabilities is None for part in parts):
        raise ValueError(f"{type(estimator).__name__} has no predict_proba, which this needs.")
    return _together(parts, [fold.test for fold in folds], list(np.unique(target).tolist()))


def _together(parts: list[Outcome], rows: list[Rows], labels: list[Any]) -> Outcome:
    """Put the folds together: rows in the order of the data, classes in one order."""
    order = np.argsort(np.concatenate(rows), kind="stable")
    probabilities = np.zeros((len(order), len(labels)))
    place = 0
    for part in parts:
        columns = [labels.index(label) for label in part.labels]
        probabilities[place : place + part.truth.size, columns] = part.probabilities
        place += part.truth.size
    truth = [part.labels[code] for part in parts for code in part.truth]
    predicted = [part.labels[code] for part in parts for code in part.predicted]
    return Outcome.of([truth[k] for k in order], labels, probabilities[order], [predicted[k] for k in order])


MOST_POINTS = 160
MOST_CURVES = 32


def quality_of(outcome: Outcome, absent: NDArray[np.int64], folds: int | None = None) -> Quality:
    """Sum up how good the probabilities of some rows are.

    Parameters
    ----------
    outcome : Outcome
        Truth and probabilities.
    absent : ndarray of int
        How many features of each row are missing.
    folds : int, optional
        Of the cross-validation that the probabilities come from.

    Examples
    --------
    >>> outcome = Outcome.of(["a", "b"], classes=["a", "b"], probabilities=[[0.9, 0.1], [0.4, 0.6]])
    >>> quality = quality_of(outcome, np.array([0, 2]))
    >>> quality.confusion, quality.value("Accuracy")
    ([[1, 0], [0, 1]], 1.0)
    """
    if outcome.probabilities is None:
        raise ValueError("Quality needs probabilities.")
    return Quality(
        rows=len(outcome.truth),
        folds=folds,
        classes=tuple(str(label) for label in outcome.labels),
        measures=measures_with_intervals(outcome),
        confusion=confusion_matrix(outcome).tolist(),
        curves=class_curves(outcome),
        reliability=reliability(outcome),
        missing=accuracy_by_missing(outcome, absent),
    )


def predicted_outcome(model: Any, X: Any, y: Any) -> Outcome:
    """Let a fitted model of bayleaf predict rows whose class is known.

    Examples
    --------
    >>> from bayleaf.classify.one_network import BayesNetClassifier
    >>> clf = BayesNetClassifier().fit([["a"], ["b"], ["b"]], ["no", "yes", "yes"])
    >>> predicted_outcome(clf, [["b"]], ["yes"]).prior.round(2)
    array([0.33, 0.67])
    """
    probabilities = model.predict_proba(X)
    record: TrainingRecord | None = getattr(model, "training_", None)
    prior = None if record is None else record.class_weights
    return Outcome.of(y, model.classes_, probabilities, model.decide(probabilities), prior)


def cross_validated(
    classifier: Any, X: Any, y: Any, folds: int = 10, *, n_jobs: int | None = None
) -> tuple[Outcome, Quality]:
    """Assess a fitted classifier by others like it, each fitted without the rows it predicts.

    The folds are stratified and always the same, so that two models are assessed alike.
    """
    outcome = out_of_fold(classifier, X, y, stratified_folds(y, folds), n_jobs=n_jobs)
    table = classifier.encode(X)
    return outcome, quality_of(outcome, missing_values(table), folds)


def missing_values(table: Table) -> NDArray[np.int64]:
    """Count the missing values of each row, those with a state of their own too.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> x = Variable("x", ("a", "b"))
    >>> missing_values(Table.from_codes((x, x.with_gap()), [[0, 1], [-1, 2]])).tolist()
    [0, 2]
    """
    counts = np.zeros(table.n_rows, dtype=np.int64)
    for j in range(table.n_variables):
        counts += table.gaps(j)
    return counts


def cross_validate_fitted(model: Any, X: Any, y: Any, cv: int, *, n_jobs: int | None = None) -> Quality:
    """Assess a fitted model of bayleaf by cross-validation on the rows that it was fitted to."""
    check_is_fitted(model)
    check_consistent_length(X, y)
    record: TrainingRecord | None = getattr(model, "training_", None)
    if record is None:
        raise ValueError(
            "The model has no record of its training data, to keep a cross-validation in: fit it again."
        )
    known = labelled_rows(y)
    if known is not None:  # fit has left out the others
        X, y = take_rows(X, known), take_rows(y, known)
    _check_same_rows(model, record, len(y))
    unknown_labels(np.asarray(y).ravel().tolist(), model.classes_.tolist())
    return cross_validated(model, X, y, cv, n_jobs=n_jobs)[1]


def _check_same_rows(model: Any, record: TrainingRecord, rows: int) -> None:
    """Refuse rows that cannot be those of fit; incomplete rows that are dropped, and weights, leave fewer."""
    settings = model.get_params(deep=True)
    dropped = "drop" in (settings.get("missing"), settings.get("estimator__missing"))
    fewer = dropped or record.weight != record.rows
    if rows < record.rows or (rows > record.rows and not fewer):
        raise ValueError(
            f"Cross-validation needs the rows that fit has seen: it saw {record.rows:,} rows. Got {rows:,}."
        )


def stratified_folds(y: Any, folds: int) -> CrossValidation:
    """Return the folds by which models are assessed, or say that there are too few rows for them."""
    _, sizes = np.unique(np.asarray(y), return_counts=True)
    if sizes.max() < folds:
        raise ValueError(
            f"There are too few rows for {folds} folds: the largest class has {sizes.max()}. Use fewer folds."
        )
    return CrossValidation(folds, stratified=True)


def class_curves(outcome: Outcome) -> list[dict[str, Any]]:
    """ROC and precision-recall curves of each class against the rest (the most frequent classes of many)."""
    probabilities = np.asarray(outcome.probabilities)
    frequency = np.bincount(outcome.truth, minlength=len(outcome.labels))
    shown = np.sort(np.argsort(-frequency, kind="stable")[:MOST_CURVES])
    curves = []
    for k in shown.tolist():
        is_class = outcome.truth == k
        if not is_class.any() or is_class.all():
            continue
        score = probabilities[:, k]
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
    confidence, accuracy, rows = reliability_points(outcome, CALIBRATION_BINS)
    columns = zip(rows[rows > 0].tolist(), confidence.tolist(), accuracy.tolist(), strict=True)
    bins = [{"rows": number, "confidence": mean, "accuracy": right} for number, mean, right in columns]
    return {"bins": bins, "error": expected_calibration_error(outcome)}


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


MISSING_COLUMNS = {"missing": int, "repeat": int, "method": str, "accuracy": float}


def accuracy_with_missing_features(
    models: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    missing: Sequence[int],
    *,
    repeats: int = 10,
    seed: int = 0,
) -> pl.DataFrame:
    """Classify test rows with some features of each row removed at random, the same cells for all classifiers.

    The features that are left classify the row; those removed are summed out, exactly. Each classifier decides as its
    ``predict`` does.

    Parameters
    ----------
    models : mapping of str to fitted BayesNetClassifier
        All fitted to the same features.
    X, y : test rows and their classes
        Rows may have missing values of their own.
    missing : sequence of int
        Numbers of features to remove from each row.
    repeats : int, default=10
        Random choices of cells for each number.
    seed : int, default=0
        Seed of the random numbers; a number and a repeat always remove the same cells.

    Returns
    -------
    polars.DataFrame
        Columns ``missing``, ``repeat``, ``method``, ``accuracy``.

    References
    ----------
    F. Pernkopf and J. A. Bilmes. Efficient heuristics for discriminative structure learning of Bayesian network
    classifiers. Journal of Machine Learning Research 11, 2010, section 6.6.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bayleaf.classify.one_network import BayesNetClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {"TAN": BayesNetClassifier().fit(X, y)}
    >>> frame = accuracy_with_missing_features(models, X, y, [0, 4], repeats=1)
    >>> frame["accuracy"].round(2).to_list()
    [0.97, 0.33]
    """
    if not isinstance(models, Mapping):
        raise TypeError(
            f"models must be a dict from names to fitted classifiers. Got a {type(models).__name__}."
        )
    if not models:
        raise ValueError("There is no classifier to evaluate; pass at least one.")
    check_param("accuracy_with_missing_features", "repeats", repeats, int, low=1)
    check_param("accuracy_with_missing_features", "seed", seed, int, low=0)
    tables = {name: _encoded(name, model, X) for name, model in models.items()}
    shapes = {table.codes.shape for table in tables.values()}
    if len(shapes) != 1:
        raise ValueError(f"The classifiers use different numbers of features or rows: {sorted(shapes)}.")
    ((rows, features),) = shapes
    _check_numbers(missing, features)
    truth = column_or_1d(np.asarray(y))
    if len(truth) != rows:
        raise ValueError(f"X has {rows} rows and y {len(truth)}: every row needs its class.")
    for name, model in models.items():
        unknown_labels(truth.tolist(), model.classes_.tolist(), f"'{name}'")
    lines = []
    for number in missing:
        for repeat in range(repeats):
            rng = np.random.default_rng([seed, number, repeat])
            removed = rng.random((rows, features)).argsort(axis=1) < number
            for name, model in models.items():
                codes = tables[name].codes.copy(order="F")
                codes[removed] = missing_code(codes.dtype)
                predicted = model.predict(replace(tables[name], codes=codes))
                lines.append((number, repeat, name, float((predicted == truth).mean())))
    return pl.DataFrame(lines, schema=MISSING_COLUMNS, orient="row")


def _encoded(name: str, model: Any, X: Any) -> Table:
    """Encode test rows for a model: all its features, those that it does not use as well."""
    if not isinstance(model, BayesNetClassifier):
        raise TypeError(
            f"'{name}' is a {type(model).__name__}: features can be removed from rows for a BayesNetClassifier only."
        )
    used = model.encode(X)
    if used.variables == model.schema_.features:
        return used
    return encode(model.schema_, check_rows(X), unknown=model.unknown, n_jobs=model.n_jobs)


def _check_numbers(missing: Any, features: int) -> None:
    if isinstance(missing, str | Iterator) or not isinstance(missing, Iterable):
        raise TypeError(
            f"missing must be a list of numbers of features, such as [0, 2]. Got {missing!r} instead."
        )
    wrong = [
        n
        for n in missing
        if isinstance(n, bool) or not isinstance(n, Integral) or not 0 <= int(n) <= features
    ]
    if wrong:
        raise ValueError(f"The classifiers have {features} features: {wrong} of them cannot be missing.")
