"""Every kind of source of counts, made from a table: what the conformance tests run over."""

from itertools import pairwise

import numpy as np

import bayleaf as bl
from bayleaf.counts import BatchSource, CountSource, PairCounts, PassSource, count
from bayleaf.counts.contingency import Size
from bayleaf.counts.row_samples import DistinctRows, RowSample
from bayleaf.data import Table
from reference.counting import make_table, random_codes

ARITIES = [3, 2, 4, 1, 5, 2, 3]
TARGET = 5
WEIGHTS = {
    "no weights": lambda rng, n: None,
    "whole weights": lambda rng, n: rng.integers(1, 4, n).astype(float),
    "weights": lambda rng, n: rng.random(n) + 0.1,
}
STRUCTURES = [
    bl.NaiveBayes(),
    bl.TAN(),
    bl.FAN(),
    bl.KDB(k=2, smoothing=1.0),
    bl.FKDB(k=1),
    bl.TANaCLL(),
    bl.ETAN(),
    bl.HillClimbing(bl.BDeu(1.0)),
    bl.HillClimbing(bl.BIC(), "naive", max_parents=2),
    bl.FixedStructure([("v0", "v2"), ("v1", "v2"), ("v4", "v2")]),
]
PARAMETERS = [bl.Dirichlet(), bl.Laplace(), bl.MaximumLikelihood(), bl.MEstimate(2.0), bl.Shrinkage()]


def dependent_table(missing: float, weights: str, seed: int = 0, rows: int = 400) -> Table:
    """Rows in which columns depend on each other; the class is never missing."""
    rng = np.random.default_rng(seed)
    codes = random_codes(rng, rows, ARITIES)
    copied = rng.random(codes.shape) < 0.5
    codes = np.where(copied, codes[:, [TARGET]] % np.array(ARITIES), codes)
    codes[:, 4] = np.where(rng.random(rows) < 0.6, codes[:, 0], codes[:, 4])
    gaps = rng.random(codes.shape) < missing
    gaps[:, TARGET] = gaps[:, 1] = False
    return make_table(np.where(gaps, -1, codes), ARITIES, WEIGHTS[weights](rng, rows), TARGET, n_jobs=1)


def batches_of(table: Table, cuts: list[int]) -> list[Table]:
    """The rows of a table in pieces that end where the cuts say; some may be empty."""
    ends = [0, *sorted(min(cut, table.n_rows) for cut in cuts), table.n_rows]
    return [table.take(np.arange(low, high)) for low, high in pairwise(ends)]


class TableSource(CountSource):
    """A table in memory that is asked as any other source: the shortest way to be one."""

    def __init__(self, table: Table) -> None:
        super().__init__(table.variables, table.target, table.n_jobs)
        self._table = table

    @property
    def size(self) -> Size:
        return Size.of(self._table)

    def counts(self, sets):
        return count(self._table, sets)

    def pairs(self):
        pairs = PairCounts(self.variables, self.target, weighted=self._table.weights is not None)
        pairs.add(self._table)
        return pairs

    def rows(self, most):
        return self._tallied(RowSample(most))

    def distinct_rows(self, most):
        return self._tallied(DistinctRows(most))

    def _tallied(self, tally):
        tally.add(self._table)
        return tally.table()


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


def assert_same(found, expected, exact=True):
    if exact:
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def check_graphs_and_tables(source: CountSource, table: Table, *, exact: bool = True) -> None:
    """A source gives every learner the graph and the tables that the table gives, bit for bit if ``exact``."""
    for structure in STRUCTURES:
        assert structure.learns_from_counts
        dag = structure.learn(table, np.random.default_rng(0))
        assert structure.learn(source, np.random.default_rng(0)) == dag, structure
    for parameters in PARAMETERS:
        assert parameters.learns_from_counts
        for found, expected in zip(parameters.fit(source, dag), parameters.fit(table, dag), strict=True):
            assert_same(found, expected, exact)
    selector = bl.BayesFactorSelector(ess=1.0, delta=3.0)
    assert selector.select(source, np.random.default_rng(0)) == selector.select(
        table, np.random.default_rng(0)
    )
