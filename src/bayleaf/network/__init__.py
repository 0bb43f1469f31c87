"""Networks: a graph with tables, exact inference, sampling, decisions and what they cost."""

from .bayesnet import BayesNet, rain_network
from .divergence import info_ratio, posterior_divergence, sum_mi
from .inference import QueryCost
from .instance import CountedFamilies, InstanceNetwork, StoredFamilies
from .predictors import register_predictor
from .queries import MostProbable, WeightedRows

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
    "rain_network",
    "register_predictor",
    "sum_mi",
]
