"""Every row predicted by a model that has not seen it."""

from contextlib import closing
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from bayleaf._util.progress import track
from bayleaf.evaluation.measures import Outcome
from bayleaf.evaluation.protocol import CrossValidation, Rows, SplitProtocol, check_protocol
from bayleaf.evaluation.work import fit_and_predict, target_array


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
