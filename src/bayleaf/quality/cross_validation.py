"""How good a model is: on rows that it has not seen, and with features missing at prediction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from bayleaf._util.optional import polars as pl
from bayleaf._util.params import check_param
from bayleaf._util.progress import track
from bayleaf.classify.base import NetworkClassifier
from bayleaf.classify.one_network import BayesNetClassifier
from bayleaf.classify.record import Quality, TrainingRecord
from bayleaf.data import Table
from bayleaf.data.columns import take_rows
from bayleaf.data.reader import labelled_rows
from bayleaf.data.table import missing_code
from bayleaf.data.target import unknown_labels

from .outcome import Outcome, decision_costs, fit_and_predict, target_array
from .protocol import CrossValidation, GroupedFolds, Rows, Split, SplitProtocol, TimedFolds, check_protocol
from .quality_record import missing_values, quality_of

# What `assessment_folds` makes.
FoldsOfRows = CrossValidation | GroupedFolds | TimedFolds


def out_of_fold(
    estimator: Any,
    X: Any,
    y: Any,
    protocol: SplitProtocol | None = None,
    *,
    n_jobs: int | None = None,
) -> Outcome:
    """Predict every row by a model that has not seen it, for reliability diagrams and ROC curves.

    The test folds of the protocol's first repeat are joined, in the order of the data; rows that are in none of them
    (the earliest, by `TimedFolds`) are left out.

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
    if isinstance(estimator, NetworkClassifier):
        _refuse_one_class(protocol, target, folds)
    # scikit-learn's `delayed`, so that workers use the caller's filters of warnings.
    tasks = (delayed(fit_and_predict)(estimator, X, y, fold.train, fold.test, fold.groups) for fold in folds)
    # Folds come back in their order; when anything goes wrong, closing stops those that are not yet done.
    with closing(Parallel(n_jobs=n_jobs, return_as="generator")(tasks)) as done:
        parts = list(track(done, "Cross-validating", total=len(folds)))
    if any(part.probabilities is None for part in parts):
        raise ValueError(f"{type(estimator).__name__} has no predict_proba, which this needs.")
    return joined_folds(parts, [fold.test for fold in folds], list(np.unique(target).tolist()))


def predicted_rows(protocol: SplitProtocol, target: NDArray[Any]) -> Rows:
    """Return the rows that `out_of_fold` predicts, in the order of the data: by `TimedFolds` not the earliest.

    Examples
    --------
    >>> predicted_rows(TimedFolds([1, 4, 3, 2], folds=2), np.array([0, 1, 0, 1])).tolist()
    [1, 2]
    """
    folds = [protocol.split(target, repeat, fold) for repeat, fold in protocol.cells if repeat == 0]
    return np.sort(np.concatenate([fold.test for fold in folds]))


def _refuse_one_class(protocol: SplitProtocol, target: NDArray[Any], folds: Sequence[Split]) -> None:
    """Raise for a fold whose training rows have one class, though all rows together have several."""
    if len(np.unique(target)) < 2:
        return
    if isinstance(protocol, TimedFolds):
        why = "no other class occurs before its test rows (time). Use fewer folds, or rows of a longer time"
    elif isinstance(protocol, GroupedFolds):
        why = "all rows of other classes are in its test groups (groups). Use fewer folds, or smaller groups"
    else:
        why = "the other classes have too few rows. Use rows with more of them"
    for number, fold in enumerate(folds, 1):
        classes = np.unique(target[fold.train]).tolist()
        if len(classes) == 1:
            raise ValueError(
                f"Fold {number} of {len(folds)} would learn from one class only ({classes[0]!r}): {why}."
            )


