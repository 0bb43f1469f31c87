"""Parameter learners: they fill the tables of a network whose graph is known."""

from .closed_form import ClosedForm as ClosedForm
from .closed_form import Dirichlet, Laplace, MaximumLikelihood, ParameterLearner, Tables
from .conditional_likelihood import ConditionalLikelihood, Subsampled

__all__ = [
    "ConditionalLikelihood",
    "Dirichlet",
    "Laplace",
    "MaximumLikelihood",
    "ParameterLearner",
    "Subsampled",
    "Tables",
]
