"""The network as the page needs it: names, states, tables, an elimination order, places and strengths."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bayleaf.data import Variable
from bayleaf.graph import DAG, min_fill_order
from bayleaf.network import BayesNet

from .drawing import PHONE, SCREEN, Layout, arc_strengths, class_information, layouts_for
from .text import shorten, state_labels


def model_data(network: BayesNet, missing: Mapping[str, float]) -> dict[str, Any]:
    """Return a network as plain data.

    Parameters
    ----------
    network : BayesNet
    missing : mapping
        Share of missing values in training, by name, where known.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.data import Variable
    >>> a, b = Variable("a", ("0", "1")), Variable("b", ("0", "1"))
    >>> net = BayesNet([a, b], DAG(["a", "b"], [("a", "b")]), [[0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]], "b")
    >>> data = model_data(net, {"a": 0.25})
    >>> data["target"], data["nodes"][0]["missing"], data["arcs"][0]["from"]
    (1, 0.25, 0)
    """
    target = None if network.target is None else network.dag.index(network.target)
    names = [node_data(variable, missing) for variable in network.variables]
    return {"target": target, "nodes": names, **graph_data(network), **inference_data(network)}


def node_data(variable: Variable, missing: Mapping[str, float]) -> dict[str, Any]:
    """Return what is known of a node whatever network it is in."""
    return {
        "name": shorten(variable.name),
        "states": state_labels(variable),
        "cuts": None if variable.cuts is None else list(variable.cuts),
        "missing": missing.get(variable.name),
    }


def graph_data(network: BayesNet) -> dict[str, Any]:
    """Return how the network is drawn: places, strengths of arcs, what each node tells about the class."""
    target = None if network.target is None else network.dag.index(network.target)
    entries = junction_entries(network, elimination_order(network))
    strengths = arc_strengths(network, entries)
    information = class_information(network, entries)
    nodes = range(len(network.nodes))
    importance = [information.get(i, 0.0) for i in nodes]
    blanket = set() if network.target is None else set(network.markov_blanket(network.target))
    return {
        "blanket": [name in blanket for name in network.nodes],
        "information": [information.get(i) for i in nodes],
        **drawing_data(network.dag, target, importance, strengths),
    }


def drawing_data(
    dag: DAG, target: int | None, importance: Sequence[float], strengths: Mapping[tuple[int, int], float]
) -> dict[str, Any]:
    """Return a drawing of a graph for a screen, and another for a phone."""
    layouts = layouts_for((SCREEN, PHONE), dag, target, importance)
    wide, narrow = (
        {**_places(layout), "bends": [_bends(layout, arc) for arc in strengths]} for layout in layouts
    )
    return {
        "hub": layouts[0].hub is not None,
        "arcs": [{"from": a, "to": b, "strength": strength} for (a, b), strength in strengths.items()],
        "wide": wide,
        "narrow": narrow,
    }


def _places(layout: Layout) -> dict[str, Any]:
    return {"downwards": layout.downwards, "at": layout.centres.round(1).tolist()}


def _bends(layout: Layout, arc: tuple[int, int]) -> list[list[float]]:
    return [[round(x, 1), round(y, 1)] for x, y in layout.bends.get(arc, [])]


def inference_data(network: BayesNet, precision: str = "<f8") -> dict[str, Any]:
    """Return what exact inference needs: parents, an elimination order and the tables."""
    order = elimination_order(network)
    flat = np.concatenate([table.ravel() for table in network.tables])
    return {
        "parents": [list(parents) for parents in network.dag.parent_indices],
        "order": order,
        "topological": list(network.dag.topological_indices),
        "entries": junction_entries(network, order),
        "parameters": network.n_parameters,
        "tables": base64.b64encode(flat.astype(precision).tobytes()).decode(),
    }


def elimination_order(network: BayesNet) -> list[int]:
    """Return an order of elimination; the class comes last, so that the page reads its distribution off the root."""
    target = None if network.target is None else network.dag.index(network.target)
    others = [i for i in range(len(network.nodes)) if i != target]
    return min_fill_order(network.dag.moral_matrix, others) + ([] if target is None else [target])


def junction_entries(network: BayesNet, order: list[int]) -> float:
    """Entries of all tables that eliminating the nodes in this order makes: the work of exact inference.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.data import Variable
    >>> a, b = Variable("a", ("0", "1")), Variable("b", ("0", "1", "2"))
    >>> net = BayesNet([a, b], DAG(["a", "b"]), [[0.5, 0.5], [0.2, 0.3, 0.5]])
    >>> junction_entries(net, [0, 1])
    5.0
    """
    joined = [set(np.flatnonzero(row).tolist()) for row in network.dag.moral_matrix]
    sizes = [variable.arity for variable in network.variables]
    total = 0.0
    for node in order:
        around = joined[node]
        total += float(np.prod([sizes[k] for k in (node, *around)], dtype=float))
        for other in around:
            joined[other] |= around
            joined[other] -= {other, node}
    return total
