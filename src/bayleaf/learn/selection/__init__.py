"""Feature selectors: scikit-learn transformers that a classifier can also use inside, on its own table."""

from .bayes_factor import BayesFactorSelector
from .constraint_based import G2, HITONPC, MMPC, PCMB, BayesFactor
from .score_based import S2TMB, SLL
from .selector import Selector

__all__ = ["G2", "HITONPC", "MMPC", "PCMB", "S2TMB", "SLL", "BayesFactor", "BayesFactorSelector", "Selector"]
