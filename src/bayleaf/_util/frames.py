"""Making DataFrames of whichever library the user likes."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import narwhals as nw

# Of these, the first that is installed is the default.
LIBRARIES = ("polars", "pandas", "pyarrow")


def make_frame(columns: Mapping[str, Sequence[Any]], backend: str | None = None) -> Any:
    """Make a DataFrame of the named library from columns.

    Examples
    --------
    >>> make_frame({"a": [1, 2]}).shape
    (2, 1)
    """
    # Any, since narwhals spells out every name in its types.
    chosen: Any = default_library() if backend is None else backend
    if chosen not in (*LIBRARIES, "modin", "cudf"):
        raise ValueError(f"backend must be 'polars', 'pandas' or 'pyarrow'. Got {backend!r} instead.")
    try:
        return nw.from_dict(dict(columns), backend=chosen).to_native()
    except ModuleNotFoundError as error:
        raise ImportError(f"backend={chosen!r} needs {chosen}, which is not installed.") from error


def default_library() -> str:
    """Return the library of which DataFrames are made where none is named.

    Examples
    --------
    >>> default_library()
    'polars'
    """
    for library in LIBRARIES:
        if find_spec(library) is not None:
            return library
    raise ImportError(
        "This makes a DataFrame, and none of polars, pandas and pyarrow is installed here: pip install pandas."
    )
