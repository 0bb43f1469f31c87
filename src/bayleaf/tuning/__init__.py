"""Tuning: what networks say of rows they have not seen, and how scores are weighed and corrected by it."""

from .awnb import AWNB
from .corrections import CellProblem, Correction, Part, Walk, follow, maximise, walk
from .crossfit import FoldModel, cross_fit, fold_models, score_members
from .family_cells import FamilyCells
from .folds import held_out_loss, log_softmax, stratified_folds
from .tuned_tables import TunedTables
from .wanbia import WANBIA
from .weights import PoolWeights, fit_weights

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
    "stratified_folds",
    "walk",
]
