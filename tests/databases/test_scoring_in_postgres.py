"""Queries give the probabilities of predict_proba in PostgreSQL, whatever is missing or named."""

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from reference.postgres_tables import store
from reference.read_in_two_ways import read_in_two_ways
from reference.sql_answers import CLOSE, answers, check, dated, hostile, mixed, written


@pytest.fixture
def engine(connection):
    def ask(frame, table, query):
        store(connection, frame, table)
        return connection.execute(query).fetchall()

    return "postgres", ask


@pytest.mark.parametrize("missing", ["available", "state", "impute"])
@pytest.mark.parametrize("structure", [bl.NaiveBayes(), bl.TAN(), bl.FAN()])
def test_trees_sum_out_whatever_is_missing(structure, missing, engine):
    X, y = mixed(120, 0, gaps=0.2)
    check(bl.BayesNetClassifier(structure, missing=missing).fit(X, y), mixed(60, 1, gaps=0.4)[0], engine)


@pytest.mark.parametrize("missing", ["available", "state"])
def test_two_readings_with_and_without_gaps(missing, engine):
    X, y = mixed(120, 0, gaps=0.2)
    model = bl.BayesNetClassifier(missing=missing).fit(X, y)
    read_in_two_ways(model, np.random.default_rng(0), usual=1)
    for gaps in (0.0, 0.3, 0.7):
        check(model, mixed(40, 1, gaps)[0], engine)


def test_where_nothing_is_known_the_class_frequencies_are_said_to_the_last_bit(engine):
    X, y = mixed(150, 0)
    for structure in (None, bl.NaiveBayes(), bl.KDB(k=2)):
        model = bl.BayesNetClassifier(structure, missing="available").fit(X, y)
        np.testing.assert_array_equal(answers(model, X.clear(2), engine)[1], [model._prior] * 2)


def test_rows_that_no_class_explains_get_the_prior(engine):
    X, y = mixed(25, 3, gaps=0.2)
    model = bl.BayesNetClassifier(bl.TAN(), bl.MaximumLikelihood(0), missing="available").fit(X, y)
    check(model, mixed(60, 4, gaps=0.3)[0], engine)


def test_more_parents_leave_rows_with_gaps_inside_unanswered(engine):
    X, y = mixed(150, 0)
    model = bl.BayesNetClassifier(bl.KDB(k=2), missing="available").fit(X, y)
    check(model, mixed(50, 1)[0], engine)
    rows = mixed(80, 2, gaps=0.3)[0]
    _, probabilities = answers(model, rows, engine)
    inner = [name for name in rows.columns if set(model.network_.children(name))]
    gap = rows.select(pl.any_horizontal(pl.col(inner).is_null())).to_series().to_numpy()
    np.testing.assert_array_equal(np.isnan(probabilities).all(axis=1), gap)
    np.testing.assert_allclose(probabilities[~gap], model.predict_proba(rows)[~gap], rtol=0, atol=CLOSE)


def test_numbers_at_and_beyond_all_bounds(engine):
    points = np.sort([1e-300, -1e-17, 2.45, 1e17, 0.1, -3.3]).tolist()
    values = np.concatenate([points, np.nextafter(points, np.inf), np.nextafter(points, -np.inf)])
    X = pl.DataFrame({"x": values})
    model = bl.BayesNetClassifier(discretizer=bl.Cuts({"x": points})).fit(X, np.arange(len(values)) % 2)
    check(model, X, engine)
    odd = pl.DataFrame({"x": [np.nan, np.inf, -np.inf, None, 1.7e308, -1.7e308]})
    _, found = answers(model, odd, engine)
    plain = odd.with_columns(pl.when(pl.col("x").is_finite()).then("x").alias("x"))
    np.testing.assert_allclose(found, model.predict_proba(plain), rtol=0, atol=CLOSE)


def test_categories_that_are_rare_unknown_or_gaps(engine):
    X, y = mixed(200, 0, gaps=0.1)
    odd = mixed(40, 1, gaps=0.2)[0].with_columns(pl.Series("a", ["it's 0", "new", None, "(other)"] * 10))
    model = bl.BayesNetClassifier(missing="state", max_categories=2, categorical_features=["few"]).fit(X, y)
    check(model, odd, engine)


def test_dates_and_what_is_made_of_them(engine):
    frame, y = dated()
    check(bl.BayesNetClassifier(bl.NaiveBayes(), missing="available").fit(frame, y), frame, engine)


def test_hostile_names_and_categories_are_only_names(engine):
    frame, y = hostile()
    check(bl.BayesNetClassifier().fit(frame, y), frame, engine, table='bayleaf_0"; --')


def test_costs_decide(engine):
    X, y = mixed(100, 0)
    check(bl.BayesNetClassifier(loss={"no": {"so'so": 5.0}, 'y"es': {"no": 20.0}}).fit(X, y), X, engine)


def test_a_pool_is_a_sum_of_tables_and_forms(engine):
    X, y = mixed(150, 0, gaps=0.1)
    check(bl.NetworkPool(cycles=0, seeds=1).fit(X, y), X[:40], engine)


def test_numbers_and_times_that_people_write(engine):
    X, y = written(120, 0)
    check(bl.BayesNetClassifier(missing="available").fit(X, y), written(60, 1)[0], engine)
