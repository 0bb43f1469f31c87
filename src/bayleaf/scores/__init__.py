"""Scores: how good a graph is for the data. Class-focused ones look at the classifier that the graph makes."""

from .approximate_cll import ApproximateCLL
from .bayesian import K2, BDe, BDeu
from .classification import ClassificationRate, CrossValidatedRisk, HoldoutRisk
from .conditional import CMDL, ConditionalLogLikelihood, CrossValidatedLogLoss
from .likelihood import AIC, BIC, MDL, LogLikelihood
from .prequential import Prequential
from .score import ClassFocusedScore, DecomposableScore, Evaluator, Family, FamilyScores, SetForm, SetTerm

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
    "FamilyScores",
    "HoldoutRisk",
    "LogLikelihood",
    "Prequential",
    "SetForm",
    "SetTerm",
]
