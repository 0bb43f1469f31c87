"""Learning from a table of PostgreSQL: the model of the same rows in memory, or one sentence that says what broke."""

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.counts import ChangedDataError
from bayleaf.streams import open_source
from bayleaf.streams.database_reader import LostDatabaseError, PostgresReader
from reference.hostile_rows import TARGET, hostile_rows
from reference.postgres_tables import store

# ibis calls what its libraries will not have for ever.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:The 'future.infer_string'")


def counting(structure=None):
    return bl.BayesNetClassifier(bl.TAN() if structure is None else structure, bl.Laplace(), n_jobs=1)


def stored(backend, frame, name="rows"):
    store(backend.con, frame, name)
    return backend.table(name)


def every_type(rows=300):
    """A column of each type, with gaps in most, and a class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    k = y + rng.integers(0, 3, rows)
    gap = pl.Series(rng.random(rows) < 0.1)
    frame = pl.DataFrame(
        {
            "text": [f'{each}, "{each}"\n\'' for each in k],
            "empty": [["", "null", "NULL", "\\N"][each % 4] for each in k],
            "whole": k * 10**12,
            "number": rng.normal(size=rows) + y,
            "truth": k > 1,
            "day": [dt.date(1969, 12, 1) + dt.timedelta(days=int(each)) for each in 40 * y + k],
            "moment": [
                dt.datetime(1999, 12, 31, 23, 59, 59, 250_000) + dt.timedelta(hours=int(h)) for h in 9 * k
            ],
            "clock": [dt.time(int(each), 30, 0, 5) for each in k],
        }
    )
    gapped = frame.with_columns(pl.when(~gap).then(pl.all()))
    return gapped.with_columns(pl.Series("y", np.array(["no", "yes"])[y]))


def test_every_type_arrives_as_it_was_stored(backend):
    frame = every_type()
    reader = open_source(stored(backend, frame), batch_rows=64)
    assert isinstance(reader, PostgresReader)
    batches = list(reader.read(frame.columns))
    assert [batch.height for batch in batches] == [64] * 4 + [44]
    assert pl.concat(batches).equals(frame)
    alone = pl.concat(reader.read(["number"]))  # a line may be nothing but a gap
    assert alone.equals(frame.select("number"))


def test_the_model_is_that_of_the_rows_in_memory(backend):
    frame = every_type().drop("number", "moment", "clock", "day", "whole")
    found = counting().fit_from(stored(backend, frame), "y", sample_rows=50)
    expected = counting().fit(frame.drop("y"), frame["y"])
    # Which columns say the same is noted only where they are in memory together.
    assert found.schema_.target == expected.schema_.target
    assert found.schema_.features == tuple(replace(each, note="") for each in expected.schema_.features)
    assert found.network_.dag == expected.network_.dag
    for one, other in zip(found.network_.tables, expected.network_.tables, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("weight", [None, "w"])
def test_numbers_dates_and_weights_are_read_as_from_a_frame(backend, weight):
    frame = every_type().with_columns(w=pl.int_range(300) % 3)
    drop = () if weight else ("w",)
    found, expected = (
        counting().fit_from(source, "y", weight=weight, drop=drop, sample_rows=100)
        for source in (stored(backend, frame), frame)
    )
    assert found.schema_ == expected.schema_
    X = frame.select(found.feature_names_in_)
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))


def test_a_query_is_a_source_too(backend):
    frame = every_type()
    table = stored(backend, frame)
    chosen = table.filter(table["whole"] > 10**12).select("text", "truth", "y")
    model = counting().fit_from(chosen, "y", sample_rows=50)
    assert model.training_.rows == frame.filter(pl.col("whole") > 10**12).height


def test_hostile_names_and_categories(backend):
    frame = hostile_rows()
    name = 'rows"; drop table rows; --'
    store(backend.con, frame, f'"{name.replace(chr(34), chr(34) * 2)}"')
    table = backend.table(name)
    found = counting().fit_from(table, TARGET, sample_rows=20)
    expected = counting().fit(frame.drop(TARGET), frame[TARGET])
    assert found.schema_ == expected.schema_
    for one, other in zip(found.network_.tables, expected.network_.tables, strict=True):
        np.testing.assert_array_equal(one, other)
    assert table.count().execute() == frame.height


def test_rows_are_read_by_one_worker_so_that_their_order_stays(backend):
    backend.con.execute("SET max_parallel_workers_per_gather = 2")
    backend.con.execute(
        "CREATE VIEW told AS SELECT current_setting('max_parallel_workers_per_gather') AS workers"
    )
    try:
        [batch] = open_source(backend.table("told")).read(["workers"])
    finally:
        backend.con.execute("DROP VIEW told")
    assert batch["workers"].to_list() == ["0"]
    [(after,)] = backend.con.execute("SHOW max_parallel_workers_per_gather").fetchall()
    assert after == "2"


def test_numerics_and_times_with_a_zone(backend):
    backend.con.execute(
        "CREATE TABLE odd AS SELECT g * 0.1 AS n, to_timestamp(g) AS t, "
        "CASE WHEN g % 2 = 0 THEN 'a' ELSE 'b' END AS y FROM generate_series(1, 50) AS g"
    )
    [batch] = open_source(backend.table("odd")).read(["n", "t", "y"])
    assert batch["n"].to_list() == [float(f"{g / 10:.1f}") for g in range(1, 51)]
    assert batch["t"][0] == dt.datetime(1970, 1, 1, 0, 0, 1, tzinfo=dt.UTC)


def test_a_connection_that_breaks_between_passes(backend, connection):
    table = stored(backend, every_type())
    clf = counting(bl.KDB(k=2)).fit(every_type().drop("y"), every_type()["y"])
    before = clf.network_
    reader = open_source(table)
    read = reader.read

    def and_break(columns):
        yield from read(columns)
        connection.execute("SELECT pg_terminate_backend(%s)", [backend.con.info.backend_pid])

    reader.read = and_break
    with pytest.raises(
        LostDatabaseError, match=r"The table cannot be read any more: .*\. Connect to the database"
    ):
        clf.fit_from(reader, "y", sample_rows=50)
    assert clf.network_ is before


def test_a_table_that_grows_between_passes(backend, connection):
    frame = every_type()
    reader = open_source(stored(backend, frame))
    read = reader.read

    def and_grow(columns):
        yield from read(columns)
        connection.execute("INSERT INTO rows SELECT * FROM rows LIMIT 1")

    reader.read = and_grow
    with pytest.raises(ChangedDataError, match="300 rows in the first pass, 301 in a later one"):
        counting().fit_from(reader, "y", sample_rows=50)


def test_a_pass_that_is_given_up_leaves_the_connection_usable(backend):
    table = stored(backend, every_type())
    batches = open_source(table, batch_rows=10).read(["text"])
    next(batches)
    batches.close()
    assert table.count().execute() == 300
