"""Structure learners: one file per published algorithm. ``learner.learn(table, rng)`` returns a DAG."""

from .fan import FAN
from .fixed import FixedStructure
from .greedy_tree import GreedyTree
from .naive import NaiveBayes
from .order_based import OrderBased
from .superparent import SuperParent
from .tan import TAN

__all__ = ["FAN", "TAN", "FixedStructure", "GreedyTree", "NaiveBayes", "OrderBased", "SuperParent"]
