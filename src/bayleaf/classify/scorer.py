"""Scoring new rows quickly: `Scorer` is what services keep, a callable that checks nothing but the values."""

from collections.abc import Mapping
from typing import Any, Protocol

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Schema, Table, encode
from bayleaf.data.categories import Unknown, encode_column
from bayleaf.data.columns import AbsentColumns, as_frame, with_absent
from bayleaf.data.numbers import encode_part
from bayleaf.data.raw_columns import is_missing, object_column
from bayleaf.data.row_reader import INFINITE, MISSING, NO_COLUMN, OTHER, UNKNOWN, Row, RowReader
from bayleaf.data.table import Codes
from bayleaf.network.council import Council


class Answering(Protocol):
    """What gives the probabilities of encoded rows: a network, a council of networks, a pool."""

    def score_row(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        """Return the posterior of one row of codes, complete or not."""
        ...

    def score_table(self, table: Table, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the posteriors of encoded rows."""
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
        schema: Schema,
        classes: NDArray[Any],
        answering: Answering,
        *,
        unknown: Unknown = "missing",
        absent_columns: AbsentColumns = "error",
        named: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.schema = schema
        self.classes = classes
        self.unknown = unknown
        self.n_jobs = n_jobs
        self._named = named
        self._answering = answering
        self._reader = RowReader(schema.features)
        self._may_lack = schema.may_lack(absent_columns)

    def __repr__(self) -> str:
        answering = self._answering
        networks = f", {len(answering)} networks" if isinstance(answering, Council) else ""
        return f"<Scorer features={len(self._reader.names)} classes={len(self.classes)}{networks}>"

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
        if type(row) is tuple and len(row) != len(self._reader.names):
            raise ValueError(
                f"The row has {len(row)} values; the model has {len(self._reader.names)} features."
            )
        codes, met = self._reader.codes_of(row)
        if met > MISSING:
            codes, met = self._read_again(row, codes, met)
        return self._answering.score_row(codes, complete=not met & MISSING)

    def _read_again(self, row: Row, codes: Codes, met: int) -> tuple[Codes, int]:
        """Look closer at a row in which more than missing values was met; it may be refused."""
        if met & NO_COLUMN:
            shown = ", ".join(repr(name) for name in self._reader.names[:10])
            raise ValueError(f"No key of the row is a column of the model; the columns are {shown}.")
        if met & OTHER:
            codes, met = self._reader.codes_of(_plain(row))
        if met & (OTHER | INFINITE) or (met & UNKNOWN and self.unknown == "error"):
            return self._read_slowly(row)
        return codes, met

    def _read_slowly(self, row: Row) -> tuple[Codes, int]:
        """Read a row as a column of one value each, as tables are read: the way to all error messages."""
        values = [row.get(name) for name in self._reader.names] if isinstance(row, dict) else row
        # Identifiers are not even read.
        columns = {
            variable.name: (variable, object_column(variable.name, [value]))
            for variable, value in zip(self._reader.columns, values, strict=True)
            if variable.dtype != "identifier"
        }
        read = []
        for variable in self.schema.features:
            if variable.dtype == "identifier":
                read.append(0)
            elif variable.source is None:
                read.append(int(encode_column(*columns[variable.name], self.unknown)[0]))
            else:
                read.append(int(encode_part(variable, *columns[variable.source])[0]))
        codes: Codes = np.array(read).astype(self._reader.dtype)  # -1 becomes the missing code
        return codes, MISSING if min(read) < 0 else 0

    def _score_table(self, X: Any) -> NDArray[np.float64]:
        if self._reader.takes(X):
            scores = self._answering.score_array(self._reader, X, self.n_jobs, normalised=True)
            if scores is not None:
                return scores
            table = self._reader.read_array(X, self.n_jobs)
            if table is not None:
                return self.score_encoded(table)
        table = self._reader.read_few(X, self.n_jobs)
        if table is None:
            table = encode(self.schema, self._chosen_columns(X), unknown=self.unknown, n_jobs=self.n_jobs)
        return self.score_encoded(table)

    def score_encoded(self, table: Table) -> NDArray[np.float64]:
        """Return the posteriors of encoded rows."""
        return self._answering.score_table(table, self.n_jobs)

    def _chosen_columns(self, X: Any) -> Any:
        """Return the model's columns of a DataFrame, by name where fit knew names."""
        frame = as_frame(X) if self._named else None
        if frame is None:
            return X
        if list(frame.columns) != self._reader.name_list:
            filled = with_absent(frame.to_native(), self._reader.names, self._may_lack)
            frame = nw.from_native(filled, eager_only=True)
            lacking = [name for name in self._reader.names if name not in frame.columns]
            if lacking:
                raise ValueError(f"The table has no column {lacking[0]!r}, which the model needs.")
            frame = frame.select(self._reader.name_list)
        return frame.to_native()


def _plain(row: Row) -> Row:
    """Put Python's own numbers in place of numpy's, and None for every spelling of missing."""
    if isinstance(row, dict):
        return {name: _plain_value(value) for name, value in row.items()}
    return tuple(map(_plain_value, row))


def _plain_value(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if is_missing(value) else value
