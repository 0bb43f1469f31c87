"""Bayesian network classifiers: accurate, honest probabilities, reasons, missing values.

A Bayesian network classifier is a graph plus tables; a learner is a structure learner times a parameter learner;
data reaches both only as counts or as per-row log-joints.
"""

from importlib.metadata import version as _version

from .classifier import BayesNetClassifier, load
from .explain import Explanation
from .graph import CPDAG, DAG
from .methods import classifier, methods
from .network import BayesNet, load_network, read_bif
from .parameters import ConditionalLikelihood, Dirichlet, Laplace, MaximumLikelihood
from .scores import (
    CMDL,
    ClassificationRate,
    ConditionalLogLikelihood,
    CrossValidatedLogLoss,
    CrossValidatedRisk,
    HoldoutRisk,
)
from .structure import FAN, TAN, FixedStructure, GreedyTree, NaiveBayes, OrderBased, SuperParent
from .table import MDLP, Cuts, EqualWidth, MedianSplit, Quantiles, Schema, Table, Variable

__version__ = _version("bayleaf")

__all__ = [
    "CMDL",
    "CPDAG",
    "DAG",
    "FAN",
    "MDLP",
    "TAN",
    "BayesNet",
    "BayesNetClassifier",
    "ClassificationRate",
    "ConditionalLikelihood",
    "ConditionalLogLikelihood",
    "CrossValidatedLogLoss",
    "CrossValidatedRisk",
    "Cuts",
    "Dirichlet",
    "EqualWidth",
    "Explanation",
    "FixedStructure",
    "GreedyTree",
    "HoldoutRisk",
    "Laplace",
    "MaximumLikelihood",
    "MedianSplit",
    "NaiveBayes",
    "OrderBased",
    "Quantiles",
    "Schema",
    "SuperParent",
    "Table",
    "Variable",
    "classifier",
    "load",
    "load_network",
    "methods",
    "read_bif",
]
