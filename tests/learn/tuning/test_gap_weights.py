"""What evidence counts in rows with gaps is what maximises the penalised likelihood of their classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import log_softmax

from bayleaf.learn.tuning.held_out import rows_to_hide_from, usual_gaps
from bayleaf.learn.tuning.stages import SMOOTHNESS, fit_gap_weights, newton_above_zero
from bayleaf.network.member import KNOTS


def problem(seed, rows=200, classes=3, readings=2):
    rng = np.random.default_rng(seed)
    target = rng.integers(classes, size=rows).astype(np.int32)
    scores = rng.normal(size=(readings, rows, classes))
    scores[0, np.arange(rows), target] += rng.uniform(0, 2)
    prior = np.log(np.bincount(target, minlength=classes) / rows)
    return scores, prior, rng.random(rows), target, rng.integers(0, 4, rows).astype(float)


def slow_loss(found, scores, prior, share, target, weights):
    """The loss, row by row."""
    total = SMOOTHNESS / 2 * (np.diff(found, axis=1) ** 2).sum()
    for row, (g, own, weight) in enumerate(zip(share, target, weights, strict=True)):
        mixed = prior.copy()
        for reading, at_knots in enumerate(found):
            mixed += np.interp(g, KNOTS, at_knots) * (scores[reading, row] - prior)
        total -= weight * log_softmax(mixed)[own]
    return total


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1, 2]))
def test_no_other_weights_are_better(seed, readings):
    scores, prior, share, target, weights = problem(seed, readings=readings)
    found = fit_gap_weights(scores, prior, share, target, weights)
    assert found[:, 0].tolist() == [1.0, 0.0][:readings]
    assert (found >= 0).all()
    assert not found[:, -1].any()

    def loss(numbers):
        tried = found.copy()
        tried[:, 1:-1] = numbers.reshape(readings, -1)
        return slow_loss(tried, scores, prior, share, target, weights)

    inner = found[:, 1:-1].ravel()
    best = minimize(loss, np.full(inner.size, 0.5), bounds=[(0, None)] * inner.size, method="L-BFGS-B")
    assert loss(inner) <= best.fun + 1e-3


def test_rows_taken_several_times_count_as_one():
    scores, prior, share, target, weights = problem(1)
    four = np.tile(scores, (1, 4, 1)), prior, np.tile(share, 4), np.tile(target, 4), np.tile(weights, 4)
    once = fit_gap_weights(scores, prior, share, target, weights)
    np.testing.assert_allclose(fit_gap_weights(*four, n_rows=200), once, atol=1e-6)
    assert abs(fit_gap_weights(*four) - once).max() > 0.01


def test_what_tells_nothing_counts_nothing():
    scores, prior, share, target, _ = problem(2, rows=2000)
    scores[:] = np.random.default_rng(0).normal(size=scores.shape)
    assert fit_gap_weights(scores, prior, share, target)[:, 2:].max() < 0.3


def test_newton_stays_above_zero():
    second = np.array([[2.0, 0.5], [0.5, 1.0]])

    def slopes(numbers):
        away = numbers - np.array([-1.0, 2.0])
        return float(away @ second @ away / 2), second @ away, second

    found = newton_above_zero(slopes, np.array([1.0, 1.0]))
    assert found == pytest.approx([0.0, 1.5])  # the second alone is best there with the first at zero


def test_rows_are_taken_evenly_and_shares_meet_all_of_them():
    rows, shares = rows_to_hide_from(10_000)
    assert len(rows) == 2000
    assert (np.diff(rows) <= 6).all()
    for share in np.unique(shares):
        assert abs(np.mean(rows[shares == share]) / 5000 - 1) < 0.1


def test_usual_gaps_are_those_of_nine_rows_in_ten():
    assert usual_gaps(np.array([0] * 90 + [5] * 10)) == 0
    assert usual_gaps(np.array([0] * 89 + [2] + [5] * 10)) == 2
    assert usual_gaps(np.array([0, 3]), np.array([1.0, 0.2])) == 3
    assert usual_gaps(np.array([0, 3]), np.array([1.0, 0.1])) == 0
