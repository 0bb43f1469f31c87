"""Passes over the rows of a Spark DataFrame: each partition is tallied where it lies, and only tallies travel."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from bayleaf._util.optional import polars as pl
from bayleaf.data.raw_columns import table_from_stream

from .batch_reader import BATCH_ROWS, NamedColumns

# What a partition sends: its tallies as bytes, in pieces that Arrow and Java can hold.
PIECES = "part bigint, lot bigint, piece bigint, state binary"
PIECE_BYTES = 2**24
LOT_PARTS = 32
# Errors that say what is wrong with the rows. They are sent to the driver in place of tallies: were they raised,
# Spark would try again, in vain, and hide the sentence in a trace.
REFUSALS = (ValueError, TypeError)
# Types of columns that can be learned from, as Spark calls them.
READ_TYPES = frozenset(
    {
        *("StringType", "CharType", "VarcharType", "BooleanType", "NullType"),
        *("ByteType", "ShortType", "IntegerType", "LongType", "FloatType", "DoubleType", "DecimalType"),
        *("DateType", "TimestampType", "TimestampNTZType", "TimeType", "DayTimeIntervalType"),
    }
)


class PartitionJob(Protocol):
    """What is done with the rows of each partition. It is sent to the executors."""

    def start(self, part: int) -> list[Any]:
        """Return empty tallies for the partition of this number."""

    def add(self, tallies: list[Any], frame: pl.DataFrame) -> int:
        """Add a batch of raw rows to them; return how many of its rows count."""


@dataclass
class Tallied:
    """What a pass has found in partitions that follow each other.

    Parameters
    ----------
    tallies : list
        Each can merge another of its kind.
    rows : dict
        Rows that count in each partition.
    read : int
        Rows that were read.
    """

    tallies: list[Any]
    rows: dict[int, int]
    read: int = 0

    def merge(self, later: Tallied) -> None:
        """Add what was found in later partitions."""
        for tally, other in zip(self.tallies, later.tallies, strict=True):
            tally.merge(other)
        self.rows.update(later.rows)
        self.read += later.read


class SparkRows(NamedColumns):
    """The rows of a Spark DataFrame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Each pass runs its query again, unless it is cached.
    lot_parts : int
        So many partitions one after another are merged on an executor before the driver gets them.
    """

    def __init__(self, frame: Any, lot_parts: int = LOT_PARTS) -> None:
        super().__init__("The DataFrame", frame.columns)
        self._frame, self._lot_parts = frame, lot_parts
        self._n_parts: int | None = None

    def check_types(self, columns: Iterable[str]) -> None:
        """Refuse columns of types that nothing can be learned from."""
        types = {field.name: field.dataType for field in self._frame.schema.fields}
        for column in columns:
            kind = type(types[column]).__name__
            if kind == "VectorUDT":
                raise TypeError(
                    f"Column '{column}' holds vectors: give the columns that they were assembled from."
                )
            if kind not in READ_TYPES:
                raise TypeError(
                    f"Column '{column}' is of type {types[column].simpleString()}, from which nothing can be learned"
                    ": take single values out of it, or leave it out."
                )

    def tally(self, job: PartitionJob, columns: Sequence[str]) -> Tallied:
        """Do a job in all partitions, and merge what they found in their order.

        Spark runs a task again when it fails, when its executor dies, or when it is slow. What it takes of a
        partition is what one task that came to its end has given out, all of it and once: so tallies are given out
        at the end of a partition, and no counter is shared between tasks. In which order partitions finish does not
        matter.
        """
        chosen = plain_names(self._frame.select([quoted(name) for name in columns]))
        parts = chosen.mapInArrow(partial(_tally_partition, job, list(columns), self._lot_parts), PIECES)
        if self._n_parts is None or self._n_parts > self._lot_parts:
            parts = parts.groupBy("lot").applyInArrow(_merge_lot, PIECES)
        found = _merged(_states(parts.toArrow()))
        if isinstance(found, Exception):
            raise found
        if found is None:  # no partition, no row
            found = Tallied(job.start(0), {})
        self._n_parts = max(found.rows, default=0) + 1
        return found


def is_spark(source: Any) -> bool:
    """Tell whether a source is a DataFrame of Spark, without importing it."""
    return type(source).__module__.partition(".")[0] == "pyspark" and hasattr(source, "mapInArrow")


def quoted(name: str) -> str:
    """Return a column's name as Spark reads it: dots and backticks mean nothing in it."""
    return f"`{name.replace('`', '``')}`"


