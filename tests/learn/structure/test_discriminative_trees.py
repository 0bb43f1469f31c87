"""Discriminative k-trees against brute-force searches that refit every network with exact fractions."""

from dataclasses import replace
from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf.learn.parameters import ConditionalLikelihood
from bayleaf.learn.scores import (
    BDeu,
    ClassificationRate,
    ConditionalLogLikelihood,
    CrossValidatedLogLoss,
    CrossValidatedRisk,
    HoldoutRisk,
)
from bayleaf.learn.search.samples import table_folds
from bayleaf.learn.structure import TAN, GreedyTree, OrderBased, SuperParent
from bayleaf.learn.structure.order_based import ORDERS
from reference import discriminative as slow
from reference.tree_problems import make_table, problems


def learned(learner, problem):
    table = make_table(*problem)
    return list(learner.learn(table, np.random.default_rng(0)).parent_indices)


def training_accuracy(problem):
    rows, arities, target = problem
    return lambda parents: slow.accuracy(rows, arities, target, parents)


def cross_validated(problem, folds):
    rows, arities, target = problem
    fold = table_folds(make_table(*problem), folds, np.random.default_rng(0), "").tolist()
    return lambda parents: slow.accuracy(rows, arities, target, parents, fold)


@settings(max_examples=20, deadline=None)
@given(problem=problems(), k=st.integers(1, 3), tested=st.booleans())
def test_order_based_is_algorithm_1(problem, k, tested):
    _rows, arities, target = problem
    features = [j for j in range(len(arities)) if j != target]
    first_arc = "tested" if tested else "always"
    learner = OrderBased(
        order=[f"v{j}" for j in reversed(features)], k=k, score=ClassificationRate(), first_arc=first_arc
    )
    wanted = slow.order_based(arities, target, features[::-1], k, training_accuracy(problem), first_arc)
    assert learned(learner, problem) == wanted


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize(
    "search",
    [OrderBased, partial(OrderBased, refine=True), SuperParent],
    ids=["order", "refined", "superparent"],
)
def test_candidates_are_taken_some_at_a_time_to_the_same_end(search, batch):
    rng = np.random.default_rng(5)
    for k in (1, 2, 3):
        codes = np.column_stack([rng.integers(0, 3, (60, 6)), rng.integers(0, 2, 60)])
        table = make_table(codes.tolist(), [3] * 6 + [2], 6)
        at_once = search(k=k, score=ClassificationRate()).learn(table, rng)
        with patch("bayleaf.learn.structure.structure_learner.BATCH", batch):
            assert search(k=k, score=ClassificationRate()).learn(table, rng) == at_once


@settings(max_examples=20, deadline=None)
@given(problem=problems(), k=st.integers(1, 2))
def test_greedy_tree_adds_the_best_arc_each_time(problem, k):
    learner = GreedyTree(k=k, score=ClassificationRate())
    _, arities, target = problem
    assert learned(learner, problem) == slow.greedy_tree(arities, target, k, training_accuracy(problem))


@pytest.mark.parametrize("room", [2**20, 0], ids=["copies kept", "no room for copies"])
@settings(max_examples=12, deadline=None)
@given(problem=problems(), k=st.integers(1, 2))
def test_superparent_keeps_the_best_children(problem, k, room):
    learner = SuperParent(k=k, score=ClassificationRate())
    _, arities, target = problem
    with patch("bayleaf.learn.structure.greedy_tree.LARGEST_COPIES", room):
        assert learned(learner, problem) == slow.superparent(arities, target, k, training_accuracy(problem))


