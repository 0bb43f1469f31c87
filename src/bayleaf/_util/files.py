"""Writing files so that a reader never sees half of one."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO]:  # type: ignore[type-arg]
    """Open a temporary file beside ``path`` that takes its place only when the block ends well.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "note.txt"
    >>> with atomic_write(target) as file:
    ...     _ = file.write("all or nothing")
    >>> target.read_text()
    'all or nothing'
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"Cannot write '{target}': the folder '{target.parent}' does not exist.")
    if target.is_dir():
        raise IsADirectoryError(f"Cannot write '{target}': it is a folder.")
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    temporary = Path(name)
    try:
        mode, encoding = ("wb", None) if binary else ("w", "utf-8")
        with os.fdopen(handle, mode, encoding=encoding) as file:
            yield file
        # mkstemp files are private; the finished file gets the permissions any new file would have.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
