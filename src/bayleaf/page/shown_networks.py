"""Networks as the page needs them: names, states, tables, an elimination order, places and strengths.

Of an ensemble: every member, the arcs that most of them have, and what is needed to combine them.

A pool as the page needs it: what each feature says on the whole, and row by row why a class was predicted.

A pool has no graph that one could draw, and too many numbers to ask it from a page. So its rows are explained when
the page is written.
"""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.classify import EnsembleClassifier, NetworkPool
from bayleaf.data import Variable
from bayleaf.data.columns import check_rows, take_rows
from bayleaf.data.dates import MOMENTS
from bayleaf.data.numbers import raw_numbers
from bayleaf.data.schema import Meaning
from bayleaf.explain.evidence import Explanation
from bayleaf.graph import DAG, min_fill_order
from bayleaf.network import BayesNet

from .drawing import PHONE, SCREEN, Layout, arc_strengths, class_information, layouts_for
from .page_text import shorten, state_labels
from .shown_rows import Examples

# Room for the tables of all members: with the scripts and a few hundred rows the page stays below 1.5 MB.
MOST_BYTES = 1_000_000
MOST_DRAWN_NODES = 2_000
Edge = tuple[int, int]


@dataclass(frozen=True)
class Known:
    """What is known of columns beside their states.

    Attributes
    ----------
    missing : mapping
        Share of missing values in training, by name.
    ranges : mapping
        Smallest and largest number in training, by name.
    meaning : Meaning
    """

    missing: Mapping[str, float] = field(default_factory=dict)
    ranges: Mapping[str, list[float]] = field(default_factory=dict)
    meaning: Meaning = field(default_factory=Meaning)


def model_data(network: BayesNet, known: Known) -> dict[str, Any]:
    """Return a network as plain data.

    Parameters
    ----------
    network : BayesNet
    known : Known

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.data import Variable
    >>> a, b = Variable("a", ("0", "1")), Variable("b", ("0", "1"))
    >>> net = BayesNet([a, b], DAG(["a", "b"], [("a", "b")]), [[0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]], "b")
    >>> data = model_data(net, Known(missing={"a": 0.25}))
    >>> data["target"], data["nodes"][0]["missing"], data["arcs"][0]["from"]
    (1, 0.25, 0)
    """
    target = None if network.target is None else network.dag.index(network.target)
    names = [node_data(variable, known) for variable in network.variables]
    return {"target": target, "nodes": names, **graph_data(network), **inference_data(network)}


def node_data(variable: Variable, known: Known) -> dict[str, Any]:
    """Return what is known of a node whatever network it is in."""
    name, meaning = variable.name, known.meaning
    texts = {state: shorten(text) for state, text in meaning.states.get(name, {}).items()}
    shown = zip(variable.states, state_labels(variable), strict=True)
    return {
        "name": shorten(meaning.name(name)),
        "column": shorten(name) if meaning.name(name) != name else None,
        "unit": meaning.units.get(name),
        "description": meaning.descriptions.get(name),
        "states": [texts.get(str(state), label) for state, label in shown],
        "range": known.ranges.get(name),
        "gap": variable.arity - 1 if variable.gap else None,
        "fill": variable.fill,
        "other": variable.other,
        "values": [str(state) for state in variable.states] if texts else None,
        "cuts": None if variable.cuts is None else list(variable.cuts),
        "cutTexts": variable.cut_texts,
        "moment": variable.dtype if variable.dtype in MOMENTS else None,
        "missing": known.missing.get(name),
    }


def graph_data(network: BayesNet) -> dict[str, Any]:
    """Return how the network is drawn: places, strengths of arcs, information of each node about the class."""
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
    return {
        "downwards": layout.downwards,
        "distance": layout.distance,
        "at": layout.centres.round(1).tolist(),
    }


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


def ensemble_data(ensemble: EnsembleClassifier, known: Known) -> dict[str, Any]:
    """Return an ensemble as plain data: nodes, the graph of most arcs, and the members.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayleaf as bl
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> data = ensemble_data(bl.BaggedClassifier(n_estimators=3, random_state=0).fit(X, y), Known())
    >>> len(data["ensemble"]["members"]), data["ensemble"]["vote"], data["ensemble"]["note"]
    (3, 'average', None)
    """
    schema = ensemble.schema_
    variables = [*(schema.features[j] for j in schema.used), schema.variables[-1]]
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
    costs = ensemble._costs()
    return {
        "target": len(variables) - 1,
        "nodes": [node_data(variable, known) for variable in variables],
        **common_graph(networks, [*information, None]),
        "parameters": ensemble.n_parameters_,
        "ensemble": {
            "vote": ensemble.vote,
            "weights": ensemble.council_.weights.tolist(),
            "levels": ensemble.council_.levels.tolist(),
            "costs": None if costs is None else costs.tolist(),
            "prior": ensemble._prior.tolist(),
            "priors": [model._prior.tolist() for model in ensemble.estimators_],
            "precision": precision,
            "members": members,
            "note": None if precision else too_large(networks),
        },
    }


def on_all_nodes(network: BayesNet, variables: Sequence[Variable]) -> BayesNet:
    """Return a member over all features; those that it was learned without stand alone and carry no information."""
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


