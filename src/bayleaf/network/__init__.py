"""Networks: a graph with tables, exact inference, sampling, decisions and what they cost."""

from bayleaf._util.warning import moved_names as _moved_names

from .bayesnet import BayesNet
from .divergence import info_ratio, posterior_divergence, sum_mi
from .instance import CountedFamilies, InstanceNetwork, StoredFamilies
from .queries import MostProbable
from .query_cost import QueryCost
from .weighting import WeightedRows

__all__ = [
    "BayesNet",
    "CountedFamilies",
    "InstanceNetwork",
    "MostProbable",
    "QueryCost",
    "StoredFamilies",
    "WeightedRows",
    "info_ratio",
    "posterior_divergence",
    "sum_mi",
]

# Names that were here.
__getattr__ = _moved_names(
    "bayleaf.network", {"bayleaf.files": ("load_network", "read_bif", "write_bif", "write_network")}
)
