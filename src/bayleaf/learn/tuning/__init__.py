"""Tuning: what networks say of rows they have not seen, and how scores are weighed and corrected by it."""

from .corrections import CellProblem, Correction, Part, Walk, follow, maximise, walk
from .crossfit import FamilyCells, FoldModel, cross_fit, fold_models, score_members
from .feature_weights import AWNB, WANBIA
from .held_out import held_out_loss, log_softmax
from .log_linear import PoolWeights, fit_weights
from .tuned_tables import TunedTables

__all__ = [
    "AWNB",
    "WANBIA",
    "CellProblem",
    "Correction",
    "FamilyCells",
    "FoldModel",
    "Part",
    "PoolWeights",
    "TunedTables",
    "Walk",
    "cross_fit",
    "fit_weights",
    "fold_models",
    "follow",
    "held_out_loss",
    "log_softmax",
    "maximise",
    "score_members",
    "walk",
]
