"""Making DataFrames of whichever library the user likes."""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

# polars comes with bayleaf; anything else must be installed by the user.
DEFAULT_BACKEND = "polars"


def make_frame(columns: Mapping[str, Sequence[Any]], backend: str = DEFAULT_BACKEND) -> Any:
    """Make a DataFrame of the named library from columns.

    Examples
    --------
    >>> make_frame({"a": [1, 2]}).shape
    (2, 1)
    """
    if backend not in ("polars", "pandas", "pyarrow", "modin", "cudf"):
        raise ValueError(f"backend must be 'polars', 'pandas' or 'pyarrow'. Got {backend!r} instead.")
    chosen: Any = backend  # narwhals spells out every name in its types
    try:
        return nw.from_dict(dict(columns), backend=chosen).to_native()
    except ModuleNotFoundError as error:
        raise ImportError(f"backend={backend!r} needs {backend}, which is not installed.") from error
