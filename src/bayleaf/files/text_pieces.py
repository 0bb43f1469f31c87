"""Text files in pieces of whole rows, so that a table of any length is read by the rules of short ones."""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from .delimited import ANNOUNCEMENT
from .whole_files import PACKED, DataFileError

# Bytes of a piece, about: what a table of this size takes in memory is little anywhere.
PIECE_BYTES = 2**23
BLANK_LINES = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*")


def pieces(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""Cut a text that comes in blocks into pieces that end where a row does: at a line's end outside quotes.

    A text of one block stays in one piece.

    Examples
    --------
    >>> list(pieces([b'a,b\n1,"x', b'\ny"\n2', b",z"]))
    [b'a,b\n', b'1,"x\ny"\n', b'2,z']
    """
    held = b""
    for block in blocks:
        end = row_end(held)
        if end:
            yield held[:end]
        held = held[end:] + block
    yield held


def row_end(text: bytes, first: bool = False) -> int:
    r"""Return where the last row ends that is whole, or the first; 0 where none is.

    Examples
    --------
    >>> row_end(b'a\nb\nc'), row_end(b'a\nb\nc', first=True), row_end(b'a "\n" b')
    (4, 2, 0)
    """
    content = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(content == ord("\n"))
    quotes = np.flatnonzero(content == ord('"'))
    outside = ends[np.searchsorted(quotes, ends) % 2 == 0]
    return int(outside[0 if first else -1]) + 1 if len(outside) else 0


def header_of(text: bytes) -> bytes:
    r"""Return what comes before the first row of a text: its header, and what stands before that.

    Examples
    --------
    >>> header_of(b'sep=;\n\n"a\nb";c\n1;2\n')
    b'sep=;\n\n"a\nb";c\n'
    """
    start = _end_of_blanks(text, 0)
    announced = ANNOUNCEMENT.match(text[start : start + 80].decode("latin-1"))
    if announced:
        start = _end_of_blanks(text, start + announced.end())
    return text[: start + row_end(text[start:], first=True)]


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
