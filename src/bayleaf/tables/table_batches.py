"""Tables in files, read in batches by the rules of `bayleaf.tables.read_data`: text files in pieces of whole rows."""

from __future__ import annotations

import codecs
import gzip
import re
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from os import PathLike
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf._util.whole_files import PACKED, DataFileError, FilePath, brief_errors, unpacked

from .column_text import DecidingTexts
from .delimited import ANNOUNCEMENT, delimiter_of
from .table_files import TEXT_SUFFIXES, kind_of, name_of, read_content, source_of

# Bytes of a piece, about: what a table of this size takes in memory is little anywhere.
PIECE_BYTES = 2**23
# To the end of a quoted field that is open.
CLOSING = re.compile(rb'[^"]*+(?:""[^"]*+)*+"')
BLANK_LINES = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*")


def pieces(blocks: Iterable[bytes], delimiter: str) -> Iterator[bytes]:
    """Cut a text that comes in blocks into pieces that end where a row does: at a line's end outside quotes.

    A text of one block stays in one piece.
    """
    held, rows = b"", RowEnds(delimiter)
    for block in blocks:
        ends = rows.of(held)
        end = int(ends[-1]) if len(ends) else 0
        if end:
            yield held[:end]
            rows.forget(end)
        held = held[end:] + block
    yield held


