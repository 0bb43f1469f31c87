"""Structure learners: one file per published algorithm. ``learner.learn(table, rng)`` returns a DAG."""

from .exact import Exact
from .fan import FAN
from .fixed import FixedStructure
from .hill_climbing import HillClimbing
from .naive import NaiveBayes
from .tan import TAN

__all__ = ["FAN", "TAN", "Exact", "FixedStructure", "HillClimbing", "NaiveBayes"]
