"""Fitting a classifier to rows that need not fit into memory."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

from numpy.typing import NDArray

from bayleaf._util.params import check_param
from bayleaf._util.progress import unchanged_on_failure
from bayleaf._util.words import counted
from bayleaf.counts.contingency import Countable, CountSource
from bayleaf.counts.row_samples import SAMPLE_ROWS
from bayleaf.data import Schema

from .record import TrainingRecord


class RowNeeds:
    """Where learners get rows from that need more than counts: a uniform sample of the source.

    Parameters
    ----------
    sample_rows : int
        The most rows of the sample.

    Attributes
    ----------
    sampled : dict
        What was learned from the sample, and how many rows it had.

    Examples
    --------
    >>> import bayleaf as bl
    >>> from bayleaf.counts import BatchSource
    >>> from bayleaf.data import Table, Variable
    >>> variables = (Variable("x", ("a", "b")),)
    >>> source = BatchSource(variables, lambda: [Table.from_codes(variables, [[0], [1], [0]])])
    >>> needs = RowNeeds(sample_rows=2)
    >>> needs.rows_for("graph", source, bl.TAN()) is source
    True
    >>> needs.rows_for("tables", source, bl.TunedTables()).n_rows, needs.sampled
    (2, {'tables': 2})
    """

    def __init__(self, sample_rows: int = SAMPLE_ROWS) -> None:
        self.sample_rows = sample_rows
        self.sampled: dict[str, int] = {}

    def rows_for(self, what: str, data: Countable, *learners: Any) -> Any:
        """Return what learners take: the data, where counts are enough or they are a table; else a table of rows.

        Parameters
        ----------
        what : str
            What they learn: "graph" or "tables".
        data : Countable
        *learners : learners or None
        """
        given = [learner for learner in learners if learner is not None]
        if not isinstance(data, CountSource):
            return data
        if all(getattr(learner, "learns_from_counts", False) for learner in given):
            return data
        if all(getattr(learner, "learns_from_distinct_rows", False) for learner in given):
            distinct = data.distinct_rows(self.sample_rows)
            if distinct is not None:
                return distinct
        rows = data.rows(self.sample_rows)
        if rows.n_rows < data.n_rows:
            self.sampled[what] = rows.n_rows
        return rows


class SourceLearner(ABC):
    """What a classifier needs to learn from rows outside memory, whichever way it takes."""

    training_: TrainingRecord

    @abstractmethod
    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""

    @abstractmethod
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from a table in memory."""


class StreamLearner(SourceLearner):
    """A classifier that learns from rows in files, lazy tables, datasets, databases and Spark: see `fit_from`."""

    @abstractmethod
    def fit_table(self, table: Countable, needs: RowNeeds | None = None) -> Any:
        """Learn from encoded rows."""

    @abstractmethod
    def _set_schema(self, schema: Schema, classes: NDArray[Any], *, named: bool) -> None: ...

    @abstractmethod
    def _warn_if_nothing_learned(self) -> None: ...

    def fit_from(
        self,
        source: Any,
        target: str,
        *,
        weight: str | None = None,
        drop: Sequence[str] = (),
        sample_rows: int = SAMPLE_ROWS,
    ) -> Self:
        """Learn from rows that need not fit into memory.

        The rows are read in batches, once for the columns and once or more for the counts. Learners that need only
        counts use all rows; others get a uniform sample. All categories are there, however rare; numbers are cut by
        the values of the sample. With no more rows than the sample may have, the model is the one that `fit` learns.

        Parameters
        ----------
        source : path, glob, paths, DataFrame, LazyFrame, dataset, DuckDB relation, ibis table or Spark DataFrame
            Files are Parquet, Arrow or text (CSV, TSV). The rows must stay as they are until the fit is done. Those
            of a Spark DataFrame are counted where they lie, by its executors.
        target : str
            The column of the class. Rows without one are left out, and a warning counts them.
        weight : str, optional
            A column of sample weights.
        drop : sequence of str
            Columns to leave out.
        sample_rows : int, default=200_000
            The most rows of the sample; ``training_.sampled`` says what was learned from it.

        Examples
        --------
        >>> import bayleaf as bl
        >>> import polars as pl
        >>> rows = pl.LazyFrame({"rain": ["no", "yes"] * 50, "wet": ["no", "yes"] * 50})
        >>> clf = bl.BayesNetClassifier().fit_from(rows, target="wet")
        >>> clf.predict(pl.DataFrame({"rain": ["yes"]})).tolist()
        ['yes']
        """
        self.check_params()
        check_param(self, "sample_rows", sample_rows, int, low=1)
        from bayleaf.streams.stream import open_stream  # only here: a fit in memory needs no streams

        with unchanged_on_failure(self):
            stream = open_stream(self, source, target, weight=weight, drop=drop, sample_rows=sample_rows)
            if stream.is_whole:
                self.fit(*stream.whole())
                return self
            self._set_schema(stream.schema, stream.classes, named=True)
            needs = RowNeeds(sample_rows)
            self.fit_table(stream.source(), needs)
            sampled = {"rows read": stream.n_rows, "cut points": sample_rows, **needs.sampled}
            self.training_ = replace(self.training_, sampled=sampled)
        self._warn_if_nothing_learned()
        return self