@settings(max_examples=12, deadline=None)
@given(problem=problems(), k=st.integers(1, 2), likelihood=st.booleans(), data=st.data())
def test_searches_with_missing_values_and_weights_equal_refitting(problem, k, likelihood, data):
    rows, arities, target = problem
    rows = [
        tuple(data.draw(st.sampled_from([v, v, v, None])) if j != target else v for j, v in enumerate(row))
        for row in rows
    ]
    weights = data.draw(st.lists(st.integers(1, 12), min_size=len(rows), max_size=len(rows)))
    table = replace(make_table(rows, arities, target), weights=np.array(weights, dtype=float))

    def by_refitting(parents):
        if likelihood:  # sums of logarithms: equals are equal but for rounding
            return round(slow.conditional_log_likelihood(rows, weights, arities, target, parents), 8)
        return -slow.error_rate(rows, weights, arities, target, parents)

    score = ConditionalLogLikelihood() if likelihood else ClassificationRate()
    features = table.features
    found = [
        list(learner.learn(table, np.random.default_rng(0)).parent_indices)
        for learner in (
            OrderBased([f"v{j}" for j in features], k, score),
            GreedyTree(k, score),
            SuperParent(k, score),
        )
    ]
    wanted = [
        slow.order_based(arities, target, features, k, by_refitting),
        slow.greedy_tree(arities, target, k, by_refitting),
        slow.superparent(arities, target, k, by_refitting),
    ]
    if likelihood:
        assert [by_refitting(graph) for graph in found] == pytest.approx(
            [by_refitting(graph) for graph in wanted], abs=1e-6
        )
    else:
        assert found == wanted


@pytest.mark.filterwarnings("ignore:.*fewer than the .* folds")
@settings(max_examples=15, deadline=None)
@given(problem=problems())
def test_cross_validated_search_equals_refitting_every_fold(problem):
    _, arities, target = problem
    score = cross_validated(problem, 3)
    learner = GreedyTree(k=2, score=CrossValidatedRisk(folds=3))
    assert learned(learner, problem) == slow.greedy_tree(arities, target, 2, score)


@settings(max_examples=20, deadline=None)
@given(problem=problems(), k=st.integers(1, 2))
def test_refinement_ends_where_no_single_family_improves(problem, k):
    _rows, arities, target = problem
    features = [j for j in range(len(arities)) if j != target]
    names = [f"v{j}" for j in features]
    score = training_accuracy(problem)
    refined = learned(OrderBased(names, k, ClassificationRate(), refine=True), problem)
    plain = learned(OrderBased(names, k, ClassificationRate()), problem)
    assert score(refined) >= score(plain)
    for j, node in enumerate(features[1:], start=1):
        for size in range(k + 1):
            for some in slow.combinations(features[:j], size):
                assert score(slow.with_parents(refined, node, some, target)) <= score(refined)


@settings(max_examples=20, deadline=None)
@given(problem=problems(), data=st.data())
def test_a_row_of_weight_zero_is_no_row(problem, data):
    rows, arities, target = problem
    weights = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))), dtype=float
    )
    weights[0] = 1.0
    whole = replace(make_table(rows, arities, target), weights=weights)
    without = whole.take(np.flatnonzero(weights))
    rng = np.random.default_rng(0)
    for name in ("omi", "omisp", "ocr"):
        assert ORDERS[name](whole, rng) == ORDERS[name](without, rng)
    for search in (OrderBased, GreedyTree, SuperParent):
        assert search().learn(whole, rng) == search().learn(without, rng)


@pytest.mark.parametrize(
    "score",
    [CrossValidatedRisk(3), CrossValidatedLogLoss(3), HoldoutRisk(0.3), HoldoutRisk(0.3, fixed=False)],
    ids=repr,
)
def test_a_row_of_weight_zero_is_not_dealt_out_to_folds(score):
    rng = np.random.default_rng(7)
    for _ in range(10):
        rows = rng.integers(0, 3, (60, 5))
        weights = rng.integers(0, 3, 60).astype(float)
        whole = replace(make_table(rows.tolist(), [3] * 5, 4), weights=weights)
        graphs = [
            GreedyTree(2, score).learn(table, np.random.default_rng(0))
            for table in (whole, whole.take(np.flatnonzero(weights)))
        ]
        assert graphs[0] == graphs[1]


