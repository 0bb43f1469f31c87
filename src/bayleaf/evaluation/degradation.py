"""How good a method is with fewer training rows, and with features missing at prediction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from bayleaf._util.params import check_param
from bayleaf.data import Table, encode
from bayleaf.data.columns import check_rows
from bayleaf.data.table import missing_code
from bayleaf.data.target import unknown_labels
from bayleaf.estimator import BayesNetClassifier

from .measures import Measure, resolve_measures
from .protocol import CrossValidation, check_protocol
from .runner import evaluate
from .work import Data, Loader


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """Result of `learning_curve`.

    Attributes
    ----------
    sizes : int array
        Numbers of training rows.
    means, errors : mapping of method to array
        Mean over the folds and its standard error, one value per size.

    Examples
    --------
    >>> curve = LearningCurve(np.array([10, 20]), {"NB": np.array([0.3, 0.2])}, {"NB": np.zeros(2)}, "loss")
    >>> curve.means["NB"]
    array([0.3, 0.2])
    """

    sizes: NDArray[np.int64]
    means: Mapping[str, NDArray[np.float64]]
    errors: Mapping[str, NDArray[np.float64]]
    measure: str


def learning_curve(
    methods: Mapping[str, Any],
    data: Data | Loader,
    sizes: Sequence[int],
    protocol: CrossValidation | None = None,
    measure: str | Measure = "zero_one_loss",
    *,
    n_jobs: int | None = None,
    progress: bool = True,
) -> LearningCurve:
    """Cross-validate methods with growing parts of every training fold; the test folds stay the same.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> curve = learning_curve(
    ...     {"NB": GaussianNB()}, load_iris(return_X_y=True), [20, 40, 100], CrossValidation(folds=3)
    ... )
    >>> curve.means["NB"].round(2)
    array([0.2 , 0.05, 0.04])
    """
    base = CrossValidation(folds=5) if protocol is None else protocol
    check_protocol(base)
    (chosen,) = resolve_measures([measure])
    names = {size: f"{size} training rows" for size in sorted(set(sizes))}
    results = evaluate(
        methods,
        dict.fromkeys(names.values(), data),
        {name: replace(base, train_rows=size) for size, name in names.items()},
        [chosen],
        n_jobs=n_jobs,
        progress=progress,
    )
    means, errors = {}, {}
    for method in methods:
        values = np.stack([results.values(chosen, name, method) for name in names.values()])
        means[method] = values.mean(axis=1)
        errors[method] = values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    return LearningCurve(np.array(list(names)), means, errors, chosen.title)


COLUMNS = {"missing": pl.Int64, "repeat": pl.Int64, "method": pl.String, "accuracy": pl.Float64}


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
        Start of the random numbers; a number and a repeat always remove the same cells.

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
    >>> from bayleaf.estimator import BayesNetClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {"TAN": BayesNetClassifier().fit(X, y)}
    >>> frame = accuracy_with_missing_features(models, X, y, [0, 4], repeats=1)
    >>> frame["accuracy"].round(2).to_list()
    [0.95, 0.33]
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
    return pl.DataFrame(lines, schema=COLUMNS, orient="row")


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
