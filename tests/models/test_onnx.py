"""ONNX graphs give the probabilities and decisions of the model, by onnxruntime."""

import datetime as dt
import itertools
import re
import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.network.member import GapCaution, TwoReadings
from reference.counted import counted
from reference.read_in_two_ways import forest, read_in_two_ways, unanswered
from reference.sql_answers import iris_with_gaps, mixed

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
ONE_THREAD = runtime.SessionOptions()
ONE_THREAD.intra_op_num_threads = 1


def answers(model, frame):
    """Labels and probabilities by onnxruntime, with the columns as the graph takes them."""
    written = model.to_onnx()
    onnx.checker.check_model(written, full_check=True)
    session = runtime.InferenceSession(written.SerializeToString(), ONE_THREAD, ["CPUExecutionProvider"])
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
        model = counted(structure, missing=missing).fit(words(X), y)
        check(model, words(mixed(60, 1, gaps=0.3)[0]))
    model = bl.BayesNetClassifier(structure, missing="available").fit(words(X), y)
    check(model, words(mixed(60, 1)[0]))


@pytest.mark.parametrize("missing", ["available", "state"])
def test_the_default_with_and_without_gaps(missing):
    X, y = mixed(150, 0, gaps=0.1)
    model = bl.BayesNetClassifier(missing=missing).fit(words(X), y)
    assert isinstance(model._predictor, TwoReadings)
    for gaps in (0.0, 0.2, 0.7):
        check(model, words(mixed(40, 1, gaps)[0]))


@example(5101, False, 0.0)  # classes that differ in the last bit: the more frequent one is decided for
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([0.0, 0.3, 0.7]))
@settings(max_examples=12, deadline=None)
def test_any_tree_sums_out_whatever_is_missing(seed, twice, gaps):
    """Also with tables that have zeros: rows that no class explains get the class frequencies."""
    rng = np.random.default_rng(seed)
    X, y = mixed(25, seed, gaps=0.2)
    parameters = bl.Dirichlet() if twice else bl.MaximumLikelihood(0)
    model = counted(bl.FixedStructure(forest(X.columns, rng)), parameters, missing="available").fit(
        words(X), y
    )
    with warnings.catch_warnings(action="ignore"):  # of categories that so few rows did not have
        check(read_in_two_ways(model, rng) if twice else model, words(mixed(30, seed + 1, gaps)[0]))


@pytest.mark.parametrize("missing", ["available", "auto", "state"])
def test_evidence_that_was_weighed_batch_by_batch(missing):
    X, y = mixed(200, 0, gaps=0.2)
    model = bl.BayesNetClassifier(missing=missing, identifiers="keep")
    for start in (0, 100):
        model.partial_fit(words(X[start : start + 100]), y[start : start + 100], classes=np.unique(y))
    check(model, words(mixed(60, 1, gaps=0.4)[0]))


def test_long_trees_do_not_underflow():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (40, 150))
    y = np.array(["a", "b", "c"])[codes[:, 0] % 3]
    X = pl.DataFrame({f"x{j}": np.array(["p", "q", "r", "s"])[codes[:, j]] for j in range(150)})
    star = [("x0", name) for name in X.columns[1:]] + [("class", name) for name in X.columns]
    chain = [*itertools.pairwise(X.columns), ("class", "x9")]
    for arcs in (star, chain):
        model = counted(bl.FixedStructure(arcs), bl.Laplace(), missing="available").fit(X, y)
        lost = rng.random(X.shape) < np.linspace(0, 1, 40)[:, None]
        rows = X.with_columns(
            pl.when(pl.Series(~lost[:, j])).then(pl.col(name)).alias(name) for j, name in enumerate(X.columns)
        )
        check(model, rows)


def test_networks_with_more_parents_give_nan_for_gaps_that_would_have_to_be_summed_out():
    X, y = mixed(150, 0)
    X, rows = words(X), words(mixed(60, 1, gaps=0.3)[0])
    model = counted(bl.KDB(k=2), missing="available").fit(X, y)
    inner = [name for name in X.columns if model.network_.children(name)]
    lacks(model, rows, rows.select(pl.any_horizontal(pl.col(inner).is_null())).to_series().to_numpy())
    read_in_two_ways(model, np.random.default_rng(0), usual=1)
    lacks(model, rows, unanswered(model, rows))


def lacks(model, rows, expected):
    _, found = answers(model, rows)
    assert 0 < expected.sum() < len(expected)
    np.testing.assert_array_equal(np.isnan(found).all(axis=1), expected)
    np.testing.assert_allclose(found[~expected], model.predict_proba(rows)[~expected], rtol=0, atol=1e-12)


def test_where_nothing_is_known_the_class_frequencies_are_said_to_the_last_bit():
    X, y = mixed(150, 0)
    X = words(X)
    two = read_in_two_ways(counted(bl.KDB(k=2), missing="available").fit(X, y), np.random.default_rng(0))
    one = [counted(each, missing="available").fit(X, y) for each in (bl.NaiveBayes(), bl.TAN(), bl.KDB(k=2))]
    for model in (two, *one):
        labels, found = answers(model, X.clear(2))
        np.testing.assert_array_equal(found, [model._prior] * 2)
        np.testing.assert_array_equal(found, model.predict_proba(X.clear(2)))
        assert labels.tolist() == model.predict(X.clear(2)).tolist()


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


def test_columns_that_tell_nothing_of_the_class():
    X, y = mixed(60, 0)
    model = counted(bl.FixedStructure([("a", "few")]), missing="impute").fit(words(X), y)
    check(model, words(X))
    check(read_in_two_ways(model, np.random.default_rng(0)), words(X))


@pytest.mark.parametrize("missing", ["available", "state"])
def test_pools_back_off_with_caution_where_values_are_missing(missing):
    X, y, gaps = iris_with_gaps()
    pool = bl.NetworkPool(cycles=0, seeds=2, missing=missing).fit(gaps[:150] if missing == "state" else X, y)
    check(pool, gaps)
    if missing == "available":
        np.testing.assert_array_equal(answers(pool, gaps[-2:])[1], [pool.mixture_.prior] * 2)
    for usual, most in ((0, 1), (1, 0), (2, 3)):
        caution = GapCaution(usual, np.array([[1.0, 0.9, 0.5, 0.6, 0.4, 0.0, 0.0]]))
        seldom = (False, True, False, False)
        pool.mixture_.fallback = replace(
            pool.mixture_.fallback, gap_caution=caution, most=most, seldom=seldom
        )
        check(pool, gaps)
    pool.mixture_.fallback = None
    check(pool, gaps)


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


def test_marks_of_missing_values():
    y = [0, 1] * 60
    X = pl.DataFrame(
        {
            "age": [-99 if k % 7 == 0 else k % 40 + 20 * (k % 2) for k in range(120)],
            "smokes": ["-" if k % 5 == 0 else ("no", "yes")[k % 2] for k in range(120)],
        }
    )
    with pytest.warns(bl.data.MissingMarkWarning):
        model = bl.BayesNetClassifier(bl.NaiveBayes(), missing="available").fit(X, y)
    assert [variable.marks for variable in model.schema_.features] == [(-99,), ("-",)]
    check(model, X)


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
