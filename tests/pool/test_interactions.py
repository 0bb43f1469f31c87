import numpy as np
import pytest

from bayleaf.pool.grids import FineColumns, Grid, PoolRows
from bayleaf.pool.refining import (
    GAIN_PENALTY,
    LEAST_ROWS,
    PER_COLUMN,
    RELATIVE,
    Branch,
    Residuals,
    View,
    best_sets,
    incomplete_cells,
)
from reference import pool as slow


def random_problem(seed=0, rows=120, columns=5, states=3, classes=3):
    rng = np.random.default_rng(seed)
    codes = np.asfortranarray(rng.integers(0, states, (rows, columns)), dtype=np.uint16)
    grid = Grid((np.arange(states, dtype=np.uint16),) * columns, np.full(columns, states))
    residuals = rng.normal(size=(rows, classes)).astype(np.float32)
    variances = rng.uniform(0, 0.25, (rows, classes)).astype(np.float32)
    part = rng.integers(0, 3, rows).astype(np.uint8)
    return grid, codes, Residuals(residuals, variances, part, 3)


@pytest.mark.parametrize("classes", [1, 3, 11])
def test_gains_are_those_of_the_formula(classes):
    grid, codes, residuals = random_problem(classes=classes)
    sets = [(0,), (1, 3), (0, 2, 4)]
    found = residuals.gains(grid, codes, sets, 1)
    for number, columns in enumerate(sets):
        for fold in range(4):
            kept = residuals.part != fold  # of the last all rows are kept
            expected = slow.set_gain(
                codes[kept], list(columns), residuals.residuals[kept].astype(float),
                residuals.variances[kept].astype(float), GAIN_PENALTY,
            )  # fmt: skip
            assert found[fold, number] == pytest.approx(expected, rel=1e-9)


def test_threads_do_not_change_a_bit():
    grid, codes, residuals = random_problem(rows=5000, columns=8)
    sets = [(i, j) for i in range(8) for j in range(i)]
    one, four = (residuals.gains(grid, codes, sets, threads) for threads in (1, 4))
    np.testing.assert_array_equal(one, four)


def test_the_best_triples_are_found_from_the_best_pairs():
    grid, codes, residuals = random_problem(3, rows=600, columns=6)
    odd = ((codes[:, 1] + codes[:, 4]) % 3 == 0) & (codes[:, 2] == 1)
    residuals.residuals[:] = np.where(odd, 0.6, -0.2)[:, None]
    assert all(sets[0] == (1, 2, 4) for sets in best_sets(residuals, grid, codes, 3, 5, 1))


def test_what_is_chosen_for_a_part_has_not_seen_its_rows():
    grid, codes, residuals = random_problem(4, rows=300)
    before = best_sets(residuals, grid, codes, 2, 3, 1)
    residuals.residuals[residuals.part == 1] *= -7
    after = best_sets(residuals, grid, codes, 2, 3, 1)
    assert before[1] == after[1]
    assert before[3] != after[3]


def test_one_column_has_no_sets():
    grid, codes, residuals = random_problem(columns=1)
    assert best_sets(residuals, grid, codes, 3, 5, 1) == [[], [], [], []]


def test_cells_with_a_missing_value():
    grid = Grid(tuple(np.arange(arity, dtype=np.uint16) for arity in (3, 2, 4)), np.array([3, 2, 4]))
    sets = [(0, 1), (2, 0)]
    expected = [
        any(state == grid.arities[j] - 1 for state, j in zip(states, columns, strict=True))
        for columns in sets
        for states in np.ndindex(*grid.arities[list(columns)])
    ]
    np.testing.assert_array_equal(incomplete_cells(grid, np.array(sets)), expected)


def test_tables_that_are_made_some_at_a_time_are_those_made_together(monkeypatch):
    grid, codes, _ = random_problem(6, rows=90, states=4)
    target = np.zeros(90, dtype=np.int32)
    rows = PoolRows(codes, tuple(range(5)), FineColumns((), ()), (), target, 2, np.linspace(0.5, 2, 90), 1)
    left_out, sets, told = np.arange(90) % 3 == 1, [(0, 1), (1, 3), (2, 4)], np.linspace(0, 1, 90)
    made = []
    for most in (1, 10**6):
        monkeypatch.setattr("bayleaf.pool.refining.MOST_NUMBERED", most)
        made.append(Branch.without(left_out, 2).grown(rows, View(grid, codes), sets, told))
    one_by_one, together = made
    np.testing.assert_array_equal(one_by_one.cells, together.cells)
    np.testing.assert_array_equal(one_by_one.relative, together.relative)
    used = ~left_out
    for family, cells in zip(together.families, together.cells, strict=True):
        states = codes[:, list(family.columns)]
        known = (states < 3).all(axis=1)
        for row in np.flatnonzero(known & used)[:10]:
            same = (states == states[row]).all(axis=1) & used
            enough = rows.weights[same].sum() >= LEAST_ROWS
            assert (cells[row] >= 0) == enough
            assert (cells[(states == states[row]).all(axis=1)] == cells[row]).all()
            if enough:
                expected = PER_COLUMN * (1 + RELATIVE * told[same].sum())
                assert together.relative[cells[row]] == pytest.approx(expected)
        assert (cells[~known] == -1).all()
