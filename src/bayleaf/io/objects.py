"""Networks as objects of other libraries, where those are installed."""

from itertools import product
from typing import Any

from bayleaf._util.optional import require
from bayleaf.network import BayesNet


def to_networkx(network: BayesNet) -> Any:
    """Return the graph as a ``networkx.DiGraph``; nodes carry their states and tables.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.table import Variable
    >>> graph = to_networkx(BayesNet([Variable("a", ("0", "1"))], DAG(["a"]), [[0.25, 0.75]], "a"))
    >>> graph.nodes["a"]["states"], graph.graph["target"]
    (('0', '1'), 'a')
    """
    networkx = require("networkx", extra="export")
    graph = networkx.DiGraph(target=network.target)
    for variable, table in zip(network.variables, network.tables, strict=True):
        graph.add_node(
            variable.name, states=variable.states, parents=network.parents(variable.name), cpt=table
        )
    graph.add_edges_from(network.arcs)
    return graph


def to_pgmpy(network: BayesNet) -> Any:
    """Return the network as a pgmpy Bayesian network; states become strings."""
    models = require("pgmpy.models", extra="export")
    tabular = require("pgmpy.factors.discrete", extra="export").TabularCPD
    kind = getattr(models, "DiscreteBayesianNetwork", None) or models.BayesianNetwork
    result = kind()
    result.add_nodes_from(network.nodes)
    result.add_edges_from(network.arcs)
    labels = {variable.name: [str(state) for state in variable.states] for variable in network.variables}
    for name, table in zip(network.nodes, network.tables, strict=True):
        parents = network.parents(name)
        result.add_cpds(
            tabular(
                name,
                table.shape[-1],
                table.reshape(-1, table.shape[-1]).T,
                evidence=list(parents) or None,
                evidence_card=list(table.shape[:-1]) or None,
                state_names={node: labels[node] for node in (name, *parents)},
            )
        )
    return result


def to_pyagrum(network: BayesNet) -> Any:
    """Return the network as a pyAgrum ``BayesNet``; states become strings."""
    gum = require("pyagrum", extra="export")
    result = gum.BayesNet()
    for variable in network.variables:
        labels = [str(state) for state in variable.states]
        result.add(gum.LabelizedVariable(variable.name, variable.name, labels))
    for parent, child in network.arcs:
        result.addArc(parent, child)
    for name, table in zip(network.nodes, network.tables, strict=True):
        parents = network.parents(name)
        for states in product(*(range(size) for size in table.shape[:-1])):
            if parents:
                result.cpt(name)[dict(zip(parents, states, strict=True))] = table[states].tolist()
            else:
                result.cpt(name)[:] = table.tolist()
    return result


__all__ = ["to_networkx", "to_pgmpy", "to_pyagrum"]
