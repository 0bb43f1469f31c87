"""Search: everything that moves through graphs; traces, evaluators, climbing, exact search."""

from .class_evaluators import evaluator_at
from .evaluator import Evaluator
from .exact_problem import Limits, TooLargeError, rows_searched
from .exact_search import ExactScore, check_exact_score, optimal_parents
from .move_evaluators import FamilyGains, family_gains
from .trace import Search, SearchDiary, SearchStep, SearchTrace

__all__ = [
    "Evaluator",
    "ExactScore",
    "FamilyGains",
    "Limits",
    "Search",
    "SearchDiary",
    "SearchStep",
    "SearchTrace",
    "TooLargeError",
    "check_exact_score",
    "evaluator_at",
    "family_gains",
    "optimal_parents",
    "rows_searched",
]
