"""The one place that imports the native core, so that no other module below needs the package itself."""

from bayleaf import _core

__all__ = ["_core"]
