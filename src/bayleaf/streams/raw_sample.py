"""A uniform sample of rows as they were read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf.counts.row_samples import SmallestHashes


class RawSample:
    """At most so many rows of all that are added, in the order in which they came: see `SmallestHashes`.

    Parameters
    ----------
    most : int

    Examples
    --------
    >>> sample = RawSample(2)
    >>> sample.add(pl.DataFrame({"x": [1, 2, 3, 4]}))
    >>> sample.frame().height
    2
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._columns: Sequence[str] | None = None
        self._chooser = SmallestHashes(most)
        self._kept: list[pl.DataFrame] = []

    def add(self, batch: pl.DataFrame) -> None:
        """Let the rows of a batch, those after all batches before, take part."""
        chosen = self._chooser.choose(batch.height)
        batch = batch if self._columns is None else batch.select(self._columns)
        self._kept.append(batch if len(chosen) == batch.height else batch[chosen])
        if self._chooser.is_full:
            self._shrink()

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
