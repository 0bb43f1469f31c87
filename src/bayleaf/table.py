"""The old name of `bayleaf.data`."""

import warnings
from typing import Any

from . import data


def __getattr__(name: str) -> Any:
    if name not in data.__all__:
        raise AttributeError(f"module 'bayleaf.table' has no attribute '{name}'")
    warnings.warn(f"bayleaf.table.{name} is now bayleaf.data.{name}.", DeprecationWarning, stacklevel=2)
    return getattr(data, name)
