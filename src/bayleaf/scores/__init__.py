"""Scores of graphs: how well a structure fits the data."""

from .approximate_cll import ApproximateCLL
from .bayesian import K2, BDe, BDeu
from .decomposable import DecomposableScore, Family, FamilyScores
from .likelihood import AIC, BIC, MDL, LogLikelihood
from .setform import SetForm, SetTerm

__all__ = [
    "AIC",
    "BIC",
    "K2",
    "MDL",
    "ApproximateCLL",
    "BDe",
    "BDeu",
    "DecomposableScore",
    "Family",
    "FamilyScores",
    "LogLikelihood",
    "SetForm",
    "SetTerm",
]
