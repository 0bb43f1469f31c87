"""Tuning: what networks say of rows they have not seen, and how scores are weighted and corrected by it."""

from .corrections import CellProblem, Correction, Part, Walk, follow, maximise, walk
from .feature_weights import AWNB, WANBIA
from .held_out import FamilyCells, FoldModel, fold_models, held_out_loss, log_softmax, score_members
from .stages import PoolWeights, fit_pool_weights
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
    "fit_pool_weights",
    "fold_models",
    "follow",
    "held_out_loss",
    "log_softmax",
    "maximise",
    "score_members",
    "walk",
]
