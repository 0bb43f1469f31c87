"""The pool as a classifier: manners, explanations, odd data."""

import inspect
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import bayleaf as bl
from bayleaf.pool.pool_learning import MOST_TUNED

# A pool that learns in a few hundredths of a second.
SMALL = {"cycles": 1, "seeds": 1, "n_jobs": 1}


def mixed_table(seed=0, rows=300):
    """Numbers, categories and gaps, of which a pair tells what neither does alone."""
    rng = np.random.default_rng(seed)
    sign, side = rng.choice([-1, 1], rows), rng.choice(["left", "right"], rows)
    number = sign * rng.uniform(0.5, 2.0, rows)
    target = np.where((sign > 0) == (side == "right"), "yes", "no")
    target[rng.random(rows) < 0.1] = "no"
    noise = rng.normal(size=rows)
    noise[rng.random(rows) < 0.2] = np.nan
    return pd.DataFrame({"number": number, "side": side, "noise": noise}), target


@pytest.fixture(scope="module")
def fitted():
    X, y = mixed_table()
    return bl.NetworkPool(**SMALL).fit(X, y), X, y


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_check_estimator():
    pool = bl.NetworkPool(cycles=0, seeds=1, n_jobs=1)
    expected = get_tags(pool).expected_failed_checks
    results = check_estimator(pool, on_fail="raise", expected_failed_checks=expected)
    assert sum(result["status"] == "passed" for result in results) > 40


def test_it_learns_what_only_a_pair_tells(fitted):
    model, X, y = fitted
    X_new, y_new = mixed_table(1)
    assert log_loss(y_new, model.predict_proba(X_new)) < 0.42
    assert log_loss(y_new, bl.BayesNetClassifier(bl.NaiveBayes()).fit(X, y).predict_proba(X_new)) > 0.6


def test_it_has_the_settings_of_a_classifier_of_one_network():
    one, pool = (set(inspect.signature(kind).parameters) for kind in (bl.BayesNetClassifier, bl.NetworkPool))
    of_learners = {
        "structure",
        "parameters",
        "discretizer",
        "selector",
        "random_state",
        "relearn_every",
        "half_life",
    }
    shared = one - of_learners
    assert shared == pool - {"cycles", "seeds", "random_state"}
    for name in shared:
        assert getattr(bl.NetworkPool(), name) == getattr(bl.BayesNetClassifier(), name)


def test_refits_and_threads_give_the_same_bits():
    X, y = mixed_table()
    found = [
        bl.NetworkPool(cycles=2, seeds=2, n_jobs=threads).fit(X, y).predict_proba(X) for threads in (1, 1, 3)
    ]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_another_random_state_is_another_pool(fitted):
    model, X, y = fitted
    other = clone(model).set_params(random_state=1).fit(X, y)
    assert not np.array_equal(other.predict_proba(X), model.predict_proba(X))


def test_several_seeds_on_few_rows():
    X, y = mixed_table(rows=100)
    assert len(bl.NetworkPool(cycles=0, n_jobs=1).fit(X, y).mixture_.scores) == 5
    X, y = mixed_table(rows=2000)
    assert len(bl.NetworkPool(cycles=0, n_jobs=1).fit(X, y).mixture_.scores) == 2
    X, y = mixed_table(rows=3000)
    assert len(bl.NetworkPool(cycles=0, n_jobs=1).fit(X, y).mixture_.scores) == 1


def test_evidence_adds_up_to_the_log_odds():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X.iloc[::7, 2] = np.nan
    model = bl.NetworkPool(cycles=1, seeds=2, n_jobs=1).fit(X, y)
    explanation = model.explain(X)
    np.testing.assert_allclose(explanation.total, explanation.log_odds, atol=1e-9)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(explanation.probability, probabilities.max(axis=1))
    assert not explanation.evidence[::7, 2].any()  # a missing value is no evidence
    pairs = model.explain(X.iloc[:20], target=2, against=1)
    np.testing.assert_allclose(pairs.total, np.log(probabilities[:20, 2] / probabilities[:20, 1]), atol=1e-9)


def test_the_mean_evidence_of_features_is_that_of_explain(fitted):
    model, X, _ = fitted
    explanation = model.explain(X)
    assert list(explanation.features) == list(X.columns)
    np.testing.assert_allclose(model.mean_evidence_, np.abs(explanation.evidence).mean(axis=0), rtol=1e-9)


