"""Gaussian networks and the flat start: scores of rows that were left out, and what they are on all rows."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from bayleaf.data.table import stratified_folds
from bayleaf.learn.tuning import log_softmax
from bayleaf.pool.additive import ScoreSum
from bayleaf.pool.grids import FineColumns, FoldOrder, PoolRows
from bayleaf.pool.linear_members import (
    BIAS_PULL,
    ClassSums,
    Gaussian,
    crossfit_flat_start,
    crossfit_gaussian,
    gaussian_networks,
    normal_scores,
    standardised,
)
from reference import pool as slow


def number_rows(seed=0, rows=90, columns=3, classes=3, weighted=False):
    """Rows of numbers on a fine grid of as many codes as values."""
    rng = np.random.default_rng(seed)
    target = rng.integers(0, classes, rows).astype(np.int32)
    values = rng.integers(0, 12, (rows, columns)) + 2 * target[:, None]
    levels = [np.unique(column) for column in values.T]
    fine = np.column_stack(
        [np.searchsorted(own, column) for own, column in zip(levels, values.T, strict=True)]
    )
    weights = rng.uniform(0.5, 2.0, rows) if weighted else None
    counts = tuple(np.bincount(column, weights).astype(float) for column in fine.T)
    return PoolRows(
        np.asfortranarray(fine, dtype=np.uint8),
        tuple(range(columns)),
        FineColumns(counts, tuple(map(len, levels))),
        tuple(own.astype(float) for own in levels),
        target,
        classes,
        weights,
        n_jobs=1,
    )


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_gaussian_scores_are_those_of_a_fit_without_the_fold(own, weighted):
    rows = number_rows(weighted=weighted)
    X = rows.numbers({j: standardised(rows.values[j], rows.columns.counts[j]) for j in range(3)}).T
    folds = FoldOrder.of(stratified_folds(rows.target[:60], 4, 0), 4)  # the last 30 rows are in no fold
    found = crossfit_gaussian(X, rows, folds, own)[1]
    weights = np.ones(90) if rows.weights is None else rows.weights
    for fold in range(4):
        kept, part = np.setdiff1d(np.arange(90), folds.rows(fold)), folds.rows(fold)
        expected = slow.gaussian_scores(X[kept], rows.target[kept], weights[kept], 3, own, X[part])
        shared = found[part] - found[part][:, :1]  # what all classes share decides nothing
        np.testing.assert_allclose(shared, expected - expected[:, :1], rtol=1e-8, atol=1e-8)


def test_a_class_without_rows_has_finite_scores():
    rows = number_rows(classes=2)
    sums = ClassSums.of(np.random.default_rng(0).normal(size=(90, 3)), rows, np.flatnonzero(rows.target == 0))
    for own in (False, True):
        assert np.isfinite(Gaussian.of(sums, own).scores(np.ones((2, 3)))).all()


def test_a_column_that_is_constant_or_a_copy_does_no_harm():
    X = np.random.default_rng(1).normal(size=(90, 2))
    X = np.column_stack([X, X[:, 0], np.zeros(90)])
    rows = number_rows()
    folds = FoldOrder.of(stratified_folds(rows.target, 5, 0), 5)
    for own in (False, True):
        assert np.isfinite(crossfit_gaussian(X, rows, folds, own)[1]).all()


def test_normal_scores_are_symmetric_and_increase():
    scores = normal_scores(np.array([4.0, 1.0, 3.0, 1.0, 4.0]))
    np.testing.assert_allclose(scores, -scores[::-1], atol=1e-12)
    assert (np.diff(scores) > 0).all()
    assert normal_scores(np.zeros(3)).tolist() == [0, 0, 0]


def flat_scores(learned, rows):
    """The scores of rows by coefficients."""
    scores = np.tile(learned.bias, (rows.n_rows, 1))
    for j, table in learned.states.items():
        scores += np.take(table, rows.fine[:, j], axis=0, mode="clip")
    for j, (values, coefficients) in learned.numbers.items():
        scores += np.outer(np.append(values, 0.0)[rows.fine[:, j]], coefficients)
    return scores


def test_the_flat_start_is_penalised_logistic_regression():
    rows = number_rows(3, rows=400, classes=2)
    folds = FoldOrder.of(stratified_folds(rows.target, 5, 0), 5)
    learned, held_out = crossfit_flat_start(rows, folds)
    X = rows.numbers({j: own for j, (own, _) in learned.numbers.items()}).T
    losses = {}
    for strength in (300.0, 30.0, 3.0, 0.3):
        scores = np.empty((400, 2))
        for fold in range(5):
            part, kept = folds.rows(fold), np.setdiff1d(np.arange(400), folds.rows(fold))
            # One coefficient for a difference of two: half of the penalty.
            model = LogisticRegression(C=2.0 / strength, tol=1e-8).fit(X[kept], rows.target[kept])
            scores[part] = model.predict_log_proba(X[part])
        losses[strength] = -scores[np.arange(400), rows.target].mean()
    best = min(losses, key=losses.get)
    assert -held_out[np.arange(400), rows.target].mean() == pytest.approx(losses[best], abs=2e-3)
    model = LogisticRegression(C=2.0 / best, tol=1e-8).fit(X, rows.target)
    found = log_softmax(flat_scores(learned, rows))
    np.testing.assert_allclose(np.exp(found), model.predict_proba(X), atol=0.02)
    assert BIAS_PULL < 0.01  # the bias is as good as free there, too


def test_the_flat_start_knows_categories_but_not_gaps():
    rng = np.random.default_rng(4)
    target = rng.integers(0, 2, 300).astype(np.int32)
    fine = np.where(rng.random(300) < 0.2, 255, np.where(rng.random(300) < 0.8, target, 2)).astype(np.uint8)
    counts = np.bincount(fine[fine < 255], minlength=3).astype(float)
    rows = PoolRows(
        np.asfortranarray(fine[:, None]), (0,), FineColumns((counts,), (0,)), (np.empty(0),), target, 2
    )
    folds = FoldOrder.of(stratified_folds(target, 5, 0), 5)
    learned, _ = crossfit_flat_start(rows, folds)
    table = learned.states[0]
    assert table[1, 1] - table[1, 0] > 1 > -1 > table[0, 1] - table[0, 0]
    assert not table[3].any()


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e150, 1e308])
def test_numbers_of_any_size_are_standardised(scale):
    values, counts = np.array([-1.0, 0.25, 1.0]), np.array([1.0, 2.0, 1.0])
    found = standardised(values * scale, counts)
    assert np.isfinite(found).all()
    if scale >= 1:
        np.testing.assert_allclose(found, standardised(values, counts))


def test_a_weight_holds_for_all_that_was_added_before():
    rows = number_rows()
    folds = FoldOrder.of(stratified_folds(rows.target, 5, 0), 5)
    scores = []
    for weight in (1.0, 0.25):
        score_sum = ScoreSum(rows)
        score_sum.add_bias(np.array([0.0, 1.0, -2.0]))
        for network, _ in gaussian_networks(rows, folds):  # columns and quadratic forms
            score_sum.add_gaussian(network, 1.0)
        score_sum.add_table(rows.columns.grid(2), (0, 1), np.arange(27.0).reshape(9, 3) ** 2)
        score_sum.scale(weight)
        scores.append(slow.additive_scores(score_sum.score(), rows.fine))
    np.testing.assert_allclose(scores[1], 0.25 * np.array(scores[0]), atol=1e-3)
