"""Learning curves: how good a method is with how many training rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.evaluation.measures import Measure, resolve_measures
from bayleaf.evaluation.protocol import CrossValidation, check_protocol
from bayleaf.evaluation.runner import evaluate
from bayleaf.evaluation.work import Data, Loader


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
