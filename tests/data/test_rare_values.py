"""Rare categories are pooled into one state, which also receives values that fit has not seen."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import OneHotEncoder

import bayleaf as bl
from bayleaf.data import categorical_table
from bayleaf.data.categories import RareValues, single_values_as_new
from reference.counted import counted

COLOURS = ["red"] * 20 + ["blue"] * 12 + ["pink"] * 3 + ["grey"] * 2 + ["teal"]
Y = ["a"] * 20 + ["b"] * 18


COUNTS = st.lists(st.integers(1, 9), min_size=1, max_size=7)
FREQUENCY = st.one_of(st.none(), st.integers(1, 10), st.floats(0.01, 0.99))


@settings(max_examples=20, deadline=None)
@given(COUNTS, FREQUENCY.filter(lambda frequency: frequency is not None))
def test_rare_categories_are_those_of_scikit_learn(counts, min_frequency):
    column = np.repeat(np.arange(len(counts)), counts)[:, None]
    rare = OneHotEncoder(min_frequency=min_frequency).fit(column).infrequent_categories_[0]
    pooled = RareValues(min_frequency).pooled(np.array(counts, dtype=float))
    assert np.flatnonzero(pooled).tolist() == ([] if rare is None else rare.tolist())


@settings(max_examples=20, deadline=None)
@given(COUNTS, FREQUENCY, st.integers(2, 6))
def test_no_more_categories_than_the_limit(counts, min_frequency, most):
    pooled = RareValues(min_frequency, most).pooled(np.array(counts, dtype=float)).tolist()
    rare = RareValues(min_frequency).pooled(np.array(counts, dtype=float)).tolist()
    kept = [k for k, is_rare in enumerate(rare) if not is_rare]
    while len(kept) + (len(kept) < len(counts)) > most:  # one by one: the rarest; ties go to the last
        kept.remove(min(kept, key=lambda k: (counts[k], -k)))
    assert [k for k, is_pooled in enumerate(pooled) if not is_pooled] == kept


def fit(X, y=Y, **settings):
    return bl.BayesNetClassifier(bl.NaiveBayes(), **settings).fit(X, y)


def test_a_state_for_the_rare_ones():
    model = fit(pl.DataFrame({"x": COLOURS}), min_frequency=3)
    variable = model.schema_.features[0]
    assert variable.states == ("blue", "pink", "red", "(other)")
    assert variable.other == 3
    assert variable.note == "2 rare categories in (other)"
    assert fit(pl.DataFrame({"x": COLOURS}), max_categories=2).schema_.features[0].states == (
        "red",
        "(other)",
    )
    assert fit(pl.DataFrame({"x": COLOURS}), min_frequency=0.1).schema_.features[0].arity == 3
    assert fit(pl.DataFrame({"x": COLOURS}), min_frequency=1).schema_.features[0].other is None


def test_pooling_is_renaming():
    X = pl.DataFrame({"x": COLOURS})
    renamed = X.with_columns(pl.col("x").replace({"grey": "z", "teal": "z"}))
    np.testing.assert_array_equal(
        fit(X, min_frequency=3).predict_proba(X), fit(renamed).predict_proba(renamed)
    )


def test_the_order_of_categories_stays():
    order = ["pink", "red", "grey", "blue", "teal", "never"]
    X = pd.DataFrame({"x": pd.Categorical(COLOURS, categories=order, ordered=True)})
    assert fit(X, min_frequency=3).schema_.features[0].states == ("pink", "red", "blue", "(other)")
    enum = pl.DataFrame({"x": pl.Series(COLOURS, dtype=pl.Enum(order))})
    assert fit(enum, min_frequency=3).schema_.features[0].states == ("pink", "red", "blue", "(other)")


def test_a_weight_is_as_many_rows():
    X, weights = np.array([["a"], ["b"], ["c"]], dtype=object), [5, 2, 1]
    weighted = bl.BayesNetClassifier(min_frequency=3).fit(X, ["x", "y", "y"], sample_weight=weights)
    repeated = bl.BayesNetClassifier(min_frequency=3).fit(np.repeat(X, weights, axis=0), list("xxxxxyyy"))
    assert weighted.schema_ == repeated.schema_


@pytest.mark.parametrize("missing", ["auto", "state", "available", "impute"])
@pytest.mark.parametrize("unknown", ["missing", "error"])
def test_values_that_fit_has_not_seen_are_the_others(unknown, missing, tmp_path):
    colours = [None, None, *COLOURS[2:]]
    X = pl.DataFrame({"x": colours, "k": [1, 2, 7, 9] * 9 + [1, 2]})
    settings = {"min_frequency": 3, "unknown": unknown, "missing": missing, "column_types": {"k": "category"}}
    for model in (
        counted(bl.NaiveBayes(), **settings),
        bl.BaggedClassifier(counted(bl.NaiveBayes(), **settings), n_estimators=2, random_state=0),
    ):
        model.fit(X, Y)
        model.save(tmp_path / "m.json")
        again = bl.load(tmp_path / "m.json")
        assert again.schema_ == model.schema_
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            expected = model.predict_proba(pl.DataFrame({"x": ["grey", None], "k": [1, 1]}))
            new = pl.DataFrame({"x": ["mauve", None], "k": [1, 1]})
            for table in (new, new.to_pandas(), new.to_arrow(), new[[0] * 9 + [1]]):
                np.testing.assert_array_equal(again.predict_proba(table)[[0, -1]], expected)
            np.testing.assert_array_equal(again.scorer()({"x": "mauve", "k": 1}), expected[0])
            np.testing.assert_array_equal(again.scorer()((None, 1)), expected[1])


def test_numbers_that_are_categories():
    X = np.array([[0]] * 20 + [[1]] * 20 + [[2]] * 2 + [[5]])
    y = [0] * 20 + [1] * 23
    model = bl.BayesNetClassifier(categorical_features=[0], min_frequency=3).fit(X, y)
    assert model.schema_.features[0].states == (0, 1, "(other)")
    for kind in (np.int64, np.float64, np.uint8):
        codes = model.encode(np.array([[0], [1], [5], [77]], dtype=kind)).codes
        assert codes.ravel().tolist() == [0, 1, 2, 2]
    assert model.encode(np.array([[np.nan], [77.0]])).codes.ravel().tolist() == [255, 2]
    proba = model.predict_proba(np.array([[5], [77]]))
    np.testing.assert_array_equal(proba[0], proba[1])
    assert model.scorer()([77]).tolist() == proba[0].tolist()


def test_a_label_that_no_value_has():
    X = pl.DataFrame({"x": ["(other)"] * 10 + ["b"] * 10 + ["c", "d"]})
    assert fit(X, [0] * 10 + [1] * 12, min_frequency=3).schema_.features[0].states == (
        "(other)",
        "b",
        "((other))",
    )


def test_selectors_inside_a_classifier_see_the_pooled_states():
    X = pl.DataFrame({"x": COLOURS * 5})
    for selector in (bl.MMPC(), bl.HITONPC(), bl.PCMB(), bl.S2TMB(), bl.BayesFactorSelector()):
        model = counted(selector=selector, min_frequency=3, max_categories=4).fit(X, Y * 5)
        assert model.network_.nodes[0] == "x"
        assert model.network_.variable("x").arity <= 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"min_frequency": 0}, r"'min_frequency' parameter of BayesNetClassifier must be an int"),
        ({"min_frequency": 1.5}, r"'min_frequency' parameter of BayesNetClassifier must be a float"),
        ({"max_categories": 1}, r"'max_categories' parameter of BayesNetClassifier must be an int"),
    ],
)
def test_limits_that_are_none(settings, message):
    with pytest.raises((TypeError, ValueError), match=message):
        fit(pl.DataFrame({"x": COLOURS}), **settings)


def remarks(single, common=30, gaps=0):
    return ["none", "often"] * (common // 2) + [f"case {k}" for k in range(single)] + [None] * gaps


def test_a_value_of_one_row_is_learned_as_a_new_one():
    table = categorical_table(pl.DataFrame({"x": remarks(12, gaps=3)}))
    found = single_values_as_new(table)
    (variable,) = found.variables
    assert variable.states == (*table.variables[0].states, "(other)")
    assert variable.other == variable.arity - 1
    assert variable.note == "12 categories of one row learned as (other)"
    assert set(found.codes[30:42, 0].tolist()) == {variable.other}
    assert (found.codes[:30] == table.codes[:30]).all()
    assert (found.codes[42:] == found.missing_code).all()


def test_states_of_gaps_stay_the_last():
    gapped = pl.DataFrame({"x": remarks(12, gaps=30)})
    y = ["a"] * 42 + ["b"] * 30
    table = bl.BayesNetClassifier(missing="state").learn_table(gapped, y)
    found = single_values_as_new(table)
    variable = found.variables[0]
    assert variable.states[-2:] == ("(other)", "(missing)")
    assert variable.fill == variable.arity - 1
    assert (found.codes[42:, 0] == variable.fill).all()
    assert set(found.codes[30:42, 0].tolist()) == {variable.other}


@pytest.mark.parametrize("columns", [{"x": remarks(9)}, {"x": remarks(12, common=2000)}])
def test_few_of_them_stay_what_they_are(columns):
    table = categorical_table(pl.DataFrame(columns))
    assert single_values_as_new(table) is table


def test_rows_count_not_their_weights():
    X, y = pl.DataFrame({"x": remarks(12)}), ["a", "b"] * 21
    weights = np.ones(42)
    weights[30:] = 2.0  # a row of weight two stays in one fold
    weights[:2] = 0.0
    for given_weights in (weights, None):
        states = bl.NetworkPool(cycles=0).fit(X, y, given_weights).schema_.features[0].states
        assert states[-1] == "(other)"
    copies = np.repeat(np.arange(42), [1] * 30 + [2] * 12)
    twice = bl.NetworkPool(cycles=0).fit(X[copies], np.array(y)[copies])
    assert twice.schema_.features[0].other is None


def test_settings_say_what_is_rare():
    X, y = pl.DataFrame({"x": remarks(12)}), ["a", "b"] * 21
    assert bl.NetworkPool(cycles=0, min_frequency=1).fit(X, y).schema_.features[0].other is None
    assert bl.NetworkPool(cycles=0, max_categories=3).fit(X, y).schema_.features[0].arity == 3
    assert str(bl.NetworkPool().inspect(X, y)).count("12 categories of one row learned as (other)") == 1
