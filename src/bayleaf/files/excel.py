"""Sheets of Excel and LibreOffice files, by polars and fastexcel where that is installed."""

from __future__ import annotations

import io
from collections.abc import Collection, Container
from importlib.util import find_spec
from pathlib import Path

from bayleaf._util.optional import polars as pl

from .column_text import blank_out, narrowest
from .whole_files import DataFileError

EXCEL_SUFFIXES = (".xlsx", ".xls", ".xlsb", ".ods")


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

    Parameters
    ----------
    path : Path
    content : bytes or None
        What the file holds, where that is known; ``path`` is only its name then.
    sheet : str, int or None
        Name, or number from 1; the first sheet by default.
    header : bool
        Whether the first row names the columns.
    missing : collection of str
        Spellings of a missing value; an empty cell is always missing.
    as_text : container of str
        Columns of text that stay text.
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
