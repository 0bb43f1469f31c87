"""Structure learners: one file per published algorithm. ``learner.learn(table, rng)`` returns a DAG.

Those that search have ``learner.search(table, rng)`` as well: the graph, and the steps that led to it. Learners of
several graphs, for `bayleaf.AveragedClassifier`, have ``learner.learn_all(table, rng)`` instead.
"""

from .a2de import A2DE
from .aode import AODE
from .atan import ATAN
from .eskdb import ESKDB
from .etan import ETAN
from .exact import Exact
from .fan import FAN
from .fixed import FixedStructure
from .fkdb import FKDB
from .greedy_tree import GreedyTree
from .hill_climbing import HillClimbing
from .joining import BSEJ, FSSJ
from .kdb import KDB
from .mcdag import MCDAG
from .mcges import MCGES
from .naive import NaiveBayes
from .order_based import OrderBased
from .several import SeveralLearner
from .skdb import SKDB
from .structure_learner import SearchingLearner
from .superparent import SuperParent
from .tan import TAN
from .tan_acll import TANaCLL
from .waode import WAODE

__all__ = [
    "A2DE",
    "AODE",
    "ATAN",
    "BSEJ",
    "ESKDB",
    "ETAN",
    "FAN",
    "FKDB",
    "FSSJ",
    "KDB",
    "MCDAG",
    "MCGES",
    "SKDB",
    "TAN",
    "WAODE",
    "Exact",
    "FixedStructure",
    "GreedyTree",
    "HillClimbing",
    "NaiveBayes",
    "OrderBased",
    "SearchingLearner",
    "SeveralLearner",
    "SuperParent",
    "TANaCLL",
]
