"""Files: tables (CSV, TSV, Parquet, ARFF) with clear errors, and networks (BIF, JSON, XMLBIF, NET, DOT)."""

from .bif import read_bif, write_bif
from .column_text import MISSING_VALUES
from .documents import load_network, write_network
from .network_formats import cpt_frame, to_dot, to_networkx, to_pgmpy, to_pyagrum, write_net, write_xmlbif
from .table_files import prediction_frame, read_data, write_predictions, write_table
from .whole_files import DataFileError, check_output

__all__ = [
    "MISSING_VALUES",
    "DataFileError",
    "check_output",
    "cpt_frame",
    "load_network",
    "prediction_frame",
    "read_bif",
    "read_data",
    "to_dot",
    "to_networkx",
    "to_pgmpy",
    "to_pyagrum",
    "write_bif",
    "write_net",
    "write_network",
    "write_predictions",
    "write_table",
    "write_xmlbif",
]
