"""Tables of databases, read in batches by their own connections: DuckDB, SQLite and PostgreSQL."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import numpy as np

from bayleaf._util.optional import polars as pl
from bayleaf.data.dates import DAY, ISO, MICRO
from bayleaf.data.text_values import TIME, read_dates

from .batch_reader import BATCH_ROWS, ArrowReader, BatchReader

# Libraries whose errors mean that the database no longer answers, or not as it did.
DRIVERS = ("duckdb", "_duckdb", "psycopg", "sqlite3")


class LostDatabaseError(ConnectionError):
    """A database that was read before cannot be read any more."""


class DuckDBReader(ArrowReader):
    """A relation of DuckDB."""

    def __init__(self, relation: Any, batch_rows: int = BATCH_ROWS) -> None:
        def batches(columns: Sequence[str]) -> Iterable[Any]:
            # Quoted, a name may be anything; expressions of columns take names apart in DuckDB before 2.0.
            chosen = relation.project(", ".join('"' + name.replace('"', '""') + '"' for name in columns))
            # The second is what older ones call it.
            read = getattr(chosen, "to_arrow_reader", None) or chosen.fetch_arrow_reader
            reader: Iterable[Any] = read(batch_rows)
            return reader

        with as_lost("The relation"):
            names = relation.columns
        super().__init__("The relation", names, batches)

    def read(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Read some of the columns from the first row to the last."""
        with as_lost(self.name):
            yield from super().read(columns)


