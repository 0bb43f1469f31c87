"""A source of counts that reads its rows in batches, as often as it needs to: only one batch is in memory."""

from collections.abc import Callable, Iterable, Sequence
from math import prod

import numpy as np

from bayleaf.data import Table, Variable

from .contingency import Counts, SetCounter
from .pairs import MOST_BYTES, PairCounts, pair_bytes
from .row_samples import DistinctRows, RowSample
from .source import CountSource, Size, required_target

# Cells of the tables that one pass counts together.
PASS_CELLS = 2**26


class ChangedDataError(ValueError):
    """The data are not the same as when they were read before."""


class BatchSource(CountSource):
    """Rows that are read in batches.

    Every pass over the batches counts as much as it can, and what was counted is remembered: naive Bayes, TAN and FAN
    need one pass.

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
        super().__init__(variables, target, n_jobs)
        self.passes = 0
        self._batches = batches
        self._weighted = weighted
        self._size: Size | None = None
        self._pairs: PairCounts | None = None
        self._known: dict[tuple[int, ...], Counts] = {}

    @property
    def size(self) -> Size:
        """How much data there is."""
        if self._size is None:
            self._first_pass()
        assert self._size is not None
        return self._size

    def pairs(self) -> PairCounts:
        """Return the counts of the class with every pair of features."""
        target = required_target(self)
        if self._size is None:
            self._first_pass()
        if self._pairs is None:
            self._count((), PairCounts(self.variables, target, weighted=self._weighted))
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

    def rows(self, most: int) -> Table:
        """Return the rows, or a uniform sample where there are more than so many."""
        sample = RowSample(most)
        self._pass([sample.add])
        return sample.table()

    def distinct_rows(self, most: int) -> Table | None:
        """Return each different row once, weighted by how often it occurs; None where more than so many differ."""
        distinct = DistinctRows(most)
        self._pass([distinct.add], until=lambda: distinct.too_many)
        return distinct.table()

    def _first_pass(self) -> None:
        """Count what nearly every learner asks for: each column with the class, and the pairs if they fit."""
        sets: list[tuple[int, ...]] = [(j,) for j in range(self.n_variables)]
        pairs = None
        if self.target is not None:
            sets = [(self.target,), *((self.target, j) for j in self.features)]
            if len(self.features) > 1 and pair_bytes(self.variables, self.target) <= MOST_BYTES:
                pairs = PairCounts(self.variables, self.target, weighted=self._weighted)
        self._count(sets, pairs)

    def _count(self, sets: Sequence[tuple[int, ...]], pairs: PairCounts | None = None) -> None:
        """Make a pass that counts sets of columns, and pairs if they are wanted."""
        counter = SetCounter(self.variables, self.arities, sets, weighted=self._weighted)
        self._pass([counter.add] if pairs is None else [counter.add, pairs.add])
        self._known.update(zip(sets, counter.tables(), strict=True))
        if pairs is not None:
            self._pairs = pairs

    def _pass(
        self, work: Sequence[Callable[[Table], None]], until: Callable[[], bool] = lambda: False
    ) -> None:
        """Read all batches once and hand each to those who count."""
        self.passes += 1
        rows, size = 0, None
        for batch in self._batches():
            for count in work:
                count(batch)
            rows += batch.n_rows
            if self._size is None:
                size = Size.of(batch) if size is None else size + Size.of(batch)
            if until():
                return
        if self._size is None:
            none = np.zeros(self.n_variables, dtype=np.int64)
            self._size = Size(0, 0.0, none, none) if size is None else size
        elif self._size.rows != rows:
            raise ChangedDataError(
                f"The data changed while they were read: {self._size.rows:,} rows in one pass, {rows:,} in a later "
                "one. Learn from a copy, or when nobody writes to them."
            )

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
