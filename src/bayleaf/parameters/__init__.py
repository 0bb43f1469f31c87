"""Parameter learners: they fill the tables of a network whose graph is known."""

from .closed_form import Dirichlet, Laplace, MaximumLikelihood
from .conditional_likelihood import ConditionalLikelihood, Subsampled
from .parameter_learner import ClosedForm as ClosedForm
from .parameter_learner import ParameterLearner, Tables

__all__ = [
    "ConditionalLikelihood",
    "Dirichlet",
    "Laplace",
    "MaximumLikelihood",
    "ParameterLearner",
    "Subsampled",
    "Tables",
]
