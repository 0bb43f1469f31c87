"""Discretisers: numeric columns become bins. Each is a scikit-learn transformer too."""

from bayleaf.table.discretize._transform import apply_cuts
from bayleaf.table.discretize.bins import EqualWidth, MedianSplit, Quantiles
from bayleaf.table.discretize.cuts import Cuts
from bayleaf.table.discretize.mdlp import MDLP

__all__ = ["MDLP", "Cuts", "EqualWidth", "MedianSplit", "Quantiles", "apply_cuts"]
