"""Prequential evaluation: each batch of a stream is predicted first, and learned from afterwards.

References
----------
A. P. Dawid. Present position and potential developments: some personal views: statistical theory: the prequential
approach. Journal of the Royal Statistical Society A 147, 1984.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bayleaf._util.optional import make_frame
from bayleaf._util.params import check_param
from bayleaf.data.columns import check_rows, take_rows
from bayleaf.quality.measures import Measure, known_measure
from bayleaf.quality.outcome import Outcome

from .figures import house_style, look, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Prequential:
    """Result of `prequential`.

    Attributes
    ----------
    rows : int array
        Rows that a method had learned from when it predicted a batch: the first batch is learned, not predicted.
    values : mapping of method to array
        The measure in each batch that was predicted.
    seconds : mapping of method to float
        Processor time for predicting and learning all rows.
    measure : Measure

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = np.array([[0.0], [1.0]] * 20), np.array([0, 1] * 20)
    >>> result = prequential({"NB": GaussianNB()}, X, y, batch=10)
    >>> result.rows.tolist(), result.mean("NB")
    ([10, 20, 30], 0.0)
    """

    rows: NDArray[np.int64]
    values: Mapping[str, NDArray[np.float64]]
    seconds: Mapping[str, float]
    measure: Measure

    def mean(self, method: str) -> float:
        """Return the mean of the measure over the batches."""
        return float(np.mean(self.values[method]))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the values as a DataFrame, one row per batch."""
        return make_frame(
            {"rows": self.rows.tolist(), **{k: v.tolist() for k, v in self.values.items()}}, backend
        )

    def plot(self, window: int = 5) -> "Figure":
        """Draw each method's mean over the last batches against the rows that it had learned from.

        Parameters
        ----------
        window : int, default=5
            Batches in one mean.
        """
        check_param("plot", "window", window, int, low=1)
        with house_style():
            figure, grid = new_figure(5.0, 3.3)
            axes = grid[0, 0]
            axes.grid(axis="y")
            for number, (method, values) in enumerate(self.values.items()):
                axes.plot(
                    self.rows, trailing_means(values, window), label=method, **{**look(number), "marker": ""}
                )
            axes.set_xlabel("rows learned from")
            axes.set_ylabel(self.measure.title)
            axes.legend()
        return figure


def trailing_means(values: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    """Return the mean of each value and those before it, as many as the window has.

    Examples
    --------
    >>> trailing_means(np.array([1.0, 3.0, 5.0]), 2)
    array([1., 2., 4.])
    """
    sums = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - window, 0)
    means: NDArray[np.float64] = (sums[ends] - sums[starts]) / (ends - starts)
    return means


def prequential(
    methods: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    batch: int = 100,
    measure: str | Measure = "zero_one_loss",
) -> Prequential:
    """Evaluate methods on a stream: each batch is predicted by what was learned from all before it, then learned.

    Parameters
    ----------
    methods : mapping of name to classifier
        Classifiers with ``partial_fit``, of bayleaf, scikit-learn or others; they are cloned.
    X : DataFrame or array
        The rows in the order in which they come.
    y : array-like
        Their classes.
    batch : int, default=100
        Rows that come together.
    measure : str or Measure, default="zero_one_loss"
        What is computed of each batch.

    Examples
    --------
    >>> import bayleaf as bl
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 500)
    >>> X = rng.normal(size=(500, 2)) + 2 * y[:, None]
    >>> result = prequential({"TAN": bl.BayesNetClassifier(bl.TAN())}, X, y, measure="log_loss")
    >>> result.to_frame().shape
    (4, 2)
    """
    check_param("prequential", "batch", batch, int, low=1)
    measured = known_measure(measure)
    X = check_rows(X)
    labels = np.asarray(y)
    for name, method in methods.items():
        if not hasattr(method, "partial_fit"):
            raise TypeError(f"'{name}' has no partial_fit, so it cannot learn from a stream: {method!r}.")
    if len(labels) <= batch:
        raise ValueError(
            f"There are {len(labels)} rows, and the first batch of {batch} is only learned: nothing is left to "
            "predict."
        )
    classes = np.unique(labels)
    starts = range(0, len(labels), batch)
    values, seconds = {}, {}
    for name, method in methods.items():
        learner, found, begun = clone(method), [], time.process_time()
        for start in starts:
            rows = np.arange(start, min(start + batch, len(labels)))
            own, truth = take_rows(X, rows), labels[rows]
            if start:
                found.append(measured(_outcome(learner, own, truth)))
            learner.partial_fit(own, truth, classes=classes)
        values[name], seconds[name] = np.array(found), time.process_time() - begun
    return Prequential(np.array(starts[1:], dtype=np.int64), values, seconds, measured)


def _outcome(learner: Any, X: Any, truth: NDArray[Any]) -> Outcome:
    if not hasattr(learner, "predict_proba"):
        return Outcome.of(truth, learner.classes_, predicted=learner.predict(X))
    probabilities = learner.predict_proba(X)
    decided = learner.decide(probabilities) if hasattr(learner, "decide") else None
    return Outcome.of(truth, learner.classes_, probabilities, decided)
