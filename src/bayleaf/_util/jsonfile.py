"""Reading versioned JSON documents, with an error that says what is wrong with a file."""

import json
import os
from pathlib import Path
from typing import Any


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
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"'{path}' is not a {expected_format} file: it is not text.") from None
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
