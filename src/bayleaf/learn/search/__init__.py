"""Search: everything that moves through graphs; traces, evaluators, climbing, exact search."""

from .evaluators import FamilyGains, evaluator_at, family_gains
from .exact_search import (
    ExactLimits,
    ExactScore,
    TooLargeError,
    check_exact_score,
    optimal_parents,
    rows_searched,
)
from .log_joint import Evaluator
from .trace import Search, SearchDiary, SearchStep, SearchTrace

__all__ = [
    "Evaluator",
    "ExactLimits",
    "ExactScore",
    "FamilyGains",
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
