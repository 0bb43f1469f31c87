"""Writing files so that a reader never sees half of one."""

import contextlib
import os
import secrets
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
    temporary = target.parent / f".{target.name[:100]}.{secrets.token_hex(8)}.part"
    mode, encoding = ("xb", None) if binary else ("x", "utf-8")  # x: never a file that is there already
    file = open(temporary, mode, encoding=encoding)  # noqa: SIM115
    try:
        with file:
            yield file
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
