"""Rows that databases hand out are a source of counts as any other: the same graphs and tables, bit for bit."""

import numpy as np
import polars as pl
import pytest

from bayleaf.counts import BatchSource
from bayleaf.data import Table
from bayleaf.streams import open_source
from reference.count_sources import WEIGHTS, check_graphs_and_tables, dependent_table
from reference.postgres_tables import store

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:The 'future.infer_string'")


def rows_of(table):
    """Codes as a database has them, gaps as NULL, and the weights if there are any."""
    frame = pl.DataFrame(table.codes.astype(np.int64), schema=list(table.names))
    frame = frame.with_columns(pl.when(pl.all() < table.missing_code).then(pl.all()))
    return frame if table.weights is None else frame.with_columns(pl.Series("weight", table.weights))


def source_of(table, stored):
    reader = open_source(stored, batch_rows=64)

    def batches():
        for frame in reader.read(reader.names):
            codes = frame.select(table.names).fill_null(-1).to_numpy()
            weights = None if table.weights is None else frame["weight"].to_numpy()
            yield Table.from_codes(table.variables, codes, weights, target=table.target, n_jobs=1)

    return BatchSource(table.variables, batches, table.target, weighted=table.weights is not None, n_jobs=1)


def in_postgres(frame, folder, backend):
    store(backend.con, frame, "rows")
    return backend.table("rows")


def in_sqlite(frame, folder, backend):
    import ibis

    return ibis.sqlite.connect(folder / "rows.db").create_table("rows", frame.to_arrow())


def in_duckdb(frame, folder, backend):
    import ibis

    return ibis.duckdb.connect().create_table("rows", frame.to_arrow())


@pytest.mark.parametrize("database", [in_postgres, in_sqlite, in_duckdb])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_same_graphs_and_tables(database, missing, weights, backend, tmp_path):
    table = dependent_table(missing, weights)
    source = source_of(table, database(rows_of(table), tmp_path, backend))
    assert source.n_rows == table.n_rows
    np.testing.assert_array_equal(source.has_missing, table.has_missing)
    check_graphs_and_tables(source, table)
