"""Searches that structure learners and selectors share."""

from .optimal import ExactScore, optimal_parents
from .problem import Limits, rows_searched

__all__ = ["ExactScore", "Limits", "optimal_parents", "rows_searched"]
