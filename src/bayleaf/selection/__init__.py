"""Feature selectors: scikit-learn transformers that a classifier can also use inside, on its own table."""

from .association import G2, BayesFactor
from .bayes_factor import BayesFactorSelector
from .hiton import HITONPC
from .mmpc import MMPC
from .pcmb import PCMB
from .s2tmb import S2TMB
from .selector import Selector
from .sll import SLL

__all__ = ["G2", "HITONPC", "MMPC", "PCMB", "S2TMB", "SLL", "BayesFactor", "BayesFactorSelector", "Selector"]
