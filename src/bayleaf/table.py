"""The old name of `bayleaf.data`."""

from . import data
from ._util.warning import moved_names

__getattr__ = moved_names("bayleaf.table", {"bayleaf.data": tuple(data.__all__)})
