"""Names in one line of text, separated by commas; a name with a comma stands in quotation marks."""

import csv
import io
from collections.abc import Iterable


def split_names(text: str) -> list[str]:
    """Return the names in a text.

    Examples
    --------
    >>> split_names('age, "height, cm"')
    ['age', 'height, cm']
    """
    rows = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name.strip()]


def join_names(names: Iterable[str]) -> str:
    """Return the text that `split_names` takes apart.

    Examples
    --------
    >>> join_names(["age", "height, cm"])
    'age,"height, cm"'
    """
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="").writerow(names)
    return text.getvalue()
