"""Structure learners: one file per published algorithm. ``learner.learn(table, rng)`` returns a DAG."""

from .fan import FAN
from .fixed import FixedStructure
from .naive import NaiveBayes
from .tan import TAN

__all__ = ["FAN", "TAN", "FixedStructure", "NaiveBayes"]
