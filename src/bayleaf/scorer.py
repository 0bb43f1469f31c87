"""Scoring new rows quickly: rows are read by compiled rules, and one network or several give their probabilities.

`Scorer` is what services keep: no checks but those of the values. The estimators use the same parts for arrays of
numbers and for a few rows of a DataFrame; whatever these parts do not read goes the general way, with its messages.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._native import _core
from ._util.params import thread_count
from .data import Schema, Table, Variable, encode
from .data.columns import as_frame, is_missing
from .data.encoding import Unknown
from .data.table import Codes
from .network import BayesNet
from .network.compiled import CompiledNetwork
from .network.decision import EQUAL, Predictor, best_class, posteriors

# What the native reader came across, see cpp/network/value_reader.hpp.
MISSING, UNKNOWN, INFINITE, OTHER, NO_COLUMN = 1, 2, 4, 8, 16
CUTS, NUMBERS, STRINGS, BOOLEANS, NOTHING = range(5)
_READABLE = frozenset(map(np.dtype, (np.float64, np.float32, np.int64, np.int32, np.uint8)))
_LABELS = {"integer": NUMBERS, "float": NUMBERS, "string": STRINGS, "boolean": BOOLEANS}
# Beyond this, not every integer is a float.
EXACT = 2**53
# Up to so many rows, a DataFrame is read value by value: asking for its columns would take longer.
FEW_ROWS = 8
Vote = Literal["majority", "average"]


class RowReader:
    """Turns rows of values into codes by the features of a schema; it can be pickled and shared by threads.

    Examples
    --------
    >>> reader = RowReader((Variable.numeric("age", [18, 65]), Variable("smoker", ("no", "yes"))))
    >>> reader.codes_of({"age": 40, "smoker": "yes"})[0].tolist()
    [[1, 1]]
    """

    def __init__(self, features: tuple[Variable, ...]) -> None:
        self.features = features
        self.names = tuple(variable.name for variable in features)
        self.name_list = list(self.names)
        self.wide = any(variable.arity > np.iinfo(np.uint8).max for variable in features)
        self.dtype = np.dtype(np.uint16 if self.wide else np.uint8)
        self.reads_arrays = all(map(_reads_numbers, features))
        self._native: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": None}

    @property
    def native(self) -> Any:
        """The compiled rules, made when they are first needed."""
        if self._native is None:
            numbers = tuple({state: k for k, state in enumerate(each.states)} for each in self.features)
            native = _core.ValueReader(self.names, numbers)
            for variable in self.features:
                native.add_column(*_rule(variable))
            self._native = native
        return self._native

    def takes(self, X: Any) -> bool:
        """Tell whether X is an array of numbers that the compiled rules can read."""
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype in _READABLE
            and X.shape[1] == len(self.features)
            and X.shape[0] > 0
            and self.reads_arrays
            and X.flags.aligned
            and X.strides[0] % X.itemsize == 0
            and X.strides[1] % X.itemsize == 0
        )

    def read_array(self, X: NDArray[Any], n_jobs: int | None) -> Table | None:
        """Encode an array that `takes` accepts; None where the general way has something to say."""
        codes: Codes = np.empty(X.shape, dtype=self.dtype, order="F")
        missing = np.zeros(X.shape[1], dtype=np.uint8)
        met = self.native.read_numbers(X, codes, missing, thread_count(n_jobs))
        if met & ~MISSING:
            return None
        return Table(self.features, codes, n_jobs=n_jobs, checked=missing.view(bool))

    def read_few(self, X: Any, n_jobs: int | None) -> Table | None:
        """Encode a few rows of a DataFrame that has the features as its columns; None for anything else."""
        rows = _few_rows(X, self.name_list)
        if rows is None:
            return None
        codes = np.empty((len(rows), len(self.features)), dtype=self.dtype)
        read, overall = self.native.read_values, 0
        for row, out in zip(rows, codes, strict=True):
            overall |= read(row, out)
        if overall & ~MISSING:
            return None
        missing = (codes == np.iinfo(self.dtype).max).any(axis=0)
        return Table(self.features, np.asfortranarray(codes), n_jobs=n_jobs, checked=missing)

    def codes_of(self, row: dict[str, Any] | tuple[Any, ...]) -> tuple[Codes, int]:
        """Return the codes of one row, as a matrix, and what was met."""
        codes: Codes = np.empty((1, len(self.names)), dtype=self.dtype)
        read = self.native.read_mapping if type(row) is dict else self.native.read_values
        return codes, read(row, codes[0])


def _reads_numbers(variable: Variable) -> bool:
    if variable.cuts is not None or variable.dtype == "untyped":
        return True
    return variable.dtype in ("integer", "float") and all(-EXACT < s < EXACT for s in variable.states)  # type: ignore[operator]


def _rule(variable: Variable) -> tuple[int, NDArray[np.float64], NDArray[np.uint16], int]:
    """Return the reading, increasing numbers, their codes, and the code in place of a missing value (-1: none)."""
    points: Sequence[Any] = ()
    if variable.dtype == "untyped":
        reading = NOTHING
    elif variable.cuts is not None:
        reading, points = CUTS, variable.cuts
    else:
        reading = _LABELS[variable.dtype]
        if reading == NUMBERS:
            points = variable.states
    values = np.array(points, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    fill = -1 if variable.fill is None else variable.fill
    return reading, values[order], order.astype(np.uint16), fill


def _few_rows(X: Any, names: list[str]) -> list[tuple[Any, ...]] | None:
    """Return the rows of a small DataFrame as tuples; None where X is anything else, or has other columns."""
    library = type(X).__module__.partition(".")[0]
    if library not in ("polars", "pandas") or type(X).__name__ != "DataFrame" or not 0 < len(X) <= FEW_ROWS:
        return None
    if list(X.columns) != names:
        return None
    return X.rows() if library == "polars" else _pandas_rows(X)  # type: ignore[no-any-return]


def _pandas_rows(X: Any) -> list[tuple[Any, ...]]:
    return list(map(tuple, X.to_numpy(dtype=object).tolist()))


class Member:
    """A network with what it needs to answer: which columns of the schema it uses, its prior, its costs."""

    def __init__(
        self,
        predictor: Predictor,
        columns: Sequence[int],
        prior: NDArray[np.float64],
        costs: NDArray[np.float64] | None = None,
    ) -> None:
        self.predictor = predictor
        self.columns = list(columns)
        self.prior = prior
        self.costs = costs
        self.query = len(predictor.nodes) - 1
        self._variables: NDArray[np.int64] | None = None

    @property
    def network(self) -> BayesNet | None:
        """The network, where it is the same for all rows."""
        return self.predictor if isinstance(self.predictor, BayesNet) else None

    def score_array(
        self, reader: RowReader, X: NDArray[Any], n_jobs: int | None, *, normalised: bool
    ) -> NDArray[np.float64] | None:
        """Posteriors, or log-joints, of an array that the reader takes, in one pass; None for the general way."""
        if self.network is None:
            return None
        compiled = self.network.compiled(self.query)
        out = np.empty((len(X), len(self.prior)))
        incomplete = np.zeros(len(X), dtype=np.uint8)
        met = reader.native.score_numbers(
            reader.wide,
            X,
            self._in_schema(compiled),
            compiled.strides,
            compiled.offsets,
            compiled.table_offsets,
            compiled.has_query,
            compiled.log_tables,
            self.prior if normalised else None,
            out,
            incomplete,
            thread_count(n_jobs),
        )
        if met & ~MISSING:
            return None
        if met:
            rows = np.flatnonzero(incomplete)
            table = reader.read_array(X[rows], n_jobs)
            assert table is not None
            out[rows] = self.score_table(table, n_jobs, normalised=normalised)
        return out

    def _in_schema(self, compiled: CompiledNetwork) -> NDArray[np.int64]:
        """Variables of the factors as columns of the schema."""
        if self._variables is None:
            self._variables = np.array([*self.columns, -1], dtype=np.int64)[compiled.variables]
        return self._variables

    def score_table(
        self, table: Table, n_jobs: int | None, *, normalised: bool = True
    ) -> NDArray[np.float64]:
        """Posteriors, or log-joints, of rows that are encoded by the schema."""
        used = table if len(self.columns) == table.n_variables else table.select(self.columns)
        log_joint = self.predictor.log_joint(used, self.query, n_jobs)
        return posteriors(log_joint, self.prior, n_jobs) if normalised else log_joint

    def score_codes(self, codes: Codes, met: int, features: tuple[Variable, ...]) -> NDArray[np.float64]:
        """Posterior of one row of codes, as a matrix of one row."""
        if self.network is None:
            return self.score_table(Table(features, np.asfortranarray(codes), n_jobs=1), 1)
        if len(self.columns) != codes.shape[1]:
            codes = np.asfortranarray(codes[:, self.columns])
        out = self.network.compiled(self.query).log_joint_of_row(codes, complete=not met)
        _core.normalize_rows(out, self.prior, out, 1)
        return out

    def vote(self, posterior: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class that is decided for in each row."""
        if len(posterior) == 1 and self.costs is None:  # mostly there is no tie, and no need for matrices
            values = posterior[0].tolist()
            least = max(values) * (1.0 - EQUAL)
            if sum(value >= least for value in values) == 1:
                return posterior.argmax(axis=1)
        return best_class(posterior, self.prior, self.costs)


