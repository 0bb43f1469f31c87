"""Rows in databases: names and categories may be anything, and nothing is pasted into a query."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.streams import open_source
from bayleaf.streams.database_reader import LostDatabaseError
from reference.hostile_rows import TARGET, hostile_rows

# ibis calls what its libraries will not have for ever.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:The 'future.infer_string'")


OPEN = []  # DuckDB before 2.0 closes a connection that nobody holds, though a relation needs it


def in_duckdb(frame, folder):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'bayleaf[sql]'")
    connection = duckdb.connect(str(folder / "rows.duckdb"))
    OPEN.append(connection)
    connection.register("frame", frame.to_arrow())
    connection.sql("create table rows as select * from frame")
    return connection.table("rows")


def in_ibis_duckdb(frame, folder):
    ibis = pytest.importorskip("ibis", reason="ibis is not installed: pip install 'bayleaf[ibis]'")
    pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'bayleaf[sql]'")
    return ibis.duckdb.connect().create_table("rows", frame.to_arrow())


def in_sqlite(frame, folder):
    ibis = pytest.importorskip("ibis", reason="ibis is not installed: pip install 'bayleaf[ibis]'")
    return ibis.sqlite.connect(folder / "rows.db").create_table("rows", frame.to_arrow())


@pytest.mark.parametrize("database", [in_duckdb, in_ibis_duckdb, in_sqlite])
def test_hostile_names_and_categories(database, tmp_path):
    frame = hostile_rows()
    table = database(frame, tmp_path)
    expected = bl.BayesNetClassifier(bl.TAN(), bl.Laplace(), n_jobs=1).fit(frame.drop(TARGET), frame[TARGET])
    found = bl.BayesNetClassifier(bl.TAN(), bl.Laplace(), n_jobs=1).fit_from(table, TARGET, sample_rows=20)
    assert found.schema_ == expected.schema_
    assert found.network_.dag == expected.network_.dag
    for one, other in zip(found.network_.tables, expected.network_.tables, strict=True):
        np.testing.assert_array_equal(one, other)


def test_sqlite_in_small_batches_with_numbers_and_gaps(tmp_path):
    ibis = pytest.importorskip("ibis", reason="ibis is not installed: pip install 'bayleaf[ibis]'")
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    frame = pl.DataFrame(
        {
            "x": pl.Series(rng.normal(size=300) + y),
            "k": pl.Series(rng.integers(0, 3, 300)),
            "t": pl.Series([None if u < 0.2 else "a" if u < 0.6 else "b" for u in rng.random(300)]),
            "y": y,
        }
    ).with_columns(pl.when(pl.int_range(300) % 7 > 0).then("k").alias("k"))
    table = ibis.sqlite.connect(tmp_path / "rows.db").create_table("rows", frame.to_arrow())
    model, other = (bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet(), n_jobs=1) for _ in range(2))
    model.fit_from(table, "y", sample_rows=100)
    other.fit_from(frame, "y", sample_rows=100)
    assert model.schema_ == other.schema_
    np.testing.assert_array_equal(model.predict_proba(frame.drop("y")), other.predict_proba(frame.drop("y")))


def test_a_connection_that_breaks_between_passes():
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'bayleaf[sql]'")
    connection = duckdb.connect()
    connection.register("frame", hostile_rows().to_arrow())
    reader = open_source(connection.table("frame"))
    read = reader.read

    def and_break(columns):
        yield from read(columns)
        connection.close()

    reader.read = and_break
    clf = bl.BayesNetClassifier(bl.TAN(), bl.Laplace(), n_jobs=1)
    with pytest.raises(
        LostDatabaseError, match=r"The relation cannot be read any more: .* Connect to the database"
    ):
        clf.fit_from(reader, TARGET, sample_rows=20)
    assert not hasattr(clf, "network_")


def test_a_connection_that_was_closed_before():
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install 'bayleaf[sql]'")
    connection = duckdb.connect()
    relation = connection.sql("select 1 as x, 'a' as y")
    connection.close()
    with pytest.raises(LostDatabaseError, match=r"The relation cannot be read any more: .* Connect to"):
        bl.BayesNetClassifier().fit_from(relation, "y")


@pytest.mark.parametrize("value", [2.5, "many"])
def test_sqlite_columns_that_change_their_type(value, tmp_path):
    ibis = pytest.importorskip("ibis", reason="ibis is not installed: pip install 'bayleaf[ibis]'")
    backend = ibis.sqlite.connect(tmp_path / "rows.db")
    backend.raw_sql("CREATE TABLE rows (k INTEGER, y TEXT)")
    backend.con.executemany("INSERT INTO rows VALUES (?, ?)", [(k, "ab"[k % 2]) for k in range(40)])
    backend.con.execute("INSERT INTO rows VALUES (?, 'a')", [value])
    with pytest.raises(
        ValueError, match=f"Column 'k' is declared as Int64, and holds {value!r} in one of its rows"
    ):
        bl.BayesNetClassifier(bl.TAN(), bl.Laplace()).fit_from(backend.table("rows"), "y")


def declared(folder, kind, values):
    """A table of SQLite with a column that is declared to hold something, and a class."""
    ibis = pytest.importorskip("ibis", reason="ibis is not installed: pip install 'bayleaf[ibis]'")
    backend = ibis.sqlite.connect(folder / "rows.db")
    backend.raw_sql(f"CREATE TABLE rows (day {kind}, y TEXT)")
    backend.con.executemany(
        "INSERT INTO rows VALUES (?, ?)", [(each, "ab"[k % 2]) for k, each in enumerate(values)]
    )
    return backend.table("rows")


NOON = dt.datetime(2024, 2, 29, 12, 30)


@pytest.mark.parametrize(
    ("kind", "texts", "expected"),
    [
        ("DATE", ["2024-02-29", "2024-02-29 00:00:00", None], [NOON.date(), NOON.date(), None]),
        (
            "TIMESTAMP",
            ["2024-02-29 12:30", "2024-02-29T12:30:00.250", None],
            [NOON, NOON.replace(microsecond=250_000), None],
        ),
        ("DATETIME", ["2024-02-29 12:30:00", None], [NOON, None]),
        ("TIMESTAMPTZ", ["2024-02-29 14:30:00+02:00"], [NOON.replace(tzinfo=dt.UTC)]),
        ("TIMESTAMPTZ", ["2024-02-29 12:30:00", None], [NOON.replace(tzinfo=dt.UTC), None]),
        ("TIME", ["12:30:00", None], [NOON.time(), None]),
        ("DATE", [None, None], [None, None]),
    ],
)
def test_sqlite_stores_dates_as_texts(kind, texts, expected, tmp_path):
    [batch] = open_source(declared(tmp_path, kind, texts)).read(["day"])
    assert batch["day"].to_list() == expected


def test_dates_in_sqlite_are_learned_as_from_a_frame(tmp_path):
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=37 * k % 900) for k in range(200)]
    frame = pl.DataFrame({"day": days, "y": ["ab"[k % 2] for k in range(200)]})
    table = declared(tmp_path, "DATE", map(str, days))
    found, expected = (
        bl.BayesNetClassifier(bl.TAN(), bl.Laplace(), n_jobs=1).fit_from(source, "y", sample_rows=100)
        for source in (table, frame)
    )
    assert found.schema_ == expected.schema_
    assert found.schema_.features[0].dtype == "date"


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("DATE", "31.1.2024", "Date, and holds '31.1.2024'"),
        ("DATE", "2024-01-31 08:00", "Date, and holds '2024-01-31 08:00'"),
        ("DATE", 1_700_000_000, "Date, and holds 1700000000"),
        ("TIMESTAMP", "2024-01-31 08:00:00+02:00", r".*, and holds '2024-01-31 08:00:00\+02:00'"),
        ("TIME", "noon", "Time, and holds 'noon'"),
    ],
)
def test_sqlite_columns_of_dates_that_hold_others(kind, value, shown, tmp_path):
    good = {"DATE": "2024-01-30", "TIMESTAMP": "2024-01-30 08:00:00", "TIME": "08:00"}[kind]
    table = declared(tmp_path, kind, [good, value, None])
    message = f"Column 'day' is declared as {shown} in one of its rows: write it as ISO 8601 has it, or read"
    with pytest.raises(ValueError, match=message):
        bl.BayesNetClassifier(bl.TAN(), bl.Laplace()).fit_from(table, "y")
    assert open_source(table.cast({"day": "string"})).read(["day"])
