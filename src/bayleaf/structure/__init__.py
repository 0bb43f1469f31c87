"""Structure learners: one file per published algorithm. ``learner.learn(table, rng)`` returns a DAG."""

from .fan import FAN
from .fixed import FixedStructure
from .fkdb import FKDB
from .kdb import KDB
from .naive import NaiveBayes
from .tan import TAN

__all__ = ["FAN", "FKDB", "KDB", "TAN", "FixedStructure", "NaiveBayes"]
