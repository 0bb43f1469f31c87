"""What databases answer to the query of a model, beside what the model answers."""

import datetime as dt
import sqlite3

import numpy as np
import polars as pl
from sklearn.datasets import load_iris

from bayleaf.models.dialects import DIALECTS

try:
    import duckdb
except ImportError:
    duckdb = None
else:
    DUCK = duckdb.connect(config={"threads": 1})  # opening a database takes longer than asking it
CLOSE = 1e-12


def in_duckdb(frame, table, query):
    """The rows that DuckDB answers with, if it holds a table."""
    with DUCK.cursor() as connection:
        connection.register("given", frame.to_arrow())
        connection.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT * FROM given")
        return connection.execute(query).fetchall()


def in_sqlite(frame, table, query):
    """The rows that SQLite answers with, if it holds a table."""
    with sqlite3.connect(":memory:") as connection:
        columns = ", ".join(map(DIALECTS["sqlite"].identifier, frame.columns))
        connection.execute(f"CREATE TABLE {table} ({columns})")
        marks = ", ".join("?" * frame.width)
        plain = [tuple(map(stored, row)) for row in frame.rows()]
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", plain)
        return connection.execute(query).fetchall()


PRESENT = {"sqlite": in_sqlite} if duckdb is None else {"duckdb": in_duckdb, "sqlite": in_sqlite}


def answers(model, frame, engine, table="data", **options):
    """What the query gives: predictions, and probabilities with NaN for NULL, in the order of the rows.

    The engine is the name of one that is present, or a dialect and what puts a table into it and asks.
    """
    dialect, ask = (engine, PRESENT[engine]) if isinstance(engine, str) else engine
    query = model.to_sql(table, dialect, keep=["row"], **options)
    frame = frame.with_columns(pl.int_range(frame.height).alias("row"))
    rows = sorted(ask(frame, DIALECTS[dialect].identifier(table), query))
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


def written(rows, seed):
    """Percents, euros and times in UTC as people write them, some of them missing, and a class of two."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    euros = [f"{x:,.2f} €".translate(str.maketrans(",.", ".,")) for x in rng.normal(0, 2000, rows) + 3000 * y]
    start, hours = dt.datetime(2024, 1, 1), rng.integers(0, 900, rows) * (1 + y)
    frame = pl.DataFrame(
        {
            "rate": [f"{x:.1f}%" for x in rng.normal(10, 5, rows) + 8 * y],
            "price": [f"({text[1:]})" if k % 3 and text[0] == "-" else text for k, text in enumerate(euros)],
            "seen": [f"{start + dt.timedelta(hours=int(h)):%Y-%m-%dT%H:%M:%S}Z" for h in hours],
        }
    )
    gaps = rng.random((rows, 3)) < 0.1
    return frame.with_columns(
        pl.when(pl.Series(gaps[:, k])).then(None).otherwise(pl.col(name)).alias(name)
        for k, name in enumerate(frame.columns)
    ), y


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


def dated():
    """Moments, days and times of day that tell a class of eight by weekday, hour and month."""
    rng = np.random.default_rng(0)
    hours = np.sort(rng.integers(-30_000, 30_000, 900))
    moments = [dt.datetime(1970, 1, 1) + dt.timedelta(hours=int(hour), seconds=7.25) for hour in hours]
    y = [(moment.weekday() > 3) + 2 * (moment.hour > 11) + 4 * (moment.month > 5) for moment in moments]
    frame = pl.DataFrame(
        {
            "when": [None if k % 7 == 0 else moment for k, moment in enumerate(moments)],
            "day": [moment.date() for moment in moments],
            "clock": [moment.time() for moment in moments],
        }
    )
    return frame, np.array(y)


def hostile():
    """Names and categories that would do harm if they were pasted into a query."""
    words = ["'; DROP TABLE x; --", 'a"b', "\\", "%s {0} $1 :x ?", "line\nbreak", "日本 🙂", ""]
    rng = np.random.default_rng(0)
    names = ('"; DROP TABLE data; --', "c0", "k0", "src", "select")
    frame = pl.DataFrame({name: [words[k] for k in rng.integers(0, len(words), 80)] for name in names})
    return frame, np.array(["'", '"', "\\'; --"])[rng.integers(0, 3, 80)]


def iris_with_gaps():
    """Complete rows with their classes; rows of which more and more is missing, at last all."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = pl.DataFrame(X.to_dict("list"))
    lost = np.random.default_rng(0).random(X.shape) < np.linspace(0, 1, 150)[:, None]
    gaps = X.select(
        pl.when(pl.Series(~lost[:, j])).then(pl.col(name)).alias(name) for j, name in enumerate(X.columns)
    )
    return X, y, gaps.vstack(X.clear(2))
