"""Tables in files: read from any of the formats, written all or nothing; and files that say what columns mean."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Collection, Container, Iterable
from importlib import import_module
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike

from bayleaf._util import whole_files
from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import (
    DataFileError,
    FilePath,
    FullDiskError,
    brief_errors,
    format_suffix,
    is_packed,
)
from bayleaf.data.schema import Meaning

from .arff import read_arff
from .column_text import MISSING_VALUES, blank_out, decimal_mark, narrowest
from .delimited import delimited_text, read_delimited

# What separates the fields of text files by default, in reading and in writing.
TEXT_SUFFIXES = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": ",", ".data": ","}
PARQUET_SUFFIXES = (".parquet", ".pq")
ARROW_SUFFIXES = (".arrow", ".feather", ".ipc")
EXCEL_SUFFIXES = (".xlsx", ".xls", ".xlsb", ".ods")


@brief_errors()
def read_data(
    path: FilePath | BinaryIO,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    missing_values: Collection[str] | None = None,
    as_text: Container[str] = (),
    categorical: Container[str] = (),
    encoding: str | None = None,
    header: bool = True,
    sheet: str | int | None = None,
) -> pl.DataFrame:
    r"""Read a table from a CSV, TSV, Parquet, Arrow, ARFF or Excel file.

    Parameters
    ----------
    path : path or binary file
        The suffix tells the format: ``.csv``, ``.tsv``, ``.tab``, ``.txt``, ``.data`` and ``.arff``, each also with
        ``.gz``; ``.parquet`` or ``.pq``; ``.arrow``, ``.feather`` or ``.ipc``; ``.xlsx``, ``.xls``, ``.xlsb`` or
        ``.ods`` (with fastexcel installed). Of an open file, such as ``sys.stdin.buffer``, the content tells it.
    delimiter : str, optional
        Of a text file. By default a comma (a tab in ``.tsv`` and ``.tab``) or, where the header has none, the most
        frequent of comma, semicolon, tab and bar in the header. A first line such as ``sep=;`` names it too.
    decimal : {",", "."}, optional
        Decimal mark of a text file. By default a point; in a file that is separated by semicolons also a comma:
        ``1,500`` is 1.5 there. With ``","`` points separate thousands: ``1.200`` is 1200.
    missing_values : collection of str, optional
        Spellings of a missing value, `MISSING_VALUES` by default. An empty field is always missing. Parquet
        files have their own missing values; there, spellings count only where they are given.
    as_text : container of str
        Columns of a text file that stay text, whatever their values look like. A warning points out others that are
        text because of a few values.
    categorical : container of str
        Columns of a text file whose values are names of something: they become numbers only where these are written
        the same way again, so that ``07`` remains different from ``7``.
    encoding : str, optional
        Of a text file, such as "latin-1"; UTF-8 by default.
    header : bool, default=True
        False for a text file or a sheet without names: its columns are called column_1, column_2, ...
    sheet : str or int, optional
        Of an Excel file: its name, or its number from 1; the first by default.

    Returns
    -------
    polars.DataFrame
        Whole numbers as integers, other numbers as floats, true and false as booleans, all else as strings
        without surrounding blanks.

    Raises
    ------
    DataFileError
        The file cannot be read; the message is one sentence that says why.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,smoker,town\n31,true,Bath\n?,false,Wells\n")
    >>> read_data(path).rows()
    [(31, True, 'Bath'), (None, False, 'Wells')]
    """
    file, kind, content = source_of(path)
    return read_content(
        file,
        kind,
        content,
        delimiter=delimiter,
        decimal=decimal,
        missing_values=missing_values,
        as_text=as_text,
        categorical=categorical,
        encoding=encoding,
        header=header,
        sheet=sheet,
    )


def read_content(
    file: Path,
    kind: str,
    content: bytes | None = None,
    skipped: int = 0,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    missing_values: Collection[str] | None = None,
    as_text: Container[str] = (),
    categorical: Container[str] = (),
    encoding: str | None = None,
    header: bool = True,
    sheet: str | int | None = None,
    deciding: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Read a table whose format is known, as `read_data` does.

    Parameters
    ----------
    file : Path
    kind : str
        The suffix that tells the format.
    content : bytes, optional
        What the file holds, where that is known; ``file`` is only its name then.
    skipped : int
        Lines of a text file that the content leaves out after its header.
    deciding : DataFrame, optional
        Texts that decide on the types of the columns of a text file, where the content is only a part of it.
    **others : as in `read_data`
    """
    spellings = MISSING_VALUES if missing_values is None else tuple(missing_values)
    mark = decimal_mark(decimal)
    if sheet is not None and kind not in EXCEL_SUFFIXES:
        raise DataFileError(f"'{file}' has no sheets: it is not an Excel file.")
    if kind in TEXT_SUFFIXES:
        return read_delimited(
            file,
            usual=TEXT_SUFFIXES[kind],
            delimiter=delimiter,
            decimal=mark,
            missing=spellings,
            as_text=as_text,
            categorical=categorical,
            encoding=encoding,
            header=header,
            content=content,
            skipped=skipped,
            deciding=deciding,
        )
    if kind in EXCEL_SUFFIXES:
        return read_excel(file, content, sheet, header=header, missing=spellings, as_text=as_text)
    if not header:
        raise DataFileError(f"'{file}' has names of its own for its columns: only text files can be without.")
    if kind == ".arff":
        return read_arff(file, spellings, encoding, content)
    frame = _read_arrow(file) if kind in ARROW_SUFFIXES else _read_parquet(file, content)
    return frame if missing_values is None else blank_out(frame, spellings)


