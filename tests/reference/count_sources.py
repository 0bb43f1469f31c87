"""Every kind of source of counts, made from a table: what the conformance tests run over."""

from itertools import pairwise

import numpy as np

from bayleaf.counts import BatchSource, CountSource, TableSource
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


def selected(table: Table) -> CountSource:
    """The columns of a wider table, which has each of them twice."""
    wide = table.select([*range(table.n_variables), *table.features])
    return in_batches(wide).select(range(table.n_variables))


SOURCES = {"table": TableSource, "batches": in_batches, "selected": selected}
