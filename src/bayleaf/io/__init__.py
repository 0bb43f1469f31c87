"""Data files: tables read from CSV, TSV, Parquet and ARFF with clear errors, and written all or nothing."""

from .column_types import MISSING_VALUES
from .datafile import read_data
from .errors import DataFileError
from .output import check_output, prediction_frame, write_predictions, write_table

__all__ = [
    "MISSING_VALUES",
    "DataFileError",
    "check_output",
    "prediction_frame",
    "read_data",
    "write_predictions",
    "write_table",
]
