"""Parameter learners: they fill the tables of a network whose graph is known."""

from .conditional import ConditionalLikelihood
from .dirichlet import Dirichlet
from .likelihood import Laplace, MaximumLikelihood, Tables
from .subsampled import Subsampled

__all__ = ["ConditionalLikelihood", "Dirichlet", "Laplace", "MaximumLikelihood", "Subsampled", "Tables"]
