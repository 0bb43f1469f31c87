"""Queries give the probabilities of predict_proba, in DuckDB and in SQLite, whatever is missing or named."""

import datetime as dt
import re
import sqlite3
import sys
import warnings
import zoneinfo
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.models.dialects import DIALECTS, dialect_named
from bayleaf.network.member import GapCaution, TwoReadings
from reference.counted import counted
from reference.read_in_two_ways import forest, read_in_two_ways, unanswered
from reference.sql_answers import (
    CLOSE,
    PRESENT,
    answers,
    check,
    dated,
    hostile,
    iris_with_gaps,
    mixed,
    written,
)

NO_DUCK = pytest.mark.skipif("duckdb" not in PRESENT, reason="DuckDB is not installed")
ENGINES = (pytest.param("duckdb", marks=NO_DUCK), "sqlite")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("missing", ["available", "state", "impute"])
@pytest.mark.parametrize("structure", [bl.NaiveBayes(), bl.TAN(), bl.FAN()])
def test_trees_sum_out_whatever_is_missing(structure, missing, engine):
    X, y = mixed(120, 0, gaps=0.2)
    check(counted(structure, missing=missing).fit(X, y), mixed(60, 1, gaps=0.4)[0], engine)


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=8, deadline=None)
def test_random_forests_with_impossible_rows_and_gaps(seed, complete):
    """Tables with zeros, graphs of any shape among the forests: rows that no class explains get the prior."""
    rng = np.random.default_rng(seed)
    X, y = mixed(25, seed, gaps=0.2)
    model = bl.BayesNetClassifier(
        bl.FixedStructure(forest(X.columns, rng)),
        bl.MaximumLikelihood(0),
        missing="available",
        class_weight="balanced",
    ).fit(X, y)
    rows = mixed(30, seed + 1, gaps=0.0 if complete else 0.5)[0]
    with warnings.catch_warnings(action="ignore"):  # of categories that so few rows did not have
        check(model, rows, sorted(PRESENT)[seed % len(PRESENT)])


@pytest.mark.parametrize("engine", ENGINES)
def test_more_parents_leave_rows_with_gaps_inside_unanswered(engine):
    X, y = mixed(150, 0)
    model = bl.BayesNetClassifier(bl.KDB(k=2), missing="available").fit(X, y)
    check(model, mixed(50, 1)[0], engine)
    rows = mixed(80, 2, gaps=0.3)[0]
    predicted, probabilities = answers(model, rows, engine)
    network = model.network_
    inner = [name for name in rows.columns if set(network.children(name))]
    gap = rows.select(pl.any_horizontal(pl.col(inner).is_null())).to_series().to_numpy()
    assert 0 < gap.sum() < len(gap)
    np.testing.assert_array_equal(np.isnan(probabilities).all(axis=1), gap)
    assert [label is None for label in predicted] == gap.tolist()
    np.testing.assert_allclose(probabilities[~gap], model.predict_proba(rows)[~gap], rtol=0, atol=CLOSE)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("missing", ["available", "state"])
def test_the_default_with_and_without_gaps(missing, engine):
    X, y = mixed(150, 0, gaps=0.1)
    model = bl.BayesNetClassifier(missing=missing).fit(X, y)
    assert isinstance(model._predictor, TwoReadings)
    for gaps in (0.0, 0.2, 0.7):
        check(model, mixed(40, 1, gaps)[0], engine)


@given(st.integers(0, 10**6), st.sampled_from(["available", "state"]), st.sampled_from([0.0, 0.3, 0.7]))
@settings(max_examples=8, deadline=None)
def test_two_readings_of_any_tree(seed, missing, gaps):
    rng = np.random.default_rng(seed)
    X, y = mixed(25, seed, gaps=0.2)
    structure = bl.FixedStructure(forest(X.columns, rng))
    model = read_in_two_ways(counted(structure, missing=missing).fit(X, y), rng)
    with warnings.catch_warnings(action="ignore"):  # of categories that so few rows did not have
        check(model, mixed(30, seed + 1, gaps)[0], sorted(PRESENT)[seed % len(PRESENT)])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("missing", ["available", "auto", "state"])
