"""Graphs that need no data: one that the user gives, and naive Bayes."""

from collections.abc import Iterable

import numpy as np

from bayleaf._util.params import Needs
from bayleaf.counts.contingency import Countable
from bayleaf.graph import DAG, Arc
from bayleaf.graph.parents import listed_arcs
from bayleaf.learn.search import Search

from .structure_learner import SearchingLearner, naive_bayes


class FixedStructure(SearchingLearner):
    """Use a given graph as it is; only the tables are learned.

    Parameters
    ----------
    dag : DAG or list of (parent, child)
        The graph by node names. Nodes of the table that it does not mention have no arcs.

    Examples
    --------
    >>> from bayleaf.data import Table, Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 1]], target=2)
    >>> FixedStructure([("class", "a"), ("a", "b")]).learn(table, np.random.default_rng(0)).arcs
    (('class', 'a'), ('a', 'b'))
    """

    needs: Needs = "pairs"
    learned_at_once = True

    def __init__(self, dag: DAG | Iterable[Arc] = ()) -> None:
        self.dag = dag

    def search(self, table: Countable, rng: np.random.Generator) -> Search:
        """Return the given graph over the nodes of the table."""
        given = self.dag
        arcs = given.arcs if isinstance(given, DAG) else listed_arcs(given, "The arcs of the fixed structure")
        nodes = given.nodes if isinstance(given, DAG) else [name for arc in arcs for name in arc]
        unknown = sorted(set(nodes) - set(table.names))
        if unknown:
            raise ValueError(
                f"The fixed structure has nodes that the data lacks: {unknown}; the data has "
                f"{list(table.names)[:20]}."
            )
        return Search(DAG(table.names, arcs))


class NaiveBayes(SearchingLearner):
    """Every feature has the class as its only parent.

    References
    ----------
    R. O. Duda and P. E. Hart. Pattern Classification and Scene Analysis. Wiley, 1973.

    Examples
    --------
    >>> from bayleaf.data import Table, Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 1]], target=2)
    >>> NaiveBayes().learn(table, np.random.default_rng(0)).arcs
    (('class', 'a'), ('class', 'b'))
    """

    needs: Needs = "pairs"
    learned_at_once = True

    def search(self, table: Countable, rng: np.random.Generator) -> Search:
        """Return the graph for a table that has a class."""
        return Search(naive_bayes(table))
