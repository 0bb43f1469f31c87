"""Discretisers: numeric columns become bins. Each is a scikit-learn transformer too."""

from .bins import AdaptiveQuantiles, Cuts, EqualWidth, MedianSplit, Quantiles
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
