"""Weights of evidence that follow batch after batch, against a slow reference."""

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

import bayleaf as bl
from bayleaf.counts.growing import GrowingCounts
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.tuning import online_weights
from bayleaf.learn.tuning.held_out import OutOfSample
from bayleaf.learn.tuning.online_weights import CENTRE, COMMON_VARIANCE, OWN_VARIANCE, Judged, OnlineWeights


def judged(rng, rows, counted, features=3, classes=3):
    """Rows whose evidence repeats itself from feature to feature, so that weights of one are too sure."""
    target = rng.integers(0, classes, rows).astype(np.int32)
    own = 1.5 * (np.arange(classes) == target[:, None]) + rng.normal(size=(rows, classes))
    evidence = np.stack([own + 0.3 * rng.normal(size=(rows, classes)) for _ in range(2 * features)])
    prior = np.log(rng.dirichlet(np.full(classes, 5.0)))
    weights = rng.integers(0, 3, rows).astype(float)
    return Judged(prior, evidence.reshape(2, features, rows, classes), target, weights, counted)


def reference(batches, features, per_feature):
    """Weights after all batches: of those before the last, the quadratic approximation at the weights after each."""
    numbers = 2 * features if per_feature else 2
    covariance = np.eye(numbers) * (OWN_VARIANCE + COMMON_VARIANCE)
    for i in range(numbers):
        for j in range(numbers):
            if i != j and (i < numbers // 2) == (j < numbers // 2):
                covariance[i, j] = COMMON_VARIANCE
    precision = np.linalg.inv(covariance)
    earlier = []  # curvature, place, gradient there, rows counted
    found = np.full(numbers, CENTRE)
    for batch in batches:
        columns = batch.evidence if per_feature else batch.evidence.sum(axis=1, keepdims=True)

        def loss(v, columns=columns, batch=batch):
            total = 0.0
            for r, c in enumerate(batch.target):
                scores = batch.log_prior + v @ columns.reshape(numbers, len(batch.target), -1)[:, r]
                total -= batch.weights[r] * (scores[c] - logsumexp(scores))
            return total

        def objective(v, loss=loss, batch=batch, earlier=tuple(earlier)):
            value = loss(v) + (v - CENTRE) @ precision @ (v - CENTRE) / 2
            for bent, place, slope, counted in earlier:
                away = v - place
                value += (away @ bent @ away / 2 + slope @ away) * counted / batch.counted
            return value

        bounds = [(0, None)] * numbers
        found = minimize(objective, found, bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-9}).x
        bent, slope = np.zeros((numbers, numbers)), np.zeros(numbers)
        for r, c in enumerate(batch.target):
            x = columns.reshape(numbers, len(batch.target), -1)[:, r]
            scores = batch.log_prior + found @ x
            p = np.exp(scores - logsumexp(scores))
            bent += batch.weights[r] * ((x * p) @ x.T - np.outer(x @ p, x @ p))
            slope += batch.weights[r] * (x @ p - x[:, c])
        earlier.append((bent, found, slope, batch.counted))
    return found


@pytest.mark.parametrize("per_feature", [True, False])
def test_weights_after_several_batches_are_those_of_a_slow_reference(per_feature, monkeypatch):
    if not per_feature:
        monkeypatch.setattr(online_weights, "MOST_FEATURES", 2)
    rng = np.random.default_rng(0)
    batches = [judged(rng, rows, counted) for rows, counted in ((20, 30.0), (12, 50.0), (25, 62.0))]
    weights = OnlineWeights.begin(3)
    for k, batch in enumerate(batches):
        weights = weights.after(batch, None)
        expected = np.broadcast_to(reference(batches[: k + 1], 3, per_feature).reshape(2, -1), (2, 3))
        np.testing.assert_allclose(weights.weights, expected, atol=2e-4)
    assert weights.weights[0].max() < CENTRE  # the features repeat one another


def test_a_fold_is_judged_by_the_weights_that_the_other_folds_lead_to():
    rng = np.random.default_rng(1)
    folds = [judged(rng, 30, 60.0) for _ in range(3)]
    found = OnlineWeights.begin(3).crossed(folds, None)
    losses, counts = [], []
    for k, fold in enumerate(folds):
        others = OnlineWeights.begin(3)._learned(folds[:k] + folds[k + 1 :])
        said = fold.log_probabilities(others.weights)
        losses += (-said[np.arange(30), fold.target]).tolist()
        counts += fold.weights.tolist()
    assert found.judged.out_of_sample().log_loss == pytest.approx(np.average(losses, weights=counts))
    np.testing.assert_allclose(found.weights, OnlineWeights.begin(3)._learned(folds).weights)


