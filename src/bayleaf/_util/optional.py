"""Libraries that an install may be without; a module that names one here can be imported without it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Libraries, and the extra of bayleaf that brings each in a version that is new enough.
EXTRAS = {
    "polars": "files",
    "fastexcel": "excel",
    "igraph": "report",
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


class WhenUsed:
    """A library that is imported when something of it is first asked for.

    Where it is not installed, whoever asks is told what to install; all else works.

    Examples
    --------
    >>> WhenUsed("polars").Series([1, 2]).sum()
    3
    >>> WhenUsed("pears").Series
    Traceback (most recent call last):
    ImportError: This needs pears, which is not installed here: pip install pears.
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
    """Say that a library is not there, and how to get it.

    Examples
    --------
    >>> missing_library("polars")
    "This needs polars, which is not installed here: pip install 'bayleaf[files]'."
    """
    wanted = f"'bayleaf[{EXTRAS[name]}]'" if name in EXTRAS else name
    return f"This needs {name}, which is not installed here: pip install {wanted}."


if TYPE_CHECKING:
    import polars as polars
else:
    polars = WhenUsed("polars")
