"""Every class-focused score against refitting with exact fractions."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.parameters import Dirichlet, Laplace, MaximumLikelihood
from bayleaf.learn.scores import (
    CMDL,
    ClassificationRate,
    ConditionalLogLikelihood,
    CrossValidatedLogLoss,
    CrossValidatedRisk,
    HoldoutRisk,
    RowLoss,
)
from bayleaf.learn.search import evaluator_at
from bayleaf.learn.search import samples as sample
from bayleaf.learn.search.log_joint import LogJointEvaluator
from bayleaf.learn.search.samples import table_folds
from reference import discriminative as slow
from reference.tree_problems import make_table

ESTIMATES = {"ml": MaximumLikelihood(), "laplace": Laplace(), "dirichlet": Dirichlet(ess=1.0)}


@st.composite
def problems(draw, missing=True):
    n = draw(st.integers(2, 5))
    target = draw(st.integers(0, n - 1))
    arities = [draw(st.integers(1, 3)) for _ in range(n)]
    arities[target] = draw(st.integers(1, 4))
    size = draw(st.integers(2, 14))
    cell = [st.none() | st.integers(0, a - 1) if missing else st.integers(0, a - 1) for a in arities]
    cell[target] = st.integers(0, arities[target] - 1)
    rows = [tuple(draw(c) for c in cell) for _ in range(size)]
    weights = draw(st.none() | st.lists(st.integers(1, 3), min_size=size, max_size=size))
    fold = draw(st.none() | st.lists(st.sampled_from([0, 1, 255]), min_size=size, max_size=size))
    if fold is not None:
        fold = [0, *fold[1:]]  # some row must be predicted
    estimate = draw(st.sampled_from(sorted(ESTIMATES)))
    order = draw(st.permutations(range(n)))
    graphs = []
    for _ in range(3):
        graph = [()] * n
        for position, node in enumerate(order):
            earlier = list(order[:position])
            graph[node] = (
                tuple(sorted(draw(st.lists(st.sampled_from(earlier), unique=True, max_size=2))))
                if earlier
                else ()
            )
        graphs.append(graph)
    return rows, arities, target, weights, fold, estimate, graphs


def expected(kind, problem, parents, cost=None):
    rows, arities, target, weights, fold, estimate, _ = problem
    weights = weights or [1] * len(rows)
    if kind == "error":
        return -float(slow.error_rate(rows, weights, arities, target, parents, fold, estimate))
    if kind == "log_loss":
        return slow.conditional_log_likelihood(rows, weights, arities, target, parents, fold, estimate)
    return -float(slow.mean_cost(rows, weights, arities, target, parents, cost, fold, estimate))


def start(kind, problem, cost=None, n_jobs=1):
    rows, arities, target, weights, fold, estimate, graphs = problem
    table = make_table(rows, arities, target, weights, n_jobs)
    return LogJointEvaluator(
        table,
        DAG.from_parents(table.names, graphs[0]),
        ESTIMATES[estimate],
        RowLoss(kind, None if cost is None else np.array(cost, dtype=float)),
        fold=None if fold is None else np.array(fold, dtype=np.uint8),
        mean=kind != "log_loss",
    )


@pytest.fixture(params=["small tables", "tables in parts"])
def small_table(request, monkeypatch):
    """Make tables of tiny problems as those of large ones are made, too: for observed configurations, in parts."""
    if request.param == "tables in parts":
        monkeypatch.setattr(sample, "SMALL_TABLE", 1)


in_both_ways = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("kind", ["error", "log_loss", "cost"])
@in_both_ways
@given(problem=problems(), data=st.data())
def test_scores_equal_refitting_from_scratch(kind, small_table, problem, data):
    arities, target, graphs = problem[1], problem[2], problem[-1]
    cost = None
    if kind == "cost":
        decisions = data.draw(st.integers(1, 4))
        costs = st.lists(st.integers(-5, 5), min_size=decisions, max_size=decisions)
        cost = [[*data.draw(costs)] for _ in range(arities[target])]
        cost[0][0] = 6
    tolerance = {"abs": 1e-7} if kind == "log_loss" else {"abs": 1e-8}
    evaluator = start(kind, problem, cost)
    assert evaluator.value == pytest.approx(expected(kind, problem, graphs[0], cost), **tolerance)
    # One node's family for another's.
    node = data.draw(st.integers(0, len(arities) - 1))
    sets = [graph[node] for graph in graphs]
    wanted = []
    for parents in sets:
        changed = list(graphs[0])
        changed[node] = parents
        wanted.append(expected(kind, problem, changed, cost))
    assert evaluator.scores(node, sets) == pytest.approx(wanted, **tolerance)
    best = evaluator.best(node, sets, above=-np.inf)
    assert best is not None
    assert best[0] == int(evaluator.scores(node, sets).argmax())
    assert best[1] == evaluator.scores(node, sets).max()
    assert evaluator.best(node, sets, above=best[1]) is None
    # Whole graphs at once, then for good.
    changes = [dict(enumerate(graph)) for graph in graphs]
    wanted = [expected(kind, problem, graph, cost) for graph in graphs]
    assert evaluator.change_scores(changes) == pytest.approx(wanted, **tolerance)
    for change, value in zip(changes, wanted, strict=True):
        evaluator.commit(change)
        assert evaluator.value == pytest.approx(value, **tolerance)
        assert evaluator.parents == tuple(change.values())


@in_both_ways
@given(problem=problems(), data=st.data())
def test_the_history_of_a_search_leaves_no_trace(small_table, problem, data):
    """After any exchanges the log-joint has the very bits of one computed from scratch."""
    graphs = problem[-1]
    wandering = start("error", problem)
    for _ in range(5):
        wandering.commit(dict(enumerate(data.draw(st.sampled_from(graphs)))))
    wandering.commit(dict(enumerate(graphs[0])))
    assert np.array_equal(wandering._log_joint, start("error", problem)._log_joint)


def random_table(rng, rows=700, n_jobs=1, weights=False):
    arities = [3, 4, 2, 5, 3, 4]
    target = 5
    codes = np.stack([rng.integers(0, a, rows) for a in arities], axis=1)
    codes[:, 1] = np.where(rng.random(rows) < 0.6, codes[:, target], codes[:, 1])
    codes[:, 0] = np.where(rng.random(rows) < 0.5, (codes[:, target] + codes[:, 1]) % 3, codes[:, 0])
    variables = tuple(Variable(f"v{j}", tuple(range(a))) for j, a in enumerate(arities))
    w = rng.random(rows) + 0.1 if weights else None
    return Table.from_codes(variables, codes, w, target, n_jobs)


NAIVE = [(5,), (5,), (5,), (5,), (5,), ()]
SETS = [(5,), (1, 5), (2, 5), (3, 5), (1, 2, 5), (2, 3, 5), (1, 2, 3, 5), (), (1,)]


@pytest.mark.parametrize(
    "score",
    [
        ClassificationRate(),
        ConditionalLogLikelihood(),
        CMDL(),
        CrossValidatedRisk(folds=3),
        CrossValidatedRisk(folds=3, loss=lambda truth, chosen: abs(truth - chosen)),
        CrossValidatedLogLoss(folds=4),
        HoldoutRisk(),
        HoldoutRisk(fixed=False),
    ],
    ids=["CR", "CLL", "CMDL", "RMCV", "RMCV with costs", "CV log-loss", "RMHO-f", "RMHO"],
)
@pytest.mark.parametrize("weights", [False, True])
def test_threads_and_early_abandonment_change_nothing(score, weights, small_table):
    results = []
    for n_jobs in (1, 2, 5):
        table = random_table(np.random.default_rng(1), n_jobs=n_jobs, weights=weights)
        evaluator = evaluator_at(score, table, DAG.from_parents(table.names, NAIVE), np.random.default_rng(7))
        scores = evaluator.scores(0, SETS)
        changes = [{0: parents} for parents in SETS]
        assert np.array_equal(evaluator.change_scores(changes), scores)
        first = int(scores.argmax())
        assert evaluator.best(0, SETS, -np.inf) == (first, scores[first])
        assert evaluator.best_change(changes, -np.inf) == (first, scores[first])
        assert evaluator.best(0, SETS, above=scores.max()) is None
        assert scores[0] == evaluator.value
        results.append(scores)
    assert all(np.array_equal(scores, results[0]) for scores in results)


@pytest.mark.parametrize(("classes", "features"), [(2, 3), (3, 60), (6, 12), (11, 4), (26, 8), (40, 3)])
@pytest.mark.parametrize("weights", [False, True])
def test_log_losses_of_exchanged_families_are_those_of_whole_log_joints(classes, features, weights):
    """One way multiplies exponentials, the other sums exponentials of sums: not a unit may differ in any row."""
    rng = np.random.default_rng(classes)
    truth = rng.integers(0, classes, 5000)
    # Some features tell the class almost surely, so that log-joints differ by hundreds.
    noise = rng.random((5000, features)) < np.linspace(0.001, 0.9, features)
    codes = np.where(noise, rng.integers(0, 5, (5000, features)), truth[:, None] % 5)
    variables = tuple(Variable(f"v{j}", tuple(range(5))) for j in range(features))
    variables += (Variable("class", tuple(range(classes))),)
    w = rng.random(5000) + 0.01 if weights else None
    table = Table.from_codes(variables, np.column_stack([codes, truth]), w, features)
    naive = DAG.from_parents(table.names, [(features,)] * features + [()])
    sets = [(features,), (1, features), (1, 2, features), (), (2,)]
    for score in (ConditionalLogLikelihood(), CrossValidatedLogLoss(folds=3)):
        evaluator = evaluator_at(score, table, naive, np.random.default_rng(0))
        scores = evaluator.scores(0, sets)
        assert scores[0] == evaluator.value
        assert np.array_equal(scores, evaluator.change_scores([{0: parents} for parents in sets]))
        for parents, promised in zip(sets, scores, strict=True):
            evaluator.commit({0: parents})
            assert evaluator.value == promised


@pytest.mark.parametrize("weights", [False, True])
def test_a_right_decision_may_earn_something(weights):
    """With negative costs the loss of a candidate can fall with every row: none may be given up too early."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        table = random_table(rng, rows=2000, weights=weights)
        cost = rng.normal(size=(4, 4)) * rng.integers(1, 5, (4, 1))
        np.fill_diagonal(cost, cost.min(axis=1))
        graph = DAG.from_parents(table.names, NAIVE)
        earning, paying = (
            evaluator_at(CrossValidatedRisk(loss=loss), table, graph, np.random.default_rng(0))
            for loss in (cost, cost - cost.min())
        )
        scores = earning.scores(0, SETS)
        assert scores == pytest.approx(paying.scores(0, SETS) - cost.min(), abs=1e-8)
        first = int(scores.argmax())
        assert earning.best(0, SETS, -np.inf) == (first, scores[first])
        assert earning.best_change([{0: parents} for parents in SETS], -np.inf) == (first, scores[first])
        assert earning.best(0, SETS, above=scores.max()) is None


