"""MDLP against the paper's definition, known results, and what must not change its cuts."""

import math
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from bayleaf.data.discretize import MDLP
from reference.discretize import repeat_rows, slow_codes, slow_mdlp, slow_mdlp_limited


@st.composite
def columns(draw, max_rows=24, max_weight=3):
    """Values with ties, of which some follow the class, and small whole weights."""
    n = draw(st.integers(1, max_rows))
    target = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    noise = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    follow = draw(st.sampled_from([0, 2, 5]))
    weights = draw(st.lists(st.integers(0, max_weight), min_size=n, max_size=n))
    values = [follow * c + e for c, e in zip(target, noise, strict=True)]
    return np.array(values, dtype=float), np.array(target), np.array(weights, dtype=float)


@settings(deadline=None, max_examples=20)
@given(columns())
@example((np.array([0.0, 1.0]), np.array([0, 1]), np.array([1.0, 1.0])))
@example((np.array([0.0, 1.0, 2.0]), np.array([0, 1, 0]), np.array([3.0, 3.0, 3.0])))  # two best cuts
def test_cuts_are_those_of_the_definition(column):
    values, target, weights = column
    expected = slow_mdlp(repeat_rows(values, target, weights))
    assert MDLP().cut_points(values, target, weights).tolist() == expected


@settings(deadline=None, max_examples=20)
@given(columns(), st.integers(2, 4))
def test_max_bins_keeps_the_most_profitable_cuts(column, max_bins):
    values, target, weights = column
    expected = slow_mdlp_limited(repeat_rows(values, target, weights), max_bins)
    assert MDLP(max_bins=max_bins).cut_points(values, target, weights).tolist() == expected


@pytest.mark.parametrize(
    ("column", "cuts"), [(0, [5.55, 6.15]), (1, [2.95, 3.35]), (2, [2.45, 4.75]), (3, [0.8, 1.75])]
)
def test_iris(column, cuts):
    X, y = load_iris(return_X_y=True)
    np.testing.assert_allclose(MDLP().cut_points(X[:, column], y), cuts)


@settings(deadline=None)
@given(columns(max_rows=60, max_weight=5))
def test_whole_weights_are_repeated_rows_exactly(column):
    values, target, weights = column
    times = weights.astype(int)
    repeated = MDLP().cut_points(np.repeat(values, times), np.repeat(target, times))
    np.testing.assert_array_equal(MDLP().cut_points(values, target, weights), repeated, strict=True)


def test_whole_weights_are_repeated_rows_exactly_in_many_rows():
    rng = np.random.default_rng(3)
    target = rng.integers(0, 5, 5000)
    values = rng.normal(size=5000) + target
    weights = rng.integers(0, 4, 5000)
    weighted = MDLP().cut_points(values, target, weights.astype(float))
    repeated = MDLP().cut_points(np.repeat(values, weights), np.repeat(target, weights))
    assert weighted.size > 3
    np.testing.assert_array_equal(weighted, repeated, strict=True)


@settings(deadline=None)
@given(columns(max_rows=60), st.randoms(use_true_random=False))
def test_order_of_rows_does_not_matter(column, random):
    values, target, weights = column
    order = np.array(random.sample(range(values.size), values.size))
    shuffled = MDLP().cut_points(values[order], target[order], weights[order])
    np.testing.assert_array_equal(MDLP().cut_points(values, target, weights), shuffled)


@settings(deadline=None)
@given(columns(max_rows=60), st.permutations(range(4)))
def test_names_of_classes_do_not_matter(column, names):
    values, target, weights = column
    renamed = MDLP().cut_points(values, np.array(names)[target], weights)
    np.testing.assert_array_equal(MDLP().cut_points(values, target, weights), renamed)


@settings(deadline=None)
@given(columns(max_rows=60), st.sampled_from([np.exp, np.cbrt, lambda x: 3 * x - 7]))
def test_monotone_transformation_keeps_the_bins(column, grow):
    values, target, weights = column
    before = slow_codes(values, MDLP().cut_points(values, target, weights))
    after = slow_codes(grow(values), MDLP().cut_points(grow(values), target, weights))
    present = weights > 0
    assert np.array(before)[present].tolist() == np.array(after)[present].tolist()


