"""Scores: how good a graph is for the data. Class-focused ones look at the classifier that the graph makes."""

from .class_focused import (
    CMDL,
    ClassFocusedScore,
    ClassificationRate,
    ConditionalLogLikelihood,
    Criterion,
    CrossValidatedLogLoss,
    CrossValidatedRisk,
    Folds,
    Holdout,
    HoldoutRisk,
    Prequential,
    RowLoss,
    RowsBefore,
)
from .decomposable import ApproximateCLL, DecomposableScore, FamilyCounts, FamilyScores, SetForm, SetTerm
from .likelihood import AIC, BIC, K2, MDL, BDe, BDeu, LogLikelihood

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
    "Criterion",
    "CrossValidatedLogLoss",
    "CrossValidatedRisk",
    "DecomposableScore",
    "FamilyCounts",
    "FamilyScores",
    "Folds",
    "Holdout",
    "HoldoutRisk",
    "LogLikelihood",
    "Prequential",
    "RowLoss",
    "RowsBefore",
    "SetForm",
    "SetTerm",
]
