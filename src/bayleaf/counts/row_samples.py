"""Rows for learners that need rows: folds, a uniform sample of any number of rows, or each different row once."""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Table
from bayleaf.data.raw_rows import Hashes, mixed
from bayleaf.data.table import OwnCodes

LARGEST_HASH = 2**64 - 1
# By default learners that need rows get no more of them than this.
SAMPLE_ROWS = 200_000
# A batch of rows, encoded or as they were read.
Rows = TypeVar("Rows")


class SmallestHashes:
    """Which rows belong to a uniform sample: those whose number, counted from the first, has the smallest hash.

    The same rows in the same order give the same sample, however they are cut into batches, and each set of rows
    is as likely as any other.

    Parameters
    ----------
    most : int
        Rows in the sample.
    first : int
        The number of the first row, where the rows before it are read elsewhere.
    limit : int
        Rows with a larger hash do not belong to the sample, as far as is known before any is read.
    """

    def __init__(self, most: int, first: int = 0, limit: int = LARGEST_HASH) -> None:
        self.most = most
        self.seen = first
        self._hashes: list[Hashes] = []
        self._limit = np.uint64(limit)

    def choose(self, rows: int) -> NDArray[np.int64]:
        """Return which of the next rows may belong to the sample; they are kept until `shrink` is called."""
        hashes = mixed(np.arange(self.seen, self.seen + rows, dtype=np.uint64))
        self.seen += rows
        chosen = np.flatnonzero(hashes <= self._limit)
        self._hashes.append(hashes[chosen])
        return chosen

    @property
    def n_kept(self) -> int:
        """How many rows are kept."""
        return sum(map(len, self._hashes))

    @property
    def is_full(self) -> bool:
        """Whether enough rows are kept that it is time to shrink."""
        return self.n_kept > 2 * self.most

    def merge(self, later: "SmallestHashes") -> None:
        """Add the rows that were chosen among those that come after these."""
        self.seen = later.seen
        self._hashes.extend(later._hashes)
        # Each has as many rows below its limit as the sample may have, or was given it.
        self._limit = min(self._limit, later._limit)

    def shrink(self) -> NDArray[np.int64]:
        """Return which of the rows that are kept, one after another, stay."""
        hashes = np.concatenate(self._hashes) if self._hashes else np.empty(0, dtype=np.uint64)
        if len(hashes) > self.most:
            self._limit = np.partition(hashes, self.most - 1)[self.most - 1]
        stay = np.flatnonzero(hashes <= self._limit)
        self._hashes = [hashes[stay]]
        return stay


class Sample(ABC, Generic[Rows]):
    """A sample of limited size of all rows that are added, in the order in which they came: see `SmallestHashes`."""

    def __init__(self, most: int, first: int = 0, limit: int = LARGEST_HASH) -> None:
        self._chooser = SmallestHashes(most, first, limit)
        self._kept: list[Rows] = []

    @abstractmethod
    def _size(self, batch: Rows) -> int:
        """Return how many rows a batch has."""

    @abstractmethod
    def _taken(self, batch: Rows, rows: NDArray[np.int64]) -> Rows:
        """Return some rows of a batch."""

    @abstractmethod
    def _joined(self, batches: list[Rows]) -> Rows:
        """Put batches one after another."""

    def add(self, batch: Rows) -> None:
        """Let the rows of a batch, those after all batches before, take part."""
        chosen = self._chooser.choose(self._size(batch))
        self._kept.append(self._only(batch, chosen))
        if self._chooser.is_full:
            self._shrink()

    def merge(self, later: Self) -> None:
        """Let rows that come after all these take part."""
        self._chooser.merge(later._chooser)
        self._kept.extend(later._kept)
        if self._chooser.is_full:
            self._shrink()

    @property
    def n_kept(self) -> int:
        """How many rows are kept."""
        return self._chooser.n_kept

    def _whole(self) -> Rows:
        """Return the sample."""
        self._shrink()
        return self._kept[0]

    def _shrink(self) -> None:
        together = self._joined(self._kept)
        self._kept = [self._only(together, self._chooser.shrink())]

    def _only(self, batch: Rows, rows: NDArray[np.int64]) -> Rows:
        return batch if len(rows) == self._size(batch) else self._taken(batch, rows)


class RowSample(Sample[Table]):
    """A sample of encoded rows."""

    def table(self) -> Table:
        """Return the sample."""
        return self._whole()

    def _size(self, batch: Table) -> int:
        return batch.n_rows

    def _taken(self, batch: Table, rows: NDArray[np.int64]) -> Table:
        return batch.take(rows)

    def _joined(self, batches: list[Table]) -> Table:
        return stacked(batches)


class DistinctRows:
    """Each different row once, with the times (or weight) that it was added; none if more than ``most`` differ."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._found: Table | None = None
        self.too_many = False

    def add(self, batch: Table) -> None:
        """Add the rows of a batch."""
        if self.too_many:
            return
        together = batch if self._found is None else stacked([self._found, batch])
        found = _merged(together)
        self.too_many = found.n_rows > self.most
        self._found = None if self.too_many else found

    def merge(self, other: "DistinctRows") -> None:
        """Add the rows that were found elsewhere."""
        self.too_many = self.too_many or other.too_many
        if self.too_many:
            self._found = None
        elif other._found is not None:
            self.add(other._found)

    def table(self) -> Table | None:
        """Return the different rows; None where there are too many."""
        return self._found


def _merged(table: Table) -> Table:
    """Put equal rows together as one, with the sum of their weights."""
    rows = np.ascontiguousarray(table.codes)
    # Equal rows have equal bytes: comparing them whole is much faster than column by column.
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    weights = np.bincount(number, table.weights, minlength=len(first)).astype(np.float64)
    return replace(table.take(first), weights=weights, own=OwnCodes(table.has_missing.copy()))


def stacked(tables: list[Table]) -> Table:
    """Put tables over the same variables below each other; where one has weights, rows of others weigh one."""
    if len(tables) == 1:
        return tables[0]
    weights = None
    if any(table.weights is not None for table in tables):
        weights = np.concatenate(
            [np.ones(table.n_rows) if table.weights is None else table.weights for table in tables]
        )
    codes = np.empty(
        (sum(table.n_rows for table in tables), tables[0].n_variables), dtype=tables[0].codes.dtype, order="F"
    )
    np.concatenate([table.codes for table in tables], out=codes)
    missing = np.any([table.has_missing for table in tables], axis=0)
    return replace(tables[0], codes=codes, weights=weights, own=OwnCodes(missing))
