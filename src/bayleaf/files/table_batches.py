"""Tables in files, read in batches: by the rules of `bayleaf.files.read_data`."""

from collections.abc import Iterable, Iterator
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from .table_files import TEXT_SUFFIXES, kind_of, name_of, read_content, source_of
from .text_pieces import blocks_of, header_of, pieces, unpacked_blocks
from .whole_files import PACKED, FilePath, brief_errors, unpacked


def read_batches(path: FilePath | BinaryIO, **reading: Any) -> Iterator[pl.DataFrame]:
    r"""Read a table as `read_data` does, but text files in pieces of whole rows: memory does not grow with them.

    Each piece is read as a file of its own with the same header, so the type of a column may differ between two of
    them. Tables of other formats, and text whose characters take several bytes each, come in one piece.

    Parameters
    ----------
    path : path or binary file
    **reading : as in `read_data`

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("age,town\n31,Bath\n?,Wells\n")
    >>> [batch.rows() for batch in read_batches(path)]
    [[(31, 'Bath'), (None, 'Wells')]]
    """
    with brief_errors():
        if not isinstance(path, str | PathLike):
            yield from _open_batches(path, reading)
            return
        file, kind, _ = source_of(path)
        if kind not in TEXT_SUFFIXES or _is_wide(reading.get("encoding")):
            yield read_content(file, kind, **reading)
            return
        with unpacked_blocks(file) as blocks:
            yield from _text_batches(file, kind, blocks, reading)


def _open_batches(opened: BinaryIO, reading: dict[str, Any]) -> Iterator[pl.DataFrame]:
    """Read an open file: in pieces unless its first bytes say that it is no plain text."""
    file, blocks = name_of(opened), blocks_of(opened)
    first = next(blocks, b"")
    kind = kind_of(first)
    if kind in TEXT_SUFFIXES and not first.startswith(PACKED) and not _is_wide(reading.get("encoding")):
        yield from _text_batches(file, kind, chain([first], blocks), reading)
        return
    content = unpacked(b"".join([first, *blocks]), file)
    yield read_content(file, kind_of(content), content, **reading)


def _is_wide(encoding: str | None) -> bool:
    """Whether the bytes of line ends and quotes may be parts of other characters."""
    return encoding is not None and encoding.lower().startswith(("utf-16", "utf16", "utf-32", "utf32"))


def _text_batches(
    file: Path, kind: str, blocks: Iterable[bytes], reading: dict[str, Any]
) -> Iterator[pl.DataFrame]:
    held, head, lines = b"", None, 0
    for piece in pieces(blocks):
        held += piece
        again = 0  # rows that are read again: of a file without a header, the first
        if head is None:
            found = header_of(held)
            if not held[len(found) :].strip():  # more rows are still to come
                continue
            head, held, lines = found, held[len(found) :], found.count(b"\n")
        elif not reading.get("header", True):
            again = 1
        if held.strip():
            yield read_content(file, kind, head + held, lines - head.count(b"\n"), **reading)[again:]
        lines += held.count(b"\n")
        held = b""
    if head is None:
        yield read_content(file, kind, held, **reading)  # or says what is wrong with it
