"""Sources of counts: what learners that only count ask of data, wherever the data lie.

Sources of counts that pass over all rows, as often as they need to, and remember what was counted.

A source of counts that reads its rows in batches: only one batch is in memory.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Table, Variable

from .contingency import MOST_BYTES, Counts, PairCounts, SetCounter, count, pair_bytes
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
    def features(self) -> tuple[int, ...]:
        """Columns other than the class."""
        return tuple(j for j in range(self.n_variables) if j != self.target)

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


# Cells of the tables that one pass counts together.
PASS_CELLS = 2**26


class ChangedDataError(ValueError):
    """The data are not the same as when they were read before."""


class Tally(Protocol):
    """What adds up over the rows of a pass; what was added up over later rows elsewhere can be merged."""

    def add(self, batch: Table, /) -> None:
        """Add the rows of a batch."""

    def merge(self, later: Any, /) -> None:
        """Add another tally of the same kind, of rows that come after these."""


class RowTally:
    """How many rows a pass reads, and how large they are where that is asked for.

    Parameters
    ----------
    n_variables : int
    measured : bool

    Examples
    --------
    >>> tally = RowTally(1, measured=True)
    >>> tally.add(Table.from_codes((Variable("x", ("a", "b")),), [[0], [-1], [1]]))
    >>> tally.size.rows, tally.size.missing.tolist()
    (3, [1])
    """

    def __init__(self, n_variables: int, *, measured: bool) -> None:
        none = np.zeros(n_variables, dtype=np.int64)
        self.size = Size(0, 0.0, none, none)
        self._measured = measured

    def add(self, batch: Table) -> None:
        """Add the rows of a batch."""
        new = Size.of(batch) if self._measured else Size(batch.n_rows, 0.0, self.size.missing, self.size.gaps)
        self.size = self.size + new

    def merge(self, later: "RowTally") -> None:
        """Add the rows of another tally."""
        self.size = self.size + later.size


# Makes an empty tally.
Maker = Callable[[], Tally]
# Tells of a tally whether the rest of the rows does not matter.
Stop = Callable[[Any], bool]


class PassSource(CountSource):
    """Rows that are counted by passes over all of them.

    Every pass counts as much as it can, and what was counted is remembered: naive Bayes, TAN and FAN need one pass.

    Parameters
    ----------
    variables : sequence of Variable
    target : int, optional
        Column of the class.
    weighted : bool
        Whether the rows have weights.
    n_jobs : int, optional
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        target: int | None = None,
        *,
        weighted: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(variables, target, n_jobs)
        self.passes = 0
        self._weighted = weighted
        self._size: Size | None = None
        self._pairs: PairCounts | None = None
        self._known: dict[tuple[int, ...], Counts] = {}

    @abstractmethod
    def _tally(self, makers: Sequence[Maker], until: Stop | None = None) -> list[Any]:
        """Read all rows and add them to a tally of each maker; it may end when ``until`` says so of the first."""

    @property
    def size(self) -> Size:
        """How much data there is."""
        if self._size is None:
            self._first_pass()
        assert self._size is not None
        return self._size

    def pairs(self) -> PairCounts:
        """Return the counts of the class with every pair of features."""
        required_target(self)
        if self._size is None:
            self._first_pass()
        if self._pairs is None:
            self._count((), pairs=True)
        assert self._pairs is not None
        return self._pairs

    def counts(self, sets: Sequence[Sequence[int]]) -> list[Counts]:
        """Count the rows by each of several sets of columns."""
        if self._size is None:
            self._first_pass()
        asked = [tuple(columns) for columns in sets]
        new = [columns for columns in dict.fromkeys(asked) if not self._is_known(columns)]
        while new:
            together: list[tuple[int, ...]] = []
            cells = 0
            while new and (not together or cells < PASS_CELLS):
                together.append(new.pop(0))
                cells += prod(int(self.arities[j]) for j in together[-1])
            self._count(together)
        return [self._known[columns] for columns in asked]

    def distinct_rows(self, most: int) -> Table | None:
        """Return each different row once, weighted by how often it occurs; None where more than so many differ."""
        (distinct,) = self._pass([partial(DistinctRows, most)], until=lambda found: found.too_many)
        table: Table | None = distinct.table()
        return table

    def _first_pass(self) -> None:
        """Count what nearly every learner asks for: each column with the class, and the pairs if they fit."""
        sets: list[tuple[int, ...]] = [(j,) for j in range(self.n_variables)]
        pairs = False
        if self.target is not None:
            sets = [(self.target,), *((self.target, j) for j in self.features)]
            pairs = len(self.features) > 1 and pair_bytes(self.variables, self.target) <= MOST_BYTES
        self._count(sets, pairs=pairs)

    def _count(self, sets: Sequence[tuple[int, ...]], *, pairs: bool = False) -> None:
        """Make a pass that counts sets of columns, and pairs if they are wanted."""
        makers: list[Maker] = [
            partial(SetCounter, self.variables, self.arities, sets, weighted=self._weighted)
        ]
        if pairs:
            target = required_target(self)
            makers.append(partial(PairCounts, self.variables, target, weighted=self._weighted))
        counter, *others = self._pass(makers)
        self._known.update(zip(sets, counter.tables(), strict=True))
        if pairs:
            self._pairs = others[0]

    def _pass(self, makers: Sequence[Maker], until: Stop | None = None) -> list[Any]:
        """Tally all rows once; notice when they are not those of the first pass."""
        self.passes += 1
        rows = partial(RowTally, self.n_variables, measured=self._size is None)
        *tallies, read = self._tally([*makers, rows], until)
        if until is not None and until(tallies[0]):
            return tallies
        if self._size is None:
            self._size = read.size
        elif self._size.rows != read.size.rows:
            raise ChangedDataError(
                f"The data changed while they were read: {self._size.rows:,} rows in one pass, {read.size.rows:,} in "
                "a later one. Learn from a copy, or when nobody writes to them."
            )
        return tallies

    def _is_known(self, columns: tuple[int, ...]) -> bool:
        """Tell whether counts are there, or follow from others that are: another order of columns, or a margin.

        A margin leaves out rows that lack the column that is summed out, and weights that are summed in another order
        differ in the last bits: only the class is summed out, where no row lacks it and cells are whole numbers.
        """
        if columns in self._known:
            return True
        counts = self._stored(columns)
        target = self.target
        if counts is None and not (target is None or target in columns or self._weighted):
            with_class = None if self.has_missing[target] else self._stored((target, *columns))
            counts = None if with_class is None else with_class.sum(axis=0)
        if counts is not None:
            self._known[columns] = np.ascontiguousarray(counts)
        return counts is not None

    def _stored(self, columns: tuple[int, ...]) -> Counts | None:
        """Return the counts of a set of columns, if a pass has counted it in any order."""
        features = [j for j in columns if j != self.target]
        if self._pairs is not None and len(features) == 2 and len(columns) == 3:
            counts, order = self._pairs.table(*features), (self.target, *features)
        elif len(columns) <= 2 and columns[::-1] in self._known:
            counts, order = self._known[columns[::-1]], columns[::-1]
        elif columns in self._known:
            return self._known[columns]
        else:
            return None
        return counts.transpose([order.index(column) for column in columns])