@pytest.mark.parametrize("costs", [None, np.array([[0.0, 1, 2], [5, 0, 1], [1, 1, 0]])])
def test_sums_of_judged_rows_are_the_figures_of_all_of_them(costs):
    rng = np.random.default_rng(2)
    batches = [judged(rng, rows, counted) for rows, counted in ((40, 50.0), (30, 80.0))]
    for batch in batches:
        batch.log_prior[:] = batches[0].log_prior
    weights, said, counts = OnlineWeights.begin(3), [], []
    for batch in batches:
        kept = batch.weights > 0
        said.append(np.exp(batch.log_probabilities(weights.weights))[kept])
        counts.append(batch.counted * batch.weights[kept])
        weights = weights.after(batch, costs)
    target = np.concatenate([batch.target[batch.weights > 0] for batch in batches])
    expected = OutOfSample.of(
        np.concatenate(said), target, np.exp(batches[0].log_prior), np.concatenate(counts), costs
    )
    found = weights.judged.out_of_sample()
    assert found.rows == expected.rows
    for name in ("figures", "gain_error", "expected_log_loss", "loss_shape", "surprise_shape"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        if name == "figures":
            ours, theirs = ([each[1:] for each in figures()] for figures in (ours, theirs))
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    assert found.costs == expected.costs


def test_evidence_is_that_of_the_tables_and_a_missing_value_has_none():
    variables = (
        Variable("x", ("a", "b", "never")),
        Variable("z", ("p", "q")),
        Variable("class", ("no", "yes")),
    )
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(0, 2, 60) for _ in variables])
    counts = GrowingCounts(variables)
    counts.add(Table.from_codes(variables, codes, target=2))
    dag = DAG(("x", "z", "class"), [("class", "x"), ("class", "z"), ("x", "z")])
    asked = Table.from_codes(variables, [[0, 1, 0], [-1, 1, 1], [0, -1, 0], [2, 0, 1]], target=2)
    found = Judged.of(counts.source(), dag, asked, [0, 1], 2)
    tables = bl.Shrinkage().fit(Table.from_codes(variables, codes, target=2), dag)
    alone = bl.Shrinkage().fit(
        Table.from_codes(variables, codes, target=2), DAG(dag.nodes, [("class", "x"), ("class", "z")])
    )
    axes = dag.parent_indices[1]
    of_z = np.moveaxis(tables[1], axes.index(2), -1)  # x, z, class
    np.testing.assert_allclose(found.evidence[0, 0, 0], np.log(tables[0][:, 0]), rtol=1e-12)
    np.testing.assert_allclose(found.evidence[0, 1, 0], np.log(alone[1][:, 1]), rtol=1e-12)
    np.testing.assert_allclose(found.evidence[1, 1, 0], np.log(of_z[0, 1]), rtol=1e-12)
    np.testing.assert_array_equal(found.evidence[1, 1, 1], found.evidence[0, 1, 1])  # its parent is missing
    np.testing.assert_array_equal(found.evidence[:, 1, 2], np.zeros((2, 2)))
    np.testing.assert_array_equal(found.evidence[:, 0, 3], np.zeros((2, 2)))  # no row had this state
    shares = np.bincount(codes[:, 2]) / 60
    np.testing.assert_allclose(np.exp(found.log_prior), shares)
    assert found.counted == 60


def test_of_many_rows_a_part_is_judged_whatever_their_order(monkeypatch):
    monkeypatch.setattr(online_weights, "MOST_JUDGED", 25)
    variables = (Variable("x", ("a", "b")), Variable("class", ("no", "yes")))
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2, (100, 2))
    counts = GrowingCounts(variables)
    counts.add(Table.from_codes(variables, codes, target=1))
    dag = DAG(("x", "class"), [("class", "x")])
    found = [
        Judged.of(counts.source(), dag, Table.from_codes(variables, rows, target=1), [0], 1)
        for rows in (codes, codes[::-1])
    ]
    learned = [OnlineWeights.begin(1).after(each, None).weights for each in found]
    np.testing.assert_allclose(*learned, rtol=1e-9)
    assert all(len(each.target) == 25 and each.weights.sum() == 100 for each in found)
    assert pl.Series(found[0].target).n_unique() == 2
