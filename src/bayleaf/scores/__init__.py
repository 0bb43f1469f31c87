"""Scores: how good a graph is for the data. Class-focused ones judge the classifier that the graph makes."""

from .classification import ClassificationRate, CrossValidatedRisk, HoldoutRisk
from .conditional import CMDL, ConditionalLogLikelihood, CrossValidatedLogLoss
from .protocol import ClassFocusedScore, Evaluator

__all__ = [
    "CMDL",
    "ClassFocusedScore",
    "ClassificationRate",
    "ConditionalLogLikelihood",
    "CrossValidatedLogLoss",
    "CrossValidatedRisk",
    "Evaluator",
    "HoldoutRisk",
]
