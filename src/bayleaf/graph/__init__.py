"""Graphs without data: DAGs and what they imply, Markov equivalence, tree-width, best trees."""

from .dag import DAG
from .elimination import elimination_width, has_treewidth_at_most, min_fill_order, treewidth_bound
from .equivalence import CPDAG
from .parents import Arc, Family, tier_arcs
from .trees import maximum_arborescence, maximum_spanning_forest, maximum_spanning_tree

__all__ = [
    "CPDAG",
    "DAG",
    "Arc",
    "Family",
    "elimination_width",
    "has_treewidth_at_most",
    "maximum_arborescence",
    "maximum_spanning_forest",
    "maximum_spanning_tree",
    "min_fill_order",
    "tier_arcs",
    "treewidth_bound",
]