class Scorer:
    """A light callable that gives class probabilities: for services. ``model.scorer()`` makes it.

    It takes one row, as a dict by column or as a sequence of values, and returns one probability per class, in the
    order of ``classes``; or a table, as a two-dimensional array, a DataFrame, a list of rows or of dicts, and returns
    a matrix. Probabilities are those of ``model.predict_proba``.

    Values that are missing (None, NaN, a key that a dict does not have) are summed out, or imputed where the model
    imputes. Categories that fit has not seen count as missing, or are refused where the model refuses them; for a
    single row this happens without a warning. Keys of a dict that are no columns are passed over. Nothing that
    scikit-learn checks is checked.

    It can be pickled and called by many threads at once, and does not change when the model is fitted again.

    Examples
    --------
    >>> import bayleaf as bl
    >>> model = bl.BayesNetClassifier().fit([["a", 1], ["b", 2], ["b", 3]], ["no", "yes", "yes"])
    >>> score = model.scorer()
    >>> score({"x0": "b", "x1": 2}).round(3)
    array([0.082, 0.918])
    >>> score([["a", 1], [None, 3]]).shape
    (2, 2)
    """

    def __init__(
        self,
        schema: Schema,
        classes: NDArray[Any],
        members: Sequence[Member],
        *,
        vote: Vote | None = None,
        unknown: Unknown = "missing",
        named: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.schema = schema
        self.classes = classes
        self.unknown = unknown
        self.n_jobs = n_jobs
        self._vote = vote
        self._named = named
        self._members = tuple(members)
        self._reader = RowReader(schema.features)

    def __repr__(self) -> str:
        networks = "" if len(self._members) == 1 else f", {len(self._members)} networks"
        return f"<Scorer features={len(self.schema.features)} classes={len(self.classes)}{networks}>"

    def __call__(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of one row (a dict, a sequence), or of the rows of a table."""
        kind = type(X)
        if kind is dict:
            return self._score_row(X)
        if kind is np.ndarray:
            if X.ndim == 1:
                return (
                    self._score_row(tuple(X.tolist())) if X.dtype == object else self._score_table(X[None])[0]
                )
            return self._score_table(X)
        if kind is list or kind is tuple:
            first = X[0] if X else None
            if isinstance(first, Mapping):
                return np.array([self._score_row(dict(row)) for row in X])
            if isinstance(first, list | tuple | np.ndarray):
                return self._score_table(X)
            return self._score_row(X if kind is tuple else tuple(X))
        if isinstance(X, Mapping):
            return self._score_row(dict(X))
        return self._score_table(X)

    def _score_row(self, row: dict[str, Any] | tuple[Any, ...]) -> NDArray[np.float64]:
        if type(row) is tuple and len(row) != len(self.schema.features):
            raise ValueError(
                f"The row has {len(row)} values; the model has {len(self.schema.features)} features."
            )
        codes, met = self._reader.codes_of(row)
        if met > MISSING:
            codes, met = self._read_again(row, codes, met)
        features = self.schema.features
        return self._combine(member.score_codes(codes, met, features) for member in self._members)[0]

    def _read_again(self, row: dict[str, Any] | tuple[Any, ...], codes: Codes, met: int) -> tuple[Codes, int]:
        """Look closer at a row in which more than missing values was met; it may be refused."""
        if met & NO_COLUMN:
            shown = ", ".join(repr(name) for name in self._reader.names[:10])
            raise ValueError(f"No key of the row is a column of the model; the columns are {shown}.")
        if met & OTHER:
            codes, met = self._reader.codes_of(_plain(row))
        if met & (OTHER | INFINITE) or (met & UNKNOWN and self.unknown == "error"):
            values = [row.get(name) for name in self._reader.names] if isinstance(row, dict) else row
            table = encode(self.schema, np.array([[*values]], dtype=object), unknown=self.unknown)
            return table.codes, MISSING if table.has_missing.any() else 0
        return codes, met

    def _score_table(self, X: Any) -> NDArray[np.float64]:
        if self._reader.takes(X):
            if len(self._members) == 1:
                scores = self._members[0].score_array(self._reader, X, self.n_jobs, normalised=True)
                if scores is not None:
                    return scores
            table = self._reader.read_array(X, self.n_jobs)
            if table is not None:
                return self._score_encoded(table)
        table = self._reader.read_few(X, self.n_jobs)
        if table is None:
            table = encode(self.schema, self._chosen_columns(X), unknown=self.unknown, n_jobs=self.n_jobs)
        return self._score_encoded(table)

    def _score_encoded(self, table: Table) -> NDArray[np.float64]:
        return self._combine(member.score_table(table, self.n_jobs) for member in self._members)

    def _chosen_columns(self, X: Any) -> Any:
        """Return the model's columns of a DataFrame, by name where fit knew names."""
        frame = as_frame(X) if self._named else None
        if frame is None or list(frame.columns) == self._reader.name_list:
            return X
        lacking = [name for name in self._reader.names if name not in frame.columns]
        if lacking:
            raise ValueError(f"The table has no column {lacking[0]!r}, which the model needs.")
        return frame.select(self._reader.name_list).to_native()

    def _combine(self, scores: Iterator[NDArray[np.float64]]) -> NDArray[np.float64]:
        """One network's posteriors, the mean of several, or shares of their votes."""
        if self._vote is None:
            return next(scores)
        total: NDArray[np.float64] | None = None
        for member, posterior in zip(self._members, scores, strict=True):
            total = np.zeros_like(posterior) if total is None else total
            if self._vote == "average":
                total += posterior
            else:
                total[np.arange(len(posterior)), member.vote(posterior)] += 1.0
        assert total is not None
        return total / len(self._members)


def _plain(row: dict[str, Any] | tuple[Any, ...]) -> dict[str, Any] | tuple[Any, ...]:
    """Put Python's own numbers in place of numpy's, and None for every spelling of missing."""
    if isinstance(row, dict):
        return {name: _plain_value(value) for name, value in row.items()}
    return tuple(map(_plain_value, row))


def _plain_value(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return None if is_missing(value) else value
