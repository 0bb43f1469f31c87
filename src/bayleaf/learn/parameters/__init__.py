"""Parameter learners: they fill the tables of a network whose graph is known."""

from .closed_form import (
    ClosedForm,
    Dirichlet,
    Laplace,
    MaximumLikelihood,
    MEstimate,
    ParameterLearner,
    Tables,
)
from .conditional_likelihood import ConditionalLikelihood, Subsampled
from .shrinkage import Shrinkage

__all__ = [
    "ClosedForm",
    "ConditionalLikelihood",
    "Dirichlet",
    "Laplace",
    "MEstimate",
    "MaximumLikelihood",
    "ParameterLearner",
    "Shrinkage",
    "Subsampled",
    "Tables",
]
