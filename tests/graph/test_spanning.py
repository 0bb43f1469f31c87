from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree

from bayleaf.graph import maximum_spanning_forest, maximum_spanning_tree
from reference.graphs import best_spanning_forest, component, leads_to_root


@st.composite
def symmetric_weights(draw, max_nodes=5):
    n = draw(st.integers(1, max_nodes))
    numbers = draw(st.lists(st.integers(-2, 2), min_size=n * n, max_size=n * n))
    upper = np.triu(np.array(numbers, dtype=float).reshape(n, n))
    return np.where(np.tri(n, dtype=bool), upper.T, upper)


def edges_of(parents):
    return {
        (min(child, parent), max(child, parent)) for child, parent in enumerate(parents) if parent is not None
    }


@settings(deadline=None)
@given(symmetric_weights(), st.data())
def test_tree_is_the_best_one_with_ties_by_feature_order(weights, data):
    n = len(weights)
    root = data.draw(st.integers(0, n - 1))
    parents = maximum_spanning_tree(weights, root)
    assert edges_of(parents) == best_spanning_forest(weights, np.ones((n, n), dtype=bool))
    assert parents[root] is None
    assert parents.count(None) == 1
    assert all(leads_to_root(parents, node) for node in range(n))


@settings(deadline=None)
@given(symmetric_weights(), st.sampled_from([-2.5, -1.0, 0.0, 1.0, 2.0]), st.data())
def test_forest_uses_all_edges_above_the_threshold_that_fit(weights, threshold, data):
    n = len(weights)
    root = data.draw(st.none() | st.integers(0, n - 1))
    preference = data.draw(st.none() | st.lists(st.integers(0, 2), min_size=n, max_size=n))
    parents = maximum_spanning_forest(weights, root, threshold, preference)
    edges = edges_of(parents)
    assert edges == best_spanning_forest(weights, weights > threshold)
    assert all(leads_to_root(parents, node) for node in range(n))
    for node in range(n):
        members = component(edges, node)
        liked = preference or [0] * n
        expected = root if root in members else max(members, key=lambda member: (liked[member], -member))
        assert [member for member in members if parents[member] is None] == [expected]


def test_equal_weights_make_a_star_around_the_first_feature():
    assert maximum_spanning_tree(np.ones((4, 4)), root=0) == [None, 0, 0, 0]
    assert maximum_spanning_tree(np.zeros((4, 4)), root=2) == [2, 0, None, 0]
    assert maximum_spanning_tree(-np.ones((4, 4)), root=3) == [3, 0, 0, None]


def test_all_ties_of_four_features():
    pairs = list(combinations(range(4), 2))
    for values in product([0.0, 1.0], repeat=len(pairs)):
        weights = np.zeros((4, 4))
        for (first, second), value in zip(pairs, values, strict=True):
            weights[first, second] = weights[second, first] = value
        expected = best_spanning_forest(weights, np.ones((4, 4), dtype=bool))
        assert all(edges_of(maximum_spanning_tree(weights, root)) == expected for root in range(4))


def test_one_feature():
    assert maximum_spanning_tree([[0.0]], root=0) == [None]
    assert maximum_spanning_tree([[np.nan]], root=0) == [None]
    assert maximum_spanning_forest([[0.0]], None, 0.0) == [None]


def test_infinite_weights_are_ordered_like_others():
    weights = np.full((3, 3), -np.inf)
    weights[0, 2] = weights[2, 0] = np.inf
    assert maximum_spanning_tree(weights, root=1) == [1, None, 0]


def test_threshold_can_differ_by_edge():
    weights = np.array([[0, 2, 3], [2, 0, 1], [3, 1, 0]], dtype=float)
    threshold = np.array([[0, 1, 3], [1, 0, 0], [3, 0, 0]], dtype=float)
    assert maximum_spanning_forest(weights, 2, threshold) == [1, 2, None]
    assert maximum_spanning_forest(weights, 2, 2.0) == [2, None, None]
    assert maximum_spanning_forest(weights, None, 3.0) == [None, None, None]


def test_rounding_differences_are_tolerated_and_input_is_left_alone():
    weights = np.random.default_rng(0).random((6, 6))
    weights = weights + weights.T
    noisy = weights * (1 + 1e-15 * np.tri(6))
    before = noisy.copy()
    assert maximum_spanning_tree(noisy, 0) == maximum_spanning_tree(weights, 0)
    assert (noisy == before).all()


def test_large_tree_has_the_weight_scipy_finds():
    upper = np.triu(np.random.default_rng(1).random((200, 200)) + 0.5, k=1)
    weights = upper + upper.T
    parents = maximum_spanning_tree(weights, root=17)
    total = sum(weights[parent, child] for child, parent in enumerate(parents) if parent is not None)
    assert total == pytest.approx(-minimum_spanning_tree(-upper).sum())
    assert parents.count(None) == 1
    assert all(parent is None or type(parent) is int for parent in parents)


@pytest.mark.parametrize(
    ("weights", "root", "message"),
    [
        (np.zeros((2, 3)), 0, r"^weights must be a square matrix; its shape is \(2, 3\)\.$"),
        (
            [[0, 1], [2, 0]],
            0,
            r"^weights must be symmetric; weights\[0, 1\] is 1 but weights\[1, 0\] is 2\.$",
        ),
        ([[0, np.nan], [np.nan, 0]], 0, r"^weights must be numbers; weights\[0, 1\] is NaN\.$"),
        (np.zeros((2, 2)), 2, r"^root must be a node index from 0 to 1; got 2\.$"),
        (np.zeros((2, 2)), -1, r"^root must be a node index from 0 to 1; got -1\.$"),
    ],
)
def test_wrong_input(weights, root, message):
    with pytest.raises(ValueError, match=message):
        maximum_spanning_tree(weights, root)
    with pytest.raises(ValueError, match=message):
        maximum_spanning_forest(weights, root, 0.0)


def test_wrong_thresholds_and_preferences():
    weights = np.zeros((2, 2))
    with pytest.raises(
        ValueError, match=r"^threshold must be a number or a matrix of shape \(2, 2\); got \(3, 3\)\.$"
    ):
        maximum_spanning_forest(weights, 0, np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"^threshold must be a square matrix; its shape is \(2,\)\.$"):
        maximum_spanning_forest(weights, 0, np.zeros(2))
    with pytest.raises(ValueError, match=r"^threshold must be numbers; threshold\[0, 1\] is NaN\.$"):
        maximum_spanning_forest(weights, 0, np.nan)
    with pytest.raises(
        ValueError, match=r"^root_preference must hold 2 numbers, one per node; got \[1.0\]\.$"
    ):
        maximum_spanning_forest(weights, 0, 0.0, [1.0])
