"""Counts: contingency tables and the information measures that follow from them."""

from .contingency import Counts, PairCounts, count, family_counts, required_target
from .dependencies import Dependency, FunctionalDependencies
from .information import (
    ChanceInformation,
    ClassPartition,
    PairInformation,
    Partition,
    class_information,
    conditional_mutual_information,
    entropy,
    entropy_of_counts,
    mutual_information,
    mutual_information_of_counts,
)
from .source import BatchSource, ChangedDataError, CountSource, PassSource, TableSource

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
    "required_target",
]
