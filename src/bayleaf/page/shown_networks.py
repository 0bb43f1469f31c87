"""Models as the page needs them: a network, the networks of an ensemble, a pool.

A network: names, states, tables, an elimination order, places of nodes and strengths of arcs. An ensemble: every
member, the arcs that most of them have, and what is needed to combine them. A pool has no graph to draw and too many
numbers for a page to compute with, so its rows are explained when the page is written.

The strength of an arc P -> X is the conditional mutual information I(X; P | other parents of X) under the network's
own distribution. It is exact where the network is narrow enough for exact inference on every family; otherwise the
distribution of the parents is taken from rows sampled from the network.
"""

import base64
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from bayleaf.classify import BayesNetClassifier, EnsembleClassifier, NetworkPool
from bayleaf.classify.certainty import LEVEL
from bayleaf.counts import count, entropy_of_counts
from bayleaf.data import Variable
from bayleaf.data.columns import check_rows, take_rows
from bayleaf.data.dates import MOMENTS
from bayleaf.data.raw_rows import raw_numbers
from bayleaf.data.schema import Meaning
from bayleaf.data.table import empty_codes, missing_code
from bayleaf.data.text_values import MARK_PATTERNS
from bayleaf.data.variable import MINUS, state_texts
from bayleaf.explain.evidence import Explanation
from bayleaf.graph import DAG, min_fill_order
from bayleaf.network import BayesNet
from bayleaf.network.member import KNOTS, EvidenceTables, TwoReadings
from bayleaf.tables import MISSING_VALUES

from .drawing import PHONE, SCREEN, Layout, layouts_for
from .shown_rows import Examples, shorten

# Room for the tables of all members: with the scripts and a few hundred rows the page stays below 1.5 MB.
MOST_BYTES = 1_000_000
MOST_DRAWN_NODES = 2_000
SAMPLED_ROWS = 20_000
# Networks with more parent configurations than this, or larger elimination tables, are sampled.
MOST_CONFIGURATIONS = 20_000
MOST_ENTRIES = 200_000
# A longer category of a new file is taken for one that was not seen.
LONGEST_VALUE = 2_000
# Columns whose reading is told.
MOST_LINES = 1_000
# Of more features than this a page first shows the most telling ones: so many, and more when asked.
FEW_FEATURES = 25
STARTS = (12, 24, 48, 96)
Edge = tuple[int, int]


@dataclass(frozen=True)
class ColumnFacts:
    """What is known about columns apart from their states."""

    missing: Mapping[str, float] = field(default_factory=dict)  # share of missing values in training, by name
    ranges: Mapping[str, list[float]] = field(default_factory=dict)  # smallest and largest number in training
    meaning: Meaning = field(default_factory=Meaning)


def model_data(network: BayesNet, facts: ColumnFacts) -> dict[str, Any]:
    """Return a network as plain data."""
    target = None if network.target is None else network.dag.index(network.target)
    names = [node_data(variable, facts) for variable in network.variables]
    return {"target": target, "nodes": names, **graph_data(network), **inference_data(network)}


def node_data(variable: Variable, facts: ColumnFacts) -> dict[str, Any]:
    """Return what is known about a node in any network."""
    name, meaning, reading = variable.name, facts.meaning, variable.reading
    texts = {state: shorten(text) for state, text in meaning.states.get(name, {}).items()}
    labels = state_labels(variable)
    shown = zip(variable.states, labels, strict=True)
    values = [shorten(state, LONGEST_VALUE) for state in variable.states]
    return {
        "name": shorten(meaning.name(name)),
        "column": shorten(name) if meaning.name(name) != name else None,
        "unit": meaning.units.get(name),
        "description": meaning.descriptions.get(name),
        "states": [texts.get(str(state), label) for state, label in shown],
        "range": facts.ranges.get(name),
        "gap": variable.arity - 1 if variable.gap else None,
        "fill": variable.fill,
        "other": variable.other,
        "values": values if texts or (variable.cuts is None and values != labels) else None,
        "cuts": None if variable.cuts is None else list(variable.cuts),
        "cutTexts": variable.cut_texts,
        "whole": variable.dtype == "integer",
        "style": None if reading is None else {"decimal": reading.decimal, "thousands": reading.thousands},
        "moment": variable.dtype if variable.dtype in MOMENTS else None,
        "missing": facts.missing.get(name),
    }


