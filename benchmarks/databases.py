"""Counting in a database or beside it: rows that are read in batches, against group-bys that the database runs.

The counts of the class with every pair of features are what trees are learned from. Reading hands the rows to the
kernel, which counts all pairs in one pass. Group-bys count them where they are: blocks of features are counted two by
two, so that one group-by serves many pairs, and columns are whole numbers from 0 on, which saves the database the
encoding. Seconds are CPU seconds of this process and of the server's. Needs ibis, psycopg and a PostgreSQL package.

    PYTHONPATH=tests python benchmarks/databases.py
"""

import argparse
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from common import report

from bayleaf.counts import PairCounts
from bayleaf.data import Table, Variable
from bayleaf.streams import open_source
from reference.postgres_server import running_server, server_programs

STATES, CLASSES = 4, 4
# Cells that the result of one group-by may have.
MOST_CELLS = 2**14


def covering_sets(features: int) -> list[list[int]]:
    """Return sets of features such that each pair is in one of them, with as many cells as may be."""
    most = np.sqrt(MOST_CELLS / CLASSES)
    size = max(1, int(np.log(most) / np.log(STATES)))
    blocks = [list(range(start, min(start + size, features))) for start in range(0, features, size)]
    pairs = list(combinations(blocks, 2))
    return [[*a, *b] for a, b in pairs] if pairs else blocks


def read_pairs(table: Any, features: int) -> None:
    """Count all pairs of the rows as they are read."""
    variables = [Variable(f"x{j}", tuple(range(STATES)), None, "integer") for j in range(features)]
    variables.append(Variable("y", tuple(range(CLASSES)), None, "integer"))
    counts = PairCounts(variables, features)
    reader = open_source(table)
    for batch in reader.read(reader.names):
        counts.add(Table.from_codes(tuple(variables), batch.to_numpy(), target=features))


def group_pairs(execute: Callable[[str], Any], features: int) -> None:
    """Count all pairs by group-bys."""
    for columns in covering_sets(features):
        cell = "y"
        for j in columns:
            cell = f"({cell}) * {STATES} + x{j}"
        execute(f"SELECT {cell} AS cell, COUNT(*) FROM rows GROUP BY {cell}").fetchall()


def server_seconds(pid: int) -> float:
    """CPU seconds of another process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measured(action: Callable[[], None], pid: int | None, rows: int) -> float:
    """Return the microseconds per row that an action takes."""
    start, other = time.process_time(), 0.0 if pid is None else server_seconds(pid)
    action()
    seconds = time.process_time() - start + (0.0 if pid is None else server_seconds(pid) - other)
    return 1e6 * seconds / rows


def in_sqlite(frame: pl.DataFrame, folder: Path) -> tuple[Any, Callable[[str], Any], None]:
    import ibis

    backend = ibis.sqlite.connect(folder / f"{frame.width}.db")
    backend.raw_sql(f"CREATE TABLE rows ({', '.join(f'{name} INTEGER' for name in frame.columns)})")
    backend.con.executemany(f"INSERT INTO rows VALUES ({', '.join('?' * frame.width)})", frame.rows())
    return backend.table("rows"), backend.con.execute, None


def in_postgres(frame: pl.DataFrame, folder: Path) -> tuple[Any, Callable[[str], Any], int]:
    import ibis

    backend = ibis.postgres.connect(host=str(folder), user="bayleaf", database="postgres")
    con = backend.con
    con.execute("SET max_parallel_workers_per_gather = 0")
    con.execute("DROP TABLE IF EXISTS rows")
    con.execute(f"CREATE TABLE rows ({', '.join(f'{name} integer' for name in frame.columns)})")
    with con.cursor() as cursor, cursor.copy("COPY rows FROM STDIN (FORMAT csv)") as copy:
        copy.write(frame.write_csv(include_header=False))
    con.execute("ANALYZE rows")
    return backend.table("rows"), con.execute, con.info.backend_pid


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    rows = parser.parse_args().rows
    warnings.simplefilter("ignore")
    programs = server_programs()
    if programs is None:
        raise SystemExit("There is no PostgreSQL server: apt-get install postgresql")
    lines: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder, running_server(programs) as socket:
        for features in (5, 10, 20, 40):
            rng = np.random.default_rng(features)
            codes = rng.integers(0, STATES, (rows, features + 1))
            names = [*(f"x{j}" for j in range(features)), "y"]
            frame = pl.DataFrame(codes, schema=names)
            for name, opened in (
                ("SQLite", in_sqlite(frame, Path(folder))),
                ("PostgreSQL", in_postgres(frame, socket)),
            ):
                table, execute, pid = opened
                read = measured(lambda t=table, n=features: read_pairs(t, n), pid, rows)
                grouped = measured(lambda e=execute, n=features: group_pairs(e, n), pid, rows)
                lines.append([name, features, read, len(covering_sets(features)), grouped])
    headings = ["database", "features", "rows read: µs per row", "group-bys", "group-bys: µs per row"]
    report(f"All pairs with the class, {rows:,} rows", headings, lines, "databases.csv")


if __name__ == "__main__":
    main()
