import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data.discretize import apply_cuts


def bin_sizes(values, cuts, weights=None):
    return np.bincount(apply_cuts(values, cuts), weights, minlength=len(cuts) + 1)


columns = st.lists(
    st.one_of(st.integers(-3, 3).map(float), st.floats(-100, 100, allow_subnormal=False)), max_size=120
).map(lambda values: np.array(values, dtype=np.float64))


@given(columns, st.integers(2, 12))
def test_cuts_increase_and_leave_no_bin_empty(values, bins):
    cuts = bl.AdaptiveQuantiles(bins=bins).cut_points(values)
    assert (np.diff(cuts) > 0).all()
    if values.size:
        assert (bin_sizes(values, cuts) > 0).all()


@given(columns, st.integers(2, 12))
def test_a_value_as_heavy_as_a_bin_is_alone(values, bins):
    discretizer = bl.AdaptiveQuantiles(bins=bins)
    distinct, counts = np.unique(values, return_counts=True)
    n_bins = discretizer.n_bins(len(values))
    heavy = distinct[counts * n_bins >= len(values)]
    if len(heavy) >= n_bins:  # as many as bins: all values are equally heavy
        return
    codes = apply_cuts(distinct, discretizer.cut_points(values))
    for value in heavy:
        assert (codes == codes[distinct == value][0]).sum() == 1


@given(columns, st.integers(2, 9), st.randoms(use_true_random=False))
def test_weights_are_copies_of_rows(values, bins, random):
    times = np.array([random.randint(1, 3) for _ in values], dtype=np.float64)
    weighted = bl.AdaptiveQuantiles(bins=bins).cut_points(values, weights=times)
    repeated = bl.AdaptiveQuantiles(bins=bins).cut_points(np.repeat(values, times.astype(int)))
    np.testing.assert_array_equal(weighted, repeated)


def test_values_without_ties_share_bins_of_equal_size():
    values = np.random.default_rng(0).normal(size=1000)
    sizes = bin_sizes(values, bl.AdaptiveQuantiles(bins=8).cut_points(values))
    assert sizes.tolist() == [125] * 8


def test_a_few_values_have_a_bin_each():
    values = np.repeat([1.0, 2.0, 5.0, 9.0], [500, 1, 3, 20])
    np.testing.assert_allclose(bl.AdaptiveQuantiles(bins=8).cut_points(values), [1.5, 3.5, 7.0])


def test_values_on_both_sides_of_a_heavy_one_are_divided():
    values = np.concatenate([np.linspace(-2, -1, 200), np.zeros(500), np.linspace(1, 2, 300)])
    cuts = bl.AdaptiveQuantiles(bins=10).cut_points(values)
    sizes = bin_sizes(values, cuts)
    assert 500 in sizes
    assert len(sizes) == 10
    assert sizes.min() >= 50


@pytest.mark.parametrize(("rows", "bins"), [(1, 2), (36, 6), (2000, 8), (4500, 12), (10**7, 32)])
def test_the_number_of_bins_grows_with_the_rows(rows, bins):
    assert bl.AdaptiveQuantiles(bins=8).n_bins(rows) == bins


def test_one_bin_is_refused():
    with pytest.raises(ValueError, match="'bins' parameter of AdaptiveQuantiles must be an int in the range"):
        bl.AdaptiveQuantiles(bins=1).cut_points(np.arange(3.0))
