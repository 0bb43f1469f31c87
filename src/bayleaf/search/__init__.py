"""Searches that structure learners and selectors share."""

from .needs import TooLargeError
from .optimal import ExactScore, optimal_parents
from .problem import Limits, rows_searched

__all__ = ["ExactScore", "Limits", "TooLargeError", "optimal_parents", "rows_searched"]