class BatchSource(PassSource):
    """Rows that are read in batches.

    Parameters
    ----------
    variables : sequence of Variable
    batches : callable
        Returns the batches from the first to the last, tables over the variables, each time it is called. It must be
        the same rows each time, in the same order.
    target : int, optional
        Column of the class.
    weighted : bool, default=False
        Whether the batches have weights.
    n_jobs : int, optional

    Examples
    --------
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 1, 0], [0, 1, 1], [1, 1, 1]], target=2)
    >>> source = BatchSource(variables, lambda: iter([table, table]), target=2)
    >>> source.counts([[0, 2]]), source.n_rows, source.passes
    ([array([[2, 2], [0, 2]])], 6, 1)
    """

    def __init__(
        self,
        variables: Sequence[Variable],
        batches: Callable[[], Iterable[Table]],
        target: int | None = None,
        *,
        weighted: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(variables, target, weighted=weighted, n_jobs=n_jobs)
        self._batches = batches

    def rows(self, most: int) -> Table:
        """Return the rows, or a uniform sample where there are more than so many."""
        (sample,) = self._pass([partial(RowSample, most)])
        table: Table = sample.table()
        return table

    def _tally(self, makers: Sequence[Maker], until: Stop | None = None) -> list[Any]:
        tallies = [make() for make in makers]
        for batch in self._batches():
            for tally in tallies:
                tally.add(batch)
            if until is not None and until(tallies[0]):
                break
        return tallies