class SampleLearner(SourceLearner):
    """A classifier that needs whole rows, and gets a uniform sample where there are too many: see `fit_from`."""

    @abstractmethod
    def _new_encoder(self) -> Any:
        """Return the classifier that reads columns as this one does."""

    def fit_from(
        self,
        source: Any,
        target: str,
        *,
        weight: str | None = None,
        drop: Sequence[str] = (),
        sample_rows: int = SAMPLE_ROWS,
    ) -> Self:
        """Learn from a uniform sample of rows that need not fit into memory, or from all if they are no more.

        Parameters
        ----------
        source : path, glob, paths, DataFrame, LazyFrame, dataset, DuckDB relation, ibis table or Spark DataFrame
            As in `BayesNetClassifier.fit_from`.
        target : str
            The column of the class. Rows without one are left out, and a warning counts them.
        weight : str, optional
            A column of sample weights.
        drop : sequence of str
            Columns to leave out.
        sample_rows : int, default=200_000
            The most rows that are learned from; ``training_.sampled`` says of how many they are.

        Examples
        --------
        >>> import bayleaf as bl
        >>> import polars as pl
        >>> rows = pl.LazyFrame({"rain": ["no", "yes"] * 50, "wet": ["no", "yes"] * 50})
        >>> pool = bl.NetworkPool(cycles=0).fit_from(rows, target="wet", sample_rows=40)
        >>> pool.training_.sampled
        {'rows read': 100, 'networks': 40}
        """
        self.check_params()
        check_param(self, "sample_rows", sample_rows, int, low=1)
        from bayleaf.streams.stream import open_stream  # only here: a fit in memory needs no streams

        with unchanged_on_failure(self):
            stream = open_stream(
                self._new_encoder(),
                source,
                target,
                weight=weight,
                drop=drop,
                sample_rows=sample_rows,
                whole_rows=True,
            )
            self.fit(*stream.whole())
            if not stream.is_whole:
                sampled = {"rows read": stream.n_rows, "networks": sample_rows}
                self.training_ = replace(self.training_, sampled=sampled)
        return self


def sample_note(sampled: dict[str, int]) -> str:
    """Say what was learned from a sample.

    Examples
    --------
    >>> sample_note({"rows read": 10_000_000, "cut points": 200_000, "tables": 200_000})
    'cut points and tables from a uniform sample of 200,000 of 10,000,000 rows'
    """
    parts = [what for what in sampled if what != "rows read"]
    listed = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return (
        f"{listed} from a uniform sample of {sampled[parts[0]]:,} of {counted(sampled['rows read'], 'row')}"
    )
