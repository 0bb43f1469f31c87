import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayleaf.pool.grids import FINE, FineColumns, FineGrid
from reference import pool as slow


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=60),
    st.integers(2, 20),
    st.floats(0, 0.99),
)
def test_states_are_intervals_and_a_missing_value_is_the_last(counts, bins, shift):
    weights = np.array(counts, dtype=float)
    grid = FineColumns((weights,), (len(weights),)).grid(bins, np.array([shift]))
    states = grid.states[0]
    assert (np.diff(states.astype(int)) >= 0).all()
    assert (np.diff(states.astype(int)) <= 1).all()
    assert states[0] == 0
    assert (states == states[-1]).sum() == 1
    assert grid.arities[0] == states[-1] + 1


@given(st.lists(st.integers(1, 200), min_size=2, max_size=60), st.integers(2, 20))
def test_a_heavy_value_is_alone(counts, bins):
    weights = np.array(counts, dtype=float)
    states = FineColumns((weights,), (len(weights),)).grid(bins).states[0][:-1]
    for value in np.flatnonzero(weights > weights.sum() / bins):
        assert (states == states[value]).sum() == 1


def test_a_gap_that_tells_stays_apart_from_the_numbers():
    states = FineColumns((np.array([5.0, 5, 5, 5, 2]),), (4,)).grid(2).states[0]
    assert states.tolist() == [0, 0, 1, 1, 2, 3]


def test_rare_categories_share_a_state():
    states = FineColumns((np.array([1.0, 9, 2, 8, 3]),), (0,)).grid(3).states[0]
    assert states.tolist() == [2, 0, 2, 1, 2, 3]


def test_a_shift_moves_the_borders():
    columns = FineColumns((np.full(100, 10.0),), (100,))
    plain, shifted = (columns.grid(10, np.array([shift])).states[0] for shift in (0.0, 0.5))
    assert plain[[9, 10]].tolist() == [0, 1]
    assert shifted[[4, 5, 14]].tolist() == [0, 1, 1]


def test_codes_of_a_grid_are_those_of_the_numbers():
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=5000), 2)
    fine = FineGrid()
    cuts = fine.cut_points(values, name="x")
    codes = np.searchsorted(cuts, values)
    assert len(cuts) < FINE
    np.testing.assert_allclose(fine.centres["x"][codes], values)


def test_many_values_share_fine_intervals_and_centres_are_means():
    values = np.random.default_rng(1).normal(size=20_000)
    fine = FineGrid()
    cuts = fine.cut_points(values, name=0)
    assert len(cuts) == FINE - 1
    codes = np.searchsorted(cuts, values)
    means = np.bincount(codes, values) / np.bincount(codes)
    np.testing.assert_allclose(fine.centres[0], means)
    assert np.bincount(codes).max() <= 25


def test_weights_are_copies():
    rng = np.random.default_rng(2)
    values, times = rng.normal(size=3000), rng.integers(1, 4, 3000)
    one, other = FineGrid(), FineGrid()
    cuts = one.cut_points(values, weights=times.astype(float), name="x")
    np.testing.assert_array_equal(cuts, other.cut_points(np.repeat(values, times), name="x"))
    np.testing.assert_allclose(one.centres["x"], other.centres["x"])


@pytest.mark.parametrize("values", [[], [3.0], [2.0, 2.0]])
def test_few_values_are_not_cut(values):
    assert len(FineGrid().cut_points(np.array(values), name="x")) == 0


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from([0.1, 0.3, 1.0, 2.0, 2.5, 17.0]), min_size=2, max_size=400),
            st.booleans(),
        ),
        min_size=1,
        max_size=4,
    ),
    st.integers(2, 40),
    st.integers(2, 9),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_all_columns_are_cut_at_once_as_one_by_one(columns, bins, categories, shifted, seed):
    counts = tuple(np.array(weights) for weights, _ in columns)
    # The last code of numbers is a gap that tells something.
    intervals = tuple(len(weights) - 1 if is_number else 0 for weights, is_number in columns)
    shifts = np.random.default_rng(seed).random(len(columns)) if shifted else None
    grid = FineColumns(counts, intervals).grid(bins, shifts, categories)
    for j, states in enumerate(grid.states):
        if intervals[j]:
            shift = 0.0 if shifts is None else shifts[j]
            expected = slow.states_of_numbers(counts[j], intervals[j], bins, shift)
        else:
            expected = slow.states_of_categories(counts[j], categories)
        assert states.tolist() == [*expected, max(expected) + 1]
        assert grid.arities[j] == states[-1] + 1
