"""Arrow, the door for DataFrames: columns and whole tables are read through ``__arrow_c_stream__``, without a copy.

What comes from a library that nobody here knows is checked before it is used: see ``cpp/encode/arrow_stream.cpp``.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from bayleaf._native import _core
from bayleaf._util.optional import polars as pl

# What the formats of columns that hold more than one value per row, or no text, begin with.
_FORMATS = {
    "+l": "list",
    "+L": "list",
    "+v": "list",
    "+w": "list",
    "+s": "struct",
    "+m": "map",
    "+u": "union",
    "+r": "run-end encoded",
    "z": "binary",
    "Z": "binary",
    "v": "binary",
    "w": "binary",
    "ti": "calendar interval",
}


class _Checked:
    """A table that is offered through a stream of which every batch is checked."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._stream


def table_from_stream(X: Any) -> Any:
    """Return what any other library offers as an Arrow stream (DuckDB, ibis, a reader of batches), else None.

    It becomes a table of polars, or of pyarrow where there is no polars.

    Examples
    --------
    >>> table_from_stream(pl.DataFrame({"x": [1, 2]})).shape
    (2, 1)
    """
    if not hasattr(X, "__arrow_c_stream__"):
        return None
    stream, names, refused = _core.checked_stream(X.__arrow_c_stream__())
    refuse_equal_names(names)
    for name, form in refused:
        kind = next((word for start, word in _FORMATS.items() if form.startswith(start)), f"'{form}'")
        raise TypeError(
            f"Column '{name}' has type {kind}, which is not supported: turn it into numbers, strings or categories."
        )
    if find_spec("polars") is None and find_spec("pyarrow") is not None:
        return _pyarrow_table(_Checked(stream))
    try:
        return pl.DataFrame(_Checked(stream))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise ValueError(_one_sentence(str(error))) from None


def _pyarrow_table(checked: _Checked) -> Any:
    pyarrow = import_module("pyarrow")
    try:
        return pyarrow.RecordBatchReader.from_stream(checked).read_all()
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(_one_sentence(str(error))) from None


def _one_sentence(text: str) -> str:
    r"""Return what is wrong in one line: what was said here, and the last word of whoever made the stream.

    Examples
    --------
    >>> _one_sentence("external error: The Arrow stream ended early: Traceback:\n  line 3\nOSError: no disk\n.")
    'The Arrow stream ended early: OSError: no disk.'
    """
    lines = [
        line.strip(" .") for line in text[max(text.find("The Arrow"), 0) :].splitlines() if line.strip(" .")
    ]
    if len(lines) < 2:
        return text[max(text.find("The Arrow"), 0) :].strip()
    return f"{lines[0].partition(':')[0]}: {lines[-1]}."


def refuse_equal_names(names: list[Any]) -> None:
    """Raise if two columns have the same name."""
    if len(set(names)) < len(names):
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        raise ValueError(f"X has columns of the same name: {twice}. Give each column its own name.")


def column_from_stream(series: Any) -> _core.ArrowColumns:
    """Return a series of a library that offers Arrow streams as native columns, of which it is the only one.

    Examples
    --------
    >>> levels, codes = column_from_stream(pl.Series(["b", "a", None])).labels(0)
    >>> levels, codes.tolist()
    (['b', 'a'], [0, 1, -1])
    """
    return _core.ArrowColumns(series.__arrow_c_stream__(), table=False)
