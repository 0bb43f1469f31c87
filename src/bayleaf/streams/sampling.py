"""Models that are learned from rows, not counts: a uniform sample of any number of rows."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import polars as pl

from bayleaf._util.params import check_param
from bayleaf._util.progress import Steps
from bayleaf._util.rollback import unchanged_on_failure
from bayleaf.data.training import warn_of_left_out
from bayleaf.record import TrainingRecord

from .batch_reader import BatchReader, open_source
from .class_labels import ClassLabels
from .learning import SAMPLE_ROWS
from .raw_sample import RawSample
from .row_rules import RowRules, Weights, row_weights
from .spark_rows import is_spark


@dataclass(frozen=True)
class Sampled:
    """Rows of a source that have a class: all of few, a uniform sample of many.

    Parameters
    ----------
    X : polars.DataFrame
    y : polars.Series
    weights : ndarray, optional
    rows : int
        How many the source has.
    """

    X: pl.DataFrame
    y: pl.Series
    weights: Weights
    rows: int


def sample_of(
    reader: BatchReader,
    target: str,
    *,
    weight: str | None = None,
    drop: Sequence[str] = (),
    sample_rows: int = SAMPLE_ROWS,
) -> Sampled:
    """Read a source once, and keep a uniform sample of its rows: those whose number has the smallest hash.

    Examples
    --------
    >>> rows = pl.DataFrame({"x": range(9), "y": [*"ababababa"]})
    >>> found = sample_of(open_source(rows), "y", sample_rows=4)
    >>> found.X.shape, found.rows
    ((4, 1), 9)
    """
    reader.check_columns([target], "the class")
    reader.check_columns(drop, "to be left out")
    reader.check_columns([] if weight is None else [weight], "the weights")
    features = tuple(name for name in reader.names if name not in (target, weight, *drop))
    if not features:
        raise ValueError(f"{reader.name} has no column beside those of the class and the weights.")
    unsaid = np.zeros(len(features), dtype=bool)
    rules = RowRules(features, target, weight, (None,) * len(features), unsaid, False, False)
    sample, labels = RawSample(sample_rows), ClassLabels(target)
    rows = read = left_out = 0
    with Steps("Reading", reader.n_rows, patience=1.0) as progress:
        for frame in reader.read(rules.columns):
            batch = rules.labelled(frame, labels, grow=True)
            sample.add(batch.frame)
            rows, read = rows + batch.frame.height, read + frame.height
            left_out += batch.without_class
            progress.reach(read)
    if not rows:
        raise ValueError(f"{reader.name} has no rows that count: all lack the class or a weight.")
    if left_out:
        warn_of_left_out(left_out, read)
    found = sample.frame()
    weights = None if weight is None else row_weights(found[weight])
    return Sampled(found.select(features), found[target], weights, rows)


class SampleLearner(ABC):
    """A classifier that learns from rows, and so from a uniform sample of those that do not fit into memory."""

    training_: TrainingRecord

    @abstractmethod
    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""

    @abstractmethod
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from a table in memory."""

    def fit_from(
        self,
        source: Any,
        target: str,
        *,
        weight: str | None = None,
        drop: Sequence[str] = (),
        sample_rows: int = SAMPLE_ROWS,
    ) -> Self:
        """Learn from a uniform sample of rows that need not fit into memory.

        The rows are read once, in batches. With no more rows than the sample may have, the model is the one that
        `fit` learns. Categories that no row of the sample has are new to the model.

        Parameters
        ----------
        source : path, glob, paths, DataFrame, LazyFrame, dataset, DuckDB relation or ibis table
            See `BayesNetClassifier.fit_from`, which learns from all rows where counts are enough.
        target : str
            The column of the class. Rows without one are left out, and a warning counts them.
        weight : str, optional
            A column of sample weights.
        drop : sequence of str
            Columns to leave out.
        sample_rows : int, default=200_000
            The most rows of the sample; ``training_.sampled`` says how many it had, and of how many.

        Examples
        --------
        >>> import bayleaf as bl
        >>> rows = pl.LazyFrame({"rain": ["no", "yes"] * 50, "wet": ["no", "yes"] * 50})
        >>> clf = bl.AveragedClassifier(bl.AODE()).fit_from(rows, target="wet", sample_rows=60)
        >>> clf.training_.sampled
        {'rows read': 100, 'model': 60}
        """
        self.check_params()
        check_param(self, "sample_rows", sample_rows, int, low=1)
        if is_spark(source):
            raise TypeError(
                f"{type(self).__name__} learns from a sample of rows: draw it in Spark and fit to it "
                "(rows.sample(0.01).toPandas()), or use BayesNetClassifier, which counts all rows on the executors."
            )
        with unchanged_on_failure(self):
            found = sample_of(open_source(source), target, weight=weight, drop=drop, sample_rows=sample_rows)
            self.fit(found.X, found.y, found.weights)
            if found.rows > found.X.height:
                sampled = {"rows read": found.rows, "model": found.X.height}
                self.training_ = replace(self.training_, sampled=sampled)
        return self
