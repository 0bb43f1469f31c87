"""Rows that are read in batches, from wherever they lie, and the schema that is learned from them."""

from .batch_reader import BatchReader, open_source
from .stream import Stream, open_stream

__all__ = [
    "BatchReader",
    "Stream",
    "open_source",
    "open_stream",
]