def test_committing_gives_the_score_that_was_promised():
    table = random_table(np.random.default_rng(2))
    for score in (ClassificationRate(), CMDL(), CrossValidatedRisk()):
        evaluator = evaluator_at(score, table, DAG.from_parents(table.names, NAIVE), np.random.default_rng(0))
        promised = evaluator.scores(0, SETS)
        for parents, value in zip(SETS, promised, strict=True):
            evaluator.commit({0: parents})
            assert evaluator.value == value


def test_cmdl_is_the_cll_less_half_log_n_per_parameter():
    table = random_table(np.random.default_rng(3))
    graph = DAG.from_parents(table.names, NAIVE)
    rng = np.random.default_rng(0)
    cll, cmdl = (evaluator_at(score, table, graph, rng) for score in (ConditionalLogLikelihood(), CMDL()))
    parameters = 4 * (2 + 3 + 1 + 4 + 2) + 3
    assert cmdl.value == pytest.approx(cll.value - 0.5 * np.log(700) * parameters, abs=1e-6)
    assert cmdl.scores(2, [(4, 5)]) == pytest.approx(
        cll.scores(2, [(4, 5)]) - 0.5 * np.log(700) * (parameters + 4 * 2), abs=1e-6
    )


@pytest.mark.parametrize("holes", [0.0, 0.3])
def test_a_closed_form_learner_gives_the_same_score_when_it_is_refitted(holes):
    table = random_table(np.random.default_rng(4))
    codes = table.codes.copy(order="F")
    missing = np.random.default_rng(5).random(codes.shape) < holes
    missing[:, table.target] = False
    codes[missing] = table.missing_code
    table = replace(table, codes=codes)
    graph = DAG.from_parents(table.names, NAIVE)
    rng = np.random.default_rng(0)
    for score in (ClassificationRate, ConditionalLogLikelihood):
        fast = evaluator_at(score(), table, graph, rng)
        refitted = evaluator_at(score(_Opaque()), table, graph, rng)
        assert type(refitted) is not type(fast)
        assert refitted.value == pytest.approx(fast.value, abs=1e-6)
        assert refitted.scores(0, SETS) == pytest.approx(fast.scores(0, SETS), abs=1e-6)
        refitted.commit({0: SETS[4]})
        fast.commit({0: SETS[4]})
        assert refitted.value == pytest.approx(fast.value, abs=1e-6)
        assert refitted.parents == fast.parents


