"""Data: columns of any table become small integer codes, by a schema that is learned once and reused."""

from bayleaf.data.discretize.discretizer import Discretizer

from .categories import IdentifierWarning, identifiers
from .columns import read_columns
from .discretize import MDLP, Cuts, EqualWidth, MedianSplit, Quantiles
from .encoding import categorical_table, encode, learn_schema
from .numbers import MissingMarkWarning
from .reader import GroupsWarning, TableReader
from .schema import Schema
from .table import Table
from .variable import Variable

__all__ = [
    "MDLP",
    "Cuts",
    "Discretizer",
    "EqualWidth",
    "GroupsWarning",
    "IdentifierWarning",
    "MedianSplit",
    "MissingMarkWarning",
    "Quantiles",
    "Schema",
    "Table",
    "TableReader",
    "Variable",
    "categorical_table",
    "encode",
    "identifiers",
    "learn_schema",
    "read_columns",
]
