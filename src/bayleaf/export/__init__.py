"""Models in the languages of others: as a query for a database, as an ONNX graph."""

from .onnx_model import to_onnx
from .sql import to_sql

__all__ = ["to_onnx", "to_sql"]
