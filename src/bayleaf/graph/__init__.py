"""Graphs without data: DAGs and what they imply, Markov equivalence, tree-width, best trees, enumeration."""

from bayleaf.graph.arborescence import maximum_arborescence
from bayleaf.graph.class_focused import class_focused, smallest_augmented_map
from bayleaf.graph.cpdag import CPDAG
from bayleaf.graph.dag import DAG
from bayleaf.graph.elimination import elimination_width, min_fill_order
from bayleaf.graph.enumerate import all_dags
from bayleaf.graph.spanning import maximum_spanning_forest, maximum_spanning_tree
from bayleaf.graph.trace import Search, SearchDiary, SearchStep, SearchTrace
from bayleaf.graph.treewidth import has_treewidth_at_most, treewidth_bound

__all__ = [
    "CPDAG",
    "DAG",
    "Search",
    "SearchDiary",
    "SearchStep",
    "SearchTrace",
    "all_dags",
    "class_focused",
    "elimination_width",
    "has_treewidth_at_most",
    "maximum_arborescence",
    "maximum_spanning_forest",
    "maximum_spanning_tree",
    "min_fill_order",
    "smallest_augmented_map",
    "treewidth_bound",
]
