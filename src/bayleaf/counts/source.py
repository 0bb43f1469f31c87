"""Sources of counts: what learners that only count ask of data, wherever the data lie."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Table, Variable

from .contingency import Counts, count
from .pairs import PairCounts
from .row_samples import DistinctRows, RowSample


@dataclass(frozen=True)
class Size:
    """How much data there is.

    Parameters
    ----------
    rows : int
    weight : float
        The sum of the weights, or the number of rows.
    missing : ndarray of int
        Per column, rows in which it is missing: those are left out of its tables.
    gaps : ndarray of int
        Per column, rows in which it is missing or in the state that stands for a gap.
    """

    rows: int
    weight: float
    missing: NDArray[np.int64]
    gaps: NDArray[np.int64]

    @classmethod
    def of(cls, table: Table) -> "Size":
        """Measure a table.

        Examples
        --------
        >>> size = Size.of(Table.from_codes((Variable("x", ("a", "b")),), [[0], [-1], [1]]))
        >>> size.rows, size.missing.tolist()
        (3, [1])
        """
        missing, gaps = np.zeros((2, table.n_variables), dtype=np.int64)
        for j, variable in enumerate(table.variables):
            if table.has_missing[j]:
                missing[j] = np.count_nonzero(table.codes[:, j] == table.missing_code)
            if table.has_missing[j] or variable.gap:
                gaps[j] = np.count_nonzero(table.gaps(j))
        return cls(table.n_rows, table.total_weight, missing, gaps)

    def __add__(self, other: "Size") -> "Size":
        return Size(
            self.rows + other.rows,
            self.weight + other.weight,
            self.missing + other.missing,
            self.gaps + other.gaps,
        )

    def select(self, columns: Sequence[int]) -> "Size":
        """Return the size of some of the columns."""
        return replace(self, missing=self.missing[list(columns)], gaps=self.gaps[list(columns)])


class CountSource(ABC):
    """Encoded data that can be counted: learners that need nothing but counts take it in place of a `Table`.

    Where the data lie, and how they are counted, is up to the subclass: `TableSource` holds a table, `BatchSource`
    reads batches again and again. The counts are the same, so graphs and tables are the same.

    Parameters
    ----------
    variables : sequence of Variable
        One per column.
    target : int, optional
        Column of the class.
    n_jobs : int, optional
        Threads that kernels may use.

    Examples
    --------
    >>> import bayleaf as bl
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 0], [0, 1, 1], [1, 0, 1]], target=2)
    >>> source = TableSource(table)
    >>> bl.TAN().learn(source, np.random.default_rng(0)) == bl.TAN().learn(table, np.random.default_rng(0))
    True
    """

    def __init__(
        self, variables: Sequence[Variable], target: int | None = None, n_jobs: int | None = None
    ) -> None:
        self.variables = tuple(variables)
        self.target = target
        self.n_jobs = n_jobs

    @property
    @abstractmethod
    def size(self) -> Size:
        """How much data there is."""

    @abstractmethod
    def counts(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        """Count the rows by each of several sets of columns: see `bayleaf.counts.count`."""

    @abstractmethod
    def pairs(self) -> PairCounts:
        """Return the counts of the class with every pair of features."""

    @abstractmethod
    def rows(self, most: int) -> Table:
        """Return the rows, or a uniform sample where there are more than so many: see `RowSample`."""

    @abstractmethod
    def distinct_rows(self, most: int) -> Table | None:
        """Return each different row once, weighted by how often it occurs; None where more than so many differ."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables' names, in column order."""
        return tuple(variable.name for variable in self.variables)

    @property
    def n_variables(self) -> int:
        """The number of columns, the class included."""
        return len(self.variables)

    @cached_property
    def arities(self) -> NDArray[np.int64]:
        """The number of states of each variable."""
        return np.array([variable.arity for variable in self.variables], dtype=np.int64)

    @property
    def features(self) -> list[int]:
        """Columns other than the class."""
        return [j for j in range(self.n_variables) if j != self.target]

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.size.rows

    @property
    def total_weight(self) -> float:
        """The sum of the weights, or the number of rows."""
        return self.size.weight

    @property
    def has_missing(self) -> NDArray[np.bool_]:
        """Per column, whether any value is missing."""
        return self.size.missing > 0

    def missing_shares(self) -> list[float]:
        """Share of missing values in each column, those with a state of their own too."""
        shares: list[float] = (self.size.gaps / max(self.size.rows, 1)).tolist()
        return shares

    def select(self, columns: Sequence[int]) -> "CountSource":
        """Return some of the columns; the class stays the class if it is among them."""
        return SelectedSource(self, columns)


class SelectedSource(CountSource):
    """Some of the columns of a source.

    Examples
    --------
    >>> x, y = (Variable(name, ("0", "1")) for name in "xy")
    >>> source = TableSource(Table.from_codes((x, y), [[0, 1], [1, 1]]))
    >>> source.select([1]).counts([[0]])
    [array([0, 2])]
    """

    def __init__(self, whole: CountSource, columns: Sequence[int]) -> None:
        self._whole, self._columns = whole, list(columns)
        target = self._columns.index(whole.target) if whole.target in self._columns else None
        super().__init__([whole.variables[j] for j in columns], target, whole.n_jobs)

    @property
    def size(self) -> Size:
        """How much data there is."""
        return self._whole.size.select(self._columns)

    def counts(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        """Count the rows by each of several sets of columns."""
        return self._whole.counts([[self._columns[j] for j in columns] for columns in sets])

    def pairs(self) -> PairCounts:
        """Return the counts of the class with every pair of features."""
        return self._whole.pairs().select(self._columns)

    def rows(self, most: int) -> Table:
        """Return the rows, or a uniform sample where there are more than so many."""
        return self._whole.rows(most).select(self._columns)

    def distinct_rows(self, most: int) -> Table | None:
        """Return each different row once, weighted by how often it occurs; None where more than so many differ."""
        found = self._whole.distinct_rows(most)
        return None if found is None else found.select(self._columns)


class TableSource(CountSource):
    """A table in memory as a source.

    Examples
    --------
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [1], [0]])
    >>> source = TableSource(table)
    >>> source.counts([[0]]), source.rows(2).n_rows, source.distinct_rows(2).weights
    ([array([2, 1])], 2, array([2., 1.]))
    """

    def __init__(self, table: Table) -> None:
        super().__init__(table.variables, table.target, table.n_jobs)
        self._table = table

    @cached_property
    def size(self) -> Size:
        """How much data there is."""
        return Size.of(self._table)

    def counts(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        """Count the rows by each of several sets of columns."""
        return count(self._table, sets)

    def pairs(self) -> PairCounts:
        """Return the counts of the class with every pair of features."""
        pairs = PairCounts(self.variables, required_target(self), weighted=self._table.weights is not None)
        pairs.add(self._table)
        return pairs

    def rows(self, most: int) -> Table:
        """Return the rows, or a uniform sample where there are more than so many."""
        sample = RowSample(most)
        sample.add(self._table)
        return sample.table()

    def distinct_rows(self, most: int) -> Table | None:
        """Return each different row once, weighted by how often it occurs; None where more than so many differ."""
        distinct = DistinctRows(most)
        distinct.add(self._table)
        return distinct.table()


def required_target(source: CountSource) -> int:
    """Return the class column of a source, or say that it has none."""
    if source.target is None:
        raise ValueError("Pairwise information needs a class: these data have no target column.")
    return source.target
