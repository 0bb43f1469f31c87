"""Rows with gaps that a pool has not met in training are judged by its networks alone."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss

import bayleaf as bl
from bayleaf.models.pool_parts import mixture_from_plain, mixture_to_plain


def columns_that_go_together(rows=600, seed=0):
    """Two numbers that are nearly the same, whose small difference tells the class; a third that tells a little."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    size = rng.normal(size=rows)
    return pd.DataFrame(
        {
            "one": size + 0.1 * y,
            "other": size + 0.02 * rng.normal(size=rows),
            "third": rng.normal(size=rows) + y,
        }
    ), y


@pytest.fixture(scope="module")
def fitted():
    X, y = columns_that_go_together()
    return bl.NetworkPool(cycles=1, seeds=2, n_jobs=1).fit(X[:400], y[:400]), X[400:], y[400:]


@pytest.mark.parametrize("gone", ["one", "other"])
def test_half_of_a_pair_does_not_decide_alone(fitted, gone):
    model, X, y = fitted
    assert log_loss(y, model.predict_proba(X)) < 0.3
    # What is left tells little of the class: no more than that may be said with confidence.
    assert log_loss(y, model.predict_proba(X.assign(**{gone: np.nan}))) < log_loss(
        y, np.full((len(y), 2), 0.5)
    )


def test_rows_without_gaps_are_not_the_networks_business(fitted):
    model, X, _ = fitted
    mixture = model.mixture_
    alone = mixture.fallback
    some = X.copy()
    some.iloc[::3, 0] = np.nan
    codes = model.encode(some).codes
    found = mixture.probabilities(codes, 1)
    unforeseen = np.arange(len(X)) % 3 == 0
    np.testing.assert_array_equal(mixture.fallback.unforeseen(codes), unforeseen)
    np.testing.assert_array_equal(found[unforeseen], alone.probabilities(codes[unforeseen], 1))
    np.testing.assert_array_equal(found[~unforeseen], model.predict_proba(X)[~unforeseen])


def test_single_rows_are_judged_as_tables_are(fitted):
    model, X, _ = fitted
    some = X.mask(np.random.default_rng(1).random(X.shape) < 0.4)[:40]
    score = model.scorer()
    np.testing.assert_array_equal([score(row) for row in some.to_dict("records")], model.predict_proba(some))


def test_evidence_adds_up_where_the_networks_judge(fitted):
    model, X, _ = fitted
    some = X.mask(np.random.default_rng(2).random(X.shape) < 0.4)
    explanation = model.explain(some)
    np.testing.assert_allclose(explanation.total, explanation.log_odds, atol=1e-9)
    np.testing.assert_allclose(explanation.probability, model.predict_proba(some).max(axis=1))
    assert not explanation.evidence[some.isna().to_numpy()].any()


def test_gaps_of_training_rows_are_foreseen():
    X, y = columns_that_go_together()
    rng = np.random.default_rng(3)
    X.loc[rng.random(len(X)) < 0.2, "third"] = np.nan
    X.loc[:2, ["other", "third"]] = np.nan, 0.5  # half a per cent of the rows
    fallback = bl.NetworkPool(cycles=0, seeds=1, missing="available", n_jobs=1).fit(X, y).mixture_.fallback
    assert fallback.seldom == (True, True, False)
    assert fallback.most == 1
    missing = np.iinfo(np.uint16).max
    rows = [[0, 0, 0], [0, 0, missing], [0, missing, 0], [missing, missing, missing]]
    assert fallback.unforeseen(np.array(rows, dtype=np.uint16)).tolist() == [False, False, True, True]


def test_rows_without_weight_foresee_nothing():
    X, y = columns_that_go_together()
    gone = X[:30].assign(one=np.nan, third=np.nan)
    both, labels = pd.concat([X, gone]), np.concatenate([y, y[:30]])
    weights = np.repeat([1.0, 0.0], [len(X), len(gone)])
    model = bl.NetworkPool(cycles=0, seeds=1, missing="available", n_jobs=1)
    fallback = model.fit(both, labels, sample_weight=weights).mixture_.fallback
    assert fallback.seldom == (True, True, True)
    assert fallback.most == 0


def test_a_model_file_keeps_what_judges_gaps(fitted, tmp_path):
    model, X, _ = fitted
    some = X.mask(np.random.default_rng(4).random(X.shape) < 0.3)
    model.save(tmp_path / "pool.json")
    np.testing.assert_array_equal(
        bl.load(tmp_path / "pool.json").predict_proba(some), model.predict_proba(some)
    )


def test_a_file_without_it_is_read_as_it_was_meant(fitted):
    model, X, _ = fitted
    plain = json.loads(json.dumps(mixture_to_plain(model.mixture_)))
    del plain["fallback"]
    old = mixture_from_plain(plain, model.schema_.features, 2)
    assert old.fallback is None
    codes = model.encode(X).codes
    np.testing.assert_array_equal(old.probabilities(codes, 1), model.mixture_.probabilities(codes, 1))


def test_a_file_that_foresees_gaps_of_other_columns_is_refused(fitted):
    model, _, _ = fitted
    plain = json.loads(json.dumps(mixture_to_plain(model.mixture_)))
    plain["fallback"]["seldom"].append(True)
    with pytest.raises(ValueError, match="gaps of columns that it does not have"):
        mixture_from_plain(plain, model.schema_.features, 2)
