"""A uniform sample of rows as they were read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf.counts.row_samples import LARGEST_HASH, Sample


class RawSample(Sample["pl.DataFrame"]):
    """A sample of rows as they were read.

    Parameters
    ----------
    most, first, limit : int
        As in `Sample`.

    Examples
    --------
    >>> sample = RawSample(2)
    >>> sample.add(pl.DataFrame({"x": [1, 2, 3, 4]}))
    >>> sample.frame().height
    2
    """

    def __init__(self, most: int, first: int = 0, limit: int = LARGEST_HASH) -> None:
        super().__init__(most, first, limit)
        self.most = most
        self._columns: Sequence[str] | None = None

    def add(self, batch: pl.DataFrame) -> None:
        """Let the rows of a batch, those after all batches before, take part."""
        super().add(batch if self._columns is None else batch.select(self._columns))

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
        return self._whole()

    def _size(self, batch: pl.DataFrame) -> int:
        return batch.height

    def _taken(self, batch: pl.DataFrame, rows: NDArray[np.int64]) -> pl.DataFrame:
        return batch[rows]

    def _joined(self, batches: list[pl.DataFrame]) -> pl.DataFrame:
        return pl.concat(batches, rechunk=True)
