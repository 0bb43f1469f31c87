"""Counts: contingency tables and the information measures that follow from them."""

from .batches import BatchSource
from .contingency import Counts, count, family_counts
from .dependencies import Dependency, FunctionalDependencies
from .information import (
    ChanceInformation,
    PairInformation,
    class_information,
    conditional_mutual_information,
    entropy,
    entropy_of_counts,
    mutual_information,
    mutual_information_of_counts,
)
from .pairs import PairCounts
from .partitions import ClassPartition, Partition
from .passes import ChangedDataError, PassSource
from .source import CountSource, TableSource

__all__ = [
    "BatchSource",
    "ChanceInformation",
    "ChangedDataError",
    "ClassPartition",
    "CountSource",
    "Counts",
    "Dependency",
    "FunctionalDependencies",
    "PairCounts",
    "PairInformation",
    "Partition",
    "PassSource",
    "TableSource",
    "class_information",
    "conditional_mutual_information",
    "count",
    "entropy",
    "entropy_of_counts",
    "family_counts",
    "mutual_information",
    "mutual_information_of_counts",
]
