"""Structure learners: one file per family of algorithms. ``learner.learn(table, rng)`` returns a DAG.

Those that search have ``learner.search(table, rng)`` as well: the graph, and the steps that led to it. Learners of
several graphs, for `bayleaf.AveragedClassifier`, have ``learner.learn_all(table, rng)`` instead.
"""

from .aode import A2DE, AODE, ATAN, WAODE
from .exact import Exact
from .fixed import FixedStructure, NaiveBayes
from .greedy_tree import GreedyTree, SuperParent
from .hidden_naive_bayes import HiddenNaiveBayes
from .hill_climbing import HillClimbing
from .joining import BSEJ, FSSJ
from .kdb import ESKDB, FKDB, KDB, SKDB
from .mcdag import MCDAG, MCGES
from .order_based import OrderBased
from .structure_learner import MemberGraph as MemberGraph
from .structure_learner import SearchingLearner, SeveralLearner
from .tan import ETAN, FAN, TAN, TANaCLL

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
    "HiddenNaiveBayes",
    "HillClimbing",
    "NaiveBayes",
    "OrderBased",
    "SearchingLearner",
    "SeveralLearner",
    "SuperParent",
    "TANaCLL",
]
