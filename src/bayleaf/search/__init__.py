"""Searches that structure learners and selectors share."""

from .needs import TooLargeError
from .optimal import ExactScore, check_exact_score, optimal_parents
from .problem import Limits, rows_searched

__all__ = ["ExactScore", "Limits", "TooLargeError", "check_exact_score", "optimal_parents", "rows_searched"]
