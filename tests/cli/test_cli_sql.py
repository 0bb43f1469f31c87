"""``bayleaf sql``: the query goes to standard output or to a file, and nowhere after a mistake."""

import sqlite3

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from cli.conftest import people


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "people.bayleaf.json"
    frame = people()
    bl.BayesNetClassifier().fit(frame.drop("status"), frame["status"]).save(path)
    return path


def test_the_query_of_a_model_file(model, run, tmp_path):
    frame = people().drop("status", "town")
    outcome = run(
        "sql", model, "--dialect", "sqlite", "--table", "people", "--keep", "number", "--absent", "town"
    )
    assert outcome.code == 0
    with sqlite3.connect(":memory:") as connection:
        frame = frame.with_columns(pl.int_range(frame.height).alias("number"))
        connection.execute("CREATE TABLE people (age, dose, smoker, number)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", frame.rows())
        found = connection.execute(outcome.out).fetchall()
    expected = bl.load(model).set_params(absent_columns="missing").predict_proba(frame.drop("number"))
    np.testing.assert_allclose([row[2:] for row in sorted(found)], expected, rtol=0, atol=1e-12)
    target = tmp_path / "q.sql"
    assert run("sql", model, "--dialect", "postgres", "--schema", "s", "-o", target).code == 0
    assert 'FROM "s"."data" AS src' in target.read_text()


def test_mistakes_leave_no_file(model, run, tmp_path):
    target = tmp_path / "q.sql"
    for arguments, words in (
        (("--dialect", "oracle"), "dialect must be one of duckdb, sqlite, postgres"),
        (("--absent", "nobody"), "absent names 'nobody', which is not a column of the model"),
        (("--keep", "prediction"), "two columns 'prediction'"),
    ):
        outcome = run("sql", model, *arguments, "-o", target)
        assert (outcome.code, outcome.out) == (2, "")
        assert words in outcome.err
        assert not target.exists()
