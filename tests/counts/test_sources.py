"""Conformance: every source of counts gives the counts, graphs and tables that the table in memory gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf._util.params import needs_of
from bayleaf.counts import BatchSource, ChangedDataError, PairCounts, PairInformation, count
from bayleaf.counts.row_samples import RowSample, stacked
from bayleaf.data import Table, Variable
from reference.count_sources import (
    SOURCES,
    SUMMED_IN_PARTS,
    TARGET,
    WEIGHTS,
    assert_same,
    batches_of,
    check_graphs_and_tables,
    dependent_table,
    in_batches,
)
from reference.counting import make_table, make_variables, small_tables


@pytest.mark.parametrize("kind", SOURCES)
@settings(deadline=None, max_examples=10)
@given(small_tables(), st.data())
def test_counts_of_any_sets(kind, example, data):
    codes, arities = example
    columns = st.integers(0, len(arities) - 1)
    weights = None
    if data.draw(st.booleans()):
        weights = np.array(data.draw(st.lists(st.floats(0.1, 9), min_size=len(codes), max_size=len(codes))))
    table = make_table(codes, arities, weights, data.draw(st.none() | columns), n_jobs=1)
    source = SOURCES[kind](table)
    for _ in range(2):  # what is remembered does not get in the way
        sets = data.draw(st.lists(st.lists(columns, max_size=3, unique=True), max_size=6))
        for found, expected in zip(source.counts(sets), count(table, sets), strict=True):
            assert found.dtype == expected.dtype
            assert_same(found, expected, weights is None or kind not in SUMMED_IN_PARTS)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_size_and_pairs(kind, missing, weights):
    table = dependent_table(missing, weights)
    source = SOURCES[kind](table)
    assert (source.names, source.n_rows, source.target) == (table.names, table.n_rows, table.target)
    assert source.total_weight == pytest.approx(table.total_weight)
    np.testing.assert_array_equal(source.has_missing, table.has_missing)
    features = table.features
    for i, j in [(features[0], features[3]), (features[4], features[1])]:
        exact = weights != "weights" or kind not in SUMMED_IN_PARTS
        assert_same(source.pairs().table(i, j), count(table, [[TARGET, i, j]])[0], exact)
    for smoothing in (0.0, 1.0):
        found = PairInformation.of(source, smoothing=smoothing)
        expected = PairInformation.of(table, smoothing=smoothing)
        if weights == "weights":  # margins are summed in another order
            np.testing.assert_allclose(found.sums, expected.sums, rtol=1e-12, atol=1e-12)
        else:
            np.testing.assert_array_equal(found.sums, expected.sums)


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_same_graphs_and_tables(kind, missing, weights):
    table = dependent_table(missing, weights)
    source = SOURCES[kind](table)
    check_graphs_and_tables(source, table, exact=weights != "weights" or kind not in SUMMED_IN_PARTS)


@pytest.mark.parametrize(
    "learner",
    [
        bl.Exact(),
        bl.KDB(functional_dependencies=True),
        bl.HillClimbing(bl.ClassificationRate()),
        bl.SKDB(),
    ],
    ids=repr,
)
def test_learners_that_need_rows_say_so(learner):
    assert needs_of(learner) in ("distinct rows", "rows")


def test_one_pass_is_enough_for_trees():
    table = dependent_table(0.2, "no weights")
    source = in_batches(table)
    dag = bl.TAN().learn(source, np.random.default_rng(0))
    bl.Shrinkage().fit(source, dag)
    assert source.passes == 1
    source.counts([[0, 1, 2], [0, 1, 2, 4]])
    assert source.passes == 2


def test_data_that_change_between_passes():
    table = dependent_table(0.0, "no weights")
    pieces = [table]
    source = BatchSource(table.variables, lambda: iter(pieces), TARGET)
    assert source.n_rows == 400
    pieces.append(table.take(np.arange(10)))
    with pytest.raises(ChangedDataError, match="400 rows in one pass, 410 in a later one"):
        source.counts([[0, 1, 2]])


def test_pairs_that_would_not_fit_are_refused():
    variables = (*make_variables([40_000, 30_000]), Variable("class", ("0", "1")))
    with pytest.raises(ValueError, match=r"would take 18 GiB.*'v0' alone has 40,000 states"):
        PairCounts(variables, 2)
    table = Table.from_codes(variables, [[39_999, 7, 1], [0, 29_999, 0]], target=2)
    assert in_batches(table).counts([[2]])[0].tolist() == [1, 1]  # whoever does not ask for pairs is served


def test_pairs_need_a_class():
    table = make_table([[0, 1], [1, 0]], [2, 2])
    with pytest.raises(ValueError, match="no target column"):
        in_batches(table).pairs()


def test_merged_pairs_are_those_of_all_rows():
    table = dependent_table(0.2, "weights")
    whole, parts = (PairCounts(table.variables, TARGET, weighted=True) for _ in range(2))
    whole.add(table)
    for piece in batches_of(table, [100, 250]):
        own = PairCounts(table.variables, TARGET, weighted=True)
        own.add(piece)
        parts.merge(own)
    np.testing.assert_allclose(parts.cells, whole.cells, rtol=1e-12)


@pytest.mark.parametrize("kind", SOURCES)
def test_samples_do_not_depend_on_batches(kind):
    table = dependent_table(0.2, "weights")
    sample, expected = SOURCES[kind](table).rows(50), SOURCES["table"](table).rows(50)
    np.testing.assert_array_equal(sample.codes, expected.codes)
    np.testing.assert_array_equal(sample.weights, expected.weights)
    assert sample.n_rows == 50
    everything = SOURCES[kind](table).rows(400)
    np.testing.assert_array_equal(everything.codes, table.codes)


def test_samples_are_uniform():
    n, most = 20_000, 1000
    variables = make_variables([2])
    half = Table.from_codes(variables, np.repeat([0, 1], n // 2).reshape(-1, 1))
    sample = RowSample(most)
    for piece in batches_of(half, [7000, 7001, 16_000]):
        sample.add(piece)
    ones = int(sample.table().codes.sum())
    assert abs(ones - most / 2) < 4 * np.sqrt(most) / 2  # four standard deviations


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_distinct_rows_are_all_rows(kind, weights):
    table = dependent_table(0.1, weights).select([1, 3, TARGET])
    source = SOURCES[kind](table)
    found = source.distinct_rows(10)
    assert found.n_rows == len(np.unique(table.codes, axis=0)) < 10
    for one, other in zip(count(found, [[0, 1, 2]]), count(table, [[0, 1, 2]]), strict=True):
        np.testing.assert_allclose(one, other)
    assert source.distinct_rows(2) is None


def test_tables_with_and_without_weights_below_each_other():
    plain = make_table([[0], [1]], [2])
    weighed = make_table([[1]], [2], np.array([3.0]))
    assert stacked([plain, weighed]).weights.tolist() == [1, 1, 3]