@settings(deadline=None)
@given(columns(max_rows=60, max_weight=1))
def test_fractional_weights_near_whole_ones_give_the_same_cuts(column):
    values, target, weights = column
    nearly = weights * (1 + 1e-13 * np.arange(weights.size))
    np.testing.assert_array_equal(
        MDLP().cut_points(values, target, weights), MDLP().cut_points(values, target, nearly)
    )


def test_tiny_weights_are_no_evidence():
    values, target = np.arange(10.0), np.repeat([0, 1], 5)
    assert MDLP().cut_points(values, target).tolist() == [4.5]
    assert MDLP().cut_points(values, target, np.full(10, 1e-3)).tolist() == []


@pytest.mark.parametrize(
    ("values", "target"),
    [
        ([], []),
        ([1.0], [0]),
        ([2.0, 2.0, 2.0, 2.0], [0, 1, 0, 1]),
        ([1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1]),
        ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0, 1, 0, 1, 0, 1]),
    ],
)
def test_no_cut_without_evidence(values, target):
    cuts = MDLP().cut_points(np.array(values), np.array(target, dtype=np.int64))
    assert cuts.dtype == np.float64
    assert cuts.shape == (0,)


def test_all_weights_zero_gives_no_cut():
    assert MDLP().cut_points(np.arange(4.0), np.array([0, 0, 1, 1]), np.zeros(4)).size == 0


def test_class_codes_may_have_gaps_and_be_many():
    values = np.arange(3000.0)
    cuts = MDLP().cut_points(values, np.where(values < 1000, 7, 70000))
    assert cuts.tolist() == [999.5]
    many = MDLP().cut_points(np.repeat(np.arange(700.0), 60), np.repeat(np.arange(700), 60))
    np.testing.assert_array_equal(many, np.arange(699) + 0.5)


@pytest.mark.parametrize("big", [1.7e308, 5e-324])
def test_cuts_separate_extreme_values(big):
    values = np.repeat([-big, 0.0, big], 20)
    cuts = MDLP().cut_points(values, np.repeat([0, 1, 0], 20))
    assert slow_codes([-big, 0.0, big], cuts) == [0, 1, 2]


def test_cut_separates_neighbouring_floats():
    values = np.repeat([1.0, math.nextafter(1.0, 2.0)], 20)
    cuts = MDLP().cut_points(values, np.repeat([0, 1], 20))
    assert slow_codes([1.0, math.nextafter(1.0, 2.0)], cuts) == [0, 1]


def test_deep_partitions_do_not_recurse():
    values = np.repeat(np.arange(3000.0), 30)
    cuts = MDLP().cut_points(values, (values % 2).astype(int))
    assert cuts.size > 2000


def test_large_columns_are_quick():
    rng = np.random.default_rng(0)
    target = rng.integers(0, 10, 200_000)
    values = rng.normal(size=target.size) + target
    started = time.perf_counter()
    cuts = MDLP().cut_points(values, target)
    assert time.perf_counter() - started < 5  # 0.05 s on a quiet machine; a loop over rows would take minutes
    assert cuts.size > 8


def test_target_is_required():
    with pytest.raises(ValueError, match="MDLP needs the class of every row"):
        MDLP().cut_points(np.arange(3.0))
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        MDLP().fit([[1.0], [2.0]], None)


def test_max_bins_is_checked():
    message = (
        r"The 'max_bins' parameter of MDLP must be an int in the range \[2, inf\) or None. Got 1 instead."
    )
    with pytest.raises(ValueError, match=message):
        MDLP(max_bins=1).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(TypeError, match="Got 'many' instead"):
        MDLP(max_bins="many").fit([[1.0], [2.0]], [0, 1])


def test_missing_and_continuous_targets_are_refused():
    with pytest.raises(ValueError, match="y has 1 missing of 4 values"):
        MDLP().fit(np.arange(4.0)[:, None], np.array(["a", None, "b", "a"], dtype=object))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        MDLP().fit(np.arange(4.0)[:, None], [0.1, 0.7, 0.3, 0.2])


def test_of_two_cuts_that_save_the_same_the_lower_is_accepted_first():
    """The first cut is in the middle; what is left on both sides is the same but for the names of the classes."""
    values, target = np.arange(400.0), np.repeat([0, 1, 2, 3], 100)
    assert MDLP(max_bins=3).cut_points(values, target).tolist() == [99.5, 199.5]
    assert MDLP(max_bins=3).cut_points(values, target[::-1].copy()).tolist() == [99.5, 199.5]
    assert MDLP().cut_points(values, target).tolist() == [99.5, 199.5, 299.5]
