"""Hidden naive Bayes: by its formula, with gaps and weights, in files, as a scorer and on the page."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from typer.testing import CliRunner

import bayleaf as bl
from bayleaf.cli.app import app
from bayleaf.learn.structure.hidden_naive_bayes import HiddenParents
from classify.test_averaged import as_frame, problems
from reference.hidden import hidden_naive_bayes


def fitted(problem, order=None, parameters=None):
    rows, weights, arities, new = problem
    model = bl.BayesNetClassifier(bl.HiddenNaiveBayes(), parameters or bl.MEstimate(), missing="available")
    X, new = as_frame(rows[:, :-1], arities), as_frame(new, arities)
    columns = list(X.columns) if order is None else [X.columns[j] for j in order]
    return model.fit(X[columns], rows[:, -1], sample_weight=weights), new[columns]


@given(problem=problems(most_features=4))
def test_it_is_its_formula(problem):
    model, new = fitted(problem)
    rows, weights, arities, asked = problem
    for x, found in zip(asked.tolist(), model.predict_proba(new), strict=True):
        expected = hidden_naive_bayes(rows.tolist(), weights.tolist(), arities, x)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


@given(problem=problems(most_features=4), seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_the_order_of_rows_and_columns_does_not_matter(problem, seed):
    rows, weights, arities, new = problem
    model, asked = fitted(problem)
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(len(rows))
    other, again = fitted(
        (rows[shuffled], weights[shuffled], arities, new), rng.permutation(len(arities) - 1)
    )
    np.testing.assert_allclose(other.predict_proba(again), model.predict_proba(asked), rtol=1e-9)


@given(problem=problems(), seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_weights_are_copies_of_rows(problem, seed):
    rows, _, arities, new = problem
    times = np.random.default_rng(seed).integers(1, 4, len(rows))
    weighted, asked = fitted((rows, times.astype(float), arities, new))
    repeated, _ = fitted((np.repeat(rows, times, axis=0), np.ones(times.sum()), arities, new))
    np.testing.assert_allclose(weighted.predict_proba(asked), repeated.predict_proba(asked), rtol=1e-9)


def gappy(seed=0, rows=200):
    X, y = load_iris(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, len(X), rows)
    X, y = X.iloc[chosen].reset_index(drop=True), y.iloc[chosen].reset_index(drop=True)
    return X.mask(rng.random(X.shape) < 0.15), y


@pytest.mark.parametrize("parameters", [bl.MEstimate(), bl.Shrinkage(), None], ids=repr)
def test_rows_one_by_one_files_and_pickles_agree(parameters, tmp_path):
    X, y = gappy()
    model = bl.BayesNetClassifier(bl.HiddenNaiveBayes(), parameters).fit(X, y)
    expected = model.predict_proba(X)
    assert isinstance(model._predictor, HiddenParents)
    score = model.scorer()
    one_by_one = [score(row) for row in X.to_dict("records")[:40]]
    np.testing.assert_array_equal(one_by_one, expected[:40])
    np.testing.assert_array_equal(score(X), expected)
    model.save(tmp_path / "hnb.bayleaf.json")
    loaded = bl.load(tmp_path / "hnb.bayleaf.json")
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(X), expected)
        np.testing.assert_array_equal(other.predict_log_proba(X), model.predict_log_proba(X))
    evidence = model.explain(X.iloc[:5])
    np.testing.assert_allclose(evidence.total, evidence.log_odds, rtol=1e-9)


def test_a_damaged_file_is_refused(tmp_path):
    X, y = gappy()
    path = tmp_path / "hnb.bayleaf.json"
    bl.BayesNetClassifier(bl.HiddenNaiveBayes()).fit(X, y).save(path)
    content = json.loads(path.read_text())
    content["predictor"]["tables"].pop()
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="weights and the tables of hidden naive Bayes do not fit together"):
        bl.load(path)


def test_with_one_feature_it_is_naive_bayes():
    X, y = pd.DataFrame({"x": list("aabbbc")}), [0, 0, 0, 1, 1, 1]
    models = [bl.BayesNetClassifier(each, "laplace") for each in (bl.HiddenNaiveBayes(), bl.NaiveBayes())]
    hidden, naive = (model.fit(X, y).predict_proba(X) for model in models)
    np.testing.assert_allclose(hidden, naive, rtol=1e-14)


def test_a_page_says_what_predicts_and_a_reason_is_refused(tmp_path):
    X, y = gappy()
    model = bl.classifier("HNB").fit(X, y)
    model.report(X, y, tmp_path / "page.html")
    page, caution = (tmp_path / "page.html").read_text(), model._predictor.caution
    assert (
        f"{caution} The figures are those of the classifier; What if and Why answer by the network." in page
    )
    model.save(tmp_path / "hnb.json")
    done = CliRunner().invoke(app, ["show", str(tmp_path / "hnb.json")])
    assert "the network shown is naive Bayes, which is not what predicts" in " ".join(done.output.split())
    assert "What if" not in done.output
    with pytest.raises(ValueError, match="hidden parent"):
        model.sufficient_reason(X.iloc[[0]])
    assert "HNB" in str(bl.methods())


@pytest.mark.parametrize("relearn_every", [1, None])
@pytest.mark.parametrize("missing", ["auto", "available", "state", "drop"])
@pytest.mark.parametrize("parameters", ["m-estimate", "laplace", "shrinkage"])
def test_batches_give_the_model_of_one_fit(parameters, missing, relearn_every, tmp_path):
    X, y = gappy(rows=300)
    X = X.round().astype("Int64").astype("string")
    first = X.drop_duplicates().index  # all categories: how columns are read is settled by the first batch
    X, y = X.loc[first.append(X.index.difference(first))], y.loc[first.append(X.index.difference(first))]
    settings = {"missing": missing, "relearn_every": relearn_every}
    whole = bl.BayesNetClassifier("hidden-naive-bayes", parameters, **settings).fit(X, y)
    online = bl.BayesNetClassifier("hidden-naive-bayes", parameters, **settings)
    online.partial_fit(X[:200], y[:200], classes=[0, 1, 2])
    online.save(tmp_path / "hnb.json")
    loaded, before = bl.load(tmp_path / "hnb.json"), online.predict_proba(X)
    assert (before != whole.predict_proba(X)).any()
    for model in (online, loaded):
        np.testing.assert_array_equal(model.predict_proba(X), before)
        model.partial_fit(X[200:], y[200:])
        assert isinstance(model._predictor, HiddenParents)
        np.testing.assert_array_equal(model._predictor.weights, whole._predictor.weights)
        np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))


def test_more_rows_than_memory_takes_are_counted_like_those_in_memory():
    X, y = gappy(rows=400)
    X = X.round().astype("Int64").astype("string")
    frame = X.assign(species=y.map({0: "a", 1: "b", 2: "c"}))
    streamed = bl.classifier("HNB").fit_from(frame, target="species", sample_rows=100)
    whole = bl.classifier("HNB").fit(X, frame["species"])
    np.testing.assert_allclose(streamed.predict_proba(X), whole.predict_proba(X), rtol=1e-9)
