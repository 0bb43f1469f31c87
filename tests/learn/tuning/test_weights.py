import numpy as np
import pytest

from bayleaf._native import _core
from bayleaf.learn.tuning import PoolWeights, fit_pool_weights
from bayleaf.learn.tuning.stages import Rows, add_scores, fit_level_weights, refit_feature_weights
from reference import tuning as slow


def random_pool(seed=0, members=3, rows=60, classes=3, kind=np.float64):
    rng = np.random.default_rng(seed)
    target = rng.integers(0, classes, rows).astype(np.int32)
    scores = rng.normal(size=(members, rows, classes))
    scores[0, np.arange(rows), target] += 1.0
    return scores.astype(kind), target, rng.uniform(0.5, 2.0, rows)


def loss_and_gradient(scores, target, sample_weight, weights, bias, threads=1):
    one, other = np.empty(len(weights)), np.empty(len(bias))
    value = _core.pool_loss(scores, target, sample_weight, None, weights, bias, one, other, threads)
    return value, np.concatenate([one, other])


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("classes", [2, 3, 26, 300])
def test_the_loss_is_that_of_the_formula_and_its_gradient_that_of_finite_differences(kind, classes):
    scores, target, sample_weight = random_pool(classes=classes, kind=kind)
    weights, bias = np.array([0.7, 0.0, 1.3]), np.linspace(-0.2, 0.3, classes)

    def formula(at):
        return slow.pool_objective(scores, target, at[:3], at[3:], at[:3], 0.0, sample_weight)

    value, gradient = loss_and_gradient(scores, target, sample_weight, weights, bias)
    at = np.concatenate([weights, bias])
    assert value == pytest.approx(formula(at), rel=1e-12)
    if classes < 300:
        np.testing.assert_allclose(gradient, slow.slope(formula, at), rtol=1e-5, atol=1e-6)


def test_threads_do_not_change_a_bit():
    scores, target, sample_weight = random_pool(members=6, rows=90_000, kind=np.float32)
    given = np.linspace(0, 1, 6), np.zeros(3)
    value, gradient = loss_and_gradient(scores, target, sample_weight, *given)
    for threads in (2, 5):
        again, slopes = loss_and_gradient(scores, target, sample_weight, *given, threads=threads)
        assert again == value
        np.testing.assert_array_equal(slopes, gradient)


def test_no_other_weights_do_better():
    scores, target, sample_weight = random_pool()
    centre, rng = np.full(3, 0.3), np.random.default_rng(1)
    found = fit_pool_weights(scores, target, centre, sample_weight=sample_weight)
    assert (found.weights >= 0).all()
    assert found.weights[0] > found.weights[1:].max()

    def objective(weights, bias):
        return slow.pool_objective(scores, target, weights, bias, centre, 0.1, sample_weight)

    best = objective(found.weights, found.bias)
    for _ in range(200):
        weights = np.maximum(found.weights + rng.normal(0, 0.02, 3), 0)
        assert objective(weights, found.bias + rng.normal(0, 0.02, 3)) > best - 1e-6


def test_weights_are_copies_of_rows_and_their_order_does_not_matter():
    scores, target, _ = random_pool()
    times = np.random.default_rng(2).integers(0, 4, len(target))
    weighted = fit_pool_weights(scores, target, np.full(3, 0.5), sample_weight=times.astype(float))
    order = np.random.default_rng(3).permutation(times.sum())
    rows = np.repeat(np.arange(len(target)), times)[order]
    repeated = fit_pool_weights(np.ascontiguousarray(scores[:, rows]), target[rows], np.full(3, 0.5))
    np.testing.assert_allclose(weighted.weights, repeated.weights, atol=1e-4)
    np.testing.assert_allclose(weighted.bias, repeated.bias, atol=1e-4)


def test_the_scores_of_a_pool_are_the_weighted_sum():
    scores, _, _ = random_pool(rows=1000, kind=np.float32)
    weights, bias = np.array([0.5, 0.0, 2.0]), np.array([1.0, 2.0, 3.0])
    expected = bias + np.tensordot(weights, scores.astype(float), 1)
    np.testing.assert_allclose(PoolWeights(weights, bias).scores(scores), expected, rtol=1e-12)


def test_separable_rows_give_finite_weights():
    target = np.arange(40, dtype=np.int32) % 2
    scores = np.where(np.eye(2)[target] > 0, 0.0, -50.0)[None]
    found = fit_pool_weights(scores, target, np.ones(1))
    assert np.isfinite(found.weights).all()
    assert found.weights[0] >= 1.0


def test_weights_learned_again_do_not_know_the_classes_of_the_rows_they_judge():
    scores, target, _ = random_pool(members=8, rows=90, classes=2)
    part = np.arange(90, dtype=np.uint8) % 3
    other = np.where(part == 0, 1 - target, target).astype(np.int32)

    def judged(classes):
        rows = Rows(classes, None, part)
        _, (*without, _) = fit_level_weights(scores, rows)
        by_part = (
            np.concatenate([scores[:1], each.weights[1:, None, None] * scores[1:]]) for each in without
        )
        return refit_feature_weights(by_part, rows, 3.0)

    one, changed = judged(target), judged(other)
    np.testing.assert_allclose(one[part == 0], changed[part == 0], atol=1e-3)
    assert np.abs(one[part == 1] - changed[part == 1]).max() > 0.1


def test_further_scores_are_weighed_in_where_held_out_rows_gain_by_them():
    scores, target, sample_weight = random_pool(rows=600, members=2)
    rows = Rows(target, sample_weight, np.arange(600, dtype=np.uint8) % 3)
    noise = scores[1]
    prior = np.full((1, 600, 3), np.log(1 / 3), dtype=np.float32)
    stage, _ = fit_level_weights(np.concatenate([prior, noise[None].astype(np.float32)]), rows)
    better, weights = add_scores(scores[0], rows, stage)
    assert weights.weights[1] > 0.5
    assert better.loss < stage.loss - 0.1
    chances = np.exp(better.held_out)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-6)
    own = -np.log(chances[np.arange(600), target])
    assert better.loss == pytest.approx(np.average(own, weights=sample_weight), rel=1e-6)


def test_further_scores_that_tell_nothing_are_left_out():
    scores, target, _ = random_pool(rows=600, members=2)
    rows = Rows(target, None, np.arange(600, dtype=np.uint8) % 3)
    prior = np.full((1, 600, 3), np.log(1 / 3), dtype=np.float32)
    stage, _ = fit_level_weights(np.concatenate([prior, scores[:1].astype(np.float32)]), rows)
    worse = np.zeros((600, 3))
    worse[np.arange(600), (target + 1) % 3] = 5.0  # always for another class: weights are not negative
    _, weights = add_scores(worse, rows, stage)
    assert weights is None or weights.weights[1] == 0