def test_how_good_it_is_on_rows_that_were_held_out(fitted):
    model, X, y = fitted
    found = model.out_of_sample_
    folds = [np.arange(len(y)) % 3 == k for k in range(3)]
    refitted = [clone(model).fit(X[~fold], y[~fold]) for fold in folds]
    losses = [
        log_loss(y[fold], each.predict_proba(X[fold])) for fold, each in zip(folds, refitted, strict=True)
    ]
    assert found.log_loss == pytest.approx(np.mean(losses), abs=0.05)
    assert found.rows == len(y)
    assert found.accuracy > found.frequencies_accuracy == pytest.approx((y == "no").mean())
    assert bl.NetworkPool().fit([[1.0], [2.0]], [0, 1]).out_of_sample_ is None


def test_on_few_rows_that_tell_nothing_held_out_rows_say_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 8)), rng.integers(0, 2, 80)
    found = bl.NetworkPool(cycles=0, n_jobs=1).fit(X, y).out_of_sample_
    assert found.log_loss > found.frequencies_log_loss
    assert found.shortfall() is not None


@pytest.mark.parametrize("of_other", [1, 2])
def test_held_out_rows_of_a_class_that_the_others_lack(of_other):
    X, _ = mixed_table(rows=10)
    y = np.repeat(["a", "b"], [10 - of_other, of_other])
    found = bl.NetworkPool(cycles=0, n_jobs=1).fit(X, y).out_of_sample_
    assert np.isfinite(found.log_loss)
    assert found.rows == 10


def test_a_scorer_gives_the_same_probabilities(fitted):
    model, X, _ = fitted
    score, expected = model.scorer(), model.predict_proba(X)
    np.testing.assert_array_equal(score(X), expected)
    for row in range(3):
        np.testing.assert_array_equal(score(X.iloc[row].to_dict()), expected[row])
    np.testing.assert_array_equal(score({"side": "left"}), model.predict_proba(pd.DataFrame(
        {"number": [np.nan], "side": ["left"], "noise": [np.nan]}))[0])  # fmt: skip
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(score))(X), expected)


def test_arrays_and_any_frames_are_read_alike(fitted):
    model, X, _ = fitted
    np.testing.assert_array_equal(model.predict_proba(pl.from_pandas(X)), model.predict_proba(X))
    X, y = load_iris(return_X_y=True)
    array = bl.NetworkPool(**SMALL).fit(X, y)
    np.testing.assert_array_equal(array.scorer()(X), array.predict_proba(X))
    np.testing.assert_array_equal(array.scorer()(X[0].tolist()), array.predict_proba(X[:1])[0])


def test_a_pickle_predicts_the_same(fitted):
    model, X, _ = fitted
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_weight_of_zero_is_no_row(fitted):
    model, X, y = fitted
    more = pd.concat([X, X.iloc[:50]], ignore_index=True)
    weights = np.repeat([1.0, 0.0], [len(X), 50])
    labels = np.append(y, np.where(y[:50] == "no", "yes", "no"))
    weighted = clone(model).fit(more, labels, weights)
    np.testing.assert_allclose(weighted.predict_proba(X), model.predict_proba(X), atol=1e-6)


def test_balanced_classes_have_balanced_probabilities():
    X, y = mixed_table(rows=600)
    rare = (y == "no") | (np.arange(600) % 6 == 0)
    X, y = X[rare], y[rare]
    plain, balanced = (bl.NetworkPool(**SMALL, class_weight=each).fit(X, y) for each in (None, "balanced"))
    assert plain.predict_proba(X)[:, 1].mean() == pytest.approx((y == "yes").mean(), abs=0.03)
    found = balanced.predict_proba(X)[:, 1]
    assert np.mean([found[y == label].mean() for label in ("no", "yes")]) == pytest.approx(0.5, abs=0.06)


def test_decisions_by_costs(fitted):
    model, X, y = fitted
    careful = clone(model).set_params(loss={"yes": {"no": 20}}).fit(X, y)
    np.testing.assert_array_equal(careful.predict_proba(X), model.predict_proba(X))
    assert (careful.predict(X) == "yes").sum() > (model.predict(X) == "yes").sum()
    assert "minimises expected cost" in careful.explain(X.iloc[:1]).cost_sentence(0)


