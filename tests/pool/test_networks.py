from dataclasses import replace

import numpy as np
import pytest

from bayleaf._native import _core
from bayleaf.data import Table, Variable
from bayleaf.data.table import stratified_folds
from bayleaf.graph import DAG
from bayleaf.learn.parameters import Shrinkage
from bayleaf.pool.grids import FineColumns, FoldOrder, Grid, PoolRows
from bayleaf.pool.members import Information, Network, Plan, bins_for, crossfit, measure, plans
from reference import pool as slow
from reference.information import conditional_mutual_information

STRENGTHS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 512.0)


def random_rows(seed=0, rows=60, columns=4, states=3, classes=3, gaps=0.2, weights=None):
    """Columns that depend on the class and on each other; the last state of a grid is a missing value."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, classes, rows).astype(np.int32)
    fine = (target[:, None] + rng.integers(0, 2, (rows, columns))) % states
    fine[rng.random(fine.shape) < 0.3] = 0
    fine = np.where(rng.random(fine.shape) < gaps, 255, fine).astype(np.uint8)
    counts = tuple(np.bincount(column[column < 255], minlength=states).astype(float) for column in fine.T)
    made = FineColumns(counts, (0,) * columns)
    empty = (np.empty(0),) * columns
    return PoolRows(
        np.asfortranarray(fine), tuple(range(columns)), made, empty, target, classes, weights, n_jobs=1
    )


def identity_grid(rows, states=3):
    return Grid(
        (np.arange(states + 1, dtype=np.uint16),) * rows.n_columns, np.full(rows.n_columns, states + 1)
    )


def as_pairs(rows):
    codes = np.minimum(rows.fine, 3).tolist()
    return list(zip(map(tuple, codes), rows.target.tolist(), strict=True))


def scores_of(rows, folds, graphs, threads=1):
    grid = identity_grid(rows)
    lists = [parents for graph in graphs for parents in graph]
    flat = np.array([parent for parents in lists for parent in parents], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(parents) for parents in lists])]).astype(np.int64)
    scores = np.empty((rows.n_columns, folds.n_rows, rows.classes), dtype=np.float32)
    _core.crossfit_families(
        grid.codes(rows.fine), grid.arities, rows.target, rows.classes, rows.weights, folds.order, folds.starts,
        flat, offsets, np.array(STRENGTHS), scores, threads,
    )  # fmt: skip
    return scores


@pytest.mark.parametrize("seed", range(2))
def test_scores_are_those_of_tables_that_are_counted_without_the_fold(seed):
    rows = random_rows(seed)
    folds = FoldOrder.of(stratified_folds(rows.target, 3, seed), 3)
    graphs = [((), (0,), (1, 0), (2, 0, 1)), ((), (0,), (0, 1), (0,)), ((), (), (1, 0), (2, 1, 0))]
    found = scores_of(rows, folds, graphs)
    pairs, missing = as_pairs(rows), [3] * 4
    for child in range(4):
        for fold, graph in enumerate(graphs):
            strengths = slow.best_strengths(pairs, child, graph[child], 3, 3, missing, STRENGTHS)
            others = [pair for pair, own in zip(pairs, folds.fold, strict=True) if own != fold]
            for row in folds.rows(fold)[:6]:
                expected = slow.estimates(
                    others, pairs[row][0], child, graph[child], 3, 3, missing, strengths
                )
                np.testing.assert_allclose(found[child, row], np.log(expected), rtol=2e-6, atol=2e-6)


def test_rows_behind_those_of_the_folds_are_in_none_of_them():
    rows = random_rows(5)
    graphs = [((), (0,), (1, 0), (2, 0, 1))] * 2
    folds = FoldOrder.of(np.array([0, 1] * 10, dtype=np.uint8), 2)
    found = scores_of(rows, folds, graphs)
    pairs = as_pairs(rows)
    others = [pairs[k] for k in range(60) if k >= 20 or k % 2]
    strengths = slow.best_strengths(pairs, 3, (2, 0, 1), 3, 3, [3] * 4, STRENGTHS)
    expected = slow.estimates(others, pairs[4][0], 3, (2, 0, 1), 3, 3, [3] * 4, strengths)
    np.testing.assert_allclose(found[3, 4], np.log(expected), rtol=2e-6, atol=2e-6)


def test_threads_do_not_change_a_bit():
    rows = random_rows(1, rows=3000, columns=6)
    folds = FoldOrder.of(stratified_folds(rows.target, 5, 0), 5)
    graphs = [tuple(tuple(range(j))[-3:] for j in range(6))] * 5
    np.testing.assert_array_equal(scores_of(rows, folds, graphs), scores_of(rows, folds, graphs, threads=4))


@pytest.mark.parametrize("weighted", [False, True])
def test_tables_are_those_of_shrinkage(weighted):
    weights = np.random.default_rng(2).uniform(0.5, 3.0, 60) if weighted else None
    rows = random_rows(2, gaps=0.0, weights=weights)
    network = Network(identity_grid(rows), ((), (0,), (1,), (2, 0)))
    variables = [Variable(str(j), (0, 1, 2)) for j in range(5)]
    codes = np.column_stack([rows.fine, rows.target])
    table = Table.from_codes(tuple(variables), codes, weights, target=4)
    arcs = [("4", str(j)) for j in range(4)]
    arcs += [(str(parent), str(child)) for child, own in enumerate(network.parents) for parent in own]
    expected = Shrinkage().fit(table, DAG([str(j) for j in range(5)], arcs))
    tables = network.tables(rows)
    for child in range(3):
        parents = network.parents[child]
        shape = [4] * (len(parents) + 1)
        found = np.exp(tables[child]).reshape(*shape, 3)[tuple(slice(3) for _ in shape)]
        np.testing.assert_allclose(np.moveaxis(expected[child], -2 if parents else 0, -1), found, rtol=1e-9)


def test_a_table_backs_off_where_a_parent_is_missing():
    rows = random_rows(3, gaps=0.0)
    network = Network(identity_grid(rows), ((), (0,), (), ()))
    with_parent = network.tables(rows)[1].reshape(4, 4, 3)
    without = Network(network.grid, ((), (), (), ())).tables(rows)[1]
    np.testing.assert_allclose(with_parent[3], without, rtol=1e-9)
    assert not with_parent[:, 3].any()  # a missing value says nothing


def test_parents_come_before_their_children_and_respect_the_number_of_cells():
    rng = np.random.default_rng(0)
    d = 12
    dependence = rng.random((d, d))
    information = Information(rng.random(d), dependence + dependence.T)
    for plan in plans(d, 5000, 2, rng):
        parents = plan.graph(information, np.full(d, plan.bins + 1), 2, 20_000)
        order = np.argsort(-(information.relevance * plan.jitter), kind="stable").tolist()
        for child, own in enumerate(parents):
            assert len(own) <= plan.parents
            assert all(order.index(parent) < order.index(child) for parent in own)
            assert 2 * (plan.bins + 1) ** (1 + len(own)) <= 20_000 or not own


def test_the_first_cycle_is_kdb_as_published():
    information = Information(
        np.array([0.3, 0.2, 0.1]), np.array([[0.0, 0.5, 0.4], [0.5, 0.0, 0.6], [0.4, 0.6, 0.0]])
    )
    nothing = np.zeros(3), np.ones(3), np.zeros((3, 3), dtype=bool)
    assert Plan(2, 4, *nothing).graph(information, np.full(3, 5), 2, 10**6) == ((), (0,), (1, 0))


def test_withheld_parents_are_taken_only_where_all_are_withheld():
    information = Information(np.array([0.3, 0.2, 0.1]), np.ones((3, 3)))
    withheld = np.zeros((3, 3), dtype=bool)
    withheld[1, 0] = withheld[2, 0] = True
    plan = Plan(2, 4, np.zeros(3), np.ones(3), withheld)
    assert plan.graph(information, np.full(3, 5), 2, 10**6) == ((), (0,), (1,))


def test_graphs_of_folds_have_not_seen_them():
    rows = random_rows(4, rows=200)
    folds = FoldOrder.of(stratified_folds(rows.target, 4, 0), 4)
    found = measure(rows, folds)
    for fold in range(4):
        kept = rows.take(np.flatnonzero(folds.fold != fold))
        alone = measure(kept, FoldOrder.of(np.zeros(kept.n_rows, dtype=np.uint8), 1))[-1]
        np.testing.assert_allclose(found[fold].relevance, alone.relevance, atol=1e-12)
        np.testing.assert_allclose(found[fold].dependence, alone.dependence, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_dependence_is_conditional_information_less_what_chance_gives(weighted):
    weights = np.random.default_rng(3).integers(1, 4, 60).astype(float) if weighted else None
    rows = random_rows(5, gaps=0.1, weights=weights)
    found = measure(rows, FoldOrder.of(np.zeros(60, dtype=np.uint8), 1))[-1]
    codes = np.column_stack([np.minimum(rows.fine, 3), rows.target]).tolist()
    total = 60 if weights is None else weights.sum()
    for x, y in [(0, 1), (2, 3)]:
        by_chance = sum(
            (len({row[x] for row in codes if row[4] == c}) - 1)
            * (len({row[y] for row in codes if row[4] == c}) - 1)
            for c in range(3)
        ) / (2 * total)
        shared = conditional_mutual_information(codes, [x], [y], [4], [4] * 5, weights=weights)
        assert found.dependence[x, y] == pytest.approx(shared - by_chance, abs=1e-12)


def test_columns_that_share_nothing_have_no_dependence_on_average():
    rng = np.random.default_rng(0)
    dependence = []
    for _ in range(60):
        rows = random_rows(0, rows=150, gaps=0.0)
        independent = np.asfortranarray(rng.integers(0, 3, rows.fine.shape), dtype=np.uint8)
        found = measure(replace(rows, fine=independent), FoldOrder.of(np.zeros(150, dtype=np.uint8), 1))[-1]
        dependence.append(found.dependence[np.triu_indices(4, 1)].mean())
    assert abs(np.mean(dependence)) < 0.006  # by counting alone it would be 0.04


def test_a_member_is_the_same_for_equal_chances():
    rows = random_rows(6, rows=300)
    folds = FoldOrder.of(stratified_folds(rows.target, 5, 0), 5)
    information = measure(rows, folds)
    one, other = (plans(4, 300, 2, np.random.default_rng(7))[-1] for _ in range(2))
    (first, scores), (second, again) = (crossfit(plan, rows, folds, information) for plan in (one, other))
    assert first.parents == second.parents
    np.testing.assert_array_equal(scores, again)


@pytest.mark.parametrize("rows", [1, 9, 4000, 10**6])
def test_more_rows_have_no_fewer_intervals(rows):
    assert bins_for(10, rows) <= bins_for(10, rows + 1000)
    assert bins_for(10, rows) >= 3


@pytest.mark.parametrize("seed", range(8))
def test_graphs_are_those_of_the_slow_way(seed):
    rng = np.random.default_rng(seed)
    d, most = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    # Few values, so that columns depend equally on several others; in some graphs nearly all parents are withheld.
    information = Information(rng.integers(0, 4, d) / 4, rng.integers(-2, 5, (d, d)) / 8)
    withheld = rng.random((d, d)) < rng.choice([0.0, 0.5, 0.95])
    arities = rng.integers(2, 9, d)
    order = np.argsort(-information.relevance, kind="stable").tolist()
    expected = slow.graph(order, withheld, information.dependence, arities.tolist(), 3, most, 300)
    plan = Plan(most, 4, np.zeros(d), np.ones(d), withheld)
    assert plan.graph(information, arities, 3, 300) == expected
