"""Tables of the class: their numbers cell by cell, rows that were left out, and what is left to chance."""

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data.table import stratified_folds
from bayleaf.pool.class_tables import BORROWED_ROWS, crossfit_class_tables, tables_on
from bayleaf.pool.grids import FineColumns, FoldOrder, Grid, PoolRows
from reference import pool as slow

STATES = (3, 2, 4)


def some_rows(seed, rows=40, classes=3, weighted=False, n_jobs=1):
    """Categories of three columns with gaps, which go with the class."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, classes, rows).astype(np.int32)
    fine = (target[:, None] + rng.integers(0, 2, (rows, len(STATES)))) % np.array(STATES)
    fine = np.where(rng.random(fine.shape) < 0.15, 255, fine)
    weights = rng.choice([0.0, 0.3, 0.7, 2.0], rows) if weighted else None
    known = [column < 255 for column in fine.T]
    counts = tuple(
        np.bincount(column[own], None if weights is None else weights[own], states).astype(float)
        for column, own, states in zip(fine.T, known, STATES, strict=True)
    )
    columns = FineColumns(counts, (0,) * len(STATES))
    empty = (np.empty(0),) * len(STATES)
    return PoolRows(
        np.asfortranarray(fine, dtype=np.uint8), (0, 1, 2), columns, empty, target, classes, weights, n_jobs
    )


def plain_grid():
    return Grid(tuple(np.arange(states + 1, dtype=np.uint16) for states in STATES), np.array(STATES) + 1)


@given(st.integers(0, 10**6), st.booleans(), st.permutations(range(3)), st.integers(1, 3))
def test_tables_and_scores_are_those_of_the_formula(seed, weighted, order, size):
    rows = some_rows(seed, weighted=weighted)
    folds = FoldOrder.of(stratified_folds(rows.target[:30], 4, 0), 4)  # the last ten rows are in no fold
    columns = tuple(order[:size])
    (found,), scores = tables_on(plain_grid(), [columns], rows, folds)
    states = np.minimum(rows.fine, STATES)[:, list(columns)]
    missing = [STATES[j] for j in columns]
    weights = np.ones(40) if rows.weights is None else rows.weights
    cells = product(*(range(STATES[j] + 1) for j in columns))
    expected = [
        slow.class_chances(states, rows.target, weights, 3, np.array(cell), missing, BORROWED_ROWS)
        for cell in cells
    ]
    np.testing.assert_allclose(np.exp(found.table), expected, rtol=1e-9)
    for row in range(30):
        others = np.arange(40)[~np.isin(np.arange(40), folds.rows(folds.fold[row]))]
        own = slow.class_chances(
            states[others], rows.target[others], weights[others], 3, states[row], missing, BORROWED_ROWS
        )
        np.testing.assert_allclose(scores[row], np.log(own), rtol=2e-5, atol=1e-5)


def test_threads_change_no_bit():
    folds = FoldOrder.of(stratified_folds(some_rows(0).target, 5, 0), 5)
    one, said = crossfit_class_tables(some_rows(0), folds, seed=3)
    two, said_by_two = crossfit_class_tables(some_rows(0, n_jobs=2), folds, seed=3)
    assert said.tobytes() == said_by_two.tobytes()
    for a, b in zip(one.tables, two.tables, strict=True):
        assert a.columns == b.columns
        assert a.table.tobytes() == b.table.tobytes()


def test_weights_are_rows():
    rows = some_rows(1)
    folds = FoldOrder.of(stratified_folds(rows.target, 5, 0), 5)
    twice = replace(rows, weights=np.full(40, 2.0))
    doubled = replace(
        rows,
        fine=np.asfortranarray(np.repeat(rows.fine, 2, axis=0)),
        target=np.repeat(rows.target, 2),
    )
    both = FoldOrder.of(np.repeat(folds.fold, 2), 5)
    columns = [(0, 2), (1, 0, 2)]
    tables, scores = tables_on(plain_grid(), columns, twice, folds)
    expected, expected_scores = tables_on(plain_grid(), columns, doubled, both)
    for a, b in zip(tables, expected, strict=True):
        np.testing.assert_allclose(a.table, b.table)
    np.testing.assert_allclose(scores, expected_scores[::2])


def test_weights_that_are_fractions_leave_no_cell_below_zero():
    # The sums of such weights less their parts miss zero by more than 1e-7.
    rows = replace(some_rows(2), weights=1e9 * np.random.default_rng(0).random(40))
    folds = FoldOrder.of(stratified_folds(rows.target, 2, 0), 2)
    for columns in permutations(range(3)):
        _, scores = tables_on(plain_grid(), [columns], rows, folds)
        assert np.isfinite(scores).all()


def test_rows_of_enormous_weight_leave_something_to_other_classes():
    rows = replace(some_rows(2), weights=np.full(40, 1e150))
    folds = FoldOrder.of(stratified_folds(rows.target, 2, 0), 2)
    (table,), scores = tables_on(plain_grid(), [(0, 1, 2)], rows, folds)
    assert np.isfinite(scores).all()
    assert np.isfinite(table.table).all()
    assert table.table.min() < -700


@pytest.mark.parametrize("rows", [300, 1500])
def test_the_parts_of_columns_add_up_where_all_values_are_missing(rows):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 4, rows) // 3
    X = rng.normal(size=(rows, 3)) + y[:, None] * np.array([2.0, -1.0, 1.0])
    X[rng.random(X.shape) < 0.3] = np.nan
    pool = bl.NetworkPool(cycles=1, seeds=1, missing="available").fit(X, y)
    X[:5] = np.nan
    explanation = pool.explain(X[:50])
    np.testing.assert_allclose(explanation.total, explanation.log_odds, atol=1e-6)


@pytest.mark.parametrize(("classes", "columns"), [(2, 3), (20_000, 1)])
def test_a_table_has_as_many_columns_as_its_size_allows_and_one_at_least(classes, columns):
    target = np.zeros(40, dtype=np.int32)
    rows = replace(some_rows(3), target=target, classes=classes)
    folds = FoldOrder.of(np.arange(40, dtype=np.uint8) % 2, 2)
    tables, _ = crossfit_class_tables(rows, folds, seed=0)
    assert {len(each.columns) for each in tables.tables} == {columns}
    assert {len(set(each.columns)) for each in tables.tables} == {columns}


@pytest.mark.parametrize("rows", [600, 1500])
def test_a_pool_learns_what_only_six_columns_show_together(rows):
    # As a member among the others, and added at the end; networks of three parents and triples see nothing.
    X = np.random.default_rng(0).integers(0, 2, (rows + 500, 6)).astype(str)
    y = (X == "1").sum(axis=1) % 2
    pool = bl.NetworkPool(cycles=1, seeds=1).fit(X[:rows], y[:rows])
    assert pool.score(X[rows:], y[rows:]) > 0.95