def test_evidence_that_was_weighed_batch_by_batch(missing, engine):
    X, y = mixed(200, 0, gaps=0.2)
    model = bl.BayesNetClassifier(missing=missing, identifiers="keep")
    for start in (0, 100):
        model.partial_fit(X[start : start + 100], y[start : start + 100], classes=np.unique(y))
    check(model, mixed(60, 1, gaps=0.4)[0], engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_two_readings_with_more_parents_lack_what_the_network_would_say(engine):
    X, y = mixed(150, 0)
    model = counted(bl.KDB(k=2), missing="available").fit(X, y)
    read_in_two_ways(model, np.random.default_rng(0), usual=1)
    rows = mixed(80, 2, gaps=0.3)[0]
    asked = unanswered(model, rows)
    _, found = answers(model, rows, engine)
    np.testing.assert_array_equal(np.isnan(found).all(axis=1), asked)
    np.testing.assert_allclose(found[~asked], model.predict_proba(rows)[~asked], rtol=0, atol=CLOSE)


@pytest.mark.parametrize("engine", ENGINES)
def test_where_nothing_is_known_the_class_frequencies_are_said_to_the_last_bit(engine):
    X, y = mixed(150, 0)
    two = read_in_two_ways(counted(bl.KDB(k=2), missing="available").fit(X, y), np.random.default_rng(0))
    one = [counted(each, missing="available").fit(X, y) for each in (bl.NaiveBayes(), bl.TAN(), bl.KDB(k=2))]
    for model in (two, *one, bl.BayesNetClassifier().fit(X, y)):
        predicted, found = answers(model, X.clear(2), engine)
        np.testing.assert_array_equal(found, [model._prior] * 2)
        np.testing.assert_array_equal(found, model.predict_proba(X.clear(2)))
        assert predicted == model.predict(X.clear(2)).tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_class_with_parents(engine):
    X, y = mixed(150, 0)
    arcs = [("a", "class"), ("class", "few"), ("a", "few"), ("truth", "number")]
    model = bl.BayesNetClassifier(bl.FixedStructure(arcs), missing="available").fit(X, y)
    check(model, mixed(50, 1)[0], engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_categories_that_are_rare_unknown_or_gaps(engine):
    X, y = mixed(200, 0, gaps=0.1)
    odd = mixed(40, 1, gaps=0.2)[0].with_columns(
        pl.Series("a", ["it's 0", "new", None, "(other)", "(missing)"] * 8),
        pl.Series("few", [0, 1, 99, None] * 10),
    )
    for missing in ("available", "state", "impute"):
        for settings_ in ({}, {"max_categories": 2, "categorical_features": ["few"]}):
            model = counted(missing=missing, **settings_).fit(X, y)
            with pytest.warns(UserWarning, match="not seen in fit") if not settings_ else nullcontext():
                check(model, odd, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_that_are_not_finite_count_as_missing(engine):
    X, y = load_iris(return_X_y=True)
    X = pl.DataFrame(X, schema=["a", "b", "c", "d"])
    model = bl.BayesNetClassifier().fit(X, y)
    odd = X.head(6).with_columns(pl.Series("c", [np.nan, np.inf, -np.inf, None, 1.7e308, -1.7e308]))
    _, found = answers(model, odd, engine)
    plain = odd.with_columns(pl.when(pl.col("c").is_finite()).then(pl.col("c")).alias("c"))
    np.testing.assert_allclose(found, model.predict_proba(plain), rtol=0, atol=CLOSE)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_number_on_a_cut_belongs_below_it(engine):
    rng = np.random.default_rng(0)
    points = np.sort(np.append(rng.normal(size=9), [1e-300, -1e-17, 2.45, 1e17, 0.1])).tolist()
    values = np.concatenate([points, np.nextafter(points, np.inf), np.nextafter(points, -np.inf)])
    y = np.arange(len(values)) % 2
    X = pl.DataFrame({"x": values})
    model = bl.BayesNetClassifier(discretizer=bl.Cuts({"x": points})).fit(X, y)
    check(model, X, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_dates_and_what_is_made_of_them(engine):
    frame, y = dated()
    model = bl.BayesNetClassifier(bl.NaiveBayes(), missing="available").fit(frame, y)
    assert {variable.part for variable in model.schema_.features} == {None, "weekday", "month", "hour"}
    check(model, frame, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_hostile_names_and_categories_are_only_names(engine):
    frame, y = hostile()
    check(bl.BayesNetClassifier().fit(frame, y), frame, engine, table='bayleaf_0"; --')


def test_costs_decide_and_ties_go_to_the_more_frequent_class():
    X, y = mixed(100, 0)
    loss = {"no": {"so'so": 5.0}, 'y"es': {"no": 20.0}}
    model = bl.BayesNetClassifier(loss=loss).fit(X, y)
    assert model.predict(X).tolist() != model.set_params(loss=None).predict(X).tolist()
    model.set_params(loss=loss)
    for engine in PRESENT:
        check(model, X, engine)
    rows = pl.DataFrame({"x": ["a", "b", "c"]})
    tied = bl.BayesNetClassifier(parameters=bl.MaximumLikelihood(0)).fit(rows, ["no", "yes", "yes"])
    with pytest.warns(UserWarning, match="not seen in fit"):
        check(tied, pl.DataFrame({"x": ["a", "d"]}), "sqlite")


def test_a_pool_is_a_sum_of_tables_and_forms_and_backs_off_where_values_are_missing():
    X, y, gaps = iris_with_gaps()
    pool = bl.NetworkPool(cycles=0, seeds=2).fit(X, y)
    small = bl.NetworkPool(cycles=0, seeds=2).fit(X[:, 1:], y)
    for engine in PRESENT:  # two seeds of four columns are too much for SQLite
        model, rows = (small, gaps[:, 1:]) if engine == "sqlite" else (pool, gaps)
        check(model, rows, engine)
        np.testing.assert_array_equal(answers(model, rows.tail(2), engine)[1], [model.mixture_.prior] * 2)


@pytest.mark.parametrize("missing", ["available", "state"])
def test_a_pool_has_caution_with_more_gaps_than_usual(missing):
    X, y, gaps = iris_with_gaps()
    pool = bl.NetworkPool(cycles=0, seeds=1, missing=missing).fit(
        gaps[:150, 1:] if missing == "state" else X[:, 1:], y
    )
    for usual, most in ((0, 1), (1, 0), (2, 3)):
        caution = GapCaution(usual, np.array([[1.0, 0.9, 0.5, 0.6, 0.4, 0.0, 0.0]]))
        fallback = replace(
            pool.mixture_.fallback, gap_caution=caution, most=most, seldom=(False, True, False)
        )
        pool.mixture_.fallback = fallback
        for engine in PRESENT:
            check(pool, gaps[:, 1:], engine)
    pool.mixture_.fallback = None
    for engine in PRESENT:
        check(pool, gaps[:, 1:], engine)
        if missing == "available":
            found = answers(pool, gaps[-2:, 1:], engine)[1]
            np.testing.assert_array_equal(found, [pool.mixture_.prior] * 2)


def test_absent_columns_count_as_missing_where_the_model_allows_it():
    X, y = mixed(100, 0)
    model = bl.BayesNetClassifier(absent_columns="missing").fit(X, y)
    check(model, X.drop("a", "few"), "sqlite", absent=["a", "few"])
    with pytest.raises(ValueError, match="absent names 'z', which is not a column of the model"):
        model.to_sql("data", absent=["z"])
    with pytest.raises(
        ValueError, match=r"has no column 'a', which the model needs; with absent_columns='missing'"
    ):
        model.set_params(absent_columns="error").to_sql("data", absent=["a"])


def test_schemas_keys_and_refusals():
    X, y = mixed(60, 0)
    model = bl.BayesNetClassifier().fit(X, y)
    assert 'FROM "my.schema"."t" AS src' in model.to_sql(("my.schema", "t"), "postgres")
    for wrong in ("", (), ["a", ""], 3):
        with pytest.raises(TypeError, match="table must be the name of a table"):
            model.to_sql(wrong)
    with pytest.raises(TypeError, match=r"keep must be a list of column names\. Got the text 'id'"):
        model.to_sql("t", keep="id")
    with pytest.raises(ValueError, match="The result would have two columns 'Prediction'"):
        model.to_sql("t", keep=["Prediction"])
    with pytest.raises(ValueError, match=r"dialect must be one of duckdb, sqlite, postgres\. Got 'mysql'"):
        model.to_sql("t", "mysql")
    with pytest.raises(ValueError, match="has a NUL character, which SQLite cannot store"):
        model.to_sql("t\0", "sqlite")
    with pytest.raises(ValueError, match="not valid Unicode"):
        model.to_sql("t\ud800")
    with pytest.raises(ValueError, match=r"refuses rows with categories .* set unknown='missing'"):
        model.set_params(unknown="error").to_sql("t")


def refusal(model, dialect="duckdb"):
    with pytest.raises((TypeError, ValueError)) as caught:
        model.to_sql("t", dialect)
    return str(caught.value)


def test_models_that_no_query_can_say_are_refused_in_one_sentence():
    X, y = mixed(60, 0)
    per_row = bl.BayesNetClassifier(bl.KDB(k=2, functional_dependencies=True)).fit(X, y)
    assert re.search("row by row .* use predict_proba", refusal(per_row))
    assert "AveragedClassifier cannot be written" in refusal(bl.AveragedClassifier(bl.AODE()).fit(X, y))
    both = bl.BayesNetClassifier().fit(X.select("a", pl.col("leaf").alias("A")), y)
    assert "columns 'a', 'A' are the same name to DuckDB" in refusal(both)
    assert both.to_sql("t", "postgres")
    large = bl.BayesNetClassifier(bl.NaiveBayes(), identifiers="keep").fit(
        pl.DataFrame({"x": [f"v{k}" for k in range(8000)]}), np.arange(8000) % 3
    )
    assert "24,003 numbers; a query for SQLite has 20,000 at most" in refusal(large, "sqlite")


def test_columns_that_no_query_can_read_are_refused_in_one_sentence():
    y = np.arange(60) % 2
    euros = pl.DataFrame({"price": [f"{k}.000,50 €" for k in range(1, 61)]})
    assert "30.500,5 €' (decimal comma, thousands point, €), which SQLite cannot" in refusal(
        bl.BayesNetClassifier(discretizer=bl.data.Cuts({"price": [30500.5]})).fit(euros, y), "sqlite"
    )
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    times = [dt.datetime(2024, 1, 1, tzinfo=berlin) + dt.timedelta(hours=7 * k) for k in range(60)]
    zoned = bl.BayesNetClassifier().fit(pl.DataFrame({"t": times}), y)
    assert "has the time zone Europe/Berlin" in refusal(zoned)
    days = pl.DataFrame({"day": [f"{k % 28 + 1}.1.2024" for k in range(60)]})
    assert "texts such as '31.01.2024', which a query cannot read" in refusal(
        bl.BayesNetClassifier().fit(days, y)
    )
    lengths = pl.DataFrame({"d": [dt.timedelta(seconds=7 * k) for k in range(60)]})
    model = bl.BayesNetClassifier().fit(lengths, y)
    assert "duration values, which SQLite does not have: use seconds" in refusal(model, "sqlite")
    assert "EPOCH" in model.to_sql("t", "postgres")


def test_numbers_and_times_that_people_write():
    pytest.importorskip("duckdb")
    X, y = written(120, 0)
    model = bl.BayesNetClassifier(missing="available").fit(X, y)
    assert [str(variable.reading) for variable in model.schema_.columns[:2]] == [
        "decimal point, %",
        "decimal comma, thousands point, €",
    ]
    assert model.schema_.columns[2].zone == "UTC"
    check(model, written(60, 1)[0], "duckdb")
    numbers = model.predict_proba(pl.DataFrame({"rate": ["12%"], "price": ["1.234,5 €"], "seen": [None]}))
    plain = pl.DataFrame(
        {"rate": [12.0], "price": [1234.5], "seen": [None]}, schema_overrides={"seen": pl.String}
    )
    np.testing.assert_allclose(answers(model, plain, "duckdb")[1], numbers, rtol=0, atol=1e-12)


def test_times_in_utc_are_read_by_sqlite():
    X, y = written(120, 0)
    model = bl.BayesNetClassifier(missing="available").fit(X.select("seen"), y)
    check(model, written(60, 1)[0].select("seen"), "sqlite")


def test_a_model_without_features():
    rows = pl.DataFrame({"x": ["a", "b", None]})
    model = bl.BayesNetClassifier(bl.FixedStructure([])).fit(rows, [0, 1, 1])
    check(model, rows, "sqlite")


@example(6.700108451071061e106)
@example(-5e-324)
@example(1.7976931348623157e308)
@given(st.floats(allow_nan=False, allow_infinity=False))
@settings(max_examples=20, deadline=None)
def test_numbers_are_read_as_they_were(value):
    with sqlite3.connect(":memory:") as connection:
        assert connection.execute(f"SELECT {DIALECTS['sqlite'].number(value)} = ?", [value]).fetchone() == (
            1,
        )


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
@settings(max_examples=20, deadline=None)
def test_quoted_texts_are_read_as_they_were(text):
    with sqlite3.connect(":memory:") as connection:
        read = connection.execute(f"SELECT {DIALECTS['sqlite'].text(text)}")
        assert read.fetchone() == (text,)
        named = connection.execute(f"SELECT 1 AS {dialect_named('sqlite').identifier(text + 'x')}")
        assert named.description[0][0] == text + "x"


def test_the_shape_of_a_network_is_looked_at_once():
    X, y = mixed(60, 0)
    model, asked = bl.BayesNetClassifier(bl.TAN(), bl.Laplace()).fit(X, y), 0

    def count(frame, event, _):
        nonlocal asked
        asked += event == "call" and frame.f_code.co_name == "is_forest"

    sys.setprofile(count)
    try:
        model.to_sql("rows")
    finally:
        sys.setprofile(None)
    assert asked == 1


@pytest.mark.parametrize("engine", ENGINES)
def test_a_feature_that_says_the_same_to_all_classes_may_still_make_a_row_impossible(engine):
    """P(wet | rain) has no class in it, and a zero: a dry row with rain gets the class frequencies.

    Gaps are imputed, so that the table would be left out of the query if it had no zero.
    """
    X = pl.DataFrame({"rain": ["no", "yes"] * 20, "wet": ["no", "yes"] * 20})
    X = X.with_columns(wet=pl.when(pl.int_range(40) < 4).then(pl.lit("yes")).otherwise("wet"))
    arcs = [("class", "rain"), ("rain", "wet")]
    y = ["up" if (k % 2 == 0) != (k % 5 == 0) else "down" for k in range(40)]
    model = bl.BayesNetClassifier(bl.FixedStructure(arcs), bl.MaximumLikelihood(0), missing="impute").fit(
        X, y
    )
    rows = pl.DataFrame({"rain": ["yes", "yes", "no", "no"], "wet": ["no", "yes", "no", "yes"]})
    impossible = model.predict_proba(rows)[0]
    np.testing.assert_allclose(impossible, [0.5, 0.5])
    assert abs(model.predict_proba(rows)[1] - impossible).max() > 0.01
    check(model, rows, engine)
