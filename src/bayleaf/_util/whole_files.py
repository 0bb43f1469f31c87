"""Whole files: read whether compressed or not, written all or nothing."""

import contextlib
import gzip
import io
import os
import secrets
import socket
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from .machine import format_bytes
from .words import shortened

FilePath = str | os.PathLike[str]
PACKED = b"\x1f\x8b"  # how a gzip file begins
MOST_TEXT = 2**30  # bytes of a model, a network or a table of results


class DataFileError(ValueError):
    """A file cannot be read or written; the message is one sentence that says why."""


@contextlib.contextmanager
def brief_errors() -> Iterator[None]:
    """Leave out the middle of long messages: a damaged file may have a megabyte of text as a name.

    Readers of files use it as a decorator.

    Examples
    --------
    >>> with brief_errors():
    ...     raise DataFileError("x" * 5000)
    Traceback (most recent call last):
    bayleaf._util.whole_files.DataFileError: xxx...xxx
    """
    try:
        yield
    except ValueError as error:
        text = str(error)
        if shortened(text) == text:
            raise
        kind = DataFileError if isinstance(error, DataFileError) else ValueError
        raise kind(shortened(text)) from None


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
    """Tell whether the name of a file says that it is compressed by gzip."""
    return Path(path).suffix.lower() == ".gz"


def read_bytes(path: FilePath, what: str = "a data file", most: int | None = None) -> bytes:
    """Read a file, decompressed where its content is that of a gzip file, whatever its name.

    Parameters
    ----------
    path : path
    what : str
        What the file should be, for messages.
    most : int, optional
        Bytes that a compressed file may have in the end: a small one could fill the memory.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file '{path}'.") from None
    except IsADirectoryError:
        raise DataFileError(f"'{path}' is a folder, not {what}.") from None
    return unpacked(content, path, what, most)


def unpacked(content: bytes, path: FilePath, what: str = "a data file", most: int | None = None) -> bytes:
    """Decompress the content of a gzip file; other content stays. See `read_bytes`."""
    if not content.startswith(PACKED):
        return content
    try:
        if most is None:
            return gzip.decompress(content)
        with gzip.open(io.BytesIO(content)) as file:
            plain = file.read(most + 1)
    except (EOFError, zlib.error, OSError) as error:
        raise DataFileError(f"'{path}' is truncated or damaged: {str(error).rstrip('.')}.") from None
    if len(plain) > most:
        raise DataFileError(
            f"'{path}' is too large for {what}: it unpacks to more than {format_bytes(most)}."
        )
    return plain


def read_text(path: FilePath, what: str) -> str:
    """Read a text file in UTF-8, compressed or not, with or without a byte order mark."""
    try:
        return read_bytes(path, what, MOST_TEXT).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataFileError(f"'{path}' is not {what}: it is not text.") from None


@contextlib.contextmanager
def atomic_write(path: FilePath, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a temporary file next to ``path`` that replaces it only if the block succeeds.

    What is written is compressed where the name ends in ``.gz``; the same content always gives the same bytes. A
    symbolic link stays one, and a file keeps its permissions. Devices and pipes are written directly.
    """
    target = Path(os.path.realpath(path))  # of a link, the file it points to
    if not target.parent.is_dir():
        raise FileNotFoundError(f"Cannot write '{path}': the folder '{Path(path).parent}' does not exist.")
    if target.is_dir():
        raise IsADirectoryError(f"Cannot write '{path}': it is a folder.")
    if target.exists() and not target.is_file():
        with open(target, "wb") as file, _as_named(file, path, binary) as opened:
            yield opened
        return
    _remove_abandoned(target)
    temporary = target.parent / f"{_part_prefix(target)}{os.getpid()}.{secrets.token_hex(8)}.part"
    try:
        with open(temporary, "xb") as file:  # x: never a file that is there already
            if target.exists():
                os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
            with _as_named(file, path, binary) as opened:
                yield opened
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _as_named(file: Any, path: FilePath, binary: bool) -> Iterator[IO[Any]]:
    """Compress what is written to a file whose name says so, and encode it where it is text."""
    with contextlib.ExitStack() as stack:
        if is_packed(path):
            file = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        if not binary:  # line ends stay as they are, also inside names
            file = stack.enter_context(io.TextIOWrapper(file, encoding="utf-8", newline=""))
        yield file


def _part_prefix(target: Path) -> str:
    """Return how the names of temporary files for a target begin: at most 120 bytes, and this machine's own."""
    machine = zlib.crc32(socket.gethostname().encode())
    name = os.fsencode(target.name)[:100].decode("utf-8", "ignore")
    return f".{name}.{machine:08x}."


def _remove_abandoned(target: Path) -> None:
    """Remove temporary files of this target whose process was killed; those of other machines are not ours."""
    prefix = _part_prefix(target)
    for file in target.parent.iterdir():
        if not (file.name.startswith(prefix) and file.name.endswith(".part")):
            continue
        process = file.name.removeprefix(prefix).partition(".")[0]
        if process.isdecimal() and not _is_running(int(process)):
            file.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name == "posix":  # elsewhere, asking is not harmless
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # somebody else's
            pass
    return True


def write_text(path: FilePath, text: str) -> None:
    """Write a text file, all or nothing; compressed where its name ends in ``.gz``."""
    with atomic_write(path) as file:
        file.write(text)


def check_output(path: FilePath) -> None:
    """Refuse a path that cannot be written, before any work is done for it."""
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
