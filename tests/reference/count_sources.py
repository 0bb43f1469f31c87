"""Every kind of source of counts, made from a table: what the conformance tests run over."""

from itertools import pairwise

import numpy as np

from bayleaf.counts import BatchSource, CountSource, PassSource, TableSource
from bayleaf.counts.row_samples import RowSample
from bayleaf.data import Table


def batches_of(table: Table, cuts: list[int]) -> list[Table]:
    """The rows of a table in pieces that end where the cuts say; some may be empty."""
    ends = [0, *sorted(min(cut, table.n_rows) for cut in cuts), table.n_rows]
    return [table.take(np.arange(low, high)) for low, high in pairwise(ends)]


def in_batches(table: Table, cuts: list[int] = (3, 3, 40, 1000)) -> BatchSource:
    pieces = batches_of(table, list(cuts))
    return BatchSource(
        table.variables,
        lambda: iter(pieces),
        table.target,
        weighted=table.weights is not None,
        n_jobs=table.n_jobs,
    )


class PartedSource(PassSource):
    """Parts of a table, each tallied on its own, as on several machines; then they are merged."""

    def __init__(self, table: Table) -> None:
        super().__init__(
            table.variables, table.target, weighted=table.weights is not None, n_jobs=table.n_jobs
        )
        self._parts = batches_of(table, [3, 3, 40, 1000])

    def rows(self, most: int) -> Table:
        firsts = np.cumsum([0, *(part.n_rows for part in self._parts)]).tolist()
        return self._merged([[RowSample(most, first)] for first in firsts[:-1]])[0].table()

    def _tally(self, makers, until=None):
        return self._merged([[make() for make in makers] for _ in self._parts])

    def _merged(self, tallies):
        for part, own in zip(self._parts, tallies, strict=True):
            for tally in own:
                tally.add(part)
        first, *later = tallies
        for own in later:
            for tally, other in zip(first, own, strict=True):
                tally.merge(other)
        return first


def selected(table: Table) -> CountSource:
    """The columns of a wider table, which has each of them twice."""
    wide = table.select([*range(table.n_variables), *table.features])
    return in_batches(wide).select(range(table.n_variables))


SOURCES = {"table": TableSource, "batches": in_batches, "parts": PartedSource, "selected": selected}
# Their parts are summed up one by one: sums of weights differ from those in memory in the last bits.
SUMMED_IN_PARTS = ("parts",)
