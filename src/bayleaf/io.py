"""The old name of `bayleaf.files`."""

from . import files
from ._util.warning import moved_names

__getattr__ = moved_names("bayleaf.io", {"bayleaf.files": tuple(files.__all__)})
