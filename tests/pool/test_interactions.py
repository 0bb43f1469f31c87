import numpy as np
import pytest

from bayleaf.pool.grids import Grid
from bayleaf.pool.refining import GAIN_PENALTY, Residuals, best_sets, incomplete_cells
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
    grid = Grid((np.arange(3, dtype=np.uint16),) * 2, np.array([3, 3]))
    states = np.indices((3, 3)).reshape(2, -1)
    np.testing.assert_array_equal(incomplete_cells(grid, (0, 1)), (states == 2).any(axis=0))
