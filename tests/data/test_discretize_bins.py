"""MedianSplit, Quantiles and EqualWidth against sorted lists of repeated rows."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bayleaf.data.discretize import EqualWidth, MedianSplit, Quantiles
from reference.discretize import slow_codes, slow_quantile_cuts

numbers = st.integers(-8, 8).map(lambda half: half / 2)
weighted_columns = st.lists(st.tuples(numbers, st.integers(0, 4)), max_size=40)
columns = st.lists(numbers, min_size=1, max_size=40)


def repeated(rows):
    return [value for value, weight in rows for _ in range(weight)]


def as_arrays(rows):
    return np.array([value for value, _ in rows], dtype=float), np.array([w for _, w in rows], dtype=float)


@settings(deadline=None)
@given(columns)
@example([1.0, 2.0, 2.0, 2.0])
@example([1.0, 1.0, 2.0])
def test_median_split(column):
    cuts = MedianSplit().cut_points(np.array(column))
    if len(set(column)) == 1:
        assert cuts.tolist() == []
    elif statistics.median(column) < max(column):
        assert cuts.tolist() == [statistics.median(column)]
    else:  # everything would be in the lower bin: only the greatest value goes up
        assert slow_codes(column, cuts) == [int(value == max(column)) for value in column]


@settings(deadline=None)
@given(weighted_columns)
def test_median_weights_are_repeated_rows(rows):
    values, weights = as_arrays(rows)
    expected = MedianSplit().cut_points(np.array(repeated(rows), dtype=float))
    np.testing.assert_array_equal(MedianSplit().cut_points(values, weights=weights), expected, strict=True)


@settings(deadline=None)
@given(columns, st.integers(2, 9))
def test_quantiles_are_those_of_the_definition(column, bins):
    cuts = Quantiles(bins).cut_points(np.array(column))
    assert cuts.tolist() == slow_quantile_cuts(column, bins)
    assert set(slow_codes(column, cuts)) == set(range(len(cuts) + 1))  # no bin is empty


@settings(deadline=None)
@given(weighted_columns, st.integers(2, 9))
def test_quantile_weights_are_repeated_rows(rows, bins):
    values, weights = as_arrays(rows)
    expected = Quantiles(bins).cut_points(np.array(repeated(rows), dtype=float))
    np.testing.assert_array_equal(Quantiles(bins).cut_points(values, weights=weights), expected, strict=True)


@settings(deadline=None)
@given(columns, st.integers(2, 9), st.sampled_from([0.1, 0.3, 1 / 3, 7.7]))
def test_quantiles_do_not_depend_on_the_scale_of_weights(column, bins, scale):
    weights = np.full(len(column), scale)
    np.testing.assert_array_equal(
        Quantiles(bins).cut_points(np.array(column), weights=weights),
        Quantiles(bins).cut_points(np.array(column)),
    )


@settings(deadline=None)
@given(columns, st.integers(2, 9))
def test_equal_width(column, bins):
    low, high = min(column), max(column)
    cuts = EqualWidth(bins).cut_points(np.array(column))
    expected = [low + (high - low) * part / bins for part in range(1, bins)] if high > low else []
    np.testing.assert_allclose(cuts, expected, atol=1e-12)


def test_equal_width_leaves_out_rows_of_weight_zero():
    values, weights = np.array([0.0, 1.0, 3.0, 99.0]), np.array([1.0, 0.5, 2.0, 0.0])
    assert EqualWidth(3).cut_points(values, weights=weights).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("discretizer", [MedianSplit(), Quantiles(3), EqualWidth(3)])
@pytest.mark.parametrize("values", [[], [5.0], [5.0, 5.0, 5.0]])
def test_constant_and_empty_columns_get_no_cut(discretizer, values):
    cuts = discretizer.cut_points(np.array(values, dtype=float))
    assert cuts.dtype == np.float64
    assert cuts.shape == (0,)


@pytest.mark.parametrize("discretizer", [MedianSplit(), Quantiles(2), EqualWidth(7)])
@pytest.mark.parametrize(
    "pair", [(-1.7e308, 1.7e308), (1.0, math.nextafter(1.0, 2.0)), (0.0, 5e-324), (-5e-324, 0.0)]
)
def test_extreme_columns_are_still_separated(discretizer, pair):
    cuts = discretizer.cut_points(np.array(pair))
    codes = slow_codes(pair, cuts)
    assert codes[0] == 0
    assert codes[1] == len(cuts) >= 1
    assert (np.diff(cuts) > 0).all()
    assert np.isfinite(cuts).all()


@pytest.mark.parametrize("kind", [Quantiles, EqualWidth])
@pytest.mark.parametrize(
    ("bins", "error"), [(1, ValueError), (2.5, TypeError), (True, TypeError), (None, TypeError)]
)
def test_bins_is_checked(kind, bins, error):
    message = (
        rf"'bins' parameter of {kind.__name__} must be an int in the range \[2, inf\). Got {bins} instead."
    )
    with pytest.raises(error, match=message):
        kind(bins=bins).fit([[1.0], [2.0]])
