import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf.graph import maximum_arborescence, maximum_spanning_tree
from reference.graphs import arborescences, leads_to_root, total_weight


@st.composite
def directed_weights(draw, max_nodes=5):
    """Small whole numbers give many ties, and exact sums."""
    n = draw(st.integers(1, max_nodes))
    numbers = draw(st.lists(st.integers(-3, 3), min_size=n * n, max_size=n * n))
    allowed = draw(st.lists(st.sampled_from([True, True, False]), min_size=n * n, max_size=n * n))
    return np.array(numbers, dtype=float).reshape(n, n), np.array(allowed).reshape(n, n)


@settings(deadline=None, max_examples=20)
@given(directed_weights())
def test_best_of_all_arborescences(problem):
    weights, allowed = problem
    candidates = list(arborescences(len(weights), allowed))
    if not candidates:
        with pytest.raises(ValueError, match="No spanning arborescence: none of the"):
            maximum_arborescence(weights, allowed)
        return
    parents = tuple(maximum_arborescence(weights, allowed))
    best = max(total_weight(weights, candidate) for candidate in candidates)
    assert parents in candidates
    assert total_weight(weights, parents) == best
    first_root = min(c.index(None) for c in candidates if total_weight(weights, c) == best)
    assert parents.index(None) == first_root


@settings(deadline=None, max_examples=20)
@given(directed_weights(), st.data())
def test_best_arborescence_of_a_given_root(problem, data):
    weights, allowed = problem
    root = data.draw(st.integers(0, len(weights) - 1))
    candidates = [c for c in arborescences(len(weights), allowed) if c[root] is None]
    if not candidates:
        with pytest.raises(ValueError, match=f"cannot be reached from root {root} through allowed arcs"):
            maximum_arborescence(weights, allowed, root)
        return
    parents = tuple(maximum_arborescence(weights, allowed, root))
    assert parents in candidates
    assert total_weight(weights, parents) == max(total_weight(weights, c) for c in candidates)


@settings(deadline=None, max_examples=20)
@given(st.integers(2, 40), st.integers(0, 2**32 - 1))
def test_no_single_change_of_parent_improves_a_larger_one(n, seed):
    weights = np.random.default_rng(seed).normal(size=(n, n))
    parents = maximum_arborescence(weights)
    total = total_weight(weights, parents)
    root = parents.index(None)
    assert all(leads_to_root(parents, node) for node in range(n))
    assert parents == maximum_arborescence(weights, root=root)
    for other in range(n):
        assert total_weight(weights, maximum_arborescence(weights, root=other)) <= total + 1e-9
    for child, parent in np.ndindex(n, n):
        changed = [*parents[:child], parent, *parents[child + 1 :]]
        if child not in (root, parent) and all(leads_to_root(changed, node) for node in range(n)):
            assert total_weight(weights, changed) <= total + 1e-9


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_symmetric_weights_give_the_spanning_tree(n, seed):
    upper = np.triu(np.random.default_rng(seed).integers(-50, 50, size=(n, n)), k=1).astype(float)
    weights = upper + upper.T
    parents = maximum_arborescence(weights)
    assert parents[0] is None
    assert total_weight(weights, parents) == total_weight(weights, maximum_spanning_tree(weights, 0))


def test_nested_cycles_are_opened_again():
    # 0 and 1 prefer each other, so do 2 and 3, and then the two pairs.
    weights = np.full((5, 5), -100.0)
    weights[0, 1] = weights[1, 0] = weights[2, 3] = weights[3, 2] = 10.0
    weights[1, 2] = weights[3, 0] = 5.0
    weights[4, 0] = 1.0
    assert maximum_arborescence(weights, root=4) == [4, 0, 1, 2, None]


def test_small_differences_between_roots_count_beside_large_weights():
    weights = np.full((3, 3), -1e12)
    weights[0, 1], weights[1, 0] = 1.0, 1.0 + 1e-7
    weights[0, 2] = weights[1, 2] = 1e12
    assert maximum_arborescence(weights) == [1, None, 0]


def test_two_hundred_nodes():
    weights = np.random.default_rng(0).normal(size=(200, 200))
    parents = maximum_arborescence(weights)
    assert parents.count(None) == 1
    assert all(leads_to_root(parents, node) for node in range(200))
    assert all(parent is None or type(parent) is int for parent in parents)
    # No arborescence can have more than the best arc into each node.
    np.fill_diagonal(weights, -np.inf)
    assert total_weight(weights, parents) <= weights.max(axis=0).sum()


def test_entries_that_are_not_allowed_may_hold_anything():
    weights = np.array([[np.nan, 1.0], [np.inf, np.nan]])
    before = weights.copy()
    allowed = np.array([[False, True], [False, False]])
    assert maximum_arborescence(weights, allowed) == [None, 0]
    np.testing.assert_array_equal(weights, before)
    assert allowed.sum() == 1


def test_one_node():
    assert maximum_arborescence([[0.0]]) == maximum_arborescence([[0.0]], root=0) == [None]


@pytest.mark.parametrize(
    ("weights", "allowed", "root", "message"),
    [
        (np.zeros((2, 3)), None, None, r"^weights must be a square matrix; its shape is \(2, 3\)\.$"),
        (
            np.zeros((2, 2)),
            [[True]],
            None,
            r"^allowed must have the shape of weights, \(2, 2\); got \(1, 1\)\.$",
        ),
        (
            [[0, np.nan], [0, 0]],
            None,
            None,
            r"^weights must be finite where allowed; weights\[0, 1\] is nan\.$",
        ),
        (
            [[0, 0], [-np.inf, 0]],
            None,
            0,
            r"^weights must be finite where allowed; weights\[1, 0\] is -inf\.$",
        ),
        (np.zeros((2, 2)), None, 2, r"^root must be a node index from 0 to 1; got 2\.$"),
        (
            np.zeros((3, 3)),
            np.eye(3),
            1,
            r"^No spanning arborescence: 2 of 3 nodes \(0, 2\) cannot be reached from root 1 through "
            r"allowed arcs\.$",
        ),
        (
            np.zeros((20, 20)),
            np.zeros((20, 20)),
            0,
            r"19 of 20 nodes \(1, 2, 3, 4, 5, 6, 7, 8, \.\.\.\) cannot be reached from root 0",
        ),
        (
            np.zeros((3, 3)),
            np.eye(3),
            None,
            r"^No spanning arborescence: none of the 3 nodes reaches all the others through allowed arcs\.$",
        ),
        (np.zeros((0, 0)), None, None, r"^No spanning arborescence: none of the 0 nodes"),
    ],
)
def test_wrong_input(weights, allowed, root, message):
    with pytest.raises(ValueError, match=message):
        maximum_arborescence(weights, allowed, root)
