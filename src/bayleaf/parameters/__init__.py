"""Parameter learners: they fill the tables of a network whose graph is known."""

from .dirichlet import Dirichlet
from .likelihood import Laplace, MaximumLikelihood, Tables

__all__ = ["Dirichlet", "Laplace", "MaximumLikelihood", "Tables"]