def plain_names(frame: Any) -> Any:
    """Give the columns of a Spark DataFrame names that ``mapInArrow`` can read: it looks for fields after a dot."""
    return frame.toDF(*(f"c{number}" for number in range(len(frame.columns))))


def frames(batches: Iterable[Any], batch_rows: int = BATCH_ROWS) -> Iterator[pl.DataFrame]:
    """Put Arrow batches together into frames of about so many rows."""
    import pyarrow

    waiting: list[Any] = []

    def together() -> pl.DataFrame:
        frame: pl.DataFrame = table_from_stream(pyarrow.Table.from_batches(waiting))
        waiting.clear()
        return frame

    for batch in batches:
        waiting.append(batch)
        if sum(each.num_rows for each in waiting) >= batch_rows:
            yield together()
    if waiting:
        yield together()


def _tally_partition(
    job: PartitionJob, columns: list[str], lot_parts: int, batches: Iterable[Any]
) -> Iterator[Any]:
    """Do a job in one partition; give out what it found, or the sentence that says what is wrong with the rows."""
    from pyspark import TaskContext

    part = TaskContext.get().partitionId()
    found = Tallied(job.start(part), {part: 0})
    refused = None
    for frame in frames(batches):
        if refused is not None:
            continue  # Spark wants its batches to be read to the end
        frame.columns = columns
        try:
            found.rows[part] += job.add(found.tallies, frame)
            found.read += frame.height
        except REFUSALS as error:
            refused = error
    yield from _pieces(part, part // lot_parts, found if refused is None else refused).to_batches()


def _merge_lot(table: Any) -> Any:
    """Merge what partitions that follow each other have found."""
    part, lot = (table[name].to_pylist()[0] for name in ("part", "lot"))
    return _pieces(part, lot, _merged(_states(table)))


def _pieces(part: int, lot: int, state: object) -> Any:
    """Return the rows that hold a state."""
    import pyarrow

    data = pickle.dumps(state, protocol=5)
    starts = range(0, len(data), PIECE_BYTES)
    columns = {
        "part": pyarrow.array([part] * len(starts), pyarrow.int64()),
        "lot": pyarrow.array([lot] * len(starts), pyarrow.int64()),
        "piece": pyarrow.array(range(len(starts)), pyarrow.int64()),
        "state": pyarrow.array([data[start : start + PIECE_BYTES] for start in starts], pyarrow.binary()),
    }
    return pyarrow.table(columns)


def _states(table: Any) -> Iterator[Tallied | Exception]:
    """Put the pieces of each partition together, from the first partition to the last."""
    rows = sorted(
        table.select(["part", "piece", "state"]).to_pylist(), key=lambda row: (row["part"], row["piece"])
    )
    data: dict[int, bytearray] = {}
    for row in rows:
        data.setdefault(row["part"], bytearray()).extend(row["state"])
    for state in data.values():
        # From our own executors, as all results of Spark's Python functions are.
        yield pickle.loads(state)


def _merged(states: Iterable[Tallied | Exception]) -> Tallied | Exception | None:
    """Merge in order; what the first says that refuses its rows, or those of all together, counts for all."""
    whole: Tallied | None = None
    for state in states:
        if isinstance(state, Exception):
            return state
        if whole is None:
            whole = state
            continue
        try:
            whole.merge(state)
        except REFUSALS as error:
            return error
    return whole
