"""Counts: contingency tables and the information measures that follow from them."""

from .contingency import Counts, count, family_counts
from .dependencies import Dependency, FunctionalDependencies
from .information import (
    PairInformation,
    class_information,
    conditional_mutual_information,
    entropy,
    entropy_of_counts,
    mutual_information,
    mutual_information_of_counts,
)
from .partitions import ClassPartition, Partition

__all__ = [
    "ClassPartition",
    "Counts",
    "Dependency",
    "FunctionalDependencies",
    "PairInformation",
    "Partition",
    "class_information",
    "conditional_mutual_information",
    "count",
    "entropy",
    "entropy_of_counts",
    "family_counts",
    "mutual_information",
    "mutual_information_of_counts",
]
