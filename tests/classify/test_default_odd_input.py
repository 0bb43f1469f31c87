"""Tables that leave little to learn from: the default works, or says in a sentence why not."""

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl

LETTERS = np.array(list("abc"))


def check(X, y, **settings):
    """Fit the default and return it; probabilities are numbers and sum to one."""
    sample_weight = settings.pop("sample_weight", None)
    model = bl.BayesNetClassifier(**settings).fit(X, y, sample_weight)
    found = model.predict_proba(X)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    if model.out_of_sample_ is not None:
        assert np.isfinite([model.out_of_sample_.log_loss, model.out_of_sample_.gain_error]).all()
    return model


def features(rows, columns=2, seed=0):
    return pd.DataFrame(LETTERS[np.random.default_rng(seed).integers(0, 3, (rows, columns))]).add_prefix("x")


def test_one_class_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"y has only one class \('yes' in all 30 rows\)"):
        check(features(30), ["yes"] * 30)


def test_one_row_of_each_class():
    check(features(8), [f"class {k}" for k in range(8)])


def test_a_class_of_one_row():
    check(features(61), ["no", "yes"] * 30 + ["once"])


def test_a_constant_feature_changes_nothing():
    X, y = features(60), np.array(["no", "yes"])[np.random.default_rng(1).integers(0, 2, 60)]
    plain, more = check(X, y), check(X.assign(same="a"), y)
    np.testing.assert_allclose(more.predict_proba(X.assign(same="a")), plain.predict_proba(X), rtol=1e-9)


def test_no_usable_feature_leaves_the_frequencies():
    X, y = pd.DataFrame({"same": ["a"] * 40}), ["no"] * 30 + ["yes"] * 10
    with pytest.warns(UserWarning, match="no feature is informative about"):
        model = check(X, y)
    assert model.predict_proba(X[:1])[0, 0] == pytest.approx(0.75, abs=0.03)


def test_hundreds_of_classes():
    y = np.repeat(np.arange(300), 2)
    X = pd.DataFrame({"near": (y // 30).astype(str), "noise": features(600)["x0"]})
    model = check(X, y, classes="many")
    assert model.predict_proba(X).shape == (600, 300)
    assert (model.predict(X[:60]) < 30).mean() > 0.9


def test_weights_of_zero_are_no_rows_and_not_all_may_be_zero():
    X, y = features(60), np.arange(60) % 2
    weights = np.where(np.arange(60) < 40, 1.0, 0.0)
    some = check(X, y, sample_weight=weights)
    alone = check(X[:40], y[:40])
    np.testing.assert_allclose(some.predict_proba(X), alone.predict_proba(X), rtol=1e-9)
    with pytest.raises(ValueError, match="weight"):
        check(X, y, sample_weight=np.zeros(60))


def test_separable_rows_keep_corrections_finite():
    X = features(90, 3)
    model = check(X, X["x0"].to_numpy())
    assert all(np.isfinite(np.log(table)).all() for table in model.network_.tables)
    assert model.score(X, X["x0"]) == 1.0


def test_a_state_for_every_row():
    X = pd.DataFrame({"many": [f"s{k}" for k in range(4000)], "few": LETTERS[np.arange(4000) % 3]})
    model = check(X, np.arange(4000) % 2, identifiers="keep")
    assert model.network_.n_parameters < 100_000
