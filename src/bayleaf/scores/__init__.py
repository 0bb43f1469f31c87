"""Scores: how good a graph is for the data. Class-focused ones judge the classifier that the graph makes."""

from .approximate_cll import ApproximateCLL
from .bayesian import K2, BDe, BDeu
from .classification import ClassificationRate, CrossValidatedRisk, HoldoutRisk
from .conditional import CMDL, ConditionalLogLikelihood, CrossValidatedLogLoss
from .decomposable import DecomposableScore, Family, FamilyScores
from .gains import FamilyGains, family_gains
from .likelihood import AIC, BIC, MDL, LogLikelihood
from .prequential import Prequential
from .protocol import ClassFocusedScore, Evaluator
from .setform import SetForm, SetTerm

__all__ = [
    "AIC",
    "BIC",
    "CMDL",
    "K2",
    "MDL",
    "ApproximateCLL",
    "BDe",
    "BDeu",
    "ClassFocusedScore",
    "ClassificationRate",
    "ConditionalLogLikelihood",
    "CrossValidatedLogLoss",
    "CrossValidatedRisk",
    "DecomposableScore",
    "Evaluator",
    "Family",
    "FamilyGains",
    "FamilyScores",
    "HoldoutRisk",
    "LogLikelihood",
    "Prequential",
    "SetForm",
    "SetTerm",
    "family_gains",
]
