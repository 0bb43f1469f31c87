"""Whole files: read whether compressed or not, written all or nothing."""

import contextlib
import gzip
import io
import os
import secrets
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

FilePath = str | os.PathLike[str]
PACKED = b"\x1f\x8b"  # how a gzip file begins


class DataFileError(ValueError):
    """A file cannot be read or written; the message is one sentence that says why.

    Examples
    --------
    >>> raise DataFileError("'iris.csv' is empty.")
    Traceback (most recent call last):
    bayleaf.files.whole_files.DataFileError: 'iris.csv' is empty.
    """


def format_suffix(path: FilePath) -> str:
    """Return the suffix that tells the format of a file, in lower case and without ``.gz``.

    Examples
    --------
    >>> format_suffix("alarm.BIF.gz"), format_suffix("iris.v2.csv"), format_suffix("a.gz")
    ('.bif', '.csv', '')
    """
    file = Path(path)
    return (file.with_suffix("") if is_packed(file) else file).suffix.lower()


def is_packed(path: FilePath) -> bool:
    """Whether the name of a file says that it is compressed by gzip.

    Examples
    --------
    >>> is_packed("a.csv.GZ"), is_packed("a.csv")
    (True, False)
    """
    return Path(path).suffix.lower() == ".gz"


def read_bytes(path: FilePath, what: str = "a data file") -> bytes:
    """Read a file, decompressed where its content is that of a gzip file, whatever its name.

    Parameters
    ----------
    path : path
    what : str
        What the file should be, for messages.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.json"
    >>> _ = path.write_bytes(gzip.compress(b"{}"))
    >>> read_bytes(path)
    b'{}'
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file '{path}'.") from None
    except IsADirectoryError:
        raise DataFileError(f"'{path}' is a folder, not {what}.") from None
    if not content.startswith(PACKED):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, zlib.error, OSError) as error:
        raise DataFileError(f"'{path}' is truncated or damaged: {str(error).rstrip('.')}.") from None


def read_text(path: FilePath, what: str) -> str:
    """Read a text file in UTF-8, compressed or not, with or without a byte order mark.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.bif"
    >>> _ = path.write_bytes(bytes([255]))
    >>> read_text(path, "a BIF file")
    Traceback (most recent call last):
    bayleaf.files.whole_files.DataFileError: '...a.bif' is not a BIF file: it is not text.
    """
    try:
        return read_bytes(path, what).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataFileError(f"'{path}' is not {what}: it is not text.") from None


@contextlib.contextmanager
def atomic_write(path: FilePath, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a temporary file beside ``path`` that takes its place only when the block ends well.

    What is written is compressed where the name ends in ``.gz``; the same content always gives the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "note.txt.gz"
    >>> with atomic_write(target) as file:
    ...     _ = file.write("all or nothing")
    >>> read_bytes(target)
    b'all or nothing'
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"Cannot write '{target}': the folder '{target.parent}' does not exist.")
    if target.is_dir():
        raise IsADirectoryError(f"Cannot write '{target}': it is a folder.")
    temporary = target.parent / f".{target.name[:100]}.{secrets.token_hex(8)}.part"
    # x: never a file that is there already
    file: Any = open(temporary, "xb")  # noqa: SIM115
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(file)
            if is_packed(target):
                file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
            if not binary:  # line ends stay as they are, also inside names
                file = stack.enter_context(io.TextIOWrapper(file, encoding="utf-8", newline=""))
            yield file
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: FilePath, text: str) -> None:
    """Write a text file, all or nothing; compressed where its name ends in ``.gz``.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> write_text(target, "done")
    >>> target.read_text()
    'done'
    """
    with atomic_write(path) as file:
        file.write(text)


def check_output(path: FilePath) -> None:
    """Refuse a path that cannot be written, before any work is done for it.

    Examples
    --------
    >>> check_output("no/folder/out.csv")
    Traceback (most recent call last):
    bayleaf.files.whole_files.DataFileError: Cannot write 'no/folder/out.csv': the folder 'no/folder' does not exist.
    """
    target = Path(path)
    folder = target.parent
    if target.is_dir():
        problem = "it is a folder"
    elif not folder.exists():
        problem = f"the folder '{folder}' does not exist"
    elif not folder.is_dir():
        problem = f"'{folder}' is not a folder"
    elif not os.access(folder, os.W_OK | os.X_OK):
        problem = f"no permission to write into the folder '{folder}'"
    else:
        return
    raise DataFileError(f"Cannot write '{target}': {problem}.")
