"""The command line: ``bayleaf fit``, ``predict``, ``evaluate``, ``explain``, ``show``, ``convert``, ``methods``, ``demo``.

Every command reads its input, calls the library as a user would, and prints. Nothing else of bayleaf imports this.
"""

from .app import main

__all__ = ["main"]
