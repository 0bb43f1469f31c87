"""Tables in files: CSV, TSV, Parquet, Arrow, Excel and ARFF, read with clear errors, written all or nothing."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

from bayleaf._util.whole_files import DataFileError, check_output

if TYPE_CHECKING:
    from .column_text import MISSING_VALUES
    from .table_files import prediction_frame, read_data, write_predictions, write_table

__all__ = [
    "MISSING_VALUES",
    "DataFileError",
    "check_output",
    "prediction_frame",
    "read_data",
    "write_predictions",
    "write_table",
]

# What reads and writes tables needs polars, which takes longer to import than all the rest: only when asked for.
_LAZY = {
    "column_text": ("MISSING_VALUES",),
    "table_files": ("prediction_frame", "read_data", "write_predictions", "write_table"),
}


def __getattr__(name: str) -> _Any:
    for module, names in _LAZY.items():
        if name in names:
            return getattr(_import_module(f".{module}", __name__), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
