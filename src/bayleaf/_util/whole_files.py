"""Whole files: read whether compressed or not, written all or nothing."""

import contextlib
import errno
import gzip
import io
import os
import secrets
import shutil
import socket
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from .machine import format_bytes
from .words import shortened

FilePath = str | os.PathLike[str]
PACKED = b"\x1f\x8b"  # how a gzip file begins
MOST_TEXT = 2**30  # bytes of a model, a network or a table of results


class DataFileError(ValueError):
    """A file cannot be read or written; the message is one sentence that says why."""


class FullDiskError(DataFileError, OSError):
    """There is no room for a file; the message names the file and the space that it needs."""


# What a system says where there is no room for a file, and what that is in words.
NO_ROOM = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your share of the disk is full",
    errno.EFBIG: "files may not be so large here",
}


def no_room(path: FilePath, error: OSError, needed: str) -> FullDiskError:
    """Return the error of a file for which there is no room; ``needed`` is how much it needs, if that is known."""
    size = f". The file needs {needed}" if needed else ""
    if size and error.errno == errno.ENOSPC:
        with contextlib.suppress(OSError):
            size += f", and {format_bytes(shutil.disk_usage(Path(path).parent).free)} are free"
    return FullDiskError(
        f"Cannot write '{path}': {NO_ROOM[error.errno or 0]}{size}. Make room, or write it to another disk."
    )


class _Counted(io.BufferedIOBase):
    """A file to write to that knows how many bytes it was asked to write, and why that failed.

    Where there is no room, it goes on counting: then it can be said how much room the file needs. Libraries that
    write a file by themselves would hide the reason behind an error of their own. With ``at_once`` it stops there.
    """

    def __init__(self, file: IO[bytes], at_once: bool) -> None:
        self._file = file
        self._at_once = at_once
        self.asked = 0
        self.failure: OSError | None = None

    def writable(self) -> bool:
        """Whether it can be written to."""
        return True

    def write(self, data: Any) -> int:
        """Write some bytes."""
        size = memoryview(data).nbytes
        self.asked += size
        self._do(lambda: self._file.write(data))
        return size

    def flush(self) -> None:
        """Hand what was written to the system."""
        if not self._file.closed:
            self._do(self._file.flush)

    def _do(self, write: Callable[[], Any]) -> None:
        if self.failure is not None:
            return
        try:
            write()
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            self.failure = error
            if self._at_once:
                raise


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
def atomic_write(path: FilePath, *, binary: bool = False, at_once: bool = False) -> Iterator[IO[Any]]:
    """Open a temporary file next to ``path`` that replaces it only if the block succeeds.

    What is written is compressed where the name ends in ``.gz``; the same content always gives the same bytes. A
    symbolic link stays one, and a file keeps its permissions. Devices and pipes are written directly.

    If the disk is full, the block goes on, and the error at its end says how much room the file needs; with
    ``at_once`` it ends there.
    """
    target = Path(os.path.realpath(path))  # of a link, the file it points to
    if not target.parent.is_dir():
        raise FileNotFoundError(f"Cannot write '{path}': the folder '{Path(path).parent}' does not exist.")
    if target.is_dir():
        raise IsADirectoryError(f"Cannot write '{path}': it is a folder.")
    if target.exists() and not target.is_file():
        with _opened(target, "wb", path, binary, at_once) as opened:
            yield opened
        return
    _remove_abandoned(target)
    temporary = target.parent / f"{_part_prefix(target)}{os.getpid()}.{secrets.token_hex(8)}.part"
    try:
        with _opened(
            temporary, "xb", path, binary, at_once
        ) as opened:  # x: never a file that is there already
            if target.exists():
                os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
            yield opened
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _opened(place: Path, mode: str, path: FilePath, binary: bool, at_once: bool) -> Iterator[IO[Any]]:
    """Open a file for what will be called ``path``; raise a sentence where there is no room for it."""
    counted: _Counted | None = None
    try:
        with open(place, mode) as file:
            counted = _Counted(file, at_once)
            with _as_named(counted, path, binary) as opened:
                yield opened
            counted.flush()
        failure = counted.failure
    except BaseException as error:
        if counted is not None and counted.failure is not None:
            failure = counted.failure
        elif (
            isinstance(error, OSError) and error.errno in NO_ROOM and (counted is None or not error.filename)
        ):
            failure = error  # when the file was opened or closed
        else:
            raise
    if failure is not None:
        if place.is_file():
            place.unlink()
        needed = format_bytes(counted.asked) if counted is not None and counted.asked else ""
        raise no_room(path, failure, f"more than {needed}" if needed and at_once else needed)


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