def section_3(rng, rows):
    """The synthetic problem of Pernkopf & Bilmes, section 3: only X1 - X3 tells the classes apart."""
    c = rng.integers(0, 2, rows)
    x1 = rng.integers(0, 2, rows)
    x2 = np.where(rng.random(rows) < 0.5, x1, rng.integers(0, 2, rows))
    u = rng.random(rows)
    x3 = np.where(u < 0.3, np.where(c == 0, x1, 1 - x1), np.where(u < 0.8, x2, rng.integers(0, 2, rows)))
    return make_table(np.stack([x1, x2, x3, c], axis=1).tolist(), [2, 2, 2, 2], 3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "learner",
    [
        OrderBased(),
        OrderBased("omisp"),
        OrderBased("ocr"),
        OrderBased("random"),
        OrderBased(k=2),
        OrderBased(score=ConditionalLogLikelihood()),
        OrderBased(score=ClassificationRate(ConditionalLikelihood(max_iter=5))),
        OrderBased(refine=True),
        GreedyTree(),
        GreedyTree(k=2),
        GreedyTree(score=ConditionalLogLikelihood()),
        SuperParent(),
        SuperParent(k=2),
    ],
    ids=repr,
)
def test_every_discriminative_learner_sees_the_arc_that_matters(learner, seed):
    dag = learner.learn(section_3(np.random.default_rng(seed), 4000), np.random.default_rng(seed))
    assert ("v0", "v2") in dag.arcs or ("v2", "v0") in dag.arcs


@pytest.mark.parametrize("seed", range(10))
def test_the_generative_tree_does_not_see_the_arc_that_matters(seed):
    dag = TAN().learn(section_3(np.random.default_rng(seed), 4000), np.random.default_rng(seed))
    among_features = {frozenset(arc) for arc in dag.arcs if "v3" not in arc}
    assert among_features == {frozenset(("v0", "v1")), frozenset(("v1", "v2"))}


def test_a_random_order_follows_the_seed():
    table = section_3(np.random.default_rng(1), 300)
    first, second = (OrderBased("random").learn(table, np.random.default_rng(4)) for _ in range(2))
    assert first == second
    orders = {tuple(ORDERS["random"](table, np.random.default_rng(seed))) for seed in range(40)}
    assert len(orders) == 6  # all there are of three features


@pytest.mark.parametrize(
    "learner",
    [OrderBased(), OrderBased(k=2), GreedyTree(), GreedyTree(k=3), SuperParent(), SuperParent(k=2)],
    ids=repr,
)
@pytest.mark.parametrize(
    ("rows", "arities"),
    [
        ([(0,)] * 6, [1]),
        ([(0,), (1,)] * 3, [2]),
        ([(0, 1), (1, 0)] * 3, [2, 2]),
        ([(0, 0)] * 6, [2, 1]),
        ([(0, 1, 0), (1, 1, 0)] * 5, [2, 2, 1]),
        ([(0, 1, 1)], [2, 2, 2]),
    ],
    ids=["one class only", "no feature", "one feature", "single class", "constant features", "one row"],
)
@pytest.mark.filterwarnings("ignore:.*fewer than the .* folds")
def test_small_and_degenerate_tables_work(learner, rows, arities):
    table = make_table(rows, arities, len(arities) - 1)
    dag = learner.learn(table, np.random.default_rng(0))
    target = table.names[-1]
    assert all(target in dag.parents(name) for name in table.names[:-1])
    assert dag.parents(target) == ()


@pytest.mark.parametrize("search", [OrderBased, GreedyTree, SuperParent])
def test_k_above_the_number_of_features_allows_them_all(search):
    table = section_3(np.random.default_rng(2), 200)
    with_9, with_2 = (
        search(k=k, score=ClassificationRate()).learn(table, np.random.default_rng(0)) for k in (9, 2)
    )
    assert max(len(with_9.parents(name)) for name in with_9.nodes) <= 3
    if search is not SuperParent:  # which keeps as many children at a time as a feature may have parents
        assert with_9 == with_2


