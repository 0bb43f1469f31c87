"""Queries give the probabilities of predict_proba, in DuckDB and in SQLite, whatever is missing or named."""

import datetime as dt
import re
import sqlite3
import warnings
from contextlib import nullcontext

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.export.dialects import DIALECTS, dialect_named

try:
    import duckdb
except ImportError:
    duckdb = None
else:
    DUCK = duckdb.connect(config={"threads": 1})  # opening a database takes longer than asking it
NO_DUCK = pytest.mark.skipif(duckdb is None, reason="DuckDB is not installed")
ENGINES = (pytest.param("duckdb", marks=NO_DUCK), "sqlite")
PRESENT = ("sqlite",) if duckdb is None else ("duckdb", "sqlite")
CLOSE = 1e-12


def answers(model, frame, engine, table="data", **options):
    """What the query gives: predictions, and probabilities with NaN for NULL, in the order of the rows."""
    query = model.to_sql(table, engine, keep=["row"], **options)
    frame = frame.with_columns(pl.int_range(frame.height).alias("row"))
    name = DIALECTS[engine].identifier(table)
    if engine == "duckdb":
        with DUCK.cursor() as connection:
            connection.register("given", frame.to_arrow())
            connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")
            rows = connection.execute(query).fetchall()
    else:
        with sqlite3.connect(":memory:") as connection:
            columns = ", ".join(map(DIALECTS[engine].identifier, frame.columns))
            connection.execute(f"CREATE TABLE {name} ({columns})")
            marks = ", ".join("?" * frame.width)
            plain = [tuple(map(stored, row)) for row in frame.rows()]
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", plain)
            rows = connection.execute(query).fetchall()
    rows = sorted(rows)
    assert [row[0] for row in rows] == list(range(frame.height))
    return [row[1] for row in rows], np.array([row[2:] for row in rows], dtype=float)


def stored(value):
    """A value as SQLite has it."""
    return (
        value.isoformat(sep=" ")
        if isinstance(value, dt.datetime)
        else value.isoformat()
        if isinstance(value, dt.date | dt.time)
        else value
    )


def check(model, frame, engine, **options):
    predicted, probabilities = answers(model, frame, engine, **options)
    np.testing.assert_allclose(probabilities, model.predict_proba(frame), rtol=0, atol=CLOSE)
    assert predicted == model.predict(frame).tolist()


