"""Scores: how good a graph is for the data. Class-focused ones look at the classifier that the graph makes."""

from bayleaf._util.warning import moved_names as _moved_names

from .approximate_cll import ApproximateCLL
from .bayesian import K2, BDe, BDeu
from .class_focused import ClassFocusedScore, Criterion, Folds, Holdout, RowLoss, RowsBefore
from .classification import ClassificationRate, CrossValidatedRisk, HoldoutRisk
from .conditional import CMDL, ConditionalLogLikelihood, CrossValidatedLogLoss, Prequential
from .decomposable import DecomposableScore, FamilyCounts, FamilyScores, SetForm, SetTerm
from .likelihood import AIC, BIC, MDL, LogLikelihood

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

# Names that were here.
__getattr__ = _moved_names(
    "bayleaf.scores",
    {"bayleaf.search": ("Evaluator", "FamilyGains", "family_gains"), "bayleaf.graph": ("Family",)},
)
