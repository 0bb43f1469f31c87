"""ONNX graphs give the probabilities and decisions of the model, by onnxruntime."""

import datetime as dt
import re

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from models.test_sql import mixed

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def answers(model, frame):
    """Labels and probabilities by onnxruntime, with the columns as the graph takes them."""
    written = model.to_onnx()
    onnx.checker.check_model(written, full_check=True)
    session = runtime.InferenceSession(written.SerializeToString(), providers=["CPUExecutionProvider"])
    given = {}
    for column in session.get_inputs():
        values = frame[column.name]
        if column.type == "tensor(string)":
            given[column.name] = np.array(values.fill_null("").to_list(), dtype=object)[:, None]
        else:
            given[column.name] = values.cast(pl.Float64).fill_null(np.nan).to_numpy()[:, None]
    return session.run(["label", "probabilities"], given)


def check(model, frame):
    labels, probabilities = answers(model, frame)
    np.testing.assert_allclose(probabilities, model.predict_proba(frame), rtol=0, atol=1e-12)
    assert labels.tolist() == model.predict(frame).tolist()


def words(frame):
    """Texts that look like numbers would be read as such."""
    return frame.with_columns("v" + pl.col("leaf"))


@pytest.mark.parametrize("structure", [bl.NaiveBayes(), bl.TAN(), bl.KDB(k=2)])
def test_complete_rows_and_gaps_that_are_states(structure):
    X, y = mixed(150, 0, gaps=0.2)
    for missing in ("state", "impute"):
        model = bl.BayesNetClassifier(structure, missing=missing).fit(words(X), y)
        check(model, words(mixed(60, 1, gaps=0.3)[0]))
    model = bl.BayesNetClassifier(structure, missing="available").fit(words(X), y)
    check(model, words(mixed(60, 1)[0]))


def test_gaps_that_would_have_to_be_summed_out_give_nan():
    X, y = mixed(150, 0)
    X, rows = words(X), words(mixed(60, 1, gaps=0.3)[0])
    check(bl.BayesNetClassifier(bl.NaiveBayes(), missing="available").fit(X, y), rows)
    model = bl.BayesNetClassifier(bl.TAN(), missing="available").fit(X, y)
    inner = [name for name in X.columns if model.network_.children(name)]
    gap = rows.select(pl.any_horizontal(pl.col(inner).is_null())).to_series().to_numpy()
    _, probabilities = answers(model, rows)
    assert 0 < gap.sum() < len(gap)
    np.testing.assert_array_equal(np.isnan(probabilities).all(axis=1), gap)
    np.testing.assert_allclose(probabilities[~gap], model.predict_proba(rows)[~gap], rtol=0, atol=1e-12)


def test_unknown_and_pooled_categories_costs_and_impossible_rows():
    X, y = mixed(150, 0, gaps=0.1)
    X = words(X)
    odd = words(mixed(40, 1)[0]).with_columns(
        pl.Series("a", ["it's 0", "new", "it's 1", "newer"] * 10), pl.Series("few", [0, 99, 1, 7] * 10)
    )
    pooled = {"max_categories": 2, "categorical_features": ["few"], "missing": "state"}
    check(bl.BayesNetClassifier(loss={"no": {"so'so": 9.0}}, **pooled).fit(X, y), odd)
    exact = bl.BayesNetClassifier(bl.TAN(), bl.MaximumLikelihood(0), missing="state").fit(X[:20], y[:20])
    rows = words(mixed(60, 3)[0]).filter(pl.col("a").is_in(X["a"][:20].to_list()))
    check(exact, rows)
    assert (exact.predict_proba(rows) == exact._prior).all(axis=1).any()


def test_labels_keep_their_type():
    X = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0] * 10})
    for labels in ([0, 1], [True, False], [1.0, 2.0]):
        check(bl.BayesNetClassifier().fit(X, np.array(labels * 20)), X)


def refusal(model):
    with pytest.raises((TypeError, ValueError)) as caught:
        model.to_onnx()
    return str(caught.value)


def test_what_no_graph_can_say_is_refused_in_one_sentence():
    X, y = mixed(60, 0)
    per_row = bl.BayesNetClassifier(bl.KDB(k=2, functional_dependencies=True)).fit(X, y)
    assert re.search("row by row .* use predict_proba", refusal(per_row))
    assert "AveragedClassifier cannot be written" in refusal(bl.AveragedClassifier(bl.AODE()).fit(X, y))
    days = pl.DataFrame({"day": [dt.date(2024, 1, 1) + dt.timedelta(days=k) for k in range(60)]})
    assert "Column 'day' holds dates or times" in refusal(bl.BayesNetClassifier().fit(days, y))
    euros = pl.DataFrame({"price": [f"{k}.000,50 €" for k in range(1, 61)]})
    assert "decimal comma, thousands point, €" in refusal(bl.BayesNetClassifier().fit(euros, y))


@pytest.mark.parametrize("rows", [(4, 12), (12, 4), (8, 8)], ids=["second", "first", "neither"])
def test_a_tie_goes_to_the_more_frequent_class_and_then_to_the_first(rows):
    """P(a | c) is such that both classes have the same joint probability: 3 rows of each have an a."""
    first, second = rows
    X = pl.DataFrame({"x": ["a"] * 3 + ["b"] * (first - 3) + ["a"] * 3 + ["b"] * (second - 3)})
    y = ["no"] * first + ["yes"] * second
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.MaximumLikelihood(0)).fit(X, y)
    tied = pl.DataFrame({"x": ["a"]})
    assert abs(np.diff(model.predict_proba(tied)[0])[0]) < 1e-12
    labels, _ = answers(model, tied)
    assert labels.tolist() == model.predict(tied).tolist() == ["yes" if second > first else "no"]


@pytest.mark.parametrize("missing", ["available", "state", "impute"])
def test_gaps_and_unknown_categories_are_told_apart(missing):
    """What stands for a gap does not stand for a category that fit has not seen, unless both are summed out."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    words = np.where(rng.random(200) < 0.8, y, 1 - y).astype(str)
    numbers = rng.integers(0, 3, 200).astype(float)
    gap = rng.random(200) < np.where(y == 1, 0.4, 0.1)
    X = pl.DataFrame({"w": np.char.add("v", words).tolist(), "n": numbers}).with_columns(
        pl.when(~pl.Series(gap)).then("w").alias("w"),
        pl.when(pl.Series(gap[::-1].copy())).then(None).otherwise("n").alias("n"),
    )
    model = bl.BayesNetClassifier(
        bl.NaiveBayes(), bl.Dirichlet(), missing=missing, categorical_features=["n"]
    ).fit(X, y)
    rows = pl.DataFrame({"w": ["v0", "v1", None, "new", "v0", None], "n": [0.0, 2.0, None, 1.0, 9.0, 9.0]})
    with pytest.warns(UserWarning, match="not seen in fit"):
        check(model, rows)
