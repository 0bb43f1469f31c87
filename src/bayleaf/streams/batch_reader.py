"""Where batches of rows come from (files, lazy tables, datasets, databases), and a uniform sample of raw rows.

Every source can be read again and again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf._util.words import guesses, listing
from bayleaf.counts.row_samples import LARGEST_HASH, Sample
from bayleaf.data.columns import as_frame
from bayleaf.data.raw_columns import LabelColumn, refuse_equal_names, series_column, table_from_stream

BATCH_ROWS = 65_536


class NamedColumns:
    """What has columns with names; messages call it by its own name."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        refuse_equal_names(list(names))
        self.name = name
        self.names = tuple(names)

    def check_columns(self, columns: Iterable[str], what: str) -> None:
        """Refuse names of columns that are not there."""
        for column in columns:
            if column not in self.names:
                near = " or ".join(map(repr, guesses(column, self.names)))
                hint = f"Did you mean {near}?" if near else f"There are {listing(self.names)}."
                raise ValueError(f"{self.name} has no column '{column}' ({what}). {hint}")


class BatchReader(NamedColumns, ABC):
    """Rows that can be read in batches, more than once; how many there are may be known before they are read."""

    def __init__(self, name: str, names: Sequence[str], n_rows: int | None = None) -> None:
        super().__init__(name, names)
        self.n_rows = n_rows

    @abstractmethod
    def read(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Read some of the columns from the first row to the last, the same rows in the same order each time."""

    def mark(self) -> Hashable:
        """Return something that changes when the data do, as far as that can be seen without reading them."""
        return None


class FrameReader(BatchReader):
    """A table in memory."""

    def __init__(self, frame: pl.DataFrame, batch_rows: int = BATCH_ROWS) -> None:
        super().__init__("The table", frame.columns, frame.height)
        self._frame, self._batch_rows = frame, batch_rows

    def read(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Read some of the columns from the first row to the last."""
        return self._frame.select(columns).iter_slices(self._batch_rows)


class LazyReader(BatchReader):
    """A lazy table of polars: each pass runs its query."""

    def __init__(self, query: pl.LazyFrame, batch_rows: int = BATCH_ROWS) -> None:
        super().__init__("The query", query.collect_schema().names())
        self._query, self._batch_rows = query, batch_rows

    def read(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Read some of the columns from the first row to the last."""
        return iter(self._query.select(columns).collect_batches(chunk_size=self._batch_rows))


class ArrowReader(BatchReader):
    """Anything that offers its rows as Arrow batches, each time anew, given the columns."""

    def __init__(
        self,
        name: str,
        names: Sequence[str],
        batches: Callable[[Sequence[str]], Iterable[Any]],
        n_rows: int | None = None,
    ) -> None:
        super().__init__(name, names, n_rows)
        self._batches = batches

    def read(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Read some of the columns from the first row to the last."""
        for batch in self._batches(columns):
            frame = table_from_stream(batch)
            assert frame is not None
            yield frame


def open_source(
    source: Any, batch_rows: int = BATCH_ROWS, *, categorical: Container[str] = (), **how: Any
) -> BatchReader:
    """Return what reads the rows of a source in batches.

    A source is a path, a glob, a list of paths, a DataFrame, a LazyFrame, a pyarrow dataset, a DuckDB relation or an
    ibis table; ``categorical`` and the settings after it are for text files, see `open_files`.
    """
    # Both are readers themselves.
    from .database_reader import DuckDBReader, open_ibis
    from .file_reader import open_files

    if isinstance(source, str | PathLike) or (
        isinstance(source, list | tuple)
        and source
        and all(isinstance(each, str | PathLike) for each in source)
    ):
        return open_files(source, batch_rows, categorical=categorical, **how)
    refuse_reading(how, f"A {type(source).__name__}")
    if isinstance(source, BatchReader):
        return source
    if isinstance(source, pl.LazyFrame):
        return LazyReader(source, batch_rows)
    library = type(source).__module__.partition(".")[0]
    if library == "pyarrow" and hasattr(source, "to_batches") and hasattr(source, "files"):
        return _dataset_reader(source, batch_rows)
    if library in ("duckdb", "_duckdb") and hasattr(type(source), "columns"):
        return DuckDBReader(source, batch_rows)
    if library == "ibis":
        return open_ibis(source, batch_rows)
    if type(source).__name__ == "RecordBatchReader":
        raise TypeError(
            "A RecordBatchReader can be read once only: give the dataset or the table it comes from."
        )
    frame = None if isinstance(source, int | float | bytes | list | tuple | dict) else as_frame(source)
    if frame is not None:
        return FrameReader(_as_polars(frame), batch_rows)
    raise TypeError(
        f"Cannot learn from {type(source).__name__}: give a path, a glob, a DataFrame, a polars LazyFrame, a pyarrow "
        "dataset, a DuckDB relation, an ibis table or a Spark DataFrame."
    )


def _as_polars(frame: nw.DataFrame[Any]) -> pl.DataFrame:
    """Return a table of any library as one of polars; marks of missing values among numbers make these texts."""
    objects = {
        name: series_column(name, frame[name]) for name in frame.columns if frame[name].dtype == nw.Object
    }
    texts = {
        name: [None if code < 0 else str(column.levels[code]) for code in column.codes.tolist()]
        for name, column in objects.items()
        if isinstance(column, LabelColumn) and column.mixture
    }
    plain = pl.DataFrame(frame.drop(*texts).to_polars())
    return plain.with_columns(pl.Series(name, values) for name, values in texts.items()).select(frame.columns)


def refuse_reading(how: Mapping[str, Any], name: str) -> None:
    """Refuse settings that say how text files are read, for what is none."""
    for setting, value in how.items():
        if value is not None and value is not True:
            raise ValueError(f"{name} is not read as text: leave out '{setting}', which is for text files.")


def _dataset_reader(dataset: Any, batch_rows: int) -> BatchReader:
    return ArrowReader(
        "The dataset",
        dataset.schema.names,
        # Little is read ahead: what is read ahead lies in memory.
        lambda columns: dataset.to_batches(
            columns=list(columns), batch_size=batch_rows, batch_readahead=2, fragment_readahead=1
        ),
        dataset.count_rows(),
    )


class RawSample(Sample["pl.DataFrame"]):
    """A sample of rows as they were read; see `Sample`."""

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
