"""Bayesian network classifiers: accurate, honest probabilities, reasons, missing values.

A Bayesian network classifier is a graph plus tables; a learner is a structure learner times a parameter learner;
data reaches both only as counts or as per-row log-joints.
"""

from importlib.metadata import version as _version

from .classifier import BayesNetClassifier
from .counts import (
    FunctionalDependencies,
    conditional_mutual_information,
    entropy,
    mutual_information,
)
from .ensemble import BaggedClassifier, load
from .explain import Explanation
from .graph import CPDAG, DAG
from .methods import classifier, methods
from .network import BayesNet, info_ratio, load_network, read_bif, sum_mi
from .parameters import Dirichlet, Laplace, MaximumLikelihood
from .structure import FAN, FKDB, KDB, TAN, FixedStructure, NaiveBayes
from .table import MDLP, Cuts, EqualWidth, MedianSplit, Quantiles, Schema, Table, Variable

__version__ = _version("bayleaf")

__all__ = [
    "CPDAG",
    "DAG",
    "FAN",
    "FKDB",
    "KDB",
    "MDLP",
    "TAN",
    "BaggedClassifier",
    "BayesNet",
    "BayesNetClassifier",
    "Cuts",
    "Dirichlet",
    "EqualWidth",
    "Explanation",
    "FixedStructure",
    "FunctionalDependencies",
    "Laplace",
    "MaximumLikelihood",
    "MedianSplit",
    "NaiveBayes",
    "Quantiles",
    "Schema",
    "Table",
    "Variable",
    "classifier",
    "conditional_mutual_information",
    "entropy",
    "info_ratio",
    "load",
    "load_network",
    "methods",
    "mutual_information",
    "read_bif",
    "sum_mi",
]
