"""Model files: a fitted model as versioned JSON that executes nothing when it is read.

A file holds the settings, the schema and the networks; numbers are written so that they come back to the last bit,
and with them every probability. One module writes, one reads, and one converts settings.
"""

from .reading import load
from .writing import save

__all__ = ["load", "save"]
