"""Reading versioned JSON documents, with an error that says what is wrong with a file."""

import gzip
import io
import json
import os
import zlib
from pathlib import Path
from typing import Any

from .files import atomic_write

# What a file of each format holds, and what reads it.
_CONTENTS = {
    "bayleaf": ("a fitted classifier", "bayleaf.load"),
    "bayleaf-network": ("a network", "bayleaf.load_network"),
}


PACKED = b"\x1f\x8b"  # how a gzip file begins


def write_document(document: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a JSON document, all or nothing; packed where the name ends in ``.gz``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "model.json.gz"
    >>> write_document({"x": 2}, path)
    >>> path.read_bytes()[:2] == PACKED, json.loads(read_text(path))
    (True, {'x': 2})
    """
    if Path(path).suffix.lower() != ".gz":
        with atomic_write(path) as file:
            json.dump(document, file, indent=1)  # in ASCII: a lone surrogate has no UTF-8
        return
    with (
        atomic_write(path, binary=True) as packed,
        gzip.GzipFile("", "wb", fileobj=packed, mtime=0) as inside,  # the same bytes from the same document
        io.TextIOWrapper(inside, encoding="utf-8") as file,
    ):
        json.dump(document, file, indent=1)


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a text file, packed or not, whatever its name says.

    Raises
    ------
    gzip.BadGzipFile
        The file is packed, but not complete.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.json"
    >>> _ = path.write_bytes(gzip.compress(b"{}"))
    >>> read_text(path)
    '{}'
    """
    content = Path(path).read_bytes()
    if content.startswith(PACKED):
        try:
            content = gzip.decompress(content)
        except (EOFError, zlib.error, OSError) as error:
            raise gzip.BadGzipFile(str(error).rstrip(".")) from None
    return content.decode("utf-8")


def read_document(path: str | os.PathLike[str], expected_format: str, newest_version: int) -> dict[str, Any]:
    """Read a JSON document of a known format and version.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "model.json"
    >>> _ = path.write_text('{"format": "bayleaf", "version": 1, "x": 2}')
    >>> read_document(path, "bayleaf", 1)["x"]
    2
    """
    try:
        text = read_text(path)
    except gzip.BadGzipFile as error:
        raise ValueError(f"'{path}' is truncated or damaged: {error}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"'{path}' is not a {expected_format} file: it is not text.") from None
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file '{path}'.") from None
    except IsADirectoryError:
        raise ValueError(f"'{path}' is a folder, not a {expected_format} file.") from None
    try:
        document = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        looks_cut = text.lstrip().startswith("{") and f'"{expected_format}"' in text[:200]
        if looks_cut:
            raise ValueError(f"'{path}' is truncated or damaged: {error}.") from None
        raise ValueError(
            f"'{path}' is not a {expected_format} file: give a model or a network that bayleaf saved."
        ) from None
    if not isinstance(document, dict) or document.get("format") != expected_format:
        found = document.get("format") if isinstance(document, dict) else None
        if expected_format in _CONTENTS and isinstance(found, str) and found in _CONTENTS:
            what, reader = _CONTENTS[found]
            raise ValueError(
                f"'{path}' holds {what}, not {_CONTENTS[expected_format][0]}: read it by {reader}."
            )
        hint = f"; its format says {found!r}" if found is not None else ""
        raise ValueError(f"'{path}' is not a {expected_format} file{hint}.")
    version = document.get("version")
    if not isinstance(version, int) or version < 1:
        raise ValueError(f"'{path}' is damaged: it has no version number.")
    if version > newest_version:
        raise ValueError(
            f"'{path}' was written by a newer bayleaf (format version {version}; this one reads up to "
            f"{newest_version}): upgrade bayleaf to read it."
        )
    return document
