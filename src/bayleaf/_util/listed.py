"""Names in one line of text, separated by commas; a name with a comma stands in quotation marks."""

import re
from collections.abc import Iterable

# Within quotation marks, two of them are one; or anything up to a comma.
_NAME = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(?:,|\Z)')


def split_names(text: str) -> list[str]:
    """Return the names in a text; blanks around them do not count, but within quotation marks.

    Examples
    --------
    >>> split_names('age, "height, cm"')
    ['age', 'height, cm']
    """
    found = (quoted.replace('""', '"') or plain.strip() for quoted, plain in _NAME.findall(text))
    return [name for name in found if name]


def join_names(names: Iterable[str]) -> str:
    """Return the text that `split_names` takes apart.

    Examples
    --------
    >>> join_names(["age", "height, cm"])
    'age,"height, cm"'
    """
    return ",".join(name if _plain(name) else '"' + name.replace('"', '""') + '"' for name in names)


def _plain(name: str) -> bool:
    return name == name.strip() and not set(name) & {",", '"'}
