"""Counts: contingency tables and the information measures that follow from them."""

from .contingency import Counts, count, family_counts
from .information import class_information, entropy, mutual_information_of_counts
from .pairs import PairInformation
from .partition import ClassPartition

__all__ = [
    "ClassPartition",
    "Counts",
    "PairInformation",
    "class_information",
    "count",
    "entropy",
    "family_counts",
    "mutual_information_of_counts",
]
