"""Bayesian network classifiers: accurate, honest probabilities, reasons, missing values.

A Bayesian network classifier is a graph plus tables; a learner is a structure learner times a parameter learner;
data reaches both only as counts or as per-row log-joints.
"""

from importlib.metadata import version as _version

from .counts import FunctionalDependencies, conditional_mutual_information, entropy, mutual_information
from .data import MDLP, Cuts, EqualWidth, MedianSplit, Quantiles, Schema, Table, Variable
from .ensemble import BaggedClassifier
from .estimator import BayesNetClassifier
from .explain.evidence import Explanation
from .explain.reasons import SufficientReason
from .files import load_network, read_bif
from .graph import CPDAG, DAG
from .modelfile import load
from .network import BayesNet, info_ratio, posterior_divergence, sum_mi
from .parameters import ConditionalLikelihood, Dirichlet, Laplace, MaximumLikelihood, Subsampled
from .published import classifier, methods
from .record import Quality, TrainingRecord
from .scores import (
    AIC,
    BIC,
    CMDL,
    K2,
    MDL,
    ApproximateCLL,
    BDe,
    BDeu,
    ClassificationRate,
    ConditionalLogLikelihood,
    CrossValidatedLogLoss,
    CrossValidatedRisk,
    HoldoutRisk,
    LogLikelihood,
    Prequential,
)
from .selection import G2, HITONPC, MMPC, PCMB, S2TMB, BayesFactor, BayesFactorSelector
from .structure import (
    FAN,
    FKDB,
    KDB,
    MCDAG,
    TAN,
    Exact,
    FixedStructure,
    GreedyTree,
    HillClimbing,
    NaiveBayes,
    OrderBased,
    SuperParent,
    TANaCLL,
)

__version__ = _version("bayleaf")

__all__ = [
    "AIC",
    "BIC",
    "CMDL",
    "CPDAG",
    "DAG",
    "FAN",
    "FKDB",
    "G2",
    "HITONPC",
    "K2",
    "KDB",
    "MCDAG",
    "MDL",
    "MDLP",
    "MMPC",
    "PCMB",
    "S2TMB",
    "TAN",
    "ApproximateCLL",
    "BDe",
    "BDeu",
    "BaggedClassifier",
    "BayesFactor",
    "BayesFactorSelector",
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
    "Exact",
    "Explanation",
    "FixedStructure",
    "FunctionalDependencies",
    "GreedyTree",
    "HillClimbing",
    "HoldoutRisk",
    "Laplace",
    "LogLikelihood",
    "MaximumLikelihood",
    "MedianSplit",
    "NaiveBayes",
    "OrderBased",
    "Prequential",
    "Quality",
    "Quantiles",
    "Schema",
    "Subsampled",
    "SufficientReason",
    "SuperParent",
    "TANaCLL",
    "Table",
    "TrainingRecord",
    "Variable",
    "classifier",
    "conditional_mutual_information",
    "entropy",
    "info_ratio",
    "load",
    "load_network",
    "methods",
    "mutual_information",
    "posterior_divergence",
    "read_bif",
    "sum_mi",
]
