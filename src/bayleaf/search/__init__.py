"""Searches that structure learners and selectors share."""

from .optimal import ExactScore, optimal_parents
from .problem import Limits

__all__ = ["ExactScore", "Limits", "optimal_parents"]