class _Opaque:
    """Maximum likelihood that the scores do not recognise."""

    def fit(self, table, dag):
        return MaximumLikelihood().fit(table, dag)


@pytest.mark.parametrize("big", [1e3, 1e7, 1e12])
def test_fold_tables_keep_small_weights_beside_large_ones(big):
    rows, fold = [[0, 0], [0, 0], [1, 1], [1, 1], [0, 1], [1, 0]], [0, 1, 0, 1, 0, 1]
    weights = [1.0, big, 1.0, 1.0, 0.5, 0.5]
    table = make_table(rows, [2, 2], 1, weights)
    evaluator = LogJointEvaluator(
        table,
        DAG(table.names, [("v1", "v0")]),
        MaximumLikelihood(),
        RowLoss("log_loss"),
        fold=np.array(fold, dtype=np.uint8),
        mean=False,
    )
    slow_value = slow.conditional_log_likelihood(rows, weights, [2, 2], 1, [(1,), ()], fold)
    assert evaluator.value == pytest.approx(slow_value, rel=1e-9)


def test_more_than_255_states_are_counted_too():
    rng = np.random.default_rng(5)
    codes = np.stack([rng.integers(0, 300, 200), rng.integers(0, 2, 200)], axis=1)
    table = make_table(codes.tolist(), [300, 2], 1)
    assert table.codes.dtype == np.uint16
    rows = [tuple(int(v) for v in row) for row in codes]
    evaluator = evaluator_at(ClassificationRate(), table, DAG(table.names, [("v1", "v0")]), rng)
    assert evaluator.value == float(slow.accuracy(rows, [300, 2], 1, [(1,), ()]))


