"""Selective k-dependence classifiers, and averages over orders and roots: by brute force, with gaps and weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.learn.structure import kdb
from bayleaf.learn.structure.kdb import (
    bounded,
    drawn_order,
    measured,
    order_by_relevance,
    prefix_losses,
    strongest_before,
)
from reference.selective import losses

IRIS = load_iris(return_X_y=True, as_frame=True)


def random_table(seed, rows=14, arities=(2, 3, 2, 2), gaps=0.0, weights=None, dtype=None):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, arity, rows) for arity in arities])
    codes[:, 1] = np.where(rng.random(rows) < 0.6, codes[:, -1], codes[:, 1])
    codes[:, :-1][rng.random((rows, len(arities) - 1)) < gaps] = -1
    variables = tuple(
        Variable(f"x{j}", tuple(str(state) for state in range(arity))) for j, arity in enumerate(arities)
    )
    return Table.from_codes(variables, codes, target=len(arities) - 1, weights=weights), codes


FAMILIES = [(1, []), (0, [1]), (2, [0, 1])]


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10**6),
    gaps=st.sampled_from([0.0, 0.2]),
    smoothing=st.sampled_from([0.5, 1.0, 3.0]),
)
def test_losses_are_those_of_rows_that_are_really_left_out(seed, gaps, smoothing):
    table, codes = random_table(seed, gaps=gaps)
    found = prefix_losses(table, FAMILIES, 3, smoothing).losses
    expected = losses(codes.tolist(), FAMILIES, 3, table.arities.tolist(), 3, smoothing)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_a_weight_of_two_is_two_rows_of_which_one_is_left_out():
    rows = np.random.default_rng(3).integers(0, 3, 14)
    weighted, codes = random_table(5, weights=rows.astype(float))
    repeated = Table.from_codes(weighted.variables, np.repeat(codes, rows, axis=0), target=3)
    np.testing.assert_allclose(
        prefix_losses(weighted, FAMILIES, 2).losses, prefix_losses(repeated, FAMILIES, 2).losses, rtol=1e-12
    )


def test_threads_do_not_change_a_bit():
    rng = np.random.default_rng(0)
    variables = tuple(Variable(name, ("0", "1", "2")) for name in "abc")
    codes = rng.integers(0, 3, (9000, 3))
    found = [
        prefix_losses(
            Table.from_codes(variables, codes, target=2, n_jobs=jobs), [(0, []), (1, [0])], 1
        ).losses
        for jobs in (1, 3)
    ]
    assert (found[0] == found[1]).all()


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), k=st.integers(0, 2))
def test_the_graph_is_that_of_the_smallest_loss(seed, k):
    table, codes = random_table(seed, rows=25)
    relevance, dependence = measured(table, 0.0)
    order = order_by_relevance(relevance)
    candidates = strongest_before(order, dependence)
    families = [(feature, candidates[feature][:k]) for feature in order]
    expected = np.array(losses(codes.tolist(), families, k, table.arities.tolist(), 3, 1.0))
    found = bl.SKDB(k).search(table, np.random.default_rng(0))
    parents = found.dag.parent_indices
    used = [feature for feature in order if parents[feature]]
    assert used == order[: len(used)]
    most = max((len(parents[feature]) - 1 for feature in used), default=0)
    for feature in used:
        assert set(parents[feature]) == {3, *candidates[feature][:most]}
    assert expected[most, len(used)] == pytest.approx(expected.min(), rel=1e-10)
    assert found.trace.score == pytest.approx(-expected.min(), rel=1e-10)
    assert found.trace.replay() == found.dag


def test_of_equal_losses_the_fewest_features_and_parents_win():
    table = Table.from_codes(
        tuple(Variable(name, ("0", "1")) for name in ("noise", "class")),
        [[0, 0], [1, 0], [0, 1], [1, 1]] * 3,
        target=1,
    )
    assert bl.SKDB().learn(table, np.random.default_rng(0)).arcs == ()
    alone = Table.from_codes((Variable("class", ("0", "1")),), [[0], [1]], target=0)
    assert bl.SKDB().learn(alone, np.random.default_rng(0)).arcs == ()


def test_tables_stay_small(monkeypatch):
    table, _ = random_table(0)
    assert bounded(table, 2, [0, 1], 5) == [0, 1]
    monkeypatch.setattr(kdb, "MOST_CELLS", 11)  # 2 x 2 x 2, but not 2 x 2 x 2 x 3
    assert bounded(table, 2, [0, 1], 5) == [0]
    assert bounded(table, 2, [1, 0], 5) == []


def test_features_that_are_left_out_have_no_arcs_and_no_say():
    X, y = IRIS
    noisy = X.assign(noise=np.random.default_rng(0).choice(list("pqrs"), len(X)))
    model = bl.classifier("SKDB").fit(noisy, y)
    assert model.network_.parents("noise") == ()
    np.testing.assert_allclose(
        model.predict_proba(noisy), model.predict_proba(noisy.assign(noise="p")), rtol=1e-12
    )


def test_orders_are_drawn_in_proportion_to_the_information():
    rng = np.random.default_rng(0)
    relevance = np.array([0.1, 0.3, 0.0, 0.6])
    orders = [drawn_order(relevance, rng) for _ in range(4000)]
    first = np.bincount([order[0] for order in orders], minlength=4) / 4000
    np.testing.assert_allclose(first, relevance, atol=0.03)
    assert all(order[-1] == 2 for order in orders)
    after = [order[1] for order in orders if order[0] == 3]
    assert np.mean([feature == 1 for feature in after]) == pytest.approx(0.75, abs=0.03)
    assert sorted(drawn_order(np.zeros(3), rng)) == [0, 1, 2]


def test_eskdb_averages_the_skdbs_of_its_orders():
    model = bl.classifier("ESKDB", n_members=4, random_state=7).fit(*IRIS)
    X = IRIS[0].mask(np.random.default_rng(0).random(IRIS[0].shape) < 0.2)
    mean = np.mean([member.predict_proba(X) for member in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), mean, rtol=1e-12)
    assert len({member.network_.arcs for member in model.estimators_}) > 1
    again = bl.classifier("ESKDB", n_members=4, random_state=7).fit(*IRIS)
    assert (again.predict_proba(X) == model.predict_proba(X)).all()
    assert isinstance(model.estimator.parameters, bl.Shrinkage)


@pytest.mark.parametrize("weighted", [False, True])
def test_atan_averages_the_trees_of_all_roots(weighted):
    X, y = IRIS
    model = bl.classifier("WATAN" if weighted else "ATAN").fit(X, y)
    trees = [
        bl.BayesNetClassifier(bl.TAN(root=root), bl.Laplace(), bl.MDLP()).fit(X, y)
        for root in model.feature_names_in_
    ]
    for member, tree in zip(model.estimators_, trees, strict=True):
        assert member.network_.arcs == tree.network_.arcs
    weights = None
    if weighted:
        table = bl.BayesNetClassifier(discretizer=bl.MDLP()).learn_table(X, y)
        weights = bl.counts.class_information(table)
    expected = np.average([tree.predict_proba(X) for tree in trees], axis=0, weights=weights)
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-12)


def test_all_roots_are_one_without_smoothing():
    X, y = IRIS
    model = bl.AveragedClassifier(bl.ATAN(), bl.BayesNetClassifier(parameters=bl.MaximumLikelihood(0))).fit(
        X, y
    )
    alone = model.estimators_[0].predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), alone, atol=1e-12)


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (bl.SKDB(k=-1), r"'k' parameter of SKDB must be an int in the range \[0"),
        (bl.SKDB(smoothing=0), r"'smoothing' parameter of SKDB must be a float in the range \(0"),
        (bl.ESKDB(n_members=0), r"'n_members' parameter of ESKDB must be an int in the range \[1"),
        (bl.ATAN(weighted="yes"), "'weighted' parameter of ATAN must be a bool"),
    ],
    ids=repr,
)
def test_wrong_settings_are_refused(learner, sentence):
    estimator = bl.BayesNetClassifier if hasattr(learner, "learn") else bl.AveragedClassifier
    with pytest.raises((TypeError, ValueError), match=sentence):
        estimator(learner).fit(*IRIS)
