"""Tuning: what networks say of rows they have not seen, and how scores are weighed and corrected by it."""

from .corrections import CellProblem, Correction, Part, Walk, follow, maximise, walk
from .crossfit import FamilyCells, cross_fit
from .folds import held_out_loss, log_softmax, stratified_folds
from .weights import PoolWeights, fit_weights

__all__ = [
    "CellProblem",
    "Correction",
    "FamilyCells",
    "Part",
    "PoolWeights",
    "Walk",
    "cross_fit",
    "fit_weights",
    "follow",
    "held_out_loss",
    "log_softmax",
    "maximise",
    "stratified_folds",
    "walk",
]
