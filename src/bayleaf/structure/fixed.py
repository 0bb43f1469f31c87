"""A graph that the user already knows."""

from collections.abc import Iterable

import numpy as np
from sklearn.base import BaseEstimator

from bayleaf.data import Table
from bayleaf.graph import DAG


class FixedStructure(BaseEstimator):  # type: ignore[misc]
    """Use a given graph as it is; only the tables are learned.

    Parameters
    ----------
    dag : DAG or list of (parent, child)
        The graph by node names. Nodes of the table that it does not mention have no arcs.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [1, 1, 1]], target=2)
    >>> FixedStructure([("class", "a"), ("a", "b")]).learn(table, np.random.default_rng(0)).arcs
    (('class', 'a'), ('a', 'b'))
    """

    def __init__(self, dag: DAG | Iterable[tuple[str, str]] = ()) -> None:
        self.dag = dag

    def learn(self, table: Table, rng: np.random.Generator) -> DAG:
        """Return the given graph over the nodes of the table."""
        arcs = self.dag.arcs if isinstance(self.dag, DAG) else [(parent, child) for parent, child in self.dag]
        nodes = self.dag.nodes if isinstance(self.dag, DAG) else [name for arc in arcs for name in arc]
        unknown = sorted(set(nodes) - set(table.names))
        if unknown:
            raise ValueError(
                f"The fixed structure has nodes that the data lacks: {unknown}; the data has "
                f"{list(table.names)[:20]}."
            )
        return DAG(table.names, arcs)