def file_data(model: Any, nodes: Sequence[Variable]) -> dict[str, Any]:
    """Return what the page needs to read a file as `bayleaf predict` reads it.

    That is how each column of the model is read, which of the nodes are made of it, and what texts mean that a value
    is missing.
    """
    settings = model._reading_settings() if hasattr(model, "schema_") else None
    columns = model.schema_.columns if hasattr(model, "schema_") else nodes[:-1]
    places = {variable.name: place for place, variable in enumerate(nodes)}
    parts: dict[str, list[list[Any]]] = {}
    for place, variable in enumerate(nodes):
        if settings is not None and variable.source is not None:
            parts.setdefault(variable.source, []).append([place, variable.part, variable.spelling])
    return {
        "columns": [
            {
                "name": variable.name,
                "dtype": variable.dtype,
                "reading": None if variable.reading is None else asdict(variable.reading),
                "marks": list(variable.marks),
                "spelling": variable.spelling,
                "zone": variable.zone,
                "node": places.get(variable.name),
                "parts": parts.get(variable.name, []),
            }
            for variable in columns
            if variable.dtype != "identifier" or variable.name in parts
        ],
        "target": nodes[-1].name,
        "missing": list(MISSING_VALUES),
        "marks": list(MARK_PATTERNS),
        "may_lack": settings is not None and settings.absent_columns == "missing",
        "refuses_unknown": settings is not None and settings.unknown == "error",
    }


def column_lines(model: Any) -> list[list[str]]:
    """Return how each column was read: its name, kind, states, gaps, and what there is to note."""
    schema = getattr(model, "schema_", None)
    lines = [] if schema is None else schema.lines()[:MOST_LINES]
    return [
        [shorten(text) for text in (line.column, line.read_as, line.states, line.gaps, line.note)]
        for line in lines
    ]


def state_labels(variable: Variable) -> list[str]:
    """Labels of a variable's states; intervals in words that need no brackets.

    Examples
    --------
    >>> state_labels(Variable.numeric("age", [18, 65])), state_labels(Variable("sex", ("f", "m")))
    (['≤ 18', '18 – 65', '> 65'], ['f', 'm'])
    >>> state_labels(Variable.numeric("age", []).with_gap())
    ['any number', '(missing)']
    """
    return [shorten(text) for text in state_texts(variable, MINUS)]


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


def joint_distributions(
    network: BayesNet, sets: Sequence[Sequence[int]], entries: float
) -> list[NDArray[np.float64]]:
    """Joint distribution of each of several sets of nodes: one axis per node, in the order given.

    ``entries`` is the work of exact inference on the whole network; beyond a limit distributions are sampled.
    """
    if not sets:
        return []
    shapes = [[network.variables[i].arity for i in nodes] for nodes in sets]
    sizes = [int(np.prod(shape, dtype=float).clip(max=2**62)) for shape in shapes]
    if entries > MOST_ENTRIES or sum(sizes) > MOST_CONFIGURATIONS:
        tables = count(network.sample_table(SAMPLED_ROWS, 0), sets)
        return [table / table.sum() for table in tables]
    codes = empty_codes(sum(sizes), network.variables)
    codes.fill(missing_code(codes.dtype))
    ends = np.cumsum(sizes)
    for nodes, shape, end, size in zip(sets, shapes, ends, sizes, strict=True):
        if nodes:
            codes[end - size : end, list(nodes)] = np.indices(shape).reshape(len(shape), -1).T
    probability = np.exp(network.log_joint(codes, None, 1)[:, 0])
    return [part.reshape(shape) for part, shape in zip(np.split(probability, ends[:-1]), shapes, strict=True)]


def arc_strengths(network: BayesNet, entries: float) -> dict[tuple[int, int], float]:
    """I(child; parent | other parents) in bits for every arc, by (parent, child)."""
    families = [(child, parents) for child, parents in enumerate(network.dag.parent_indices) if parents]
    weights = joint_distributions(network, [parents for _, parents in families], entries)
    strengths = {}
    for (child, parents), weight in zip(families, weights, strict=True):
        joint = weight[..., None] * network.tables[child]
        for axis, parent in enumerate(parents):
            strengths[parent, child] = conditional_information(np.moveaxis(joint, axis, -2))
    return strengths


def class_information(network: BayesNet, entries: float) -> dict[int, float]:
    """I(feature; class) in bits of every node other than the class; empty without a class."""
    if network.target is None:
        return {}
    target = network.dag.index(network.target)
    others = [node for node in range(len(network.nodes)) if node != target]
    joints = joint_distributions(network, [[node, target] for node in others], entries)
    return {node: conditional_information(joint) for node, joint in zip(others, joints, strict=True)}


