"""Tables of a network as DataFrames: one line per probability."""

from itertools import product
from typing import Any

from bayleaf._util.frames import DEFAULT_BACKEND, make_frame
from bayleaf.network import BayesNet


def cpt_frame(network: BayesNet, node: str | None = None, backend: str = DEFAULT_BACKEND) -> Any:
    """Return the table of one node, or of all, as a tidy DataFrame.

    Parameters
    ----------
    network : BayesNet
    node : str, optional
        With a node: one column per parent, one for the node itself, and ``probability``. Without: the tables of all
        nodes with the columns ``node``, ``given`` (the states of the parents in words), ``state``, ``probability``.
    backend : {"polars", "pandas", "pyarrow"}
        Library of the DataFrame that is returned.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.table import Variable
    >>> rain, wet = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
    >>> dag = DAG(["rain", "wet"], [("rain", "wet")])
    >>> net = BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
    >>> cpt_frame(net, "wet").row(1)
    ('no', 'yes', 0.1)
    >>> cpt_frame(net).row(3)
    ('wet', 'rain = no', 'yes', 0.1)
    """
    return _all_tables(network, backend) if node is None else _one_table(network, node, backend)


def _one_table(network: BayesNet, node: str, backend: str) -> Any:
    family = [*network.parents(node), node]
    rows = list(product(*(network.variable(name).states for name in family)))
    columns: dict[str, list[Any]] = {name: [row[k] for row in rows] for k, name in enumerate(family)}
    value = "probability"
    while value in columns:  # a variable may have this very name
        value += "_"
    columns[value] = network.cpt(node).ravel().tolist()
    return make_frame(columns, backend)


def _all_tables(network: BayesNet, backend: str) -> Any:
    columns: dict[str, list[Any]] = {"node": [], "given": [], "state": [], "probability": []}
    for variable, table in zip(network.variables, network.tables, strict=True):
        parents = network.parents(variable.name)
        for configuration in product(*(network.variable(parent).states for parent in parents)):
            given = ", ".join(
                f"{parent} = {state}" for parent, state in zip(parents, configuration, strict=True)
            )
            columns["node"] += [variable.name] * variable.arity
            columns["given"] += [given] * variable.arity
            columns["state"] += [str(state) for state in variable.states]
        columns["probability"] += table.ravel().tolist()
    return make_frame(columns, backend)


__all__ = ["cpt_frame"]