def source_of(path: FilePath | BinaryIO) -> tuple[Path, str, bytes | None]:
    """Return the name of a table, the suffix that tells its format, and its content where it is an open file."""
    if isinstance(path, str | PathLike):
        file = Path(path)
        if file.is_dir():
            raise DataFileError(f"'{file}' is a folder, not a data file.")
        if not file.exists():
            raise DataFileError(f"There is no file '{file}'.")
        return file, _kind(file), None
    file = name_of(path)
    content = whole_files.unpacked(path.read(), file)
    return file, kind_of(content), content


def name_of(opened: BinaryIO) -> Path:
    """Return what messages call an open file."""
    name = getattr(opened, "name", "")
    return Path(name) if isinstance(name, str) and name and name != "<stdin>" else Path("standard input")


def kind_of(content: bytes) -> str:
    """Return the suffix that tells the format of a table, by how it begins."""
    if content.startswith(b"PAR1"):
        return ".parquet"
    if content.startswith(b"PK\x03\x04"):
        return ".xlsx"
    is_arff = content.lstrip()[:9].lower() == b"@relation"
    return ".arff" if is_arff else ".csv"


def _kind(path: Path) -> str:
    """Return the suffix that tells the format of a table to read."""
    suffix = format_suffix(path)
    whole = (*PARQUET_SUFFIXES, *ARROW_SUFFIXES, *EXCEL_SUFFIXES)
    known = [*TEXT_SUFFIXES, ".arff", *whole]
    if suffix not in known or (suffix in whole and is_packed(path)):
        raise DataFileError(
            f"The name of '{path}' does not tell its format: it should end in {', '.join(known)} (text files also "
            "in .gz)."
        )
    return suffix


def check_parquet(path: Path) -> None:
    """Refuse a file that does not begin as a Parquet file does."""
    with path.open("rb") as file:
        magic = file.read(4)
    if not magic:
        raise DataFileError(f"'{path}' is empty.")
    if magic != b"PAR1":
        raise DataFileError(f"'{path}' is not a Parquet file.")


def _read_parquet(path: Path, content: bytes | None) -> pl.DataFrame:
    if content is None:
        check_parquet(path)
    return _undamaged(path, lambda: pl.read_parquet(path if content is None else io.BytesIO(content)))


def _read_arrow(path: Path) -> pl.DataFrame:
    """Read a file of the Arrow format, of either kind: as a whole, or as it was streamed."""
    with path.open("rb") as file:
        whole = file.read(6) == b"ARROW1"
    return _undamaged(path, lambda: (pl.read_ipc if whole else pl.read_ipc_stream)(path, use_pyarrow=False))