class RowEnds:
    """Where rows end in a text that grows: what was looked at once is not looked at again.

    A quote opens a field only where one begins; elsewhere it is a character as any other. Within quotes, two of them
    are one such character.
    """

    def __init__(self, delimiter: str) -> None:
        self._opening = re.compile(rb'(?:\A\xef\xbb\xbf|(?<![^\r\n%s]))"' % re.escape(delimiter.encode()))
        self._before = [ord(mark) for mark in ("\r", "\n", delimiter)]
        self._start, self._inside = 0, False

    def of(self, text: bytes) -> NDArray[np.int64]:
        """Return the places behind the line ends outside quotes, of what was not looked at before."""
        start, content = self._start, np.frombuffer(text, dtype=np.uint8)
        # Stretches by turns outside and inside quotes begin here.
        edges = np.append([start] * (1 + self._inside), self._edges(text, content))
        ends = start + np.flatnonzero(content[start:] == ord("\n"))
        outside: NDArray[np.int64] = ends[np.searchsorted(edges, ends, side="right") % 2 == 1]
        return outside + 1

    def _edges(self, text: bytes, content: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return where quotes open and close: all do by turns, unless one that would open is within a field."""
        quotes = self._start + np.flatnonzero(content[self._start :] == ord('"'))
        is_doubled = np.diff(quotes, prepend=-2) == 1
        begins = np.isin(content[quotes - 1], self._before) | (quotes == 0)
        if not (begins | is_doubled)[int(self._inside) :: 2].all():
            return np.array(list(self._edges_one_by_one(text)), dtype=np.int64)
        self._inside = bool((len(quotes) + self._inside) % 2)
        self._start = len(text)
        # A quote at the end may be the first of two.
        if not self._inside and len(quotes) and quotes[-1] == len(text) - 1:
            self._inside, self._start, quotes = True, len(text) - 1, quotes[:-1]
        return quotes

    def _edges_one_by_one(self, text: bytes) -> Iterator[int]:
        place: int | None = self._start
        while place is not None:
            place = self._next_edge(text, place)
            if place is not None:
                yield place

    def _next_edge(self, text: bytes, place: int) -> int | None:
        """Go to where quotes open or close next; None at the end of the text."""
        if not self._inside:
            opened = self._opening.search(text, place)
            self._inside, self._start = opened is not None, len(text)
            return None if opened is None else opened.end()
        closed = CLOSING.match(text, place)
        if closed is None:
            self._start = len(text)
            return None
        # A quote at the end may be the first of two.
        is_last = closed.end() == len(text)
        self._inside, self._start = is_last, closed.end() - is_last
        return None if is_last else closed.end()

    def forget(self, length: int) -> None:
        """Say that so much of the text was taken off at its beginning."""
        self._start -= length


def first_line(blocks: Iterator[bytes]) -> tuple[bytes, bytes]:
    r"""Read blocks until the first line is whole; return it with what stands before it, and all that was read."""
    text = b""
    for block in blocks:
        text += block
        end = text.find(b"\n", _start_of_header(text))
        if end >= 0:
            return text[: end + 1], text
    return text, text


def header_of(text: bytes, delimiter: str) -> bytes:
    r"""Return what comes before the first row of a text: its header, and what stands before that."""
    start = _start_of_header(text)
    ends = RowEnds(delimiter).of(text[start:])
    return text[: start + int(ends[0])] if len(ends) else text[:start]


def _start_of_header(text: bytes) -> int:
    start = _end_of_blanks(text, 0)
    announced = ANNOUNCEMENT.match(text[start : start + 80].decode("latin-1"))
    return _end_of_blanks(text, start + announced.end()) if announced else start


def _end_of_blanks(text: bytes, start: int) -> int:
    found = BLANK_LINES.match(text, start)
    assert found is not None  # it matches nothing, too
    return found.end()


def blocks_of(file: BinaryIO | gzip.GzipFile) -> Iterator[bytes]:
    """Read a file in blocks."""
    while block := file.read(PIECE_BYTES):
        yield block


@contextmanager
def unpacked_blocks(path: Path) -> Iterator[Iterator[bytes]]:
    """Open a file, decompressed where its content is that of a gzip file, and read it in blocks."""
    with path.open("rb") as plain:
        is_packed = plain.read(len(PACKED)) == PACKED
        plain.seek(0)
        try:
            yield blocks_of(gzip.GzipFile(fileobj=plain) if is_packed else plain)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DataFileError(f"'{path}' is truncated or damaged: {str(error).rstrip('.')}.") from None


def read_batches(
    path: FilePath | BinaryIO, *, settled: bool = False, **reading: Any
) -> Iterator[pl.DataFrame]:
    """Read a table as `read_data` does, but text files in pieces of whole rows: memory does not grow with them.

    Each piece is read as a file of its own with the same header, so the type of a column may differ between two of
    them. Where pieces could differ in what a text such as ``1.234`` is, because commas may be decimal, the file is
    read twice, and all pieces have the types that the whole file has; an open file is copied to disk for that.
    Tables of other formats, and text whose characters take several bytes each, come in one piece. With ``settled``,
    all pieces have the types of the whole file in any case.
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
            yield from TextFile(file, kind, reading).batches(blocks, settled)


def _open_batches(opened: BinaryIO, settled: bool, reading: dict[str, Any]) -> Iterator[pl.DataFrame]:
    """Read an open file: in pieces unless its first bytes say that it is not plain text."""
    file, blocks = name_of(opened), blocks_of(opened)
    first = next(blocks, b"")
    kind = kind_of(first)
    if kind in TEXT_SUFFIXES and not first.startswith(PACKED) and not _is_wide(reading.get("encoding")):
        yield from TextFile(file, kind, reading, is_open=True).batches(chain([first], blocks), settled)
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


class _AllBut:
    """All columns but some, whatever their names."""

    def __init__(self, *names: str) -> None:
        self._names = frozenset(names)

    def __contains__(self, name: object) -> bool:
        return name not in self._names


@dataclass(frozen=True)
class TextFile:
    """A text file that is read in parts of whole rows."""

    file: Path
    kind: str
    reading: dict[str, Any]  # settings of `read_data`
    is_open: bool = False  # whether it is an open file, of which the path is only the name

    def texts(self) -> Iterator[pl.DataFrame]:
        """Read all columns as texts, in which spellings of a missing value are missing."""
        return self._frames(loud=1, as_text=_AllBut())

    def typed(self, columns: Sequence[str], deciding: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Read some of the columns, with the types that `DecidingTexts` of all parts say; nothing warns again."""
        frames = self._frames(loud=0, as_text=_AllBut(*columns), deciding=deciding)
        return (frame.select(columns) for frame in frames)

    @cached_property
    def delimiter(self) -> str:
        """What separates the fields, by the first line."""
        with unpacked_blocks(self.file) as blocks:
            return self._delimiter_of(b"".join(blocks) if self._is_wide else first_line(blocks)[0])

    @property
    def _is_wide(self) -> bool:
        return _is_wide(self.reading.get("encoding"))

    def _delimiter_of(self, line: bytes) -> str:
        given = {name: self.reading.get(name) for name in ("delimiter", "encoding")}
        return delimiter_of(self.file, line, TEXT_SUFFIXES[self.kind], **given)

    def _frames(self, loud: int, **settings: Any) -> Iterator[pl.DataFrame]:
        """Read all parts; only the first ones warn about the header, which is that of all."""
        with unpacked_blocks(self.file) as blocks:
            for number, part in enumerate(self._parts(blocks, self.delimiter)):
                with warnings.catch_warnings():
                    if number >= loud:
                        warnings.simplefilter("ignore")
                    frame = self._frame(part, **settings)
                yield frame

    def batches(self, blocks: Iterator[bytes], settled: bool) -> Iterator[pl.DataFrame]:
        """Read the file, which comes in blocks."""
        line, read = first_line(blocks)
        delimiter = self._delimiter_of(line)
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
        deciding = DecidingTexts(self.reading.get("decimal") is not None, categorical=categorical)
        with TemporaryFile() as copy:
            for number, part in enumerate(parts):
                if self.is_open:
                    copy.write(part.rows if number else part.header + part.rows)
                texts = self._frame(part, as_text=_AllBut())
                deciding.look(texts[[x for x in texts.columns if x not in as_text]])
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
        if self._is_wide:
            yield _Part(b"", b"".join(blocks))
            return
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
