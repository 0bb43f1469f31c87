"""Data: columns of any table become small integer codes, by a schema that is learned once and reused."""

from .columns import read_columns
from .discretize import MDLP, Cuts, EqualWidth, MedianSplit, Quantiles
from .discretize.discretizer import Discretizer
from .encoding import categorical_table, encode, learn_schema
from .identifier_columns import IdentifierWarning, identifiers
from .schema import Schema
from .table import Table
from .training import read_training
from .variable import Variable

__all__ = [
    "MDLP",
    "Cuts",
    "Discretizer",
    "EqualWidth",
    "IdentifierWarning",
    "MedianSplit",
    "Quantiles",
    "Schema",
    "Table",
    "Variable",
    "categorical_table",
    "encode",
    "identifiers",
    "learn_schema",
    "read_columns",
    "read_training",
]