def _undamaged(path: Path, read: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    try:
        frame = read()
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = " ".join(str(error).split())
        raise DataFileError(f"'{path}' is truncated or damaged: {reason.rstrip('.')}.") from None
    if frame.height == 0:
        raise DataFileError(f"'{path}' has columns but no rows.")
    return frame


def read_excel(
    path: Path,
    content: bytes | None,
    sheet: str | int | None,
    *,
    header: bool,
    missing: Collection[str],
    as_text: Container[str],
) -> pl.DataFrame:
    """Read one sheet: cells have the types that the file gives them, and text that is numbers becomes numbers.

    The parameters are those of `read_content`; an empty cell is always missing.
    """
    if find_spec("fastexcel") is None:
        raise DataFileError(
            f"'{path}' is an Excel file: install 'bayleaf[excel]' (fastexcel) to read it, or save the sheet as CSV."
        )
    which = {"sheet_name": sheet} if isinstance(sheet, str) else {"sheet_id": sheet or 1}
    try:
        frame = pl.read_excel(
            path if content is None else io.BytesIO(content), has_header=header, raise_if_empty=False, **which
        )
    except Exception as error:  # each reader behind polars has errors of its own
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataFileError(f"Cannot read '{path}': {reason.rstrip('.')}.") from None
    if frame.height == 0:
        raise DataFileError(f"The sheet of '{path}' has no rows.")
    if not header:
        frame.columns = [f"column_{number + 1}" for number in range(frame.width)]
    cleaned = blank_out(frame, missing)
    texts = [column for column in cleaned.get_columns() if column.dtype == pl.String]
    return cleaned.with_columns(narrowest(column) for column in texts if column.name not in as_text)


def dataset_name(path: FilePath) -> str:
    """Return the name of a data set: its file's name without the suffixes of its format."""
    file = Path(path)
    return (file.with_suffix("") if is_packed(file) else file).stem


def write_table(frame: pl.DataFrame, path: FilePath) -> None:
    r"""Write a table as CSV, TSV or Parquet, by the suffix of its name (text also with ``.gz``).

    The file appears complete or not at all; a file of that name stays as it was until then.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "out.tsv"
    >>> write_table(pl.DataFrame({"a": [1, None], "b": ["x", "y"]}), path)
    >>> path.read_text().splitlines()
    ['a\tb', '1\tx', '\ty']
    """
    suffix = check_table_name(path)
    whole_files.check_output(path)
    try:
        with whole_files.atomic_write(path, binary=True) as file:
            if suffix in PARQUET_SUFFIXES:
                frame.write_parquet(file)
            else:
                file.write(delimited_text(frame, TEXT_SUFFIXES[suffix]).encode())
    except FullDiskError:
        raise
    except OSError as error:
        raise DataFileError(f"Cannot write '{path}': {error.strerror or error}.") from error


def check_table_name(path: FilePath) -> str:
    """Return the suffix of a table to write; raise if the name does not tell a format that can be written."""
    suffix = format_suffix(path)
    if suffix not in TEXT_SUFFIXES and (suffix not in PARQUET_SUFFIXES or is_packed(path)):
        listed = ", ".join([*TEXT_SUFFIXES, *PARQUET_SUFFIXES])
        raise DataFileError(f"Cannot tell the format of '{path}' by its name: use one of {listed}.")
    return suffix


def prediction_frame(classes: Iterable[Any], predicted: ArrayLike, probabilities: ArrayLike) -> pl.DataFrame:
    """Table of predictions: the class, then the probability of each class in a column ``P(label)``.

    Examples
    --------
    >>> prediction_frame(["no", "yes"], ["yes"], [[0.25, 0.75]]).to_dicts()
    [{'prediction': 'yes', 'P(no)': 0.25, 'P(yes)': 0.75}]
    """
    labels, given = list(classes), np.asarray(predicted)
    names = [f"P({label_text(label)})" for label in labels]
    table = pl.DataFrame(np.asarray(probabilities), schema=names, orient="row")
    if given.dtype != object:
        return table.insert_column(0, pl.Series("prediction", given))
    kind = pl.Series(np.asarray(labels).tolist()).dtype  # of labels, even if no row has one
    return table.insert_column(0, pl.Series("prediction", given.tolist(), dtype=kind))


def write_predictions(
    path: FilePath, classes: Iterable[Any], predicted: ArrayLike, probabilities: ArrayLike
) -> None:
    """Write predictions (see `prediction_frame`) to a file (see `write_table`).

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "out.csv"
    >>> write_predictions(path, ["no", "yes"], ["yes"], [[0.25, 0.75]])
    >>> print(path.read_text().strip())
    prediction,P(no),P(yes)
    yes,0.25,0.75
    """
    write_table(prediction_frame(classes, predicted, probabilities), path)


def label_text(label: Any) -> str:
    """Spell a class label as a text file does."""
    return str(bool(label)).lower() if type(label).__name__ in ("bool", "bool_") else str(label)


def read_meaning(path: str | Path) -> Meaning:
    """Read names, units and descriptions of columns from a JSON file, or a YAML file where PyYAML is installed."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataFileError(f"'{path}' cannot be read: {error}.") from error
    content = _parsed(path, text)
    if not isinstance(content, dict):
        raise DataFileError(f"'{path}' must hold names and values, such as labels: {{...}}.")
    try:
        return Meaning.of(**{str(name): part for name, part in content.items()})
    except (TypeError, ValueError) as error:
        raise DataFileError(f"'{path}': {error}") from error


def _parsed(path: Path, text: str) -> Any:
    if path.suffix.lower() not in (".yaml", ".yml"):
        try:
            return json.loads(text)
        except ValueError as error:
            raise DataFileError(f"'{path}' is not JSON: {error}.") from error
    try:
        yaml: Any = import_module("yaml")
    except ImportError as error:
        raise DataFileError(f"'{path}' needs PyYAML, which is not installed: write it as JSON.") from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        first = " ".join(str(error).split())
        raise DataFileError(f"'{path}' is not YAML: {first}.") from error
