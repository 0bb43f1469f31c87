"""A network that gives the probabilities of new rows, alone or as a member of an ensemble."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import thread_count
from bayleaf.data import Table
from bayleaf.data.table import Codes

from .bayesnet import BayesNet
from .decision import EQUAL, Predictor, best_class, posteriors
from .row_reader import MISSING, RowReader


class Member:
    """A network with what it needs to answer: which columns of the schema it uses, its prior, its costs.

    It can be pickled and shared by threads.
    """

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
        self._query = len(predictor.nodes) - 1
        self._native: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": None}

    @property
    def _tables(self) -> Any:
        """The tables of a network that is the same for all rows, by the columns of the schema; otherwise None."""
        if self._native is None:
            layout = self.layout()
            self._native = None if layout is None else _core.NetworkTables(*layout)
        return self._native

    def layout(self, *, by_node: bool = False) -> tuple[NDArray[Any], ...] | None:
        """Return the tables as kernels take them, if they are the same for all rows.

        Variables are columns of the schema, or nodes of the network.
        """
        if not isinstance(self.predictor, BayesNet):
            return None
        compiled = self.predictor.compiled(self._query)
        return (
            compiled.variables if by_node else self._schema_columns()[compiled.variables],
            compiled.strides,
            compiled.offsets,
            compiled.table_offsets,
            compiled.has_query,
            compiled.log_tables,
            np.ascontiguousarray(self.prior),
        )

    def _schema_columns(self) -> NDArray[np.int64]:
        return np.array([*self.columns, -1], dtype=np.int64)

    def order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the states of every node, and the nodes parents first."""
        assert isinstance(self.predictor, BayesNet)
        compiled = self.predictor.compiled(self._query)
        return compiled.arities, compiled.topological

    def score_array(
        self, reader: RowReader, X: NDArray[Any], n_jobs: int | None, *, normalised: bool
    ) -> NDArray[np.float64] | None:
        """Posteriors, or log-joints, of an array that the reader takes, in one pass; None for the general way."""
        tables = self._tables
        if tables is None:
            return None
        out = np.empty((len(X), len(self.prior)))
        incomplete = np.zeros(len(X), dtype=np.uint8)
        threads = thread_count(n_jobs)
        met = tables.score_numbers(reader.native, reader.wide, X, normalised, out, incomplete, threads)
        rows = np.flatnonzero(incomplete)
        if met & ~MISSING or 2 * len(rows) > len(X):  # the second: too many to be copied
            return None
        if len(rows):
            table = reader.read_array(X[rows], n_jobs)
            assert table is not None
            out[rows] = self.score_table(table, n_jobs, normalised=normalised)
        return out

    def score_table(
        self, table: Table, n_jobs: int | None, *, normalised: bool = True
    ) -> NDArray[np.float64]:
        """Posteriors, or log-joints, of rows that are encoded by the schema."""
        used = table if len(self.columns) == table.n_variables else table.select(self.columns)
        log_joint = self.predictor.log_joint(used, self._query, n_jobs)
        return posteriors(log_joint, self.prior, n_jobs) if normalised else log_joint

    def score_row(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        """Posterior of one row of codes by the schema, which are states or, unless it is complete, missing."""
        out = np.empty(len(self.prior))
        tables = self._tables
        if complete and tables is not None:
            tables.score_row(codes, out)
            return out
        _core.normalize_rows(self.row_log_joint(codes, complete=complete), self.prior, out[None], 1)
        return out

    def row_log_joint(self, codes: Codes, *, complete: bool) -> NDArray[np.float64]:
        """Log-joint of one row of codes, as a matrix of one row."""
        used: Codes = codes if len(self.columns) == len(codes) else codes[self.columns]
        predictor: Any = self.predictor
        source = predictor.compiled(self._query) if isinstance(predictor, BayesNet) else predictor
        log_joint: NDArray[np.float64] = source.log_joint_of_row(used[None], complete=complete)
        return log_joint

    def vote(self, posterior: NDArray[np.float64]) -> int:
        """Return the class that is decided for in one row."""
        if self.costs is None:  # mostly there is no tie, and no need for matrices
            values: list[float] = posterior.tolist()
            largest = max(values)
            if sum(value >= largest * (1.0 - EQUAL) for value in values) == 1:
                return values.index(largest)
        return int(best_class(posterior[None], self.prior, self.costs)[0])
