"""Counts: contingency tables and the information measures that follow from them."""

from .contingency import Countable, Counts, CountSource, PairCounts, count, family_counts
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
    required_classes,
    required_target,
)
from .source import BatchSource, ChangedDataError, PassSource

__all__ = [
    "BatchSource",
    "ChanceInformation",
    "ChangedDataError",
    "ClassPartition",
    "CountSource",
    "Countable",
    "Counts",
    "Dependency",
    "FunctionalDependencies",
    "PairCounts",
    "PairInformation",
    "Partition",
    "PassSource",
    "class_information",
    "conditional_mutual_information",
    "count",
    "entropy",
    "entropy_of_counts",
    "family_counts",
    "mutual_information",
    "mutual_information_of_counts",
    "required_classes",
    "required_target",
]
