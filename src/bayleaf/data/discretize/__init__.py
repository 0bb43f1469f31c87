"""Discretisers: numeric columns become bins. Each is a scikit-learn transformer too."""

from .adaptive import AdaptiveQuantiles
from .bins import EqualWidth, MedianSplit, Quantiles
from .cuts import Cuts
from .discretizer import Discretizer, apply_cuts
from .mdlp import MDLP

__all__ = [
    "MDLP",
    "AdaptiveQuantiles",
    "Cuts",
    "Discretizer",
    "EqualWidth",
    "MedianSplit",
    "Quantiles",
    "apply_cuts",
]
