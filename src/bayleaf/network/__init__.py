"""Networks: a graph with tables, exact inference, sampling, decisions and what they cost."""

from .bayesnet import BayesNet
from .divergence import info_ratio, posterior_divergence, sum_mi
from .instance import CountedFamilies, InstanceNetwork, StoredFamilies

__all__ = [
    "BayesNet",
    "CountedFamilies",
    "InstanceNetwork",
    "StoredFamilies",
    "info_ratio",
    "posterior_divergence",
    "sum_mi",
]
