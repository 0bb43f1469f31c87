"""A uniform sample of rows as they were read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf.counts.row_samples import LARGEST_HASH, SmallestHashes


class RawSample:
    """At most so many rows of all that are added, in the order in which they came: see `SmallestHashes`.

    Parameters
    ----------
    most : int
    first : int
        The number of the first row.
    limit : int
        Rows with a larger hash are left out; see `SmallestHashes`.

    Examples
    --------
    >>> sample = RawSample(2)
    >>> sample.add(pl.DataFrame({"x": [1, 2, 3, 4]}))
    >>> sample.frame().height
    2
    """

    def __init__(self, most: int, first: int = 0, limit: int = LARGEST_HASH) -> None:
        self.most = most
        self._columns: Sequence[str] | None = None
        self._chooser = SmallestHashes(most, first, limit)
        self._kept: list[pl.DataFrame] = []

    def add(self, batch: pl.DataFrame) -> None:
        """Let the rows of a batch, those after all batches before, take part."""
        chosen = self._chooser.choose(batch.height)
        batch = batch if self._columns is None else batch.select(self._columns)
        self._kept.append(batch if len(chosen) == batch.height else batch[chosen])
        if self._chooser.is_full:
            self._shrink()

    def merge(self, later: RawSample) -> None:
        """Let rows that come after all these take part."""
        self._chooser.merge(later._chooser)
        self._kept.extend(later._kept)
        if self._chooser.is_full:
            self._shrink()

    @property
    def n_kept(self) -> int:
        """How many rows are kept."""
        return self._chooser.n_kept

    @property
    def is_whole(self) -> bool:
        """Whether all rows are in the sample."""
        return self._chooser.seen <= self.most

    def keep(self, columns: Sequence[str]) -> None:
        """Keep only some of the columns from now on."""
        self._columns = columns
        self._kept = [frame.select(columns) for frame in self._kept]

    def frame(self) -> pl.DataFrame:
        """Return the sample."""
        self._shrink()
        return self._kept[0]

    def _shrink(self) -> None:
        together = pl.concat(self._kept, rechunk=True)
        kept: NDArray[np.int64] = self._chooser.shrink()
        self._kept = [together if len(kept) == together.height else together[kept]]
