"""Tables in files, read in batches: by the rules of `bayleaf.files.read_data`."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from bayleaf._util.optional import polars as pl

from .deciding_texts import DecidingTexts
from .delimited import delimiter_of
from .table_files import TEXT_SUFFIXES, kind_of, name_of, read_content, source_of
from .text_pieces import blocks_of, first_line, header_of, pieces, unpacked_blocks
from .whole_files import PACKED, FilePath, brief_errors, unpacked


def read_batches(
    path: FilePath | BinaryIO, *, settled: bool = False, **reading: Any
) -> Iterator[pl.DataFrame]:
    r"""Read a table as `read_data` does, but text files in pieces of whole rows: memory does not grow with them.

    Each piece is read as a file of its own with the same header, so the type of a column may differ between two of
    them. Where pieces could differ in what a text such as ``1.234`` is, because commas may be decimal, the file is
    read twice, and all pieces have the types that the whole file has; an open file is copied to disk for that.
    Tables of other formats, and text whose characters take several bytes each, come in one piece.

    Parameters
    ----------
    path : path or binary file
    settled : bool
        Give all pieces the types of the whole file in any case.
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
            yield from _open_batches(path, settled, reading)
            return
        file, kind, _ = source_of(path)
        if kind not in TEXT_SUFFIXES or _is_wide(reading.get("encoding")):
            yield read_content(file, kind, **reading)
            return
        with unpacked_blocks(file) as blocks:
            yield from _Text(file, kind, reading, is_open=False).batches(blocks, settled)


def _open_batches(opened: BinaryIO, settled: bool, reading: dict[str, Any]) -> Iterator[pl.DataFrame]:
    """Read an open file: in pieces unless its first bytes say that it is no plain text."""
    file, blocks = name_of(opened), blocks_of(opened)
    first = next(blocks, b"")
    kind = kind_of(first)
    if kind in TEXT_SUFFIXES and not first.startswith(PACKED) and not _is_wide(reading.get("encoding")):
        yield from _Text(file, kind, reading, is_open=True).batches(chain([first], blocks), settled)
        return
    content = unpacked(b"".join([first, *blocks]), file)
    yield read_content(file, kind_of(content), content, **reading)


def _is_wide(encoding: str | None) -> bool:
    """Whether the bytes of line ends and quotes may be parts of other characters."""
    try:
        return encoding is not None and codecs.lookup(encoding).name.startswith(("utf-16", "utf-32"))
    except LookupError:  # whoever decodes the text says so
        return False


@dataclass(frozen=True)
class _Part:
    """Rows of a text file under its header: how many lines are between them, and how many rows were read before."""

    header: bytes
    rows: bytes
    skipped: int = 0
    again: int = 0


class _EveryName:
    """All columns, whatever their names."""

    def __contains__(self, name: object) -> bool:
        return True


@dataclass(frozen=True)
class _Text:
    """A text file that is read in parts."""

    file: Path
    kind: str
    reading: dict[str, Any]
    is_open: bool

    def batches(self, blocks: Iterator[bytes], settled: bool) -> Iterator[pl.DataFrame]:
        """Read the file, which comes in blocks."""
        line, read = first_line(blocks)
        given = {name: self.reading.get(name) for name in ("delimiter", "encoding")}
        delimiter = delimiter_of(self.file, line, TEXT_SUFFIXES[self.kind], **given)
        parts = self._parts(chain([read], blocks), delimiter)
        ahead = [next(parts)]
        if settled or delimiter == ";" or self.reading.get("decimal") is not None:
            ahead += [part for part in [next(parts, None)] if part is not None]
        if len(ahead) == 2:
            yield from self._settled(chain(ahead, parts), delimiter)
            return
        for part in chain(ahead, parts):
            yield self._frame(part)

    def _settled(self, parts: Iterable[_Part], delimiter: str) -> Iterator[pl.DataFrame]:
        """Read the file once for what decides on types, and then again by these."""
        as_text, categorical = self.reading.get("as_text", ()), self.reading.get("categorical", ())
        deciding = DecidingTexts(self.reading.get("decimal") is not None)
        with TemporaryFile() as copy:
            for number, part in enumerate(parts):
                if self.is_open:
                    copy.write(part.rows if number else part.header + part.rows)
                texts = self._frame(part, as_text=_EveryName())
                deciding.look(texts[[x for x in texts.columns if x not in as_text and x not in categorical]])
            copy.seek(0)
            found = deciding.frame()
            with nullcontext(blocks_of(copy)) if self.is_open else unpacked_blocks(self.file) as blocks:
                for part in self._parts(blocks, delimiter):
                    yield self._frame(part, deciding=found)

    def _frame(self, part: _Part, **settings: Any) -> pl.DataFrame:
        content = part.header + part.rows
        frame = read_content(self.file, self.kind, content, part.skipped, **{**self.reading, **settings})
        return frame[part.again :]

    def _parts(self, blocks: Iterable[bytes], delimiter: str) -> Iterator[_Part]:
        has_header = self.reading.get("header", True)
        held, header, lines = b"", None, 0
        for piece in pieces(blocks, delimiter):
            held += piece
            again = 0  # rows that are read again: of a file without a header, the first
            if header is None:
                found = header_of(held, delimiter)
                if not held[len(found) :].strip():  # more rows are still to come
                    continue
                header, held, lines = found, held[len(found) :], found.count(b"\n")
            elif not has_header:
                again = 1
            if held.strip():
                yield _Part(header, held, lines - header.count(b"\n"), again)
            lines += held.count(b"\n")
            held = b""
        if header is None:
            yield _Part(b"", held)  # a row, or whoever reads it says what is wrong