@pytest.mark.parametrize("learner", [OrderBased(k=2), GreedyTree(k=2), SuperParent(k=2)], ids=repr)
def test_folds_larger_than_the_smallest_class_fall_back_with_a_warning(learner):
    rows = [(i % 2, i // 2 % 2, int(i % 10 == 0)) for i in range(30)]
    table = make_table(rows, [2, 2, 2], 2)
    with pytest.warns(
        UserWarning, match="class 1 has 3 rows, fewer than the 5 folds; it is missing from 2 of"
    ):
        dag = learner.learn(table, np.random.default_rng(0))
    assert all("v2" in dag.parents(name) for name in ("v0", "v1"))


def test_bad_input_gets_a_sentence():
    table = section_3(np.random.default_rng(3), 50)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"must name each feature once: missing \['v1'\]; repeated \['v0'\]"):
        OrderBased(["v0", "v0", "v2"]).learn(table, rng)
    with pytest.raises(ValueError, match=r"missing \['v2'\]; unknown \['v3'\]"):
        OrderBased(["v0", "v1", "v3"]).learn(table, rng)
    with pytest.raises(TypeError, match=r"must be one of .*, or a list of feature names\. Got \{'v"):
        OrderBased({"v0", "v1", "v2"}).learn(table, rng)
    with pytest.raises(ValueError, match="'order' parameter of OrderBased must be a str among"):
        OrderBased("alphabetical").learn(table, rng)
    with pytest.raises(
        TypeError, match=r"'order' parameter of OrderBased must be one of .*, or a list of feature"
    ):
        OrderBased(3).learn(table, rng)
    with pytest.raises(ValueError, match=r"missing \['v1'\]; unknown \[1\]"):
        OrderBased(["v0", 1, "v2"]).learn(table, rng)
    for search in (OrderBased, GreedyTree, SuperParent):
        with pytest.raises(
            TypeError, match=f"{search.__name__} cannot search with BDeu.*class-focused score"
        ):
            search(score=BDeu()).learn(table, rng)
        with pytest.raises(ValueError, match="needs rows to predict: the table has none"):
            search().learn(make_table([], [2, 2, 2], 2), rng)
        with pytest.raises(
            TypeError, match=f"{search.__name__} cannot search with <class .*ClassificationRate"
        ):
            search(score=ClassificationRate).learn(table, rng)
    for learner in (OrderBased(k=0), GreedyTree(k=0), SuperParent(k=0)):
        with pytest.raises(ValueError, match=r"must be an int in the range \[1, inf\). Got 0"):
            learner.learn(table, rng)
    with pytest.raises(ValueError, match="needs a class"):
        GreedyTree().learn(make_table([(0, 1)], [2, 2], None), rng)


def test_more_candidates_than_anyone_waits_for_get_a_sentence():
    table = make_table([(0,) * 41, (1,) * 41] * 4, [2] * 41, 40)
    rng = np.random.default_rng(0)
    # Features that come early have few candidates, which are tried: with the limit as it is, for minutes.
    with (
        patch("bayleaf.learn.structure.structure_learner.MOST_CANDIDATES", 1000),
        pytest.raises(ValueError, match=r"[\d,]+ sets of at most 20 parents among \d+ features are too many"),
    ):
        OrderBased(k=20, score=ClassificationRate()).learn(table, rng)
    with pytest.raises(
        ValueError, match=r"[\d,]+ sets of 20 children among 39 features are too many: use a sma"
    ):
        SuperParent(k=20, score=ClassificationRate()).learn(table, rng)


@pytest.mark.parametrize("search", [OrderBased, GreedyTree, SuperParent])
def test_any_k_is_a_number_of_parents(search):
    table = section_3(np.random.default_rng(2), 60)
    rng = np.random.default_rng(0)
    learned_with = [search(k=k, score=ClassificationRate()).learn(table, rng) for k in (3, 10**30)]
    assert learned_with[0] == learned_with[1]
