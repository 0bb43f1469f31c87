"""Files: tables (CSV, TSV, Parquet, ARFF) with clear errors, and networks (BIF, JSON, XMLBIF, DSC, NET, DOT)."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING
from typing import Any as _Any

from .bif import read_bif, write_bif
from .documents import write_network
from .dsc import read_dsc, write_dsc
from .network_formats import cpt_frame, to_dot, to_networkx, to_pgmpy, to_pyagrum, write_net, write_xmlbif
from .network_names import load_network
from .plain_names import with_plain_names
from .whole_files import DataFileError, check_output
from .xmlbif import read_xmlbif

if TYPE_CHECKING:
    from .column_text import MISSING_VALUES
    from .table_files import prediction_frame, read_data, write_predictions, write_table

__all__ = [
    "MISSING_VALUES",
    "DataFileError",
    "check_output",
    "cpt_frame",
    "load_network",
    "prediction_frame",
    "read_bif",
    "read_data",
    "read_dsc",
    "read_xmlbif",
    "to_dot",
    "to_networkx",
    "to_pgmpy",
    "to_pyagrum",
    "with_plain_names",
    "write_bif",
    "write_dsc",
    "write_net",
    "write_network",
    "write_predictions",
    "write_table",
    "write_xmlbif",
]

# What reads and writes tables needs polars, which takes longer to import than all the rest: only when asked for.
_OF_TABLES = {
    "column_text": ("MISSING_VALUES",),
    "table_files": ("prediction_frame", "read_data", "write_predictions", "write_table"),
}


def __getattr__(name: str) -> _Any:
    for module, names in _OF_TABLES.items():
        if name in names:
            return getattr(_import_module(f".{module}", __name__), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
