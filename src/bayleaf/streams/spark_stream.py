"""Learning from a Spark DataFrame: the passes of `Stream`, each partition tallied where it lies.

Only tallies travel, and the samples that a pass draws.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import sqrt
from typing import Any, Protocol

from bayleaf._util.optional import polars as pl
from bayleaf.counts import ChangedDataError, PassSource
from bayleaf.counts.row_samples import LARGEST_HASH, RowSample
from bayleaf.counts.source import Maker, Stop
from bayleaf.data import Table
from bayleaf.data.raw_columns import table_from_stream

from .batch_reader import BATCH_ROWS, NamedColumns, RawSample
from .first_look import FirstLook
from .row_rules import ClassLabels, RowEncoder, RowRules
from .stream import Stream, refuse_other_rows

# What a partition sends: its tallies as bytes, in pieces that Arrow and Java can hold.
PIECES = "part bigint, lot bigint, piece bigint, state binary"
PIECE_BYTES = 2**24
LOT_PARTS = 32
# Errors that say what is wrong with the rows. They are sent to the driver instead of tallies: if they were raised,
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
class PartitionTally:
    """What a pass has found in partitions that follow each other."""

    tallies: list[Any]  # each can merge another of its kind
    rows: dict[int, int]  # that count in each partition
    read: int = 0

    def merge(self, later: PartitionTally) -> None:
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
        How many partitions, one after another, are merged on an executor before the driver gets them.
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

    def tally(self, job: PartitionJob, columns: Sequence[str]) -> PartitionTally:
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
            found = PartitionTally(job.start(0), {})
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
    """Combine Arrow batches into frames of about the given number of rows."""
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
    found = PartitionTally(job.start(part), {part: 0})
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


def _states(table: Any) -> Iterator[PartitionTally | Exception]:
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


def _merged(states: Iterable[PartitionTally | Exception]) -> PartitionTally | Exception | None:
    """Merge in order; what the first says that refuses its rows, or those of all together, counts for all."""
    whole: PartitionTally | None = None
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


# Standard deviations by which more rows than a sample has may be sent, so that hardly ever too few are.
SPARE = 6.0


@dataclass(frozen=True)
class LookJob:
    """The first pass."""

    rules: RowRules

    def start(self, part: int) -> list[Any]:
        """Return an empty look."""
        return [FirstLook(self.rules)]

    def add(self, tallies: list[Any], frame: pl.DataFrame) -> int:
        """Look at a batch."""
        rows: pl.DataFrame = tallies[0].add(frame)
        return rows.height


@dataclass(frozen=True)
class Numbering:
    """The rows of a sample: the number of the first row of each partition, and how large the hash of a row may be."""

    most: int
    firsts: dict[int, int]
    limit: int


@dataclass(frozen=True)
class RawSampleJob:
    """A pass that draws the sample of raw rows."""

    rules: RowRules
    labels: ClassLabels
    columns: Sequence[str]
    numbering: Numbering

    def start(self, part: int) -> list[Any]:
        """Return an empty sample."""
        return [RawSample(self.numbering.most, self.numbering.firsts.get(part, 0), self.numbering.limit)]

    def add(self, tallies: list[Any], frame: pl.DataFrame) -> int:
        """Let the rows of a batch take part."""
        rows = self.rules.labelled(frame, self.labels).frame
        tallies[0].add(rows.select(self.columns))
        return rows.height


@dataclass(frozen=True)
class EncodedJob:
    """A pass over encoded rows."""

    encoder: RowEncoder
    makers: Sequence[Maker]

    def start(self, part: int) -> list[Any]:
        """Return empty tallies."""
        return [make() for make in self.makers]

    def add(self, tallies: list[Any], frame: pl.DataFrame) -> int:
        """Encode a batch and add it."""
        table = self.encoder.table(frame)
        if table is None:
            return 0
        for tally in tallies:
            tally.add(table)
        return table.n_rows


@dataclass(frozen=True)
class RowSampleJob(EncodedJob):
    """A pass that draws a sample of encoded rows."""

    numbering: Numbering

    def start(self, part: int) -> list[Any]:
        """Return an empty sample."""
        return [RowSample(self.numbering.most, self.numbering.firsts.get(part, 0), self.numbering.limit)]


class NumberedRows:
    """Draws samples: the rows with the smallest hashes of their numbers, as from batches that are read in order.

    A partition sends little more than its share of the sample, however many rows it has. ``columns`` are all that the
    first pass has read, and ``rows`` those that it has counted in each partition.
    """

    def __init__(self, spark: SparkRows, columns: Sequence[str], rows: dict[int, int]) -> None:
        self._spark, self._columns, self._rows = spark, columns, _without_empty(rows)
        self.total = sum(rows.values())
        self._firsts = dict(zip(self._rows, accumulate(self._rows.values(), initial=0), strict=False))

    def draw(
        self, most: int, job: Callable[[Numbering], PartitionJob], columns: Sequence[str] | None = None
    ) -> Any:
        """Return a sample of rows, drawn by a job that needs some of the columns."""
        sent = most + SPARE * sqrt(most) + 1
        while True:
            limit = int(LARGEST_HASH * min(1.0, sent / max(self.total, 1)))
            numbering = Numbering(most, self._firsts, min(limit, LARGEST_HASH))
            sample = self._tally(job(numbering), self._columns if columns is None else columns).tallies[0]
            if sample.n_kept >= min(most, self.total):
                return sample
            sent *= 2

    def _tally(self, job: PartitionJob, columns: Sequence[str]) -> PartitionTally:
        """Read the rows in the partitions of the first pass."""
        found = self._spark.tally(job, columns)
        if _without_empty(found.rows) == self._rows:
            return found
        if len(columns) < len(self._columns):
            # Spark may divide the rows differently when it reads fewer columns.
            return self._tally(job, self._columns)
        raise ChangedDataError(
            f"{self._spark.name} gave other rows when it was read again: call cache() on it first, or learn from a "
            "copy."
        )


def _without_empty(rows: dict[int, int]) -> dict[int, int]:
    """Return the rows of each partition that has any, in order."""
    return {part: rows[part] for part in sorted(rows) if rows[part]}


class SparkStream(Stream):
    """The rows of a Spark DataFrame."""

    _reader: SparkRows
    _numbered: NumberedRows

    def _first_pass(self) -> FirstLook:
        rules = self._rules
        self._reader.check_types(rules.columns)
        found = self._reader.tally(LookJob(rules), rules.columns)
        look: FirstLook = found.tallies[0]
        self._numbered = NumberedRows(self._reader, rules.columns, found.rows)
        columns = rules.columns
        if not self.is_whole and not self._whole_rows:  # labels are counted: numbers are asked of a sample
            columns = [name for name in columns if not look.is_counted(name)]
        if look.rows and (self.is_whole or any(name in rules.features for name in columns)):
            job = partial(RawSampleJob, rules, look.labels, columns)
            # Spark takes most of its time to hand out values. Of the others it matters only whether they are there.
            needed = rules.columns if rules.complete else columns
            self._sample = self._numbered.draw(self._sample.most, job, needed)
        return look

    @property
    def is_whole(self) -> bool:
        """Whether the sample holds all rows."""
        return self._numbered.total <= self._sample.most

    def source(self) -> SparkSource:
        """Return the rows as a source of counts."""
        # Spark runs a task on every core: each has one thread.
        return SparkSource(
            self._reader, self._encoder(n_jobs=1), self._numbered, self._look.read, self._settings.n_jobs
        )


class SparkSource(PassSource):
    """The encoded rows of a Spark DataFrame, counted in its partitions; ``read`` is what the first pass has read."""

    def __init__(
        self, spark: SparkRows, encoder: RowEncoder, numbered: NumberedRows, read: int, n_jobs: int | None
    ) -> None:
        schema = encoder.schema
        super().__init__(schema.variables, len(schema.features), weighted=encoder.weighted, n_jobs=n_jobs)
        self._spark, self._encoder, self._numbered, self._read = spark, encoder, numbered, read

    def rows(self, most: int) -> Table:
        """Return the rows, or a uniform sample if there are more than `most`."""
        self.passes += 1
        table: Table = self._numbered.draw(most, partial(RowSampleJob, self._encoder, ())).table()
        return table

    def _tally(self, makers: Sequence[Maker], until: Stop | None = None) -> list[Any]:
        found = self._spark.tally(EncodedJob(self._encoder, makers), self._encoder.rules.columns)
        refuse_other_rows(self._spark.name, self._read, found.read)
        return found.tallies