def mixed(rows, seed, gaps=0.0):
    """Categories, numbers and truth values that depend on each other and on a class of three."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    a = (y + rng.integers(0, 2, rows)) % 3
    frame = pl.DataFrame(
        {
            "a": [f"it's {k}" for k in a],
            "number": a * 1.1 + rng.normal(size=rows),
            "few": (a + rng.integers(0, 2, rows)).astype(np.int64),
            "truth": rng.random(rows) < 0.2 + 0.3 * y,
            "leaf": [str(k) for k in (a + rng.integers(0, 3, rows)) % 4],
        }
    )
    lost = rng.random(frame.shape) < gaps
    frame = frame.with_columns(
        pl.when(pl.Series(lost[:, j])).then(None).otherwise(pl.col(name)).alias(name)
        for j, name in enumerate(frame.columns)
    )
    return frame, np.array(["no", "so'so", 'y"es'])[y]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("missing", ["available", "state", "impute"])
@pytest.mark.parametrize("structure", [bl.NaiveBayes(), bl.TAN(), bl.FAN()])
def test_trees_sum_out_whatever_is_missing(structure, missing, engine):
    X, y = mixed(120, 0, gaps=0.2)
    check(bl.BayesNetClassifier(structure, missing=missing).fit(X, y), mixed(60, 1, gaps=0.4)[0], engine)


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=8, deadline=None)
def test_random_forests_with_impossible_rows_and_gaps(seed, complete):
    """Tables with zeros, graphs of any shape among the forests: rows that no class explains get the prior."""
    rng = np.random.default_rng(seed)
    X, y = mixed(25, seed, gaps=0.2)
    names = list(X.columns)
    order = rng.permutation(len(names))
    arcs = [
        (names[order[rng.integers(k)]], names[node])
        for k, node in enumerate(order)
        if k and rng.random() < 0.8
    ]
    arcs += [("class", name) for name in names if rng.random() < 0.7]
    model = bl.BayesNetClassifier(
        bl.FixedStructure(arcs), bl.MaximumLikelihood(0), missing="available", class_weight="balanced"
    ).fit(X, y)
    rows = mixed(30, seed + 1, gaps=0.0 if complete else 0.5)[0]
    with warnings.catch_warnings(action="ignore"):  # of categories that so few rows did not have
        check(model, rows, PRESENT[seed % len(PRESENT)])


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
            model = bl.BayesNetClassifier(missing=missing, **settings_).fit(X, y)
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
    rng = np.random.default_rng(0)
    hours = np.sort(rng.integers(-30_000, 30_000, 900))
    moments = [dt.datetime(1970, 1, 1) + dt.timedelta(hours=int(hour), seconds=7.25) for hour in hours]
    y = np.array(
        [(moment.weekday() > 3) + 2 * (moment.hour > 11) + 4 * (moment.month > 5) for moment in moments]
    )
    frame = pl.DataFrame(
        {
            "when": [None if k % 7 == 0 else moment for k, moment in enumerate(moments)],
            "day": [moment.date() for moment in moments],
            "clock": [moment.time() for moment in moments],
        }
    )
    model = bl.BayesNetClassifier(bl.NaiveBayes(), missing="available").fit(frame, y)
    assert {variable.part for variable in model.schema_.features} == {None, "weekday", "month", "hour"}
    check(model, frame, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_hostile_names_and_categories_are_only_names(engine):
    evil = '"; DROP TABLE data; --'
    words = ["'; DROP TABLE x; --", 'a"b', "\\", "%s {0} $1 :x ?", "line\nbreak", "日本 🙂", ""]
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            name: [words[k] for k in rng.integers(0, len(words), 80)]
            for name in (evil, "c0", "k0", "src", "select")
        }
    )
    y = np.array(["'", '"', "\\'; --"])[rng.integers(0, 3, 80)]
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


def test_a_pool_is_a_sum_of_tables_and_forms():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = pl.DataFrame(X.to_dict("list"))
    pool = bl.NetworkPool(cycles=0, seeds=2).fit(X, y)
    gaps = X.with_columns(pl.when(pl.int_range(150) % 3 > 0).then(pl.col(X.columns[2])).alias(X.columns[2]))
    for engine in PRESENT:
        check(pool, gaps, engine)


def test_absent_columns_count_as_missing_where_the_model_allows_it():
    X, y = mixed(100, 0)
    model = bl.BayesNetClassifier(absent_columns="missing").fit(X, y)
    check(model, X.drop("a", "few"), "sqlite", absent=["a", "few"])
    with pytest.raises(ValueError, match="absent names 'z', which is no column of the model"):
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
    with pytest.raises(ValueError, match="has a NUL character, which SQLite does not have"):
        model.to_sql("t\0", "sqlite")
    with pytest.raises(ValueError, match="no valid Unicode"):
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
    assert "columns 'a', 'A' are one to DuckDB" in refusal(both)
    assert both.to_sql("t", "postgres")
    large = bl.BayesNetClassifier(bl.NaiveBayes(), identifiers="keep").fit(
        pl.DataFrame({"x": [f"v{k}" for k in range(8000)]}), np.arange(8000) % 3
    )
    assert "24,003 numbers; a query for SQLite has 20,000 at most" in refusal(large, "sqlite")


def test_columns_that_no_query_can_read_are_refused_in_one_sentence():
    y = np.arange(60) % 2
    euros = pl.DataFrame({"price": [f"{k}.000,50 €" for k in range(1, 61)]})
    assert "decimal comma, thousands point, €" in refusal(bl.BayesNetClassifier().fit(euros, y))
    times = [dt.datetime(2024, 1, 1, tzinfo=dt.UTC) + dt.timedelta(hours=7 * k) for k in range(60)]
    assert "has the time zone UTC" in refusal(bl.BayesNetClassifier().fit(pl.DataFrame({"t": times}), y))
    lengths = pl.DataFrame({"d": [dt.timedelta(seconds=7 * k) for k in range(60)]})
    model = bl.BayesNetClassifier().fit(lengths, y)
    assert "duration values, which SQLite does not have: use seconds" in refusal(model, "sqlite")
    assert "EPOCH" in model.to_sql("t", "postgres")


def test_a_model_without_features():
    rows = pl.DataFrame({"x": ["a", "b", None]})
    model = bl.BayesNetClassifier(bl.FixedStructure([])).fit(rows, [0, 1, 1])
    check(model, rows, "sqlite")


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
