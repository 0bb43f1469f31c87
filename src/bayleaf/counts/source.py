"""Sources of counts that pass over all rows, as often as they need to, and remember what was counted."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import prod
from typing import Any, Protocol

import numpy as np

from bayleaf.data import Table, Variable

from .contingency import MOST_BYTES, Counts, CountSource, PairCounts, SetCounter, Size, pair_bytes
from .information import required_target
from .row_samples import DistinctRows, RowSample

# Cells of the tables that one pass counts together.
PASS_CELLS = 2**26


class ChangedDataError(ValueError):
    """Data are not the same as when they were read before, or when part of some results was computed."""


class Tally(Protocol):
    """What adds up over the rows of a pass; what was added up over later rows elsewhere can be merged."""

    def add(self, batch: Table, /) -> None:
        """Add the rows of a batch."""

    def merge(self, later: Any, /) -> None:
        """Add another tally of the same kind, of rows that come after these."""


# Makes an empty tally.
Maker = Callable[[], Tally]
# Tells of a tally whether the rest of the rows does not matter.
Stop = Callable[[Any], bool]


class RowTally:
    """How many rows a pass reads, and how large they are where that is asked for."""

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
        required_target(self, "Pairwise information")
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
        """Return each different row once, weighted by how often it occurs; None if more than `most` differ."""
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
            assert self.target is not None
            makers.append(partial(PairCounts, self.variables, self.target, weighted=self._weighted))
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
                "a later one. Learn from a copy, or while nothing writes to them."
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
        """Return the rows, or a uniform sample if there are more than `most`."""
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