def joined_folds(parts: list[Outcome], rows: list[Rows], labels: list[Any]) -> Outcome:
    """Join the folds: rows in the order of the data, classes in one order."""
    order = np.argsort(np.concatenate(rows), kind="stable")
    probabilities = np.zeros((len(order), len(labels)))
    costs = None if parts[0].costs is None else np.full((len(labels), len(labels)), np.nan)
    place = 0
    for part in parts:
        columns = [labels.index(label) for label in part.labels]
        if costs is not None and part.costs is not None:
            costs[np.ix_(columns, columns)] = part.costs
        probabilities[place : place + part.truth.size, columns] = part.probabilities
        place += part.truth.size
    truth = [part.labels[code] for part in parts for code in part.truth]
    predicted = [part.labels[code] for part in parts for code in part.predicted]
    return Outcome.of(
        [truth[k] for k in order],
        labels,
        probabilities[order],
        [predicted[k] for k in order],
        costs=costs,
    )


def predicted_outcome(model: Any, X: Any, y: Any) -> Outcome:
    """Let a fitted model of bayleaf predict rows whose class is known."""
    probabilities = model.predict_proba(X)
    record: TrainingRecord | None = getattr(model, "training_", None)
    prior = None if record is None else record.class_weights
    return Outcome.of(
        y, model.classes_, probabilities, model.decide(probabilities), prior, costs=decision_costs(model)
    )


def cross_validate_fitted(
    model: Any,
    X: Any,
    y: Any,
    cv: int,
    *,
    groups: Any = None,
    time: Any = None,
    n_jobs: int | None = None,
) -> Quality:
    """Assess a fitted model of bayleaf by cross-validation on the rows that it was fitted to.

    The folds are stratified, of groups as a whole or in the order of time where these are given, and always the same,
    so that two models are assessed alike.
    """
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
        groups, time = (None if each is None else take_rows(each, known) for each in (groups, time))
    _check_same_rows(model, record, len(y))
    unknown_labels(np.asarray(y).ravel().tolist(), model.classes_.tolist())
    protocol = assessment_folds(y, cv, groups=groups, time=time)
    outcome = out_of_fold(model, X, y, protocol, n_jobs=n_jobs)
    absent = missing_values(model._used_rows(X))
    return quality_of(outcome, absent[predicted_rows(protocol, target_array(y))], cv)


def _check_same_rows(model: Any, record: TrainingRecord, rows: int) -> None:
    """Refuse rows that cannot be those of fit; incomplete rows that are dropped, and weights, leave fewer."""
    settings = model.get_params(deep=True)
    dropped = "drop" in (settings.get("missing"), settings.get("estimator__missing"))
    fewer = dropped or record.weight != record.rows
    if rows < record.rows or (rows > record.rows and not fewer):
        raise ValueError(
            f"Cross-validation needs the rows that fit has seen: it saw {record.rows:,} rows. Got {rows:,}."
        )


def assessment_folds(
    y: Any, folds: int, *, groups: Any = None, time: Any = None, repeats: int = 1, seed: int = 0
) -> FoldsOfRows:
    """Return the folds by which models are assessed, or say that there are too few rows for them.

    Examples
    --------
    >>> assessment_folds([0, 1, 0, 1], 2, groups=["a", "a", "b", "b"]).signature[:16]
    'grouped 2-fold, '
    """
    if groups is not None and time is not None:
        raise ValueError("Folds keep groups together or go by time, not both: give groups or time.")
    if time is not None:
        if repeats > 1:
            raise ValueError(f"Folds in the order of time cannot be repeated. Got repeats={repeats}.")
        return TimedFolds(time, folds)
    _, sizes = np.unique(np.asarray(y), return_counts=True)
    if sizes.max() < folds:
        raise ValueError(
            f"There are too few rows for {folds} folds: the largest class has {sizes.max()}. Use fewer folds."
        )
    if groups is not None:
        return GroupedFolds(groups, folds, repeats, seed)
    return CrossValidation(folds, repeats, stratified=True, seed=seed)


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
    schema = {"missing": int, "repeat": int, "method": str, "accuracy": float}
    return pl.DataFrame(lines, schema=schema, orient="row")


def _encoded(name: str, model: Any, X: Any) -> Table:
    """Encode test rows for a model: all its features, those that it does not use as well."""
    if not isinstance(model, BayesNetClassifier):
        raise TypeError(
            f"'{name}' is a {type(model).__name__}: features can be removed from rows for a BayesNetClassifier only."
        )
    return model.encode(X)


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
