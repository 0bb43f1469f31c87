"""Tables as a fitted model takes them, whole or in batches.

Tables that the commands read in batches: when, and how results are written as they come.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bayleaf._util.machine import available_memory
from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import DataFileError, atomic_write, format_suffix, is_packed
from bayleaf._util.words import counted, listing
from bayleaf.data import Variable
from bayleaf.data.number_text import read_numbers
from bayleaf.streams.file_reader import ARROW_SUFFIXES, open_files
from bayleaf.tables import read_data
from bayleaf.tables.column_text import MixedColumnWarning, with_points
from bayleaf.tables.delimited import delimited_text
from bayleaf.tables.table_batches import read_batches
from bayleaf.tables.table_files import PARQUET_SUFFIXES, TEXT_SUFFIXES

from .inputs import suggestion

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


def feature_names(classifier: Any) -> list[str]:
    """Names of the columns a fitted classifier expects, in its order."""
    return [variable.name for variable in classifier.schema_.columns]


def text_columns(classifier: Any) -> list[str]:
    """Columns that held text in fit, and must stay text however they look in new data."""
    return [variable.name for variable in classifier.schema_.columns if variable.dtype == "string"]


STANDARD_INPUT = Path("-")


def read_for(
    classifier: Any, path: Path, *, with_class: bool = False, keep: Sequence[str] = (), **reading: Any
) -> pl.DataFrame:
    """Read a table for a fitted classifier: what held text in fit stays text, also the class if that is asked for.

    Columns that are kept for the result, and are not the model's own, stay as they are written. Without a header, a
    table with as many columns as the model has the model's, in that order. The path "-" is standard input.

    Columns that are nearly numbers get no warning here: those of the model are refused, others are not used.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MixedColumnWarning)
        frame = read_data(_opened(path), as_text=_as_text(classifier, with_class, keep, reading), **reading)
    return _with_names(classifier, frame, reading)


@dataclass(frozen=True)
class Batches:
    """A table that is read in batches, and how many rows it has where that is known before."""

    frames: Iterator[pl.DataFrame]
    n_rows: int | None = None


def batches_for(
    classifier: Any, path: Path, *, with_class: bool = False, keep: Sequence[str] = (), **reading: Any
) -> Batches:
    """Read a table for a fitted classifier as `read_for` does, in batches: only one is in memory at a time."""
    if reads_in_batches(path) and not any(reading.values()):
        reader = open_files(path)
        return Batches(reader.read(reader.names), reader.n_rows)
    as_text = _as_text(classifier, with_class, keep, reading)
    # Texts of such columns are read in another way than a piece that has only plain numbers.
    settled = any(variable.reading is not None for variable in classifier.schema_.columns)
    batches = read_batches(_opened(path), settled=settled, as_text=as_text, **reading)
    return Batches(_named_quietly(classifier, batches, reading))


def _named_quietly(
    classifier: Any, batches: Iterator[pl.DataFrame], reading: Mapping[str, Any]
) -> Iterator[pl.DataFrame]:
    """Read batches without warnings of columns that are nearly numbers, and with the names of the model's columns."""
    while True:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MixedColumnWarning)
            frame = next(batches, None)
        if frame is None:
            return
        yield _with_names(classifier, frame, reading)


def _opened(path: Path) -> Any:
    return sys.stdin.buffer if path == STANDARD_INPUT else path


def _as_text(classifier: Any, with_class: bool, keep: Sequence[str], reading: Mapping[str, Any]) -> list[str]:
    """Return the columns that stay text whatever their values look like."""
    target = classifier.schema_.target
    as_text = [*text_columns(classifier), *([target.name] if with_class and target.dtype == "string" else [])]
    names = feature_names(classifier)
    as_text += [name for name in keep if name not in names]
    if reading.get("header") is False:  # the same columns, as they are called before they have names
        as_text += [f"column_{number}" for number, name in enumerate(names, start=1) if name in as_text]
    return as_text


def _with_names(classifier: Any, frame: pl.DataFrame, reading: Mapping[str, Any]) -> pl.DataFrame:
    """Give the columns of a table without a header the names of the model's where there are as many."""
    names = feature_names(classifier)
    if reading.get("header") is False and frame.width == len(names) and set(names).isdisjoint(frame.columns):
        frame.columns = names
    return frame


def columns_for(
    classifier: Any,
    frame: pl.DataFrame,
    path: Path,
    *,
    absent_missing: bool = False,
    numbers: Sequence[int] | None = None,
) -> Any:
    """Select the columns that a fitted classifier expects, by name and in its order.

    Columns that are not there are refused, unless the model or ``absent_missing`` says that they count as missing.
    Rows of which something is said have these ``numbers``: those of the table unless others are given.
    """
    variables = classifier.schema_.columns
    setting = "missing" if absent_missing else classifier._settings().absent_columns
    may_lack = classifier.schema_.may_lack(setting)
    absent = [variable.name for variable in variables if variable.name not in frame.columns]
    lacking = [name for name in absent if name not in may_lack]
    if absent and not lacking and len(absent) == len(variables):
        raise DataFileError(
            f"'{path}' has none of the columns of the model; it has {listing(frame.columns)}."
        )
    if lacking:
        # Columns that the model uses are not misspellings of another one.
        close = suggestion(lacking[0], extra_columns(classifier, frame.columns)) if len(lacking) == 1 else ""
        them = "it" if len(lacking) == 1 else "them"
        hint = (
            close if close.startswith("Did") else f"To take {them} as missing in every row: --absent-missing."
        )
        names = listing([f"'{name}'" for name in lacking])
        raise DataFileError(f"'{path}' lacks {counted(len(lacking), 'column')} of the model: {names}. {hint}")
    frame = frame.with_columns(pl.lit(None).alias(name) for name in absent)
    rows = range(1, frame.height + 1) if numbers is None else numbers
    chosen = pl.DataFrame([_as_in_fit(variable, frame[variable.name], path, rows) for variable in variables])
    return chosen if hasattr(classifier, "feature_names_in_") else chosen.to_numpy()


def extra_columns(classifier: Any, columns: Sequence[str]) -> list[str]:
    """Columns of the data that the model does not use."""
    known = set(feature_names(classifier))
    return [name for name in columns if name not in known]


def _as_in_fit(
    variable: Variable, column: pl.Series, path: Path, numbers_of_rows: Sequence[int]
) -> pl.Series:
    """Give a column the type it had in fit where its values allow it; say which value does not."""
    is_number = variable.dtype in ("integer", "float")
    if not is_number or column.dtype != pl.String:
        return column
    texts = column.drop_nulls().unique().to_list()
    read = pl.Series(read_numbers(texts, variable.reading), nan_to_null=True)
    as_read = column.replace_strict(texts, read, return_dtype=pl.Float64)
    if as_read.null_count() == column.null_count():
        return as_read
    by_commas = with_points(column).cast(pl.Float64, strict=False)
    # Where commas would do for all, the first of them is what is wrong; else a value that is no number at all.
    numbers = min(as_read, by_commas, key=lambda each: each.null_count())
    wrong = (as_read if numbers.null_count() == column.null_count() else numbers).is_null()
    row = int((wrong & column.is_not_null()).arg_max() or 0)
    hint = "; see --decimal" if by_commas[row] is not None else ""
    raise DataFileError(
        f"Column '{variable.name}' holds numbers in the model, but '{column[row]}' in row {numbers_of_rows[row]} of "
        f"'{path}' is not one{hint}."
    )
