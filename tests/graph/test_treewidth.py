from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bayleaf.graph import DAG, elimination_width, has_treewidth_at_most, min_fill_order, treewidth_bound
from bayleaf.graph.elimination import _minor_min_width, _reduced, _some_order_fits
from reference.graphs import (
    min_fill_by_definition,
    random_adjacency,
    random_parents,
    treewidth_by_orders,
    treewidth_by_subsets,
    width_of_order,
)


def undirected(n, edges):
    joined = np.zeros((n, n), dtype=bool)
    for first, second in edges:
        joined[first, second] = joined[second, first] = True
    return joined


def grid(side):
    nodes = [(row, column) for row in range(side) for column in range(side)]
    edges = [
        (nodes.index(a), nodes.index(b))
        for a, b in combinations(nodes, 2)
        if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1
    ]
    return undirected(side * side, edges)


def petersen():
    ring = [(i, (i + 1) % 5) for i in range(5)]
    return undirected(
        10, ring + [(i, i + 5) for i in range(5)] + [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    )


def cube():
    return undirected(8, [(a, b) for a, b in combinations(range(8), 2) if (a ^ b).bit_count() == 1])


def k_tree(n, k, seed):
    """A random k-tree, whose tree-width is k: each new node joins a clique of k old ones."""
    rng = np.random.default_rng(seed)
    edges, cliques = list(combinations(range(k + 1), 2)), list(combinations(range(k + 1), k))
    for node in range(k + 1, n):
        clique = cliques[rng.integers(len(cliques))]
        edges += [(other, node) for other in clique]
        cliques += [(*part, node) for part in combinations(clique, k - 1)]
    shuffled = rng.permutation(n)
    return undirected(n, [(shuffled[first], shuffled[second]) for first, second in edges])


@settings(deadline=None)
@given(random_adjacency(max_nodes=6))
def test_limit_is_exact(adjacency):
    treewidth = treewidth_by_orders(adjacency)
    assert treewidth == treewidth_by_subsets(adjacency)
    for k in range(7):
        assert has_treewidth_at_most(adjacency, k) == (treewidth <= k)
    assert treewidth_bound(adjacency) >= treewidth


@settings(deadline=None, max_examples=20)
@given(random_adjacency(max_nodes=9))
@example(petersen())
@example(cube())
@example(grid(3))
def test_each_step_of_the_exact_test_is_right(adjacency):
    treewidth = treewidth_by_subsets(adjacency)
    graph = {node: set(np.flatnonzero(row).tolist()) for node, row in enumerate(adjacency)}
    assert _minor_min_width(graph) <= treewidth <= treewidth_bound(adjacency)
    for k in range(len(adjacency)):
        assert _some_order_fits(graph, k) == has_treewidth_at_most(adjacency, k) == (treewidth <= k)
        left = _reduced(graph, k)
        if k <= 2:
            assert (treewidth <= k) == (not left)
    assert graph == {node: set(np.flatnonzero(row).tolist()) for node, row in enumerate(adjacency)}


@pytest.mark.parametrize(
    ("adjacency", "treewidth"),
    [
        (np.zeros((0, 0), dtype=bool), 0),
        (np.zeros((5, 5), dtype=bool), 0),
        (undirected(4, [(0, 1), (1, 2), (1, 3)]), 1),
        (undirected(40, [(i, (i + 1) % 40) for i in range(40)]), 2),
        (undirected(7, combinations(range(7), 2)), 6),
        (undirected(8, [(a, b) for a in range(4) for b in range(4, 8)]), 4),
        (cube(), 3),
        (petersen(), 4),
        (grid(3), 3),
        (grid(4), 4),
        (grid(5), 5),
        (k_tree(60, 1, seed=0), 1),
        (k_tree(60, 2, seed=1), 2),
        (k_tree(60, 3, seed=2), 3),
        (k_tree(250, 4, seed=3), 4),
    ],
)
def test_known_graphs(adjacency, treewidth):
    assert has_treewidth_at_most(adjacency, treewidth)
    assert treewidth == 0 or not has_treewidth_at_most(adjacency, treewidth - 1)
    assert treewidth_bound(adjacency) == treewidth


@pytest.mark.parametrize(("seed", "treewidth"), [(9, 4), (53, 5)])
def test_search_finds_what_min_fill_misses(seed, treewidth):
    upper = np.triu(np.random.default_rng(seed).random((12, 12)) < 0.4, k=1)
    adjacency = upper | upper.T
    assert treewidth_bound(adjacency) == treewidth + 1
    assert treewidth_by_subsets(adjacency) == treewidth
    assert has_treewidth_at_most(adjacency, treewidth)
    assert not has_treewidth_at_most(adjacency, treewidth - 1)


def test_loops_do_not_matter():
    looped = petersen()
    np.fill_diagonal(looped, True)
    assert has_treewidth_at_most(looped, 4)
    assert not has_treewidth_at_most(looped, 3)
    assert min_fill_order(looped, range(10)) == min_fill_order(petersen(), range(10))
    assert looped.diagonal().all()


@settings(deadline=None)
@given(random_parents(max_nodes=6))
def test_dags_are_judged_by_their_moral_graph(parents):
    dag = DAG.from_parents([f"n{node}" for node in range(len(parents))], parents)
    moral = undirected(
        len(parents),
        [pair for node, family in enumerate(parents) for pair in combinations({node, *family}, 2)],
    )
    assert dag.treewidth_bound() == treewidth_bound(moral)
    treewidth = treewidth_by_orders(moral)
    assert dag.has_treewidth_at_most(treewidth)
    assert treewidth == 0 or not dag.has_treewidth_at_most(treewidth - 1)


@settings(deadline=None)
@given(random_adjacency(max_nodes=12), st.data())
def test_min_fill_order_follows_the_definition(adjacency, data):
    nodes = range(len(adjacency))
    eliminate = data.draw(st.lists(st.sampled_from(nodes), unique=True)) if nodes else []
    before = adjacency.copy()
    assert min_fill_order(adjacency, eliminate) == min_fill_by_definition(adjacency, eliminate)
    assert (adjacency == before).all()


@settings(deadline=None)
@given(random_adjacency(max_nodes=8), st.data())
def test_width_of_an_order(adjacency, data):
    order = data.draw(st.permutations(range(len(adjacency))))
    assert elimination_width(adjacency, order) == width_of_order(adjacency, order)


def test_min_fill_order_of_a_large_graph():
    upper = np.triu(np.random.default_rng(0).random((250, 250)) < 0.02, k=1)
    order = min_fill_order(upper | upper.T, range(250))
    assert sorted(order) == list(range(250))
    assert all(type(node) is int for node in order)
    assert order == min_fill_by_definition(upper | upper.T, range(250))


def test_nodes_that_stay_keep_their_neighbours():
    # Eliminating only the hub of a star must join its rays, with nothing left to choose.
    star = undirected(5, [(0, ray) for ray in range(1, 5)])
    assert min_fill_order(star, [0]) == [0]
    assert min_fill_order(star, []) == []
    assert elimination_width(star, [0]) == 4


@pytest.mark.parametrize(
    ("adjacency", "message"),
    [
        (np.zeros((2, 3)), r"^adjacency must be a square matrix; its shape is \(2, 3\)\.$"),
        (np.zeros(4), r"^adjacency must be a square matrix; its shape is \(4,\)\.$"),
        (np.tri(3), r"^adjacency must be symmetric; entries \[0, 1\] and \[1, 0\] differ\.$"),
    ],
)
def test_wrong_matrices(adjacency, message):
    for function in (lambda a: min_fill_order(a, []), treewidth_bound, lambda a: has_treewidth_at_most(a, 2)):
        with pytest.raises(ValueError, match=message):
            function(adjacency)


def test_wrong_nodes_and_limits():
    with pytest.raises(ValueError, match=r"^A node to eliminate must be a node index from 0 to 2; got 3\.$"):
        min_fill_order(np.zeros((3, 3)), [0, 3])
    with pytest.raises(ValueError, match=r"^A node to eliminate must be a node index from 0 to 2; got -1\.$"):
        elimination_width(np.zeros((3, 3)), [-1])
    with pytest.raises(ValueError, match=r"^k must be zero or a positive integer; got -1\.$"):
        DAG(["a"]).has_treewidth_at_most(-1)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        DAG(["a"]).has_treewidth_at_most(1.5)
