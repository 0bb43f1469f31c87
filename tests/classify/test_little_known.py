"""Where little or nothing is known a model works, or says in a sentence why not; probabilities are never NaN."""

import warnings

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl

MODELS = {
    "network": lambda: bl.BayesNetClassifier(),
    "pool": lambda: bl.NetworkPool(cycles=1, seeds=1),
    "bagged": lambda: bl.BaggedClassifier(n_estimators=2, random_state=0),
}


@pytest.fixture(params=MODELS)
def make(request):
    return MODELS[request.param]


def fitted(make, X, y, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make().fit(X, y, weights)


def answers(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model.predict_proba(X)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    return found


def table(rows=90, columns=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    X = pd.DataFrame({f"x{j}": y + rng.normal(size=rows) for j in range(columns)})
    return X, np.array(["a", "b", "c"])[y], rng


def test_nothing_was_ever_known(make):
    X, y, _ = table()
    model = fitted(make, X * np.nan, y)
    frequencies = [np.mean(y == label) for label in "abc"]
    np.testing.assert_allclose(answers(model, X[:3] * np.nan), [frequencies] * 3, rtol=0.02)


def test_a_column_that_is_known_at_one_time_only(make):
    X, y, _ = table()
    model = fitted(make, X, y)
    without = answers(model, X.assign(x0=np.nan))
    assert np.mean(model.classes_[without.argmax(axis=1)] == y) > 0.6
    late = fitted(make, X.assign(x0=np.nan), y)
    np.testing.assert_array_equal(answers(late, X), answers(late, X.assign(x0=np.nan)))


def test_one_row_per_class(make):
    X, _, _ = table(3)
    model = fitted(make, X, ["a", "b", "c"])
    answers(model, X)
    np.testing.assert_allclose(answers(model, X[:1] * np.nan), [[1 / 3] * 3], rtol=1e-9)


def test_weights_with_gaps(make):
    X, y, rng = table()
    X = X.mask(rng.random(X.shape) < 0.3)
    weights = rng.choice([0.0, 0.5, 3.0], len(y))
    model = fitted(make, X, y, weights)
    answers(model, X)
    if make is not MODELS["bagged"]:  # which draws rows by their weights
        shares = [weights[y == label].sum() / weights.sum() for label in "abc"]
        np.testing.assert_array_equal(answers(model, X[:1] * np.nan)[0], shares)


def test_a_class_whose_rows_all_have_gaps(make):
    X, y, _ = table()
    X.loc[y == "c", ["x0", "x1", "x2"]] = np.nan
    model = fitted(make, X, y)
    assert answers(model, X[y == "c"])[:, 2].mean() > 0.5
    answers(model, X * np.nan)


def test_more_classes_than_anyone_needs(make):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(300), 6)
    X = pd.DataFrame({"x0": y + rng.normal(size=len(y)), "x1": rng.normal(size=len(y))})
    model = fitted(lambda: make().set_params(**many(make())), X, y)
    found = answers(model, X[::50].assign(x1=np.nan))
    assert found.shape[1] == 300
    np.testing.assert_allclose(answers(model, X[:1] * np.nan), np.full((1, 300), 1 / 300), rtol=1e-9)


def many(model):
    """The setting that says that so many classes are meant."""
    return {"estimator__classes": "many"} if hasattr(model, "estimator") else {"classes": "many"}


def test_constant_features_say_nothing_whatever_else_is_asked(make):
    X = pd.DataFrame({"a": ["u"] * 50, "b": ["v"] * 50}, dtype=object)
    X.iloc[3, 0] = None
    y = np.repeat([0, 1], [20, 30])
    model = fitted(make, X, y)
    expected = np.tile([0.4, 0.6], (50, 1))
    np.testing.assert_array_equal(answers(model, X), expected)
    np.testing.assert_array_equal(answers(model, X[:1]), expected[:1])
    np.testing.assert_array_equal(model.scorer()({"a": "u", "b": "v"}), expected[0])


def empty_rows_of_one_class(rows, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    X = pd.DataFrame({f"x{j}": y + 1.2 * rng.normal(size=rows) for j in range(5)})
    X[(y == 1) & (rng.random(rows) < 0.15)] = np.nan
    return X, y


@pytest.mark.parametrize("name", ["network", "pool"])
def test_held_out_figures_are_those_of_new_rows_with_the_same_gaps(name):
    model = fitted(MODELS[name], *empty_rows_of_one_class(1500, 0))
    X, y = empty_rows_of_one_class(4000, 1)
    losses = -np.log(answers(model, X)[np.arange(4000), y])
    assert model.out_of_sample_.log_loss == pytest.approx(losses.mean(), abs=0.05)


def test_a_bag_of_networks_with_states_for_gaps_reads_them():
    y = np.repeat([0, 1], 60)
    X = pd.DataFrame({"a": np.where(y == 1, None, "u"), "b": np.where(y == 1, None, "v")}, dtype=object)
    states = bl.BayesNetClassifier(parameters=bl.Shrinkage(), missing="state")
    one = fitted(lambda: states, X, y)
    bag = fitted(lambda: bl.BaggedClassifier(states, n_estimators=3, random_state=0), X, y)
    assert answers(one, X[-1:])[0, 1] > 0.9
    assert answers(bag, X[-1:])[0, 1] > 0.9
    assert bag.scorer()({"a": None, "b": None})[1] > 0.9
