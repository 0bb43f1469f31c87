"""Parameter learners: they fill the tables of a network whose graph is known."""

from .closed_form import Dirichlet, Laplace, MaximumLikelihood, Tables
from .conditional_likelihood import ConditionalLikelihood
from .subsampled import Subsampled

__all__ = ["ConditionalLikelihood", "Dirichlet", "Laplace", "MaximumLikelihood", "Subsampled", "Tables"]
