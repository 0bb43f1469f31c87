"""Files that are read in batches: Parquet, Arrow and text, one or a folder of them."""

from __future__ import annotations

import glob
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import DataFileError, brief_errors, format_suffix, is_packed
from bayleaf.tables.column_text import (
    DecidingTexts,
    NumberCounts,
    decimal_mark,
    is_read_later,
    warn_of_mixed_column,
)
from bayleaf.tables.delimited import commas_are_decimal, type_columns
from bayleaf.tables.table_batches import TextFile
from bayleaf.tables.table_files import PARQUET_SUFFIXES, TEXT_SUFFIXES, check_parquet

from .batch_reader import BATCH_ROWS, BatchReader, refuse_reading
from .first_look import MOST_LEVELS

ARROW_SUFFIXES = (".arrow", ".feather", ".ipc")
SUFFIXES = (*PARQUET_SUFFIXES, *ARROW_SUFFIXES, *TEXT_SUFFIXES)


class FileReader(BatchReader):
    """Files of one format with the same columns."""

    def __init__(self, paths: Sequence[Path], batch_rows: int = BATCH_ROWS) -> None:
        self._paths, self._batch_rows = list(paths), batch_rows
        first, *others = self._paths
        schema = _schema(first)
        for path in others:
            _refuse_other_schema(first, schema, path, _schema(path))
        self._heights = [_height(path) for path in self._paths]
        if not sum(self._heights):
            raise DataFileError(f"{_shown(self._paths)} has columns but no rows.")
        super().__init__(_shown(self._paths), schema.names(), sum(self._heights))

    def read(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Read some of the columns from the first row to the last."""
        for path, height in zip(self._paths, self._heights, strict=True):
            query = _scan(path).select(columns)
            # Slice by slice: whoever asks for all batches of a file at once gets it all into memory.
            for start in range(0, height, self._batch_rows):
                try:
                    yield query.slice(start, self._batch_rows).collect()
                except (pl.exceptions.PolarsError, OSError) as error:
                    raise _damaged(path, error) from None

    def mark(self) -> Hashable:
        """Return the sizes of the files, and when they were last written."""
        return _mark(self._paths)


class TextReader(BatchReader):
    r"""Text files with the same columns, read as `bayleaf.tables.read_data` reads them, but never whole.

    What type a column has is known when all of it has been read once, which is done when the reader is made.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        batch_rows: int = BATCH_ROWS,
        *,
        categorical: Container[str] = (),
        **how: Any,
    ) -> None:
        self._batch_rows, self._categorical = batch_rows, categorical
        self._decimal = decimal_mark(how.get("decimal"))
        how = {**how, "categorical": categorical}
        self._files = [TextFile(path, format_suffix(path), how) for path in paths]
        self._commas = any(commas_are_decimal(file.delimiter, self._decimal) for file in self._files)
        names: list[str] | None = None
        rows = 0
        insists = self._decimal is not None
        deciding = DecidingTexts(insists, commas=insists or self._commas, categorical=categorical)
        mixtures: dict[str, NumberCounts] = {}
        for file in self._files:
            for frame in self._read(file, file.texts()):
                if names is None:
                    names = frame.columns
                    mixtures = {name: NumberCounts(self._commas) for name in names}
                if frame.columns != names:
                    raise DataFileError(
                        f"'{file.file}' has other columns than '{paths[0]}': all files need the same header."
                    )
                rows += frame.height
                deciding.look(frame)
                for column in frame.get_columns():
                    mixtures[column.name].look(column)
        assert names is not None  # a file without rows is refused
        super().__init__(_shown(paths), names, rows)
        self._deciding = deciding.frame()
        self._warn_of_mixtures(mixtures)

    def read(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Read some of the columns from the first row to the last."""
        for file in self._files:
            yield from self._read(file, file.typed(columns, self._deciding))

    def _read(self, file: TextFile, frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        try:
            with brief_errors():
                for frame in frames:
                    yield from frame.iter_slices(self._batch_rows)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise _damaged(file.file, error) from None

    def _warn_of_mixtures(self, mixtures: Mapping[str, NumberCounts]) -> None:
        """Warn of columns that stay texts though they are nearly numbers, as `read_data` does."""
        file = self._files[0]
        types = type_columns(self._deciding, file.file, file.delimiter, self._decimal).schema
        texts = [name for name in self.names if types[name] == pl.String and name not in self._categorical]
        reasons = {name: mixtures[name].reason(self._decimal) for name in texts}
        nearly = {name: reason for name, reason in reasons.items() if reason is not None}
        different = self._different_texts(list(nearly)) if nearly else {}
        for name, reason in nearly.items():
            if len(different[name]) > MOST_LEVELS or not is_read_later(different[name]):
                warn_of_mixed_column(name, file.file, reason)

    def _different_texts(self, columns: Sequence[str]) -> dict[str, pl.Series]:
        """Return the different texts of columns, until there are too many for categories."""
        found = {name: pl.Series(name, [], dtype=pl.String) for name in columns}
        for file in self._files:
            for frame in self._read(file, file.texts()):
                for name, known in found.items():
                    if len(known) <= MOST_LEVELS:
                        found[name] = known.append(frame[name].drop_nulls()).unique(maintain_order=True)
        return found

    def mark(self) -> Hashable:
        """Return the sizes of the files, and when they were last written."""
        return _mark([file.file for file in self._files])


def open_files(
    source: str | PathLike[str] | Sequence[str | PathLike[str]],
    batch_rows: int = BATCH_ROWS,
    *,
    categorical: Container[str] = (),
    **how: Any,
) -> BatchReader:
    """Return what reads files: one path, a folder, a pattern such as ``big/*.parquet``, or a list of these.

    ``categorical`` and the other settings are those of `bayleaf.tables.read_data`, for text files.
    """
    given = [source] if isinstance(source, str | PathLike) else source
    paths = [path for each in given for path in _expanded(each)]
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise DataFileError(f"{_shown(paths)} are of different formats: read one format at a time.")
    if kinds == {"text"}:
        return TextReader(paths, batch_rows, categorical=categorical, **how)
    refuse_reading(how, _shown(paths))
    return FileReader(paths, batch_rows)


def _expanded(source: str | PathLike[str]) -> list[Path]:
    path = Path(source)
    if path.is_dir():
        files = [each for each in sorted(path.iterdir()) if not each.name.startswith((".", "_"))]
        found = [each for each in files if format_suffix(each) in SUFFIXES]
        if not found:
            raise DataFileError(f"The folder '{path}' has no file that ends in {', '.join(SUFFIXES)}.")
        return found
    if path.exists():
        return [path]
    matching = sorted(map(Path, glob.glob(str(source), recursive=True)))
    if not matching:
        raise DataFileError(f"There is no file '{source}'.")
    return matching


def _kind(path: Path) -> str:
    suffix = format_suffix(path)
    if suffix not in SUFFIXES or (is_packed(path) and suffix not in TEXT_SUFFIXES):
        raise DataFileError(
            f"'{path}' cannot be read in batches: its name should end in {', '.join(SUFFIXES)}."
        )
    return "text" if suffix in TEXT_SUFFIXES else suffix


def _scan(path: Path) -> pl.LazyFrame:
    if format_suffix(path) in PARQUET_SUFFIXES:
        return pl.scan_parquet(path, glob=False, hive_partitioning=False)
    return pl.scan_ipc(path, glob=False, hive_partitioning=False)


def _schema(path: Path) -> pl.Schema:
    if format_suffix(path) in PARQUET_SUFFIXES:
        check_parquet(path)
    try:
        return _scan(path).collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _damaged(path, error) from None


def _height(path: Path) -> int:
    try:
        return int(_scan(path).select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise _damaged(path, error) from None


def _refuse_other_schema(first: Path, schema: pl.Schema, path: Path, other: pl.Schema) -> None:
    for name, dtype in schema.items():
        if name not in other:
            raise DataFileError(f"'{path}' lacks the column '{name}' that '{first}' has.")
        if other[name] != dtype:
            raise DataFileError(
                f"The column '{name}' is {other[name]} in '{path}' and {dtype} in '{first}': store it as one type."
            )
    for name in other:
        if name not in schema:
            raise DataFileError(f"'{path}' has a column '{name}' that '{first}' lacks.")


def _damaged(path: Path, error: Exception) -> DataFileError:
    if not path.exists():
        return DataFileError(f"Cannot read '{path}' any more: it has been removed or renamed.")
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return DataFileError(f"'{path}' is truncated or damaged: {reason.rstrip('.')}.")


def _mark(paths: Sequence[Path]) -> Hashable:
    try:
        return tuple((path.stat().st_size, path.stat().st_mtime_ns) for path in paths)
    except OSError as error:
        raise DataFileError(f"Cannot read '{error.filename}' any more: {error.strerror}.") from None


def _shown(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"'{paths[0]}'{more}"
