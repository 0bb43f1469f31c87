"""Parameter learners: they fill the tables of a network whose graph is known."""

from .closed_form import ClosedForm, Dirichlet, Laplace, MaximumLikelihood, ParameterLearner, Tables
from .conditional_likelihood import ConditionalLikelihood, Subsampled
from .shrinkage import Shrinkage

__all__ = [
    "ClosedForm",
    "ConditionalLikelihood",
    "Dirichlet",
    "Laplace",
    "MaximumLikelihood",
    "ParameterLearner",
    "Shrinkage",
    "Subsampled",
    "Tables",
]