def test_what_a_single_network_has_is_refused_with_a_pointer(fitted):
    model, X, _ = fitted
    with pytest.raises(
        AttributeError, match="NetworkPool has no 'network_': it is many networks in one score"
    ):
        model.network_  # noqa: B018
    with pytest.raises(NotFittedError):
        bl.NetworkPool().predict(X)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cycles": -1}, "'cycles' parameter of NetworkPool must be an int in the range"),
        ({"seeds": 0}, "'seeds' parameter of NetworkPool must be an int in the range"),
        ({"missing": "ignore"}, "'missing' parameter"),
        ({"random_state": "x"}, "'random_state' parameter of NetworkPool"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises((TypeError, ValueError), match=message):
        bl.NetworkPool(**settings).fit([[1.0], [2.0]], [0, 1])


def is_sound(model, X):
    found = model.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert ((found >= 0) & np.isfinite(found)).all()
    explanation = model.explain(X[:3])
    np.testing.assert_allclose(explanation.total, explanation.log_odds, atol=1e-8)
    return True


@pytest.mark.parametrize("rows", [2, 3, 9, 12])
def test_one_row_per_class(rows):
    X = np.random.default_rng(0).normal(size=(rows, 2))
    assert is_sound(bl.NetworkPool(**SMALL).fit(X, np.arange(rows)), X)


def test_a_class_of_one_row_and_a_constant_column():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.normal(size=80), np.ones(80)])
    y = np.repeat([0, 1, 2], [40, 39, 1])
    assert is_sound(bl.NetworkPool(**SMALL).fit(X, y), X)


def test_separable_rows_stay_finite_and_unsure():
    X = np.concatenate([np.full((60, 2), -1.0), np.full((60, 2), 1.0)]) + np.linspace(0, 0.1, 120)[:, None]
    model = bl.NetworkPool(**SMALL).fit(X, np.repeat([0, 1], 60))
    assert is_sound(model, X)
    assert 0.5 < model.predict_proba(X)[0, 0] < 1 - 1e-4


@pytest.mark.filterwarnings("ignore:Column:UserWarning")
def test_without_evidence_there_are_the_class_frequencies():
    y = np.repeat([0, 1], [30, 10])
    for X in (np.ones((40, 2)), np.full((40, 2), np.nan)):
        with pytest.warns(UserWarning, match="has learned nothing"):
            model = bl.NetworkPool(**SMALL).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X[:1])[0], [0.75, 0.25], atol=0.02)


def test_many_classes():
    rng = np.random.default_rng(2)
    y = np.arange(200) % 100
    X = np.column_stack([y + rng.normal(0, 0.1, 200), rng.normal(size=200)])
    model = bl.NetworkPool(cycles=0, seeds=1, classes="many", n_jobs=1).fit(X, y)
    assert is_sound(model, X[:20])
    assert model.predict_proba(X).shape == (200, 100)


def test_many_states():
    rng = np.random.default_rng(3)
    names = pl.Series([f"s{k}" for k in range(3000)])
    X = pl.DataFrame({"name": names, "x": rng.normal(size=3000)})
    model = bl.NetworkPool(cycles=0, seeds=1, identifiers="keep", n_jobs=1).fit(X, (X["x"] > 0).to_numpy())
    assert is_sound(model, X[:20])
    assert model.score(X, (X["x"] > 0).to_numpy()) > 0.95


@pytest.mark.filterwarnings("ignore:sample_weight makes 60 rows count as")
@pytest.mark.parametrize("size", [1e-9, 1e9])
def test_weights_of_any_size(size):
    X, y = mixed_table(rows=60)
    assert is_sound(bl.NetworkPool(**SMALL).fit(X, y, np.full(60, size)), X)


def test_more_rows_than_are_tuned_by(monkeypatch):
    monkeypatch.setattr("bayleaf.pool.pool_learning.MOST_TUNED", 300)
    monkeypatch.setattr("bayleaf.classify.network_pool.MOST_TUNED", 300)
    monkeypatch.setattr("bayleaf.pool.pool_learning.MOST_SCORED", 600)
    monkeypatch.setattr("bayleaf.pool.linear_members.MOST_ROWS", 200)
    X, y = mixed_table(rows=1000)
    order = np.argsort(y, kind="stable")  # a file sorted by class
    model = bl.NetworkPool(**SMALL).fit(X.iloc[order], y[order])
    X_new, y_new = mixed_table(1)
    assert log_loss(y_new, model.predict_proba(X_new)) < 0.42
    assert MOST_TUNED > 300


def test_ctrl_c_leaves_the_fitted_pool_as_it_was(fitted, monkeypatch):
    model, X, y = clone(fitted[0]).fit(fitted[1], fitted[2]), fitted[1], fitted[2]
    before = model.predict_proba(X)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("bayleaf.pool.pool_learning.choose_corrections", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X.iloc[:, :2], y)
    np.testing.assert_array_equal(model.predict_proba(X), before)
