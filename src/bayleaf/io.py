"""The old name of `bayleaf.files`."""

import warnings
from typing import Any

from . import files


def __getattr__(name: str) -> Any:
    if name not in files.__all__:
        raise AttributeError(f"module 'bayleaf.io' has no attribute '{name}'")
    warnings.warn(f"bayleaf.io.{name} is now bayleaf.files.{name}.", DeprecationWarning, stacklevel=2)
    return getattr(files, name)