def conditional_information(joint: NDArray[np.float64]) -> float:
    """I(A; B | rest) in bits of a joint distribution whose last two axes are A and B."""
    by_rest = joint.reshape(-1, *joint.shape[-2:])
    weight = by_rest.sum(axis=(1, 2))
    nats = (
        entropy_of_counts(by_rest.sum(axis=2), axes=1)
        + entropy_of_counts(by_rest.sum(axis=1), axes=1)
        - entropy_of_counts(by_rest, axes=2)
    )
    return max(0.0, round(float((weight * nats).sum() / np.log(2)), 9))


def drawing_data(
    dag: DAG, target: int | None, importance: Sequence[float], strengths: Mapping[tuple[int, int], float]
) -> dict[str, Any]:
    """Return a drawing of a graph for a screen, and another for a phone."""
    layouts = layouts_for((SCREEN, PHONE), dag, target, importance)
    wide, narrow = (_places(layout, strengths) for layout in layouts)
    beside = layouts[0].hub is not None
    return {
        "hub": beside,
        "arcs": [{"from": a, "to": b, "strength": strength} for (a, b), strength in strengths.items()],
        "wide": wide,
        "narrow": narrow,
        "starts": [] if target is None else start_data(dag, target, importance, list(strengths), beside),
    }


def _places(layout: Layout, arcs: Iterable[Edge]) -> dict[str, Any]:
    return {
        "downwards": layout.downwards,
        "distance": layout.distance,
        "at": layout.centres.round(1).tolist(),
        "bends": [np.round(layout.bends.get(arc, []), 1).tolist() for arc in arcs],
    }


def start_data(
    dag: DAG, target: int, importance: Sequence[float], arcs: Sequence[Edge], beside: bool
) -> list[dict[str, Any]]:
    """Return drawings of the class with its most telling features, from few on; none where there are few."""
    features = sorted((k for k in range(len(dag.nodes)) if k != target), key=lambda k: -importance[k])
    starts = []
    for size in STARTS if len(features) > FEW_FEATURES else ():
        if size >= len(features):
            break
        kept = sorted([target, *features[:size]])
        place = {node: k for k, node in enumerate(kept)}
        among = [k for k, (a, b) in enumerate(arcs) if a in place and b in place]
        renamed = [(place[arcs[k][0]], place[arcs[k][1]]) for k in among]
        part = DAG(
            [dag.nodes[k] for k in kept], [(dag.nodes[arcs[k][0]], dag.nodes[arcs[k][1]]) for k in among]
        )
        weights = [importance[k] for k in kept]
        layouts = layouts_for((SCREEN, PHONE), part, place[target], weights, beside=beside)
        wide, narrow = (_places(layout, renamed) for layout in layouts)
        starts.append({"nodes": kept, "arcs": among, "wide": wide, "narrow": narrow})
    return starts


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


def readings_data(predictor: object, shown: BayesNet, precision: str = "<f8") -> dict[str, Any] | None:
    """Return what decides the class besides the network that is shown; None where that is all.

    Tables are those of features that have the class as a parent, then the class, in the order of the nodes: scores
    by the states of the other nodes of the family, a missing value last, then the classes.
    """
    if not isinstance(predictor, TwoReadings):
        return None
    evidence, query = predictor.evidence, len(predictor.nodes) - 1
    tables = [
        evidence.tables[node]
        for node in (predictor.dag.index(name) for name in shown.nodes[:-1] if name in predictor.nodes)
        if query in predictor.dag.parent_indices[node]
    ]
    flat = np.concatenate([table.ravel() for table in (*tables, evidence.log_prior)])
    return {
        "knots": list(KNOTS),
        "usual": predictor.gap_caution.usual,
        "counts": predictor.gap_caution.weights.tolist(),
        "tables": base64.b64encode(flat.astype(precision).tobytes()).decode(),
    }


def sure_data(model: Any) -> dict[str, Any] | None:
    """Return what intervals are made from; None where there are none, or they need tables that are not shown."""
    if not isinstance(model, BayesNetClassifier):
        return None
    try:
        sureness = model._sureness()
    except ValueError:
        return None
    if not all(map(np.array_equal, sureness.network.tables, model.network_.tables)):
        return None
    counts = np.concatenate([cells.ravel() for cells in sureness.families])
    precision = "<f4" if np.array_equal(counts, counts.astype("<f4")) else "<f8"
    misfit, nodes = sureness.misfit, sureness.network.nodes
    return {
        "z": float(ndtri((1.0 + LEVEL) / 2.0)),
        "factor": misfit.factor,
        "share": misfit.share,
        "scale": sureness.scale,
        "missed": [misfit.missed.get(name, 0.0) for name in nodes],
        "precision": precision,
        "counts": base64.b64encode(counts.astype(precision).tobytes()).decode(),
    }