class IbisReader(BatchReader):
    """A table of a database whose rows ibis does not hand out in batches of Arrow."""

    def __init__(self, table: Any, batch_rows: int = BATCH_ROWS) -> None:
        super().__init__("The table", table.columns)
        self._table, self._batch_rows = table, batch_rows

    def read(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Read some of the columns from the first row to the last."""
        chosen = self._table.select(list(columns))
        with as_lost(self.name):
            yield from self._frames(chosen.compile(), chosen.schema().to_polars())

    @abstractmethod
    def _frames(self, query: str, schema: pl.Schema) -> Iterator[pl.DataFrame]:
        """Yield the rows of a query."""


class SQLiteReader(IbisReader):
    """A table of SQLite, by ibis."""

    def _frames(self, query: str, schema: pl.Schema) -> Iterator[pl.DataFrame]:
        moments = [name for name, dtype in schema.items() if _is_moment(dtype)]
        stored: dict[str, Any] = {**schema, **dict.fromkeys(moments, pl.String)}
        with closing(self._table.get_backend().raw_sql(query)) as cursor:
            while rows := cursor.fetchmany(self._batch_rows):
                refuse_other_types(rows, schema)
                frame = pl.DataFrame(rows, schema=stored, orient="row", strict=False)
                yield frame.with_columns(moments_of_texts(frame[name], schema[name]) for name in moments)


def refuse_other_types(rows: Sequence[Sequence[Any]], schema: pl.Schema) -> None:
    """Refuse values of another type than their column: SQLite stores them, and a table would change or lose them."""
    for j, (name, dtype) in enumerate(schema.items()):
        if dtype.is_numeric():
            allowed = {int, type(None)} if dtype.is_integer() else {int, float, type(None)}
            if not {type(row[j]) for row in rows} <= allowed:
                wrong = next(row[j] for row in rows if type(row[j]) not in allowed)
                raise ValueError(
                    f"Column '{name}' is declared as {dtype}, and holds {wrong!r} in one of its rows: store it as "
                    "one type."
                )
        elif _is_moment(dtype):
            wrong = next((row[j] for row in rows if not isinstance(row[j], str | None)), None)
            if wrong is not None:
                raise _no_moment(name, dtype, wrong)


def _is_moment(dtype: pl.DataType) -> bool:
    return dtype.is_temporal() and dtype != pl.Duration


def moments_of_texts(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Read texts as the dates or times that their column is declared to hold: SQLite has no type for them.

    Texts without a time zone are in UTC where the column has one, as they are to SQLite.

    Examples
    --------
    >>> moments_of_texts(pl.Series("day", ["2024-02-29", None, "2024-03-01 00:00"]), pl.Date()).to_list()
    [datetime.date(2024, 2, 29), None, datetime.date(2024, 3, 1)]
    >>> moments_of_texts(pl.Series("day", ["yesterday"]), pl.Date())
    Traceback (most recent call last):
    ValueError: Column 'day' is declared as Date, and holds 'yesterday' in one of its rows: write it ...
    """
    texts = column.to_list()
    read = read_dates(texts, TIME if dtype == pl.Time else ISO)
    zone = dtype.time_zone if isinstance(dtype, pl.Datetime) else None
    known = column.is_not_null().to_numpy()
    if read is None or (read.zone is not None and zone is None):
        ends = column.str.contains(r":.*(Z|UTC|[+-]\d{2}:?\d{2})$").fill_null(False).to_numpy()
        raise _no_moment(column.name, dtype, texts[int((known & ends).argmax())])
    seconds = read.values * DAY if read.dtype == "date" else read.values
    wrong = known & (np.isnan(seconds) | (dtype == pl.Date and seconds % DAY != 0))
    if wrong.any():
        raise _no_moment(column.name, dtype, texts[int(wrong.argmax())])
    micros = pl.Series(column.name, np.rint(seconds * MICRO), nan_to_null=True).cast(pl.Int64)
    if dtype == pl.Time:
        return (micros * 1000).cast(pl.Time)
    moments = micros.cast(pl.Datetime("us", None if zone is None else "UTC"))
    return moments.cast(dtype)


def _no_moment(name: str, dtype: pl.DataType, value: object) -> ValueError:
    return ValueError(
        f"Column '{name}' is declared as {dtype}, and holds {value!r} in one of its rows: write it as ISO 8601 "
        f"has it, or read the column as it is with table.cast({{{name!r}: 'string'}})."
    )


class PostgresReader(IbisReader):
    """A table of PostgreSQL, by ibis: rows come as the text of COPY, which takes a tenth of a cursor's time."""

    def _frames(self, query: str, schema: pl.Schema) -> Iterator[pl.DataFrame]:
        connection = self._table.get_backend().con
        with connection.transaction(), connection.cursor() as cursor:
            # Otherwise large tables are read from wherever another reader is, or by several workers at once: in
            # another order each time.
            cursor.execute("SET LOCAL synchronize_seqscans = off")
            cursor.execute("SET LOCAL max_parallel_workers_per_gather = 0")
            cursor.execute("SET LOCAL datestyle = 'ISO'")
            with cursor.copy(f"COPY ({query}) TO STDOUT (FORMAT csv, ENCODING 'UTF8')") as copy:
                rows: list[bytes] = []
                for row in copy:  # one message has one row
                    rows.append(bytes(row))
                    if len(rows) == self._batch_rows:
                        yield copied_frame(b"".join(rows), schema)
                        rows.clear()
                if rows:
                    yield copied_frame(b"".join(rows), schema)


def copied_frame(text: bytes, schema: pl.Schema) -> pl.DataFrame:
    r"""Make a table of the text in which PostgreSQL hands out rows: empty is missing, two quotes are the empty text.

    Examples
    --------
    >>> schema = pl.Schema({"a": pl.String, "b": pl.Boolean, "c": pl.Date})
    >>> copied_frame(b'"",t,2024-02-29\n,f,\n', schema).rows()
    [('', True, datetime.date(2024, 2, 29)), (None, False, None)]
    """
    texts = pl.read_csv(text, has_header=False, schema=dict.fromkeys(schema, pl.String))
    columns = []
    for column in texts.get_columns():
        try:
            columns.append(_typed(column, schema[column.name]))
        except pl.exceptions.PolarsError as error:
            reason = str(error).splitlines()[0].rstrip(".")
            raise ValueError(
                f"Column '{column.name}' holds a value that cannot be read as {schema[column.name]}: {reason}."
            ) from None
    return pl.DataFrame(columns)


def _typed(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    if dtype == pl.Boolean:
        return column == "t"
    if dtype.is_decimal():
        return column.cast(pl.Float64)
    if dtype.is_numeric():
        return column.cast(dtype)
    if dtype == pl.Date:
        return column.str.to_date("%Y-%m-%d")
    if isinstance(dtype, pl.Datetime):
        zone = "" if dtype.time_zone is None else "%#z"
        return column.str.to_datetime(f"%Y-%m-%d %H:%M:%S%.f{zone}")
    if dtype == pl.Time:
        return column.str.to_time("%H:%M:%S%.f")
    return column  # texts, and what is best read as such: identifiers, addresses, enumerations


@contextmanager
def as_lost(name: str) -> Iterator[None]:
    """Raise one error for a database that does not answer any more."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in DRIVERS:
            raise
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
        raise LostDatabaseError(
            f"{name} cannot be read any more: {reason}. Connect to the database again and repeat the fit; nothing "
            "was learned from the rows read so far."
        ) from error


def open_ibis(table: Any, batch_rows: int = BATCH_ROWS) -> BatchReader:
    """Return what reads an ibis table: in batches, where ibis itself would fetch all rows first."""
    backend = table.get_backend()
    if backend.name == "sqlite":
        return SQLiteReader(table, batch_rows)
    if backend.name == "postgres":
        return PostgresReader(table, batch_rows)
    if backend.name == "duckdb":  # ibis calls what DuckDB has no longer
        return DuckDBReader(backend.con.sql(table.compile()), batch_rows)

    def batches(columns: Sequence[str]) -> Iterable[Any]:
        reader: Iterable[Any] = table.select(list(columns)).to_pyarrow_batches(chunk_size=batch_rows)
        return reader

    return ArrowReader("The table", table.columns, batches)
