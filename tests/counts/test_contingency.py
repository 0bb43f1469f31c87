import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf.counts import contingency, count, family_counts
from bayleaf.graph import DAG
from reference.counting import make_table, random_codes, slow_count, small_tables

# Arities of the columns of the larger examples: uint8 tables, tables beyond the lanes, uint16 tables.
NARROW = [2, 3, 1, 5, 255]
WIDE = [2, 300, 7, 65535]


@st.composite
def column_sets(draw):
    codes, arities = draw(small_tables())
    column = st.integers(0, len(arities) - 1)
    sets = draw(st.lists(st.lists(column, max_size=4), max_size=5))
    weights = draw(st.none() | st.lists(st.floats(0, 10), min_size=len(codes), max_size=len(codes)))
    return codes, arities, sets, None if weights is None else np.array(weights)


@settings(deadline=None)
@given(column_sets())
def test_any_sets_of_columns(example):
    codes, arities, sets, weights = example
    tables = count(make_table(codes, arities, weights), sets)
    assert len(tables) == len(sets)
    for columns, table in zip(sets, tables, strict=True):
        assert table.dtype == (np.int64 if weights is None else np.float64)
        np.testing.assert_allclose(table, slow_count(codes, arities, columns, weights), rtol=1e-14)


@pytest.mark.parametrize("arities", [NARROW, WIDE], ids=["uint8", "uint16"])
@pytest.mark.parametrize("missing", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_larger_tables(arities, missing, weighted):
    rng = np.random.default_rng(7)
    codes = random_codes(rng, 5000, arities, missing)
    weights = rng.random(5000) if weighted else None
    last = len(arities) - 1
    sets = [[0], [0, 1], [1, 0], [last], [last, 0], [0, 1, 2], [2, 1, 0], []]
    tables = count(make_table(codes, arities, weights), sets)
    for columns, table in zip(sets, tables, strict=True):
        np.testing.assert_allclose(table, slow_count(codes, arities, columns, weights), rtol=1e-12)


def test_missing_values_in_some_blocks_only():
    # Blocks of rows with and without missing values are counted in different ways.
    rng = np.random.default_rng(3)
    codes = random_codes(rng, 10_000, [3, 4])
    codes[4100, 1] = codes[9999, 0] = -1
    (table,) = count(make_table(codes, [3, 4]), [[0, 1]])
    assert table.sum() == 9998
    assert (table == slow_count(codes, [3, 4], [0, 1])).all()


@pytest.mark.parametrize("arities", [NARROW, WIDE], ids=["uint8", "uint16"])
@pytest.mark.parametrize("weighted", [False, True])
def test_threads_do_not_change_a_bit(arities, weighted):
    rng = np.random.default_rng(11)
    codes = random_codes(rng, 20_000, arities, 0.02)
    weights = rng.random(20_000) if weighted else None
    sets = [[0], [0, 1], [1, 2], [0, 1, 2], [3], [3, 0]]
    alone = count(make_table(codes, arities, weights, n_jobs=1), sets)
    for n_jobs in (2, 5, None):
        together = count(make_table(codes, arities, weights, n_jobs=n_jobs), sets)
        assert all(np.array_equal(a, b) for a, b in zip(alone, together, strict=True))


@settings(deadline=None)
@given(small_tables(), st.data())
def test_weights_are_repeated_rows(example, data):
    codes, arities = example
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(codes), max_size=len(codes)))
    sets = [[0], [1, 0]]
    weighted = count(make_table(codes, arities, np.array(times, dtype=float)), sets)
    repeated = count(make_table(np.repeat(codes, times, axis=0), arities), sets)
    assert all(np.array_equal(a, b) for a, b in zip(weighted, repeated, strict=True))


@settings(deadline=None)
@given(small_tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(example, random):
    codes, arities = example
    order = list(range(len(codes)))
    random.shuffle(order)
    original = count(make_table(codes, arities), [[0, 1]])[0]
    assert np.array_equal(original, count(make_table(codes[order], arities), [[0, 1]])[0])


def test_no_rows_and_no_sets():
    empty = make_table(np.empty((0, 2), dtype=int), [2, 3])
    assert count(empty, []) == []
    assert count(empty, [[0, 1]])[0].tolist() == [[0, 0, 0], [0, 0, 0]]


def test_families_have_the_node_last():
    codes = random_codes(np.random.default_rng(0), 200, [2, 3, 4], 0.1)
    dag = DAG(["v0", "v1", "v2"], [("v2", "v1"), ("v0", "v1")])
    tables = family_counts(make_table(codes, [2, 3, 4]), dag)
    assert [table.shape for table in tables] == [(2,), (2, 4, 3), (4,)]
    assert (tables[1] == slow_count(codes, [2, 3, 4], [0, 2, 1])).all()


def test_a_giant_table_is_refused():
    table = make_table([[0, 0, 0]], [60_000, 60_000, 2])
    with pytest.raises(
        ValueError, match=r"A table over 'v0', 'v1' would have 3,600,000,000 cells, more than"
    ):
        count(table, [[2], [0, 1]])


def test_tables_that_fill_the_memory_together_are_refused(monkeypatch):
    table = make_table([[0, 0, 0]], [5000, 5000, 2])
    monkeypatch.setattr(contingency, "available_memory", lambda: 2**28)
    many = r"Tables of 25,0\d\d,\d\d\d cells together would need about %s MiB \(free: 256 MiB\): use fewer parents"
    with pytest.raises(ValueError, match=many % "572"):
        family_counts(table, DAG(["v0", "v1", "v2"], [("v0", "v1")]))
    monkeypatch.setattr(contingency, "available_memory", lambda: 2**27)
    with pytest.raises(ValueError, match=r"Tables of 25,000,000 cells together would need about 191 MiB"):
        count(table, [[0, 1]])


@pytest.mark.parametrize("column", [-1, 2])
def test_a_column_that_is_not_there_is_refused(column):
    with pytest.raises(ValueError, match=rf"There is no column {column}: the table has 2 columns"):
        count(make_table([[0, 0]], [2, 2]), [[0], [column]])
