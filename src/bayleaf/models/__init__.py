"""Methods by name, model files, and models as SQL or ONNX.

A model file is versioned JSON that executes nothing when it is read. It holds the settings, the schema and the
networks; numbers are written so that they come back to the last bit, and with them every probability.
"""

from .model_file import load, save
from .onnx_model import to_onnx
from .skops_types import trusted_types
from .sql_model import to_sql

__all__ = ["load", "save", "to_onnx", "to_sql", "trusted_types"]
