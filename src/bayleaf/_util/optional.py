"""Optional dependencies, behind one helper with one clear message."""

import importlib
from types import ModuleType


def require(module: str, *, extra: str) -> ModuleType:
    """Import an optional module, or say which extra of bayleaf brings it.

    Examples
    --------
    >>> require("json", extra="plot").__name__
    'json'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"This needs {package}, which is not installed: pip install 'bayleaf[{extra}]'."
        ) from error
