"""Explanations: the weight of evidence of each feature, and smallest sufficient reasons."""

from .evidence import Explanation
from .reasons import SufficientReason

__all__ = ["Explanation", "SufficientReason"]
