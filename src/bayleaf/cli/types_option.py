"""``--types``: what columns are, as pairs or in a small file."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from bayleaf._util.words import split_names
from bayleaf.data.columns import COLUMN_TYPES
from bayleaf.files import DataFileError
from bayleaf.files.whole_files import read_text


def types_of(texts: Sequence[str] | None) -> dict[str, str]:
    """Read what columns are said to be; an option may be given several times.

    Each text is ``column=type`` pairs separated by commas, or the name of a file: JSON, or a line ``column: type``
    for each column. A pair with a comma in its name stands in quotation marks.

    Examples
    --------
    >>> types_of(["city=category, zip=number", '"height, cm=number"'])
    {'city': 'category', 'zip': 'number', 'height, cm': 'number'}
    """
    types: dict[str, str] = {}
    for text in texts or ():
        pairs = _of_file(Path(text)) if "=" not in text else (_pair(each, "=") for each in split_names(text))
        for column, kind in pairs:
            if kind not in COLUMN_TYPES:
                raise ValueError(f"'{kind}' is no type of a column; the types are {', '.join(COLUMN_TYPES)}.")
            types[column] = kind
    return types


def _pair(text: str, mark: str) -> tuple[str, str]:
    column, found, kind = (part.strip() for part in text.rpartition(mark))
    if not (column and found and kind):
        raise ValueError(f"Types are written column=type, such as zip=category. Got '{text.strip()}'.")
    return column, kind


def _of_file(path: Path) -> Iterator[tuple[str, str]]:
    if not path.exists():
        raise ValueError(
            f"Types are written column=type, such as zip=category, or stand in a file: '{path}' is neither."
        )
    content = read_text(path, "a file of types").strip()
    if content.startswith("{"):
        try:
            given = json.loads(content)
        except ValueError as error:
            raise DataFileError(f"'{path}' is not JSON: {error}.") from None
        yield from given.items()
        return
    for line in content.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield _pair(line, ":")
