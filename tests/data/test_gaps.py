"""Gaps that speak: missing values with a state of their own."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data import Variable
from bayleaf.data.discretize.discretizer import TrainingRows
from bayleaf.data.encoding import gap_tells, settle_gaps
from reference import gaps as reference

ROWS = st.lists(st.tuples(st.booleans(), st.integers(0, 2), st.integers(1, 3)), min_size=2, max_size=40)


@settings(max_examples=20, deadline=None)
@given(ROWS)
def test_gaps_tell_as_information_counted_by_hand_says(rows):
    absent, target, weights = (np.array(part) for part in zip(*rows, strict=True))
    told = gap_tells(absent, TrainingRows(target, weights.astype(float)))
    assert told == reference.gap_tells(absent.tolist(), target.tolist(), weights.tolist())
    repeated = np.repeat(np.arange(len(rows)), weights)
    assert told == gap_tells(absent[repeated], TrainingRows(target[repeated]))


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint8, np.uint16])
def test_codes_of_any_type_get_the_last_state(kind):
    absent = -1 if np.dtype(kind).kind == "i" else np.iinfo(kind).max
    x = Variable("x", ("a", "b"), n_missing=1)
    variable, codes = settle_gaps(
        x, np.array([1, absent], dtype=kind), "state", TrainingRows(np.array([0, 1]))
    )
    assert (variable.states, variable.fill, variable.gap) == (("a", "b", "(missing)"), 2, True)
    assert codes.tolist() == [1, 2]


def test_a_state_more_than_a_byte_has():
    x = Variable("x", tuple(range(255)), None, "integer", n_missing=1)
    frame = pl.DataFrame({"x": [*range(255), None] * 2})
    model = bl.BayesNetClassifier(missing="state", categorical_features=["x"]).fit(
        frame, [0] * 256 + [1] * 256
    )
    assert model.schema_.features == (x.with_gap(),)
    assert model.encode(frame).codes[:256, 0].tolist() == list(range(256))


def test_a_value_may_have_the_label():
    states = ("(missing)", "a")
    assert Variable("x", states).with_gap().states == (*states, "((missing))")


def speaking(rows=200, seed=0):
    """A column whose gaps follow the class, and one whose gaps do not."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    told, quiet = rng.normal(size=rows) + y, rng.normal(size=rows) + y
    told[rng.random(rows) < np.where(y == 1, 0.5, 0.05)] = np.nan
    quiet[rng.random(rows) < 0.2] = np.nan
    return np.column_stack([told, quiet]), y


def test_by_default_gaps_are_a_state_where_they_tell_about_the_class():
    X, y = speaking()
    told, quiet = bl.BayesNetClassifier().fit(X, y).schema_.features
    assert told.gap
    assert not quiet.gap
    assert [v.n_missing for v in (told, quiet)] == np.isnan(X).sum(axis=0).tolist()
    assert not any(v.gap for v in bl.BayesNetClassifier(missing="available").fit(X, y).schema_.features)
    assert all(v.gap for v in bl.BayesNetClassifier(missing="state").fit(X, y).schema_.features)


def test_weights_count():
    X, y = np.array([["a"], [None], ["a"], ["a"]], dtype=object), [0, 1, 1, 0]
    light, heavy = (
        bl.BayesNetClassifier().fit(X, y, weights).schema_.features[0]
        for weights in ([1, 1, 5, 1], [9, 9, 1, 9])
    )
    assert (light.gap, heavy.gap) == (False, True)


def mixed(rows=120, seed=1):
    """A frame with gaps in columns of every type, and classes."""
    rng = np.random.default_rng(seed)
    gaps = rng.random((rows, 4)) < 0.25
    filled = pl.DataFrame(
        {
            "text": rng.choice(["a", "b", "c"], rows),
            "truth": rng.random(rows) < 0.5,
            "code": rng.integers(0, 3, rows),
            "number": rng.normal(size=rows).round(2),
        }
    )
    known = pl.DataFrame(~gaps, schema=filled.columns)
    holed = pl.select(*(pl.when(known[c.name]).then(c).alias(c.name) for c in filled))
    return holed, rng.integers(0, 2, rows)


SETTINGS = {"missing": "state", "categorical_features": ["code"], "discretizer": bl.MedianSplit()}


def as_words(frame):
    """The same rows with text in every column: the intervals' labels, and "~" in place of gaps, the last of all."""
    median = frame["number"].median()
    number = pl.when(pl.col("number") <= median).then(pl.lit("low")).otherwise(pl.lit("up"))
    number = pl.when(pl.col("number").is_null()).then(None).otherwise(number)
    return frame.with_columns(number.alias("number")).cast(pl.String).fill_null("~")


def test_a_state_of_gaps_is_a_category_like_any_other():
    frame, y = mixed()
    model = bl.BayesNetClassifier(parameters=bl.Shrinkage(), **SETTINGS).fit(frame, y)
    words = bl.BayesNetClassifier(parameters=bl.Shrinkage()).fit(as_words(frame), y)
    assert [v.gap for v in model.schema_.features] == [True] * 4
    np.testing.assert_allclose(model.predict_proba(frame), words.predict_proba(as_words(frame)), atol=1e-14)
    np.testing.assert_array_equal(model.network_.dag.arcs, words.network_.dag.arcs)


