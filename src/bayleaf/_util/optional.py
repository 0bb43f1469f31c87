"""Libraries that may not be installed: a module that takes one from here can be imported without it.

DataFrames are made by whichever library the user has.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

# Libraries, and the extra of bayleaf that brings each in a version that is new enough.
EXTRAS = {
    "polars": "files",
    "fastexcel": "excel",
    "igraph": "report",
    "starlette": "studio",
    "uvicorn": "studio",
    "matplotlib": "plot",
    "statsmodels": "stats",
    "duckdb": "sql",
    "ibis": "ibis",
    "onnx": "onnx",
    "pyspark": "spark",
    "networkx": "export",
    "pgmpy": "export",
    "pyagrum": "export",
}


class LazyLibrary:
    """A library that is imported when something of it is first asked for.

    Where it is not installed, the error says what to install.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # what tools and pickle look for in any object
            raise AttributeError(attribute)
        try:
            module = import_module(self._name)
        except ModuleNotFoundError as error:
            if error.name != self._name:
                raise
            raise ImportError(missing_library(self._name)) from None
        return getattr(module, attribute)


def missing_library(name: str) -> str:
    """Say that a library is not there, and how to get it."""
    wanted = f"'bayleaf[{EXTRAS[name]}]'" if name in EXTRAS else name
    return f"This needs {name}, which is not installed here: pip install {wanted}."


if TYPE_CHECKING:
    import polars as polars
else:
    polars = LazyLibrary("polars")


# Of these, the first that is installed is the default.
LIBRARIES = ("polars", "pandas", "pyarrow")


def make_frame(columns: Mapping[str, Sequence[Any]], backend: str | None = None) -> Any:
    """Make a DataFrame of the named library from columns."""
    import narwhals as nw  # only here: commands read this module before anything else

    # Any, since narwhals spells out every name in its types.
    chosen: Any = default_library() if backend is None else backend
    if chosen not in (*LIBRARIES, "modin", "cudf"):
        raise ValueError(f"backend must be 'polars', 'pandas' or 'pyarrow'. Got {backend!r} instead.")
    try:
        return nw.from_dict(dict(columns), backend=chosen).to_native()
    except ModuleNotFoundError as error:
        raise ImportError(f"backend={chosen!r} needs {chosen}, which is not installed.") from error


def default_library() -> str:
    """Return the library of which DataFrames are made where none is named."""
    for library in LIBRARIES:
        if find_spec(library) is not None:
            return library
    raise ImportError(
        "This makes a DataFrame, and none of polars, pandas and pyarrow is installed here: pip install pandas."
    )
