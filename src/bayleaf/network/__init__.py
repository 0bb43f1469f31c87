"""Networks: a graph with tables, exact inference, sampling and the network's own file formats."""

from .bayesnet import BayesNet
from .bif import read_bif, write_bif
from .divergence import posterior_divergence
from .information import info_ratio, sum_mi
from .instance import CountedFamilies, InstanceNetwork, StoredFamilies
from .jsonform import load_network, write_network

__all__ = [
    "BayesNet",
    "CountedFamilies",
    "InstanceNetwork",
    "StoredFamilies",
    "info_ratio",
    "load_network",
    "posterior_divergence",
    "read_bif",
    "sum_mi",
    "write_bif",
    "write_network",
]