def elimination_order(network: BayesNet) -> list[int]:
    """Return an order of elimination; the class comes last, so that the page reads its distribution off the root."""
    target = None if network.target is None else network.dag.index(network.target)
    others = [i for i in range(len(network.nodes)) if i != target]
    return min_fill_order(network.dag.moral_matrix, others) + ([] if target is None else [target])


def junction_entries(network: BayesNet, order: list[int]) -> float:
    """Entries of all tables that eliminating the nodes in this order makes: the work of exact inference."""
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


def ensemble_data(ensemble: EnsembleClassifier, facts: ColumnFacts) -> dict[str, Any]:
    """Return an ensemble as plain data: nodes, the graph of most arcs, and the members."""
    schema = ensemble.schema_
    variables = [*(schema.features[j] for j in schema.used), schema.variables[-1]]
    networks = [on_all_nodes(model.network_, variables) for model in ensemble.estimators_]
    precision = table_precision(networks, evidence_of(ensemble))
    drawn = max(1, min(len(networks), MOST_DRAWN_NODES // len(variables)))
    members = []
    for number, (network, model) in enumerate(zip(networks, ensemble.estimators_, strict=True)):
        member = inference_data(network, precision or "<f4")
        member["readings"] = readings_data(model._predictor, network, precision or "<f4")
        if precision is None:
            member.pop("tables")
            member.pop("readings")
        own = set(model.network_.nodes)
        member["absent"] = [i for i, name in enumerate(network.nodes) if name not in own]
        members.append({**member, **(graph_data(network) if number < drawn else {})})
    information = np.mean([member["information"][:-1] for member in members[:drawn]], axis=0).tolist()
    costs = ensemble._costs()
    return {
        "target": len(variables) - 1,
        "nodes": [node_data(variable, facts) for variable in variables],
        **common_graph(networks, [*information, None]),
        "parameters": ensemble.n_parameters_,
        "ensemble": {
            "vote": ensemble.council_.vote,
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


def table_precision(networks: Sequence[BayesNet], evidence: Sequence[EvidenceTables] = ()) -> str | None:
    """Choose how precisely tables are written so that they fit the page; None if they do not."""
    tables = chain(*(network.tables for network in networks), *(each.tables for each in evidence))
    entries = sum(table.size for table in tables)
    for precision in ("<f8", "<f4"):
        if entries * np.dtype(precision).itemsize * 4 / 3 <= MOST_BYTES:  # base64 takes a third more
            return precision
    return None


def evidence_of(ensemble: EnsembleClassifier) -> list[EvidenceTables]:
    """Return what decides the class in the members, where that is not the network that is shown."""
    predictors = (model._predictor for model in ensemble.estimators_)
    return [each.evidence for each in predictors if isinstance(each, TwoReadings)]


def too_large(networks: Sequence[BayesNet]) -> str:
    """Say that the tables do not fit."""
    entries = sum(table.size for network in networks for table in network.tables)
    return (
        f"The tables of the {len(networks)} networks have {entries:,} entries: too many for a page. It shows the "
        "graphs and how good the ensemble is; use bayleaf itself for what-if questions."
    )


def common_arcs(networks: Sequence[BayesNet]) -> tuple[DAG, dict[Edge, float]]:
    """Return the edges that more than half of the networks have, in the direction that most of these give them.

    With each arc comes the share of networks that have it in either direction. All have the same nodes.
    """
    nodes = networks[0].nodes
    arcs = Counter(
        (parent, child)
        for network in networks
        for child, parents in enumerate(network.dag.parent_indices)
        for parent in parents
    )
    edges: Counter[Edge] = Counter()
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


# The most rows of a page with their reasons, and the most reasons in all.
MOST_ROWS = 100
MOST_REASONS = 20_000


def pool_data(
    pool: NetworkPool, facts: ColumnFacts, X: Any, examples: Examples | None, numbers: Sequence[int] | None
) -> dict[str, Any]:
    """Return a pool as plain data: its columns, how large the evidence of each is, and rows of X with their reasons.

    ``examples`` are these rows, encoded; readers know them by ``numbers``, 1, 2, ... by default.
    """
    schema = pool.schema_
    variables = [*(schema.features[j] for j in schema.used), schema.variables[-1]]
    nodes = [{**node_data(variable, facts), "cuts": None, "cutTexts": None} for variable in variables]
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
            number = None if numbers is None or np.isnan(numbers[k]) else float(f"{numbers[k]:.15g}")
            terms.append([i, states.index(label), weight, number])
    return terms


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
