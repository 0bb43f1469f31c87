"""Accuracy against the number of features that are missing at prediction."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from bayleaf.network import decision
from bayleaf.table.table import missing_code


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

    The features that are left classify the row; those removed are summed out, exactly.

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
    >>> from bayleaf.classifier import BayesNetClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> models = {"TAN": BayesNetClassifier().fit(X, y)}
    >>> frame = accuracy_with_missing_features(models, X, y, [0, 4], repeats=1)
    >>> frame["accuracy"].round(2).to_list()
    [0.95, 0.33]
    """
    if not models:
        raise ValueError("There is no classifier to evaluate; pass at least one.")
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1. Got {repeats} instead.")
    tables = {name: model.encode(X) for name, model in models.items()}
    shapes = {table.codes.shape for table in tables.values()}
    if len(shapes) != 1:
        raise ValueError(f"The classifiers use different numbers of features or rows: {sorted(shapes)}.")
    ((rows, features),) = shapes
    too_many = [number for number in missing if not 0 <= number <= features]
    if too_many:
        raise ValueError(f"The classifiers have {features} features: {too_many} of them cannot be missing.")
    truth = np.asarray(y)
    lines = []
    for number in missing:
        for repeat in range(repeats):
            rng = np.random.default_rng([seed, number, repeat])
            removed = rng.random((rows, features)).argsort(axis=1) < number
            for name, model in models.items():
                codes = tables[name].codes.copy(order="F")
                codes[removed] = missing_code(codes.dtype)
                log_joint = model.network_.log_joint(codes, features, model.n_jobs)
                prior = np.asarray(list(model.network_.posterior(model.network_.target).values()))
                posterior = decision.posteriors(log_joint, prior, model.n_jobs)
                predicted = model.classes_[decision.most_probable(posterior, prior)]
                lines.append((number, repeat, name, float((predicted == truth).mean())))
    return pl.DataFrame(lines, schema=["missing", "repeat", "method", "accuracy"], orient="row")
