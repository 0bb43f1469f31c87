"""Files that are read in batches: Parquet, Arrow and text, one or a folder of them."""

from __future__ import annotations

import glob
from collections.abc import Hashable, Iterator, Sequence
from os import PathLike
from pathlib import Path

from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import DataFileError, format_suffix, is_packed
from bayleaf.tables.column_text import MISSING_VALUES, blank_out, booleans
from bayleaf.tables.delimited import announced_delimiter, choose_delimiter
from bayleaf.tables.table_files import PARQUET_SUFFIXES, TEXT_SUFFIXES, check_parquet

from .batch_reader import BATCH_ROWS, BatchReader

ARROW_SUFFIXES = (".arrow", ".feather", ".ipc")
SUFFIXES = (*PARQUET_SUFFIXES, *ARROW_SUFFIXES, *TEXT_SUFFIXES)
# What text files write between the header and the first row is looked for in so many bytes.
HEAD_BYTES = 1 << 16


class FileReader(BatchReader):
    """Files of one format with the same columns.

    Parameters
    ----------
    paths : sequence of Path
        In the order in which they are read.
    batch_rows : int

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.parquet"
    >>> pl.DataFrame({"a": [1, 2, 3]}).write_parquet(path)
    >>> reader = FileReader([path], batch_rows=2)
    >>> reader.n_rows, [batch.height for batch in reader.read(["a"])]
    (3, [2, 1])
    """

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
    r"""Text files with the same columns; what type a column has is known when all of it has been read once.

    Parameters
    ----------
    paths : sequence of Path
    batch_rows : int

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("a,b\n1,x\n?,y\n")
    >>> [batch.rows() for batch in TextReader([path]).read(["a", "b"])]
    [[(1, 'x'), (None, 'y')]]
    """

    def __init__(self, paths: Sequence[Path], batch_rows: int = BATCH_ROWS) -> None:
        self._paths, self._batch_rows = list(paths), batch_rows
        self._marks = [_delimiter(path) for path in self._paths]
        first, *others = self._paths
        names = self._query(0).collect_schema().names()
        for number, path in enumerate(others, start=1):
            if self._query(number).collect_schema().names() != names:
                raise DataFileError(
                    f"'{path}' has other columns than '{first}': all files need the same header."
                )
        super().__init__(_shown(self._paths), names)
        self._types: dict[str, _TextType] = {}
        self.n_rows = self._find_types()

    def _query(self, number: int) -> pl.LazyFrame:
        path = self._paths[number]
        try:
            query = pl.scan_csv(
                path, separator=self._marks[number], infer_schema=False, truncate_ragged_lines=False
            )
            query.collect_schema()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise _damaged(path, error) from None
        return query

    def _texts(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Read columns as texts, spellings of a missing value as missing."""
        for number, path in enumerate(self._paths):
            try:
                for batch in self._query(number).select(columns).collect_batches(chunk_size=self._batch_rows):
                    yield blank_out(batch, MISSING_VALUES)
            except (pl.exceptions.PolarsError, OSError) as error:
                raise _damaged(path, error) from None

    def _find_types(self) -> int:
        self._types = {name: _TextType() for name in self.names}
        rows = 0
        for batch in self._texts(self.names):
            rows += batch.height
            for column in batch.get_columns():
                self._types[column.name].look(column)
        if not rows:
            raise DataFileError(f"{self.name} has a header but no rows.")
        return rows

    def read(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Read some of the columns from the first row to the last."""
        for batch in self._texts(columns):
            yield batch.with_columns(self._types[column.name].typed(column) for column in batch.get_columns())

    def mark(self) -> Hashable:
        """Return the sizes of the files, and when they were last written."""
        return _mark(self._paths)


class _TextType:
    """The narrowest type that all texts of a column have: the rule of `bayleaf.tables.column_text.narrowest`."""

    def __init__(self) -> None:
        self._integers = self._floats = self._booleans = True
        self._seen = self._zeros = False

    def look(self, column: pl.Series) -> None:
        """Rule out types that a value of the column does not have."""
        known = column.drop_nulls()
        if not len(known):
            return
        self._seen = True
        # Whole numbers with leading zeros may be codes: which they are is told by all of them together, later.
        self._zeros = self._zeros or bool((known.str.starts_with("0") & (known.str.len_bytes() > 1)).any())
        self._integers = self._integers and not known.cast(pl.Int64, strict=False).has_nulls()
        self._floats = self._floats and not known.cast(pl.Float64, strict=False).has_nulls()
        self._booleans = self._booleans and booleans(known).dtype == pl.Boolean

    def typed(self, column: pl.Series) -> pl.Series:
        """Give a column the type."""
        if not self._seen:
            return column
        if self._integers:
            return column if self._zeros else column.cast(pl.Int64)
        if self._floats:
            return column.cast(pl.Float64)
        return booleans(column).cast(pl.Boolean) if self._booleans else column


def open_files(
    source: str | PathLike[str] | Sequence[str | PathLike[str]], batch_rows: int = BATCH_ROWS
) -> BatchReader:
    """Return what reads files: one path, a folder, a pattern such as ``big/*.parquet``, or a list of these.

    Examples
    --------
    >>> open_files("no/such/*.parquet")
    Traceback (most recent call last):
    bayleaf._util.whole_files.DataFileError: There is no file 'no/such/*.parquet'.
    """
    given = [source] if isinstance(source, str | PathLike) else source
    paths = [path for each in given for path in _expanded(each)]
    kinds = {_kind(path) for path in paths}
    if len(kinds) > 1:
        raise DataFileError(f"{_shown(paths)} are of different formats: read one format at a time.")
    return TextReader(paths, batch_rows) if kinds == {"text"} else FileReader(paths, batch_rows)


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


def _delimiter(path: Path) -> str:
    """Return what separates the fields of a text file, by its header."""
    if is_packed(path):
        raise DataFileError(f"'{path}' is compressed: unpack it to read it in batches.")
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES).decode("utf-8-sig", errors="replace")
    if not head.strip():
        raise DataFileError(f"'{path}' is empty.")
    text, announced = announced_delimiter(head)
    if announced is not None:
        raise DataFileError(
            f"'{path}' begins with 'sep={announced}': take off that line to read it in batches."
        )
    return choose_delimiter(path, text, TEXT_SUFFIXES[format_suffix(path)], None)


def _mark(paths: Sequence[Path]) -> Hashable:
    try:
        return tuple((path.stat().st_size, path.stat().st_mtime_ns) for path in paths)
    except OSError as error:
        raise DataFileError(f"Cannot read '{error.filename}' any more: {error.strerror}.") from None


def _shown(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"'{paths[0]}'{more}"
