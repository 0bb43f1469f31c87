"""Learning from a Spark DataFrame: the passes of `Stream`, run in its partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import sqrt
from typing import Any

from bayleaf._util.optional import polars as pl
from bayleaf.counts import ChangedDataError, PassSource
from bayleaf.counts.row_samples import LARGEST_HASH, RowSample
from bayleaf.counts.source import Maker, Stop
from bayleaf.data import Table

from .batch_reader import RawSample
from .first_look import FirstLook
from .row_rules import ClassLabels, RowEncoder, RowRules
from .spark_rows import PartitionJob, SparkRows, Tallied
from .stream import Stream, refuse_other_rows

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

    A partition sends little more than its share of the sample, however many rows it has.

    Parameters
    ----------
    spark : SparkRows
    columns : sequence of str
        All that the first pass has read.
    rows : dict
        Rows that count in each partition, by the first pass.
    """

    def __init__(self, spark: SparkRows, columns: Sequence[str], rows: dict[int, int]) -> None:
        self._spark, self._columns, self._rows = spark, columns, _without_empty(rows)
        self.total = sum(rows.values())
        self._firsts = dict(zip(self._rows, accumulate(self._rows.values(), initial=0), strict=False))

    def draw(
        self, most: int, job: Callable[[Numbering], PartitionJob], columns: Sequence[str] | None = None
    ) -> Any:
        """Return a sample of so many rows, drawn by a job that needs some of the columns."""
        sent = most + SPARE * sqrt(most) + 1
        while True:
            limit = int(LARGEST_HASH * min(1.0, sent / max(self.total, 1)))
            numbering = Numbering(most, self._firsts, min(limit, LARGEST_HASH))
            sample = self._tally(job(numbering), self._columns if columns is None else columns).tallies[0]
            if sample.n_kept >= min(most, self.total):
                return sample
            sent *= 2

    def _tally(self, job: PartitionJob, columns: Sequence[str]) -> Tallied:
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
            self._reader, self._encoder(n_jobs=1), self._numbered, self._look.read, self._owner.n_jobs
        )


class SparkSource(PassSource):
    """The encoded rows of a Spark DataFrame, counted in its partitions.

    Parameters
    ----------
    spark : SparkRows
    encoder : RowEncoder
    numbered : NumberedRows
    read : int
        How many rows the first pass has read.
    n_jobs : int, optional
        Threads of the driver.
    """

    def __init__(
        self, spark: SparkRows, encoder: RowEncoder, numbered: NumberedRows, read: int, n_jobs: int | None
    ) -> None:
        schema = encoder.schema
        super().__init__(schema.variables, len(schema.features), weighted=encoder.weighted, n_jobs=n_jobs)
        self._spark, self._encoder, self._numbered, self._read = spark, encoder, numbered, read

    def rows(self, most: int) -> Table:
        """Return the rows, or a uniform sample where there are more than so many."""
        self.passes += 1
        table: Table = self._numbered.draw(most, partial(RowSampleJob, self._encoder, ())).table()
        return table

    def _tally(self, makers: Sequence[Maker], until: Stop | None = None) -> list[Any]:
        found = self._spark.tally(EncodedJob(self._encoder, makers), self._encoder.rules.columns)
        refuse_other_rows(self._spark.name, self._read, found.read)
        return found.tallies
