"""Files: tables from CSV, TSV, Parquet and ARFF with clear errors, and networks for other tools."""

from .column_types import MISSING_VALUES
from .datafile import read_data
from .dot import to_dot
from .errors import DataFileError
from .hugin import write_net
from .objects import to_networkx, to_pgmpy, to_pyagrum
from .output import check_output, prediction_frame, write_predictions, write_table
from .tidy import cpt_frame
from .xmlbif import write_xmlbif

__all__ = [
    "MISSING_VALUES",
    "DataFileError",
    "check_output",
    "cpt_frame",
    "prediction_frame",
    "read_data",
    "to_dot",
    "to_networkx",
    "to_pgmpy",
    "to_pyagrum",
    "write_net",
    "write_predictions",
    "write_table",
    "write_xmlbif",
]
