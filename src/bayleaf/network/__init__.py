"""Networks: a graph with tables, exact inference, sampling and the network's own file formats."""

from .bayesnet import BayesNet
from .bif import read_bif, write_bif
from .divergence import posterior_divergence
from .jsonform import load_network, write_network

__all__ = ["BayesNet", "load_network", "posterior_divergence", "read_bif", "write_bif", "write_network"]