def test_every_way_in_reads_gaps_alike():
    frame, y = mixed()
    model = bl.BayesNetClassifier(**SETTINGS).fit(frame, y)
    expected = model.predict_proba(frame)
    scorer = model.scorer()
    ways = {
        "few rows of polars": [model.predict_proba(frame[k])[0] for k in range(frame.height)],
        "dicts": scorer(frame.to_dicts()),
        "dicts without keys": [
            scorer({k: v for k, v in row.items() if v is not None} or {"text": None})
            for row in frame.to_dicts()
        ],
        "rows": [scorer(row) for row in frame.rows()],
        "pandas": model.predict_proba(frame.to_pandas()),
        "arrow": model.predict_proba(frame.to_arrow()),
    }
    for way, found in ways.items():
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=way)


@pytest.mark.parametrize("categorical", [False, True])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_arrays_of_numbers_read_gaps_as_tables_do(categorical, kind):
    rng = np.random.default_rng(2)
    X = (rng.integers(0, 4, (300, 3)) if categorical else rng.normal(size=(300, 3))).astype(kind)
    X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.integers(0, 2, 300)
    mask = np.full(3, categorical)
    model = bl.BayesNetClassifier(
        missing="state", categorical_features=mask, discretizer=bl.Quantiles(3)
    ).fit(X, y)
    expected = model.predict_proba([list(row) for row in X.astype(object)])
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    np.testing.assert_array_equal(model.scorer()(X), expected)
    assert [v.arity for v in model.schema_.features] == [5 if categorical else 4] * 3


def test_a_category_that_fit_has_not_seen_is_no_gap():
    frame, y = mixed()
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Shrinkage(), **SETTINGS).fit(frame, y)
    row = frame.drop_nulls()[:1]
    strange = row.with_columns(pl.lit("new").alias("text"), pl.lit(77, pl.Int64).alias("code"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = model.predict_proba(strange)[0]
    evidence = {"truth": row["truth"][0], "number": row["number"][0]}
    expected = list(model.network_.posterior("class", evidence).values())
    np.testing.assert_allclose(found, expected, atol=1e-12)
    np.testing.assert_allclose(model.scorer()(strange.row(0)), expected, atol=1e-12)
    with pytest.raises(ValueError, match=r"'text' has 1 value that was not seen in fit \('new'\)"):
        model.set_params(unknown="error").predict_proba(strange)


def test_files_keep_the_state(tmp_path):
    frame, y = mixed()
    model = bl.BayesNetClassifier(**SETTINGS).fit(frame, y)
    model.save(tmp_path / "m.json")
    model.network_.to_bif(tmp_path / "m.bif")
    loaded = bl.load(tmp_path / "m.json")
    assert loaded.schema_ == model.schema_
    assert [v.n_missing for v in loaded.schema_.features] == list(frame.null_count().row(0))
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    assert bl.read_bif(tmp_path / "m.bif").variable("code").states == ("0", "1", "2", "(missing)")


def test_a_damaged_file_is_refused():
    plain = Variable.numeric("x", [1.0]).with_gap().to_dict()
    with pytest.raises(ValueError, match="Missing values of 'x' have the last state, but not its code"):
        Variable.from_dict({**plain, "fill": 1})


def test_samples_have_gaps():
    frame, y = mixed()
    model = bl.BayesNetClassifier(**SETTINGS).fit(frame, y)
    drawn = model.network_.sample(300, random_state=0)
    assert min(drawn.drop("class").null_count().row(0)) > 30
    table = model.network_.encode(drawn)
    np.testing.assert_array_equal(table.codes, model.network_.sample_table(300, random_state=0).codes)
    tables = bl.networks.cpt_frame(model.network_, "code")
    assert "(missing)" in tables["code"]


def test_what_is_said_of_gaps():
    X, y = speaking()
    model = bl.BayesNetClassifier(bl.NaiveBayes()).fit(X, y)
    row = int(np.flatnonzero(np.isnan(X[:, 0]) & ~np.isnan(X[:, 1]))[0])
    explanation = model.explain(X[[row]])
    assert explanation.values[0][0] == "(missing)"
    assert explanation.evidence[0, 0] != 0
    quality = model.cross_validate(X, y, cv=2)
    counts = np.bincount(np.isnan(X).sum(axis=1))
    assert [group["rows"] for group in quality.missing] == counts.tolist()
    np.testing.assert_allclose(list(model.training_.missing.values()), np.isnan(X).mean(axis=0))


def test_selectors_and_ensembles_take_such_tables():
    X, y = speaking()
    model = bl.BaggedClassifier(bl.BayesNetClassifier(selector=bl.BayesFactorSelector()), 3, random_state=0)
    members = model.fit(X, y).estimators_
    assert all(member.network_.variable("x0").gap for member in members)
    assert model.predict_proba(X).shape == (len(y), 2)


def test_variables_that_differ_in_the_count_of_gaps_alone_are_equal():
    x = Variable("x", ("a", "b"), n_missing=3)
    assert x == replace(x, n_missing=0)
    assert pd.isna(Variable.from_dict(x.to_dict()).n_missing) is False