def common_arcs(networks: Sequence[BayesNet]) -> tuple[DAG, dict[Edge, float]]:
    """Return the edges that more than half of the networks have, in the direction that most of these give them.

    Beside each arc of the graph: the share of networks that have it, either way round. All have the same nodes.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> a, b = Variable("a", ("0", "1")), Variable("b", ("0", "1"))
    >>> apart = BayesNet([a, b], DAG(["a", "b"]), [[0.5, 0.5], [0.5, 0.5]])
    >>> joined = BayesNet([a, b], DAG(["a", "b"], [("a", "b")]), [[0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]])
    >>> dag, shares = common_arcs([joined, apart, joined, joined])
    >>> dag.arcs, shares
    ((('a', 'b'),), {(0, 1): 0.75})
    """
    nodes = networks[0].nodes
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
    dag = DAG.from_parents(nodes, _directed(len(nodes), common, arcs))
    return dag, {
        (parent, child): edges[min(parent, child), max(parent, child)] / len(networks)
        for child, parents in enumerate(dag.parent_indices)
        for parent in parents
    }


def common_graph(networks: Sequence[BayesNet], information: Sequence[float | None]) -> dict[str, Any]:
    """Draw the edges that more than half of the networks have (`common_arcs`), as strong as their shares."""
    first = networks[0]
    dag, shares = common_arcs(networks)
    target = len(first.nodes) - 1
    blanket = set().union(*(network.markov_blanket(first.nodes[target]) for network in networks))
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


# A page carries so many rows with their reasons, and so many reasons in all.
MOST_ROWS = 100
MOST_REASONS = 20_000


def pool_data(
    pool: NetworkPool,
    known: Known,
    X: Any,
    examples: Examples | None,
    numbers: Sequence[int] | None,
) -> dict[str, Any]:
    """Return a pool as plain data: its columns, how large the evidence of each is, and rows with their reasons.

    Parameters
    ----------
    pool : NetworkPool
    known : Known
        What else is known of the columns.
    X : DataFrame or array, optional
    examples : Examples, optional
        What is known of the rows of X.
    numbers : sequence of int, optional
        By which readers know the rows of X: 1, 2, ... by default.
    """
    schema = pool.schema_
    variables = [*(schema.features[j] for j in schema.used), schema.variables[-1]]
    nodes = [{**node_data(variable, known), "cuts": None, "cutTexts": None} for variable in variables]
    labels = [
        dict(zip(map(str, variable.states), node["states"], strict=True))
        for variable, node in zip(variables, nodes, strict=True)
    ]
    for node in nodes[:-1]:
        node["states"] = []  # those that the rows shown have
    rows = [] if examples is None else _explained(pool, X, examples, numbers, nodes, labels)
    return {
        "target": len(nodes) - 1,
        "nodes": nodes,
        "parents": [[] for _ in nodes],
        "arcs": [],
        "parameters": pool.n_parameters_,
        "pool": {
            "evidence": pool.mean_evidence_[schema.used].tolist(),
            "columns": [
                [shorten(text) for text in (line.column, line.read_as, line.states, line.gaps, line.note)]
                for line in schema.lines()
            ],
            "rows": rows,
        },
    }


def _explained(
    pool: NetworkPool,
    X: Any,
    examples: Examples,
    numbers: Sequence[int] | None,
    nodes: list[dict[str, Any]],
    labels: list[dict[str, str]],
) -> list[dict[str, Any]]:
    """Explain some rows; the values that they have become states of the nodes."""
    chosen = examples.chosen(min(MOST_ROWS, MOST_REASONS // len(nodes) + 1))
    given = chosen if examples.positions is None else examples.positions[chosen]
    if not len(given):
        return []
    shown = take_rows(X, given)
    found, probabilities = pool.explain(shown), pool.predict_proba(shown)
    measured = raw_numbers(pool.schema_, check_rows(shown))
    used, classes = pool.schema_.used, pool.classes_.tolist()
    rows = []
    for k, position in enumerate(chosen.tolist()):
        row = int(given[k])
        explained = {
            "row": row + 1 if numbers is None else int(numbers[row]),
            "probabilities": probabilities[k].tolist(),
            "first": classes.index(_plain(found.target[k])),
            "second": classes.index(_plain(found.against[k])),
            "prior": float(found.prior[k]),
            "total": float(found.log_odds[k]),
            "terms": _terms(found, k, used, nodes, labels, measured),
            "truth": None,
        }
        if examples.outcome is not None:
            explained["truth"] = shorten(examples.outcome.labels[examples.outcome.truth[position]])
        rows.append(explained)
    return rows


def _terms(
    found: Explanation,
    k: int,
    used: Sequence[int],
    nodes: list[dict[str, Any]],
    labels: list[dict[str, str]],
    measured: dict[str, NDArray[np.float64]],
) -> list[list[Any]]:
    """Return node, state, weight and the number measured (or None) of the features of a row that say something."""
    terms: list[list[Any]] = []
    for i, feature in enumerate(used):
        weight = float(found.evidence[k, feature])
        if weight:
            value, states = str(found.values[k][feature]), nodes[i]["states"]
            label = labels[i].get(value, shorten(value))
            if label not in states:
                states.append(label)
            numbers = measured.get(found.features[feature])
            number = None if numbers is None or np.isnan(numbers[k]) else float(f"{numbers[k]:.10g}")
            terms.append([i, states.index(label), weight, number])
    return terms


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
