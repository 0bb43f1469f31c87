"""Tables that the commands read in batches: when, and how results are written as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from bayleaf._util.memory import available_memory
from bayleaf._util.optional import polars as pl
from bayleaf.files import DataFileError
from bayleaf.files.delimited import delimited_text
from bayleaf.files.table_files import PARQUET_SUFFIXES, TEXT_SUFFIXES
from bayleaf.files.whole_files import atomic_write, format_suffix, is_packed
from bayleaf.streams.file_reader import ARROW_SUFFIXES

# The share of the free memory that a table may take before it is read in batches.
MEMORY_SHARE = 0.25
# Bytes of a value in memory that is not a number, and of a text file's byte once it is a table.
TEXT_BYTES, BYTES_PER_BYTE = 24, 3


def is_several(data: Sequence[Path]) -> bool:
    """Tell whether data are more than one file: only in batches can they be read as one.

    Examples
    --------
    >>> is_several([Path("a.parquet"), Path("b.parquet")]), is_several([Path("a.parquet")])
    (True, False)
    """
    return len(data) > 1 or data[0].is_dir() or (not data[0].exists() and "*" in data[0].name)


def is_large(path: Path) -> bool:
    """Tell whether a table would take more than a quarter of the free memory, as far as its file tells.

    Examples
    --------
    >>> is_large(Path("no such file.csv"))
    False
    """
    suffix = format_suffix(path)
    if not path.is_file() or is_packed(path):
        return False
    if suffix in TEXT_SUFFIXES:
        size = BYTES_PER_BYTE * path.stat().st_size
    elif suffix in (*PARQUET_SUFFIXES, *ARROW_SUFFIXES):
        size = _table_bytes(path)
    else:
        return False
    return size > MEMORY_SHARE * available_memory()


def _table_bytes(path: Path) -> int:
    query = pl.scan_parquet(path) if format_suffix(path) in PARQUET_SUFFIXES else pl.scan_ipc(path)
    try:
        schema, rows = query.collect_schema(), int(query.select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError):  # whoever reads it says what is wrong
        return 0
    return rows * sum(8 if dtype.is_numeric() else TEXT_BYTES for dtype in schema.dtypes())


def refuse_for_batches(**given: Any) -> None:
    """Refuse options that tables which are read in batches do not have: those that were given.

    Examples
    --------
    >>> refuse_for_batches(cv=None, missing_values="?")
    Traceback (most recent call last):
    ValueError: --missing-values is not for tables that are read in batches: use one file that fits into memory.
    """
    for name, value in given.items():
        if value is not None and value is not False:
            raise ValueError(
                f"--{name.replace('_', '-')} is not for tables that are read in batches: use one file that fits into "
                "memory."
            )


def reads_in_batches(path: Path) -> bool:
    """Tell whether a file, or a folder of files, can be read in batches without a look at all of it before.

    Examples
    --------
    >>> reads_in_batches(Path("a.parquet")), reads_in_batches(Path("a.csv"))
    (True, False)
    """
    if path.is_dir():
        return any(reads_in_batches(each) for each in path.iterdir() if not each.is_dir())
    return format_suffix(path) in (*PARQUET_SUFFIXES, *ARROW_SUFFIXES) and not is_packed(path)


def write_batches(
    frames: Iterator[pl.DataFrame], path: Path, reach: Callable[[int], None] = lambda rows: None
) -> int:
    """Write a table as its parts come, and return its rows; the file appears complete or not at all.

    How many rows are done is told to ``reach``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "out.csv"
    >>> write_batches((pl.DataFrame({"a": [number]}) for number in (1, 2)), path)
    2
    >>> path.read_text().split()
    ['a', '1', '2']
    """
    rows = 0

    def counted() -> Iterator[pl.DataFrame]:
        nonlocal rows
        for frame in frames:
            rows += frame.height
            yield frame
            reach(rows)

    suffix = format_suffix(path)
    try:
        with atomic_write(path, binary=True) as file:
            if suffix in PARQUET_SUFFIXES:
                _sink_parquet(counted(), file)
            else:
                for text in batch_texts(counted(), TEXT_SUFFIXES[suffix]):
                    file.write(text.encode())
    except OSError as error:
        raise DataFileError(f"Cannot write '{path}': {error.strerror or error}.") from error
    return rows


def batch_texts(frames: Iterable[pl.DataFrame], delimiter: str) -> Iterator[str]:
    r"""Return the parts of a table as text, the first with the header.

    Examples
    --------
    >>> list(batch_texts([pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [2]})], ","))
    ['a\n1\n', '2\n']
    """
    for number, frame in enumerate(frames):
        if number == 0:
            yield delimited_text(frame, delimiter)
        else:
            yield frame.write_csv(separator=delimiter, include_header=False)


def _sink_parquet(frames: Iterator[pl.DataFrame], file: IO[Any]) -> None:
    first = next(frames)
    failed: list[BaseException] = []

    def source(*_: Any) -> Iterator[pl.DataFrame]:
        yield first
        try:
            for frame in frames:
                yield _of_one_type(frame, first.schema)
        except BaseException as error:  # polars would tell of it in its own words
            failed.append(error)
            raise

    try:
        pl.io.plugins.register_io_source(source, schema=first.schema).sink_parquet(file)
    except pl.exceptions.PolarsError:
        if failed:
            raise failed[0] from None
        raise


def _of_one_type(frame: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """Give a part of a table the types of the first, where no value changes by that.

    A text file may show whole numbers in one part, which are 1.0 among others in the next.
    """
    if frame.schema == schema:
        return frame
    return frame.with_columns(_exactly(column, schema[column.name]) for column in frame.get_columns())


def _exactly(column: pl.Series, dtype: pl.DataType) -> pl.Series:
    if column.dtype == dtype or dtype == pl.String:  # any value can be written as text
        return column.cast(dtype)
    converted = column.cast(dtype, strict=False)
    if not converted.cast(column.dtype, strict=False).equals(column):
        raise DataFileError(
            f"Column '{column.name}' is {dtype} in the first rows and {column.dtype} later: write CSV, or do not "
            "keep it."
        )
    return converted
