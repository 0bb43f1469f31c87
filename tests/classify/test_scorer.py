"""The compiled way of scoring gives what the general way gives, whatever the rows look like."""

import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.classify.scorer import Scorer
from reference.counted import counted
from reference.scoring import slow_log_joint, slow_posteriors

LETTERS = np.array(["a", "b", "c", "d"], dtype=object)


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)


def numbers(seed, rows=120, features=6, classes=3, gaps=0.0):
    """Numbers of all sorts that depend on a class: real, whole, few, and a constant."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, rows)
    X = rng.standard_normal((rows, features)) + y[:, None] * rng.choice([0.0, 1.0, 2.0], features)
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] = np.round(2 * X[:, 2]) / 2
    X[:, -1] = 7.0
    X[rng.random(X.shape) < gaps] = np.nan
    return X, y


def frame(seed, rows=120, gaps=0.0):
    """A table with text, numbers, truth values and categories of numbers."""
    X, y = numbers(seed, rows)
    rng = np.random.default_rng(seed + 1)
    table = {
        "size": X[:, 0].tolist(),
        "whole": X[:, 1].astype(int).tolist(),
        "letter": LETTERS[(y + rng.integers(0, 3, rows)) % 4].tolist(),
        "flag": (X[:, 3] > 0.5).tolist(),
        "other": LETTERS[rng.integers(0, 4, rows)].tolist(),
    }
    for name, values in table.items():
        table[name] = [None if rng.random() < gaps else value for value in values]
    return pl.DataFrame(table), y


def rows_of(table):
    return table.rows(named=True)


MODELS = {
    "TAN": lambda: counted(),
    "tuned": lambda: bl.BayesNetClassifier(bl.NaiveBayes()),
    "zeros": lambda: counted(parameters=bl.MaximumLikelihood(0)),
    "imputed": lambda: counted(missing="impute"),
    "selected": lambda: counted(selector=bl.BayesFactorSelector()),
    "dependencies": lambda: counted(bl.KDB(2, functional_dependencies=True, min_count=5)),
    "many bins": lambda: counted(discretizer=bl.Quantiles(40)),
    "unrestricted": lambda: counted(bl.HillClimbing(bl.BIC())),
    "votes": lambda: bl.BaggedClassifier(counted(), 4, vote="majority", random_state=0),
    "costly votes": lambda: bl.BaggedClassifier(
        counted(loss=[[0, 1, 9], [3, 0, 1], [1, 1, 0]]), 4, "majority", random_state=0
    ),
    "average": lambda: bl.BaggedClassifier(counted(), 4, random_state=0),
}


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), gaps=st.sampled_from([0.0, 0.1]), order=st.sampled_from("CF"))
def test_arrays_are_scored_as_the_general_way_scores_them(name, seed, gaps, order):
    X, y = numbers(seed, gaps=gaps)
    model = MODELS[name]().fit(X, y)
    new = np.asarray(numbers(seed + 1, 40, gaps=gaps)[0], order=order)
    expected = slow_posteriors(model, new)
    close(model.predict_proba(new), expected)
    close(model.scorer()(new), expected)
    close(model.scorer()(new[0]), expected[0])
    np.testing.assert_array_equal(model.predict(new), model.decide(expected))


@given(
    st.integers(0, 10**6),
    st.sampled_from([np.float64, np.float32, np.int64, np.int32, np.uint8, np.int16]),
    st.booleans(),
    st.sampled_from([1, 3]),
)
def test_types_strides_and_threads_change_no_bit(seed, dtype, categorical, n_jobs):
    X, y = numbers(seed, 600)
    X = np.abs(np.round(X)).astype(dtype)
    mask = np.full(X.shape[1], categorical)
    model = counted(n_jobs=n_jobs, categorical_features=mask).fit(X, y)
    expected = slow_posteriors(model, X)
    wide = np.empty((600, 3 * X.shape[1]), dtype)
    wide[:, ::3] = X
    for same in (X, np.asfortranarray(X), wide[:, ::3], X[::-1][::-1]):
        np.testing.assert_array_equal(model.predict_proba(same), expected)
        log_joint = slow_log_joint(model, same)
        np.testing.assert_array_equal(model._scored(same, normalised=False), log_joint)
    np.testing.assert_array_equal(model.predict_proba(X[::-2]), expected[::-2])


@given(st.integers(0, 10**6), st.integers(1, 600), st.integers(1, 60))
def test_cuts_are_found_as_by_a_search(seed, rows, cuts):
    rng = np.random.default_rng(seed)
    points = np.unique(rng.integers(-50, 50, cuts)).astype(float)
    X = rng.choice([*points, *(points + 0.5), -1e300, 1e300, np.nan], (rows, 1))
    variables = (bl.data.Variable.numeric("x", points),)
    reader = bl.classify.scorer.RowReader(variables)
    table = reader.read_array(X, 1)
    expected = np.where(np.isnan(X), 255, np.searchsorted(points, X))
    np.testing.assert_array_equal(table.codes, expected)
    assert table.has_missing.tolist() == [bool(np.isnan(X).any())]


@pytest.mark.parametrize("name", [name for name in MODELS if name != "many bins"])
@settings(max_examples=3)
@given(seed=st.integers(0, 10**6), gaps=st.sampled_from([0.0, 0.15]))
def test_single_rows_of_a_table_are_scored_as_the_general_way_scores_them(name, seed, gaps):
    table, y = frame(seed, gaps=gaps)
    model = MODELS[name]().fit(table, y)
    score = pickle.loads(pickle.dumps(model.scorer()))
    new = frame(seed + 1, 12, gaps=gaps)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # values of `whole` that fit has not seen
        expected = slow_posteriors(model, new)
        close(score(new), expected)
    close(score(rows_of(new)), expected)
    for row, values, probabilities in zip(rows_of(new), new.rows(), expected, strict=True):
        close(score(row), probabilities)
        close(score(values), probabilities)
        close(score(list(values)), probabilities)
        known = {name: value for name, value in row.items() if value is not None}
        close(score({**known, "more": 1} if known else {}), probabilities)
    for k in range(len(new)):
        close(model.predict_proba(new[k : k + 1]), expected[k : k + 1])
        close(model.predict_proba(new[k : k + 1].to_pandas()), expected[k : k + 1])


def test_spellings_of_missing_and_numpy_scalars_are_understood():
    table, y = frame(3)
    score = counted().fit(table, y).scorer()
    row = rows_of(table)[0]
    without = score({name: value for name, value in row.items() if name != "size"})
    for missing in (None, float("nan"), np.nan, np.float32("nan"), pd.NA, pd.NaT):
        close(score({**row, "size": missing}), without)
    numpy_row = {
        "size": np.float64(row["size"]),
        "whole": np.int16(row["whole"]),
        "letter": np.str_(row["letter"]),
        "flag": np.bool_(row["flag"]),
        "other": row["other"],
    }
    close(score(numpy_row), score(row))
    close(score(np.array(list(numpy_row.values()), dtype=object)), score(row))
    close(score(pd.Series(row, dtype=object).to_dict()), score(row))


def test_unknown_categories_count_as_missing_or_are_refused():
    table, y = frame(5)
    row = rows_of(table)[0]
    strange = {**row, "letter": "zebra"}
    score = counted().fit(table, y).scorer()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        close(score(strange), score({**row, "letter": None}))
    strict = bl.BayesNetClassifier(unknown="error").fit(table, y)
    message = "Column 'letter' has 1 value that was not seen in fit"
    with pytest.raises(ValueError, match=message):
        strict.scorer()(strange)
    with pytest.raises(ValueError, match=message):
        strict.predict_proba(pl.DataFrame([strange]))
    with pytest.warns(UserWarning, match=message):
        counted().fit(table, y).predict_proba(pl.DataFrame([strange]))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"size": float("inf")}, ValueError, "Column 'size' has 1 infinite value"),
        ({"size": "large"}, TypeError, "Column 'size' held numbers in fit and holds string values now"),
        ({"letter": 3}, TypeError, "Column 'letter' held string values in fit and holds integer values now"),
        ({"flag": "yes"}, TypeError, "Column 'flag' held boolean values in fit and holds string values now"),
        ({"letter": ["a"]}, TypeError, "Column 'letter' holds values of type list"),
        ({"letter": b"a"}, TypeError, "Column 'letter' holds values of type bytes"),
    ],
)
def test_wrong_values_are_refused_in_the_words_of_the_estimator(change, error, message):
    table, y = frame(7)
    score = counted().fit(table, y).scorer()
    with pytest.raises(error, match=message):
        score({**rows_of(table)[0], **change})


def test_rows_of_another_shape_are_refused():
    table, y = frame(7)
    model = counted().fit(table, y)
    score = model.scorer()
    with pytest.raises(ValueError, match="The row has 2 values; the model has 5 features"):
        score((1.0, 2))
    with pytest.raises(
        ValueError, match="No key of the row is a column of the model; the columns are 'size'"
    ):
        score({"sise": 1.0})
    with pytest.raises(ValueError, match="X lacks 1 column of fit: 'letter'"):
        score(table.drop("letter"))
    with pytest.raises(ValueError, match="columns"):
        score(np.zeros((3, 2)))
    close(score(table.select(reversed(table.columns))), model.predict_proba(table))
    close(score({}), score({"size": None}))


def test_infinite_numbers_and_unknown_numbers_keep_their_messages():
    X, y = numbers(1)
    model = counted().fit(X, y)
    X[3, 0] = np.inf
    with pytest.raises(ValueError, match="Column 'x0' has 1 infinite value"):
        model.predict_proba(X)
    with pytest.raises(ValueError, match="Column 'x0' has 1 infinite value"):
        model.scorer()(X)
    whole = np.arange(20).reshape(10, 2) % 3
    model = bl.BayesNetClassifier(categorical_features=[True, True]).fit(whole, np.arange(10) % 2)
    with pytest.warns(UserWarning, match=r"Column 'x1' has 1 value that was not seen in fit \(7\)"):
        found = model.predict_proba(np.array([[1, 7]]))
    close(found, model.predict_proba(np.array([[1.0, np.nan]])))


def test_prediction_leaves_the_model_as_it_is_and_copies_work():
    X, y = numbers(2, gaps=0.1)
    model = counted().fit(X, y)
    before = dict(model.__dict__)
    expected = model.predict_proba(X)
    assert model.__dict__ == before
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), copy.copy(model)):
        np.testing.assert_array_equal(other.predict_proba(X), expected)
    score = model.scorer()
    model.fit(X[:50], y[:50])
    np.testing.assert_array_equal(score(X), expected)


@pytest.mark.parametrize("name", ["TAN", "dependencies", "average"])
def test_many_threads_may_share_one_scorer(name):
    table, y = frame(11, rows=300, gaps=0.1)
    score = MODELS[name]().fit(table, y).scorer()
    rows = rows_of(table)
    alone = copy.deepcopy(score)
    expected = [alone(row) for row in rows]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            for found, probabilities in zip(pool.map(score, rows), expected, strict=True):
                np.testing.assert_array_equal(found, probabilities)


def test_a_loaded_model_has_the_same_scorer(tmp_path):
    table, y = frame(13, gaps=0.1)
    for name in ("TAN", "dependencies", "votes"):
        model = MODELS[name]().fit(table, y)
        model.save(tmp_path / "model.bayleaf.json")
        loaded = bl.load(tmp_path / "model.bayleaf.json").scorer()
        for row in rows_of(table)[:20]:
            np.testing.assert_array_equal(loaded(row), model.scorer()(row))


def test_a_scorer_says_what_it_is():
    X, y = numbers(1)
    score = bl.BaggedClassifier(counted(), 3, random_state=0).fit(X, y).scorer()
    assert isinstance(score, Scorer)
    assert repr(score) == "<Scorer features=6 classes=3, 3 networks>"
    assert score.classes.tolist() == [0, 1, 2]


def test_a_row_of_a_pandas_table_is_a_row():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = counted().fit(X, y)
    np.testing.assert_allclose(model.scorer()(X.iloc[77]), model.predict_proba(X.iloc[[77]])[0], rtol=1e-12)