@pytest.mark.parametrize("unit", [2.0**-1000, 1e-300, 1e-9, 3.0, 1e300])
@pytest.mark.parametrize(
    "score",
    [ClassificationRate(), ConditionalLogLikelihood(), CrossValidatedRisk(), CrossValidatedLogLoss(folds=3)],
    ids=repr,
)
def test_the_size_of_weights_does_not_matter(score, unit):
    table = random_table(np.random.default_rng(8), rows=90, weights=True)
    graph = DAG.from_parents(table.names, NAIVE)
    same, other = (
        evaluator_at(score, replace(table, weights=table.weights * factor), graph, np.random.default_rng(0))
        for factor in (1.0, unit)
    )
    total = isinstance(score, ConditionalLogLikelihood | CrossValidatedLogLoss)
    sets = SETS[:6]
    assert other.scores(0, sets) / (unit if total else 1.0) == pytest.approx(same.scores(0, sets), rel=1e-7)
    assert other.best(0, sets, -np.inf)[0] == same.best(0, sets, -np.inf)[0]
    assert other.best(0, sets, other.scores(0, sets).max()) is None


def test_folds_leave_room_for_features_with_many_states():
    rng = np.random.default_rng(4)
    arities = [250, 250, 250, 2]
    rows = [tuple(int(rng.integers(a)) for a in arities) for _ in range(40)]
    table = make_table(rows, arities, 3)
    fold = np.arange(40, dtype=np.uint8) % 5
    naive = [(3,), (3,), (3,), ()]
    evaluator = LogJointEvaluator(
        table, DAG.from_parents(table.names, naive), MaximumLikelihood(), RowLoss("error"), fold=fold
    )
    wanted = -float(slow.error_rate(rows, [1] * 40, arities, 3, [(1, 2, 3), *naive[1:]], fold.tolist(), "ml"))
    assert evaluator.scores(0, [(1, 2, 3)]) == pytest.approx([wanted])


@pytest.mark.parametrize("unit", [2.0**-996, 1e-300, 1e-9, 3.0, 2.0**1020, 1e308])
def test_the_size_of_costs_does_not_matter(unit):
    table = random_table(np.random.default_rng(8), rows=90, weights=True)
    graph = DAG.from_parents(table.names, NAIVE)
    cost = np.random.default_rng(9).integers(0, 2, (4, 4)) * (1.0 - np.eye(4))
    one, other = (
        evaluator_at(CrossValidatedRisk(loss=loss), table, graph, np.random.default_rng(0))
        for loss in (cost, cost * unit)
    )
    assert one.value < 0
    assert other.value / unit == pytest.approx(one.value, rel=1e-7)
    sets = SETS[:4]
    assert other.scores(0, sets) / unit == pytest.approx(one.scores(0, sets), rel=1e-7)
    assert other.best(0, sets, -np.inf)[0] == one.best(0, sets, -np.inf)[0]
    assert other.best(0, sets, other.scores(0, sets).max()) is None


def test_a_class_smaller_than_the_folds_is_told():
    table = make_table([(0,)] * 9 + [(1,)], [2], 0)
    with pytest.warns(UserWarning, match="class 1 has 1 row, fewer than the 4 folds; it is missing from 3"):
        fold = table_folds(table, 4, np.random.default_rng(0), "Score")
    assert np.bincount(fold).tolist() == [3, 3, 2, 2]


def test_folds_are_stratified():
    table = make_table([(0,)] * 40 + [(1,)] * 20, [2], 0)
    fold = table_folds(table, 5, np.random.default_rng(3), "Score")
    assert np.bincount(fold[:40]).tolist() == [8] * 5
    assert np.bincount(fold[40:]).tolist() == [4] * 5
