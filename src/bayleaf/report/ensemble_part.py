"""Several networks on one page: each of them, the arcs that most of them have, and what they say together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayleaf.data import Variable
from bayleaf.ensemble import BaggedClassifier
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.network.costs import class_costs

from .network_part import drawing_data, graph_data, inference_data, node_data

# Room for the tables of all members: with the scripts and a few hundred rows the page stays below 1.5 MB.
MOST_BYTES = 1_000_000
MOST_DRAWN_NODES = 2_000
Edge = tuple[int, int]


def ensemble_data(ensemble: BaggedClassifier, missing: Mapping[str, float]) -> dict[str, Any]:
    """Return an ensemble as plain data: nodes, the graph of most arcs, and the members.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayleaf as bl
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> data = ensemble_data(bl.BaggedClassifier(n_estimators=3, random_state=0).fit(X, y), {})
    >>> len(data["ensemble"]["members"]), data["ensemble"]["vote"], data["ensemble"]["note"]
    (3, 'majority', None)
    """
    variables = ensemble.schema_.variables
    networks = [on_all_nodes(model.network_, variables) for model in ensemble.estimators_]
    precision = table_precision(networks)
    drawn = max(1, min(len(networks), MOST_DRAWN_NODES // len(variables)))
    members = []
    for number, (network, model) in enumerate(zip(networks, ensemble.estimators_, strict=True)):
        member = inference_data(network, precision or "<f4")
        if precision is None:
            member.pop("tables")
        own = set(model.network_.nodes)
        member["absent"] = [i for i, name in enumerate(network.nodes) if name not in own]
        members.append({**member, **(graph_data(network) if number < drawn else {})})
    information = np.mean([member["information"][:-1] for member in members[:drawn]], axis=0).tolist()
    encoder = ensemble._encoder
    return {
        "target": len(variables) - 1,
        "nodes": [node_data(variable, missing) for variable in variables],
        **common_graph(networks, [*information, None]),
        "parameters": ensemble.n_parameters_,
        "ensemble": {
            "vote": ensemble.vote,
            "costs": None
            if encoder.loss is None
            else class_costs(encoder.loss, ensemble.classes_.tolist(), "BayesNetClassifier").tolist(),
            "prior": ensemble._prior.tolist(),
            "priors": [model._prior.tolist() for model in ensemble.estimators_],
            "precision": precision,
            "members": members,
            "note": None if precision else too_large(networks),
        },
    }


def on_all_nodes(network: BayesNet, variables: Sequence[Variable]) -> BayesNet:
    """Return a member over all features; those that it was learned without stand alone and tell nothing."""
    if network.variables == tuple(variables):
        return network
    names = [variable.name for variable in variables]
    tables = [
        network.cpt(variable.name)
        if variable.name in network.nodes
        else np.full(variable.arity, 1.0 / variable.arity)
        for variable in variables
    ]
    return BayesNet(variables, DAG(names, network.arcs), tables, names[-1])


def table_precision(networks: Sequence[BayesNet]) -> str | None:
    """Choose how precisely tables are written so that they fit the page; None if they do not."""
    entries = sum(table.size for network in networks for table in network.tables)
    for precision in ("<f8", "<f4"):
        if entries * np.dtype(precision).itemsize * 4 / 3 <= MOST_BYTES:  # base64 takes a third more
            return precision
    return None


def too_large(networks: Sequence[BayesNet]) -> str:
    """Say that the tables do not fit."""
    entries = sum(table.size for network in networks for table in network.tables)
    return (
        f"The tables of the {len(networks)} networks have {entries:,} entries: too many for a page. It shows the "
        "graphs and how good the ensemble is; use bayleaf itself for what-if questions."
    )


def common_graph(networks: Sequence[BayesNet], information: Sequence[float | None]) -> dict[str, Any]:
    """Draw the edges that more than half of the networks have, in the direction that most of these give them.

    The strength of an arc is the share of networks that have it, either way round.
    """
    first = networks[0]
    arcs = Counter(
        (parent, child)
        for network in networks
        for child, parents in enumerate(network.dag.parent_indices)
        for parent in parents
    )
    edges = Counter({(min(arc), max(arc)): 0 for arc in arcs})
    for arc, times in arcs.items():
        edges[min(arc), max(arc)] += times
    common = {edge: times for edge, times in edges.items() if 2 * times > len(networks)}
    dag = DAG.from_parents(first.nodes, _directed(len(first.nodes), common, arcs))
    target = len(first.nodes) - 1
    blanket = set().union(*(network.markov_blanket(first.nodes[target]) for network in networks))
    shares = {
        (parent, child): edges[min(parent, child), max(parent, child)] / len(networks)
        for child, parents in enumerate(dag.parent_indices)
        for parent in parents
    }
    return {
        "parents": [list(parents) for parents in dag.parent_indices],
        "topological": list(dag.topological_indices),
        "blanket": [name in blanket for name in first.nodes],
        "information": list(information),
        **drawing_data(dag, target, [value or 0.0 for value in information], shares),
    }


def _directed(n: int, edges: Mapping[Edge, int], arcs: Mapping[Edge, int]) -> list[list[int]]:
    """Direct edges as most networks do, the most frequent first; one that would close a cycle goes the other way."""
    parents: list[list[int]] = [[] for _ in range(n)]
    above: list[set[int]] = [set() for _ in range(n)]  # all nodes above each
    for edge in sorted(edges, key=lambda edge: (-edges[edge], edge)):
        parent, child = edge if arcs.get(edge, 0) >= arcs.get(edge[::-1], 0) else edge[::-1]
        if child in above[parent]:
            parent, child = child, parent
        parents[child].append(parent)
        new = above[parent] | {parent}
        for node in range(n):
            if node == child or child in above[node]:
                above[node] |= new
    return parents
