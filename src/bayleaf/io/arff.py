"""ARFF, the format of Weka, read by SciPy."""

import io
import re
from collections.abc import Collection
from pathlib import Path

import numpy as np
import polars as pl
from scipy.io import arff

from .column_types import blank_out, booleans
from .delimited import decode
from .errors import DataFileError


def read_arff(path: Path, missing: Collection[str]) -> pl.DataFrame:
    r"""Read an ARFF file: nominal attributes as text, whole numbers as integers, "?" as null.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.arff"
    >>> _ = path.write_text("@relation r\n@attribute x numeric\n@attribute c {no,yes}\n@data\n1,yes\n?,no\n")
    >>> read_arff(path, ["?"]).rows()
    [(1, 'yes'), (None, 'no')]
    """
    text = decode(path, path.read_bytes())
    if not re.search(r"^\s*@attribute\b", text, re.IGNORECASE | re.MULTILINE):
        raise DataFileError(f"'{path}' is not an ARFF file: it declares no @attribute.")
    data_section = re.search(r"^\s*@data\b[^\n]*\n?", text, re.IGNORECASE | re.MULTILINE)
    if data_section is None:
        raise DataFileError(f"'{path}' is not a complete ARFF file: it has no @data section.")
    if not text[data_section.end() :].strip():
        raise DataFileError(f"'{path}' has a header but no rows.")
    try:
        records, meta = arff.loadarff(io.StringIO(_to_ascii(text)))
    except Exception as error:  # SciPy raises whatever its parser stumbles over
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise DataFileError(f"'{path}' is not a readable ARFF file: {reason}.") from None
    columns = []
    for name in meta.names():
        values = records[name]
        column = _numbers(values) if values.dtype.kind == "f" else _labels(values, missing)
        columns.append(column.alias(_from_ascii(name)))
    return pl.DataFrame(columns)


def _numbers(values: np.ndarray) -> pl.Series:
    column = pl.Series(values).fill_nan(None)
    whole = column.drop_nulls()
    if len(whole) and (whole == whole.round()).all() and whole.abs().max() < 2**53:  # type: ignore[operator]
        return column.cast(pl.Int64)
    return column


def _labels(values: np.ndarray, missing: Collection[str]) -> pl.Series:
    text = [_from_ascii(value.decode("ascii")) for value in values.tolist()]
    return booleans(blank_out(pl.DataFrame({"": text}), missing).to_series())


# SciPy keeps nominal values as ASCII bytes: other characters travel as their number.


def _to_ascii(text: str) -> str:
    return re.sub(r"[^\x00-\x7f]", lambda found: f"~{ord(found[0]):06x}~", text)


def _from_ascii(text: str) -> str:
    return re.sub(r"~([0-9a-f]{6})~", lambda found: chr(int(found[1], 16)), text)
