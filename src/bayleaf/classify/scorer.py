"""Scoring new rows quickly: `Scorer` is what services keep, a callable that checks nothing but the values."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Table, TableReader
from bayleaf.data.categories import Unknown
from bayleaf.data.columns import AbsentColumns
from bayleaf.data.reader import Row, RowReader
from bayleaf.data.table import Codes
from bayleaf.network.council import Council


class Answering(Protocol):
    """What gives the probabilities of encoded rows: a network, a council of networks, a pool.

    Attributes
    ----------
    prior : ndarray
        The probability of each class before anything is known.
    """

    prior: NDArray[np.float64]

    @property
    def weighs_costs(self) -> bool:
        """Whether what mistakes cost is in the probabilities already, which are shares of votes then."""
        ...

    def score_row(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        """Return the posterior of one row of codes, complete or not."""
        ...

    def score_table(
        self, table: Table, n_jobs: int | None, *, normalised: bool = True
    ) -> NDArray[np.float64]:
        """Return the posteriors of encoded rows, or their log-joints, which need not be normalised."""
        ...

    def score_array(
        self, reader: RowReader, X: NDArray[Any], n_jobs: int | None, *, normalised: bool
    ) -> NDArray[np.float64] | None:
        """Return the posteriors of an array that the reader takes; None for the general way."""
        ...


class Scorer:
    """A light callable that gives class probabilities: for services. ``model.scorer()`` makes it.

    It takes one row, as a dict by column or as a sequence of values, and returns one probability per class, in the
    order of ``classes``; or a table, as a two-dimensional array, a DataFrame, a list of rows or of dicts, and returns
    a matrix. Probabilities are those of ``model.predict_proba``.

    Values that are missing (None, NaN, a key that a dict does not have) are summed out, or imputed where the model
    imputes. Categories that fit has not seen count as missing, or are refused where the model refuses them; for a
    single row this happens without a warning. Keys of a dict that are not columns are ignored. Nothing that
    scikit-learn checks is checked.

    It can be pickled and called by many threads at once, and does not change when the model is fitted again.

    Examples
    --------
    >>> import bayleaf as bl
    >>> model = bl.BayesNetClassifier().fit([["a", 1], ["b", 2], ["b", 3]], ["no", "yes", "yes"])
    >>> score = model.scorer()
    >>> score({"x0": "b", "x1": 2}).round(3)
    array([0.177, 0.823])
    >>> score([["a", 1], [None, 3]]).shape
    (2, 2)
    """

    def __init__(
        self,
        reader: TableReader,
        answering: Answering,
        *,
        unknown: Unknown = "missing",
        absent_columns: AbsentColumns = "error",
        n_jobs: int | None = None,
    ) -> None:
        self.schema = reader.schema
        self.classes = reader.classes
        self.unknown = unknown
        self.absent_columns = absent_columns
        self.n_jobs = n_jobs
        self._reader = reader
        self._answering = answering

    def __repr__(self) -> str:
        answering = self._answering
        networks = f", {len(answering)} networks" if isinstance(answering, Council) else ""
        return f"<Scorer features={len(self._reader.rows.names)} classes={len(self.classes)}{networks}>"

    def __call__(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of one row (a dict, a sequence, a Series), or of the rows of a table."""
        kind = type(X)
        if kind is dict:
            return self._score_row(X)
        if kind is np.ndarray:
            if X.ndim == 1 and X.dtype == object:
                return self._score_row(tuple(X.tolist()))
            one: NDArray[np.float64] = self._score_table(X[None])[0] if X.ndim == 1 else self._score_table(X)
            return one
        if isinstance(X, list | tuple):
            first = X[0] if X else None
            if isinstance(first, Mapping):
                return np.array([self._score_row(dict(row)) for row in X])
            if isinstance(first, list | tuple | np.ndarray):
                return self._score_table(X)
            return self._score_row(tuple(X))
        if isinstance(X, Mapping):
            return self._score_row(dict(X))
        if getattr(X, "ndim", 2) == 1 and hasattr(X, "to_dict"):  # a row of a pandas table
            return self._score_row(X.to_dict())
        return self._score_table(X)

    def _score_row(self, row: Row) -> NDArray[np.float64]:
        codes, complete = self._reader.encode_row(row, self.unknown)
        return self._answering.score_row(codes, complete=complete)

    def _score_table(self, X: Any) -> NDArray[np.float64]:
        reader = self._reader
        if reader.rows.takes(X):
            scores = self._answering.score_array(reader.rows, X, self.n_jobs, normalised=True)
            if scores is not None:
                return scores
        table = reader.encode(X, unknown=self.unknown, absent_columns=self.absent_columns, n_jobs=self.n_jobs)
        return self.score_encoded(table)

    def score_encoded(self, table: Table) -> NDArray[np.float64]:
        """Return the posteriors of encoded rows."""
        return self._answering.score_table(table, self.n_jobs)
