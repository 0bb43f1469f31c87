"""Writing tables, all or nothing."""

import gzip
import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from bayleaf._util.files import atomic_write

from .errors import DataFileError

SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t", ".txt": "\t"}
PARQUET_SUFFIXES = (".parquet", ".pq")


def write_table(frame: pl.DataFrame, path: str | os.PathLike[str]) -> None:
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
    target = Path(path)
    compressed = target.suffix.lower() == ".gz"
    suffix = _suffix(target)
    check_output(target)
    try:
        with atomic_write(target, binary=True) as file:
            if suffix in PARQUET_SUFFIXES:
                frame.write_parquet(file)
            elif compressed:
                with gzip.open(file, "wb") as inside:
                    _write_text(frame, inside, SEPARATORS[suffix])
            else:
                _write_text(frame, file, SEPARATORS[suffix])
    except OSError as error:
        raise DataFileError(f"Cannot write '{target}': {error.strerror or error}.") from error


def check_output(path: str | os.PathLike[str]) -> None:
    """Refuse a path that cannot be written, before any work is done for it.

    Examples
    --------
    >>> check_output("no/folder/out.csv")
    Traceback (most recent call last):
    bayleaf.io.errors.DataFileError: Cannot write 'no/folder/out.csv': the folder 'no/folder' does not exist.
    """
    target = Path(path)
    if target.is_dir():
        raise DataFileError(f"Cannot write '{target}': it is a folder.")
    folder = target.parent
    if not folder.exists():
        raise DataFileError(f"Cannot write '{target}': the folder '{folder}' does not exist.")
    if not folder.is_dir():
        raise DataFileError(f"Cannot write '{target}': '{folder}' is not a folder.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise DataFileError(f"Cannot write '{target}': no permission to write into the folder '{folder}'.")


def prediction_frame(classes: Iterable[Any], predicted: ArrayLike, probabilities: ArrayLike) -> pl.DataFrame:
    """Table of predictions: the class, then the probability of each class in a column ``P(label)``.

    Examples
    --------
    >>> prediction_frame(["no", "yes"], ["yes"], [[0.25, 0.75]]).to_dicts()
    [{'prediction': 'yes', 'P(no)': 0.25, 'P(yes)': 0.75}]
    """
    names = [f"P({label_text(label)})" for label in classes]
    table = pl.DataFrame(np.asarray(probabilities), schema=names, orient="row")
    return table.insert_column(0, pl.Series("prediction", np.asarray(predicted)))


def write_predictions(
    path: str | os.PathLike[str], classes: Iterable[Any], predicted: ArrayLike, probabilities: ArrayLike
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
    """Spell a class label as a text file does.

    Examples
    --------
    >>> label_text(True), label_text(3)
    ('true', '3')
    """
    return str(bool(label)).lower() if type(label).__name__ in ("bool", "bool_") else str(label)


def _write_text(frame: pl.DataFrame, file: IO[bytes], separator: str) -> None:
    file.write(frame.write_csv(separator=separator).encode())


def _suffix(path: Path) -> str:
    """Suffix that tells the format, in lower case and without .gz."""
    suffix = path.suffix.lower()
    inner = path.with_suffix("").suffix.lower() if suffix == ".gz" else suffix
    known = {*SEPARATORS, *(() if suffix == ".gz" else PARQUET_SUFFIXES)}
    if inner not in known:
        listed = ", ".join([*SEPARATORS, *PARQUET_SUFFIXES])
        raise DataFileError(f"Cannot tell the format of '{path}' by its name: use one of {listed}.")
    return inner
