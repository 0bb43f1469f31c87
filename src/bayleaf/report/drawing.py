"""Where the nodes go, and how strong each arc is.

Trees are drawn by igraph's Reingold-Tilford layout. For other graphs igraph orders the nodes of each layer so that
few arcs cross, and each layer is then moved as near to its neighbours as its spacing allows. A class that is a parent
of many features, and of most, would cover the drawing with its arcs: it is put at the side instead, and the features
are laid out without it, each connected part by itself.

The strength of an arc P -> X is the conditional mutual information I(X; P | other parents of X) under the network's
own distribution. It is exact where the network is narrow enough for exact inference on every family; otherwise the
distribution of the parents is taken from rows sampled from the network.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from bayleaf._util.params import require
from bayleaf.counts import count, entropy_of_counts
from bayleaf.data.table import Codes, empty_codes, missing_code
from bayleaf.graph import DAG
from bayleaf.network import BayesNet

# A node is 172 by 46 pixels on the page.
COLUMN, ROW = 224.0, 62.0  # layers as columns: distance of layers, distance within a layer
SIDE, DOWN = 192.0, 104.0  # layers as rows: distance within a layer, distance of layers
TIGHT_COLUMN, TIGHT_DOWN = 206.0, 72.0  # distance of layers where there are many
LEGIBLE = 0.75  # of the size of the page: names and states can be read without coming closer
SCREEN, PHONE = (1080.0, 720.0), (366.0, 480.0)
SWEEPS = 40
MANY_ARCS = 14
BEND = 0.34  # room for an arc that passes a layer, as a share of a node's
Point = tuple[float, float]


@dataclass(frozen=True)
class Layout:
    """Centres of the nodes, and the bends of arcs that pass other layers, in pixels.

    ``hub`` is the class where it stands aside; ``downwards`` tells whether arcs go down rather than to the right, and
    ``distance`` how far layers are apart.
    """

    centres: NDArray[np.float64]
    bends: dict[tuple[int, int], list[Point]]
    hub: int | None
    downwards: bool
    distance: float


@dataclass(frozen=True)
class _Part:
    """One connected part on a grid: layer and place within the layer of each node and of each bend."""

    nodes: list[int]
    places: NDArray[np.float64]
    bends: dict[tuple[int, int], NDArray[np.float64]]

    @property
    def size(self) -> NDArray[np.float64]:
        corners = [self.places, *self.bends.values()]
        largest: NDArray[np.float64] = np.max([corner.max(axis=0) for corner in corners], axis=0)
        return largest + 1.0


def layered_layout(dag: DAG, target: int | None = None, importance: Sequence[float] | None = None) -> Layout:
    """Lay out a graph for a screen that is wider than high; see `layouts_for`.

    Examples
    --------
    >>> layered_layout(DAG(["a", "b", "c"], [("a", "b"), ("b", "c")])).centres.round().tolist()
    [[0.0, 0.0], [224.0, 0.0], [448.0, 0.0]]
    """
    return layouts_for((SCREEN,), dag, target, importance)[0]


def layouts_for(
    screens: Sequence[Point],
    dag: DAG,
    target: int | None = None,
    importance: Sequence[float] | None = None,
) -> list[Layout]:
    """Lay out a graph for each of several screens, given as width and height.

    Layers run down or to the right, whichever leaves the nodes larger. They move together where nodes would otherwise
    be too small to read.

    Parameters
    ----------
    screens : sequence of (width, height)
    dag : DAG
    target : int, optional
        The class.
    importance : sequence of float, optional
        Parts of equal size come in descending order of this.

    Examples
    --------
    >>> [layout.downwards for layout in layouts_for((SCREEN, PHONE), DAG(["a", "b"], [("a", "b")]))]
    [False, True]
    """
    n = len(dag.nodes)
    hub = target if target is not None and _is_hub(dag, target) else None
    arcs = [(p, child) for child, parents in enumerate(dag.parent_indices) for p in parents if hub != p]
    weight = np.zeros(n) if importance is None else np.asarray(importance, dtype=float)
    members = _connected_parts(n, arcs, without=hub)
    members.sort(key=lambda part: (-len(part), -weight[part].max()))
    parts = [_lay_out_part(part, arcs) for part in members]
    ways = ((False, COLUMN), (True, DOWN), (False, TIGHT_COLUMN), (True, TIGHT_DOWN))
    return [
        max((_place(n, parts, hub, *way, screen) for way in ways), key=partial(_legibility, screen=screen))
        for screen in screens
    ]


def _is_hub(dag: DAG, target: int) -> bool:
    children = sum(target in parents for parents in dag.parent_indices)
    return not dag.parent_indices[target] and children > MANY_ARCS and 2 * children >= len(dag.nodes) - 1


def _connected_parts(n: int, arcs: Sequence[tuple[int, int]], without: int | None) -> list[list[int]]:
    part = list(range(n))
    members = {node: [node] for node in range(n) if node != without}
    for a, b in arcs:
        keep, lose = sorted((part[a], part[b]))
        if keep != lose:
            for node in members[lose]:
                part[node] = keep
            members[keep] += members.pop(lose)
    return [sorted(nodes) for nodes in members.values()]


def _lay_out_part(part: list[int], arcs: Sequence[tuple[int, int]]) -> _Part:
    if len(part) == 1:
        return _Part(part, np.zeros((1, 2)), {})
    igraph = require("igraph", extra="report")
    position = {node: k for k, node in enumerate(part)}
    inner = [(position[a], position[b]) for a, b in arcs if a in position]
    if len({b for _, b in inner}) == len(inner):  # no node has two parents
        tree = igraph.Graph(len(part), inner, directed=True).layout_reingold_tilford(mode="out")
        places = np.array(tree.coords)[:, ::-1]
        return _Part(part, places - places.min(axis=0), {})
    layer = _layers(len(part), inner)
    # Arcs over several layers get a bend in each, a node of its own until the drawing is done.
    chains, ends = [], list(layer)
    for a, b in inner:
        chains.append([a, *range(len(ends), len(ends) + layer[b] - layer[a] - 1), b])
        ends += range(layer[a] + 1, layer[b])
    links = [(x, y) for chain in chains for x, y in itertools.pairwise(chain)]
    graph = igraph.Graph(len(ends), links, directed=True)
    drawing = np.array(graph.layout_sugiyama(layers=ends, maxiter=300).coords)
    width = np.where(np.arange(len(ends)) < len(part), 1.0, BEND)
    across = _straighten(np.array(ends), drawing[: len(ends), 0], width, links)
    places = np.column_stack([ends, across - across.min()]).astype(float)
    bends = {(part[chain[0]], part[chain[-1]]): places[chain[1:-1]] for chain in chains if len(chain) > 2}
    return _Part(part, places[: len(part)], bends)


def _layers(n: int, arcs: Sequence[tuple[int, int]]) -> list[int]:
    """Layer of each node: its longest path from a root; roots move up to just before their first child."""
    parents: list[list[int]] = [[] for _ in range(n)]
    children: list[list[int]] = [[] for _ in range(n)]
    for a, b in arcs:
        parents[b].append(a)
        children[a].append(b)
    layer = [-1] * n
    ready = [node for node in range(n) if not parents[node]]
    while ready:
        node = ready.pop()
        layer[node] = 1 + max((layer[p] for p in parents[node]), default=-1)
        ready += [b for b in children[node] if all(layer[p] >= 0 for p in parents[b])]
    for node in range(n):
        if not parents[node] and children[node]:
            layer[node] = min(layer[b] for b in children[node]) - 1
    lowest = min(layer)
    return [each - lowest for each in layer]


def _straighten(
    layer: NDArray[np.int64],
    across: NDArray[np.float64],
    width: NDArray[np.float64],
    links: Sequence[tuple[int, int]],
) -> NDArray[np.float64]:
    """Move nodes towards the mean of their neighbours, keeping the order of each layer and room for each node."""
    rows = [np.flatnonzero(layer == k) for k in range(layer.max() + 1)]
    rows = [row[np.argsort(across[row], kind="stable")] for row in rows]
    place = np.empty(len(layer))
    centres = [np.cumsum(width[row]) - width[row] / 2 for row in rows]
    for row, centre in zip(rows, centres, strict=True):
        place[row] = centre - width[row].sum() / 2
    near: list[list[int]] = [[] for _ in layer]
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    for sweep in range(SWEEPS):
        for k in range(len(rows)) if sweep % 2 == 0 else reversed(range(len(rows))):
            wanted = np.array([np.mean(place[near[node]]) if near[node] else place[node] for node in rows[k]])
            place[rows[k]] = isotonic_regression(wanted - centres[k]).x + centres[k]
    return place


def _place(
    n: int, parts: list[_Part], hub: int | None, downwards: bool, distance: float, screen: Point
) -> Layout:
    """Turn grid places into pixels and set the parts beside one another, largest first."""
    step = np.array([distance, SIDE if downwards else ROW])

    def turn(grid: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled: NDArray[np.float64] = grid * step
        return scaled[..., ::-1] if downwards else scaled

    sizes = [turn(part.size) for part in parts]
    offsets = _pack(sizes, screen)
    centres = np.zeros((n, 2))
    bends: dict[tuple[int, int], NDArray[np.float64]] = {}
    for part, offset in zip(parts, offsets, strict=True):
        centres[part.nodes] = turn(part.places) + offset
        bends |= {arc: (turn(route) + offset) for arc, route in part.bends.items()}
    if hub is not None and parts:
        move = np.array([0.0, distance] if downwards else [distance, 0.0])
        others = [node for node in range(n) if node != hub]
        centres[others] += move
        bends = {arc: route + move for arc, route in bends.items()}
        first = parts[0].nodes[int(parts[0].places[:, 0].argmin())]  # in line with the first root
        beside = (
            centres[first]
            if len(parts[0].nodes) > 1
            else (centres[others].min(0) + centres[others].max(0)) / 2
        )
        centres[hub] = (beside[0], 0.0) if downwards else (0.0, beside[1])
    routes = {arc: [(float(x), float(y)) for x, y in route] for arc, route in bends.items()}
    return Layout(centres, routes, hub, downwards, distance)


def _pack(sizes: Sequence[NDArray[np.float64]], screen: Point) -> list[NDArray[np.float64]]:
    """Set blocks in rows so that the whole has about the shape of a screen; return their top left corners."""
    area = sum(float(width * height) for width, height in sizes)
    square = np.sqrt(area * screen[0] / screen[1])
    limit = max([square, *(float(size[0]) for size in sizes)], default=0.0) + 1.0
    left = top = high = 0.0
    corners = []
    for width, height in sizes:
        if left + width > limit:
            left, top, high = 0.0, top + high, 0.0
        corners.append(np.array([left, top]))
        left += float(width)
        high = max(high, float(height))
    return corners


def _legibility(layout: Layout, screen: Point) -> tuple[float, float, float]:
    """How well a layout can be read on a screen: up to a size that is enough, room between layers is worth more."""
    width, height = layout.centres.max(axis=0) - layout.centres.min(axis=0) + (COLUMN, ROW)
    scale = float(min(screen[0] / width, screen[1] / height, 1.2))
    return min(scale, LEGIBLE), layout.distance / (DOWN if layout.downwards else COLUMN), scale


SAMPLED_ROWS = 20_000
# Networks with more parent configurations than this, or larger elimination tables, are sampled.
MOST_CONFIGURATIONS = 20_000
MOST_ENTRIES = 200_000


def joint_distributions(
    network: BayesNet, sets: Sequence[Sequence[int]], entries: float
) -> list[NDArray[np.float64]]:
    """Joint distribution of each of several sets of nodes: one axis per node, in the order given.

    Parameters
    ----------
    network : BayesNet
    sets : sequence of sequences of int
    entries : float
        Work of exact inference on the whole network; beyond a limit the distributions are sampled.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.data import Variable
    >>> a, b = Variable("a", ("0", "1")), Variable("b", ("0", "1"))
    >>> net = BayesNet([a, b], DAG(["a", "b"], [("a", "b")]), [[0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]])
    >>> joint_distributions(net, [[1], [0, 1]], entries=4)
    [array([0.55, 0.45]), array([[0.45, 0.05], [0.1 , 0.4 ]])]
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
        _write_configurations(codes[end - size : end], nodes, shape)
    probability = np.exp(network.log_joint(codes, None, 1)[:, 0])
    return [part.reshape(shape) for part, shape in zip(np.split(probability, ends[:-1]), shapes, strict=True)]


def _write_configurations(codes: Codes, nodes: Sequence[int], shape: Sequence[int]) -> None:
    if nodes:
        codes[:, list(nodes)] = np.indices(shape).reshape(len(shape), -1).T


def arc_strengths(network: BayesNet, entries: float) -> dict[tuple[int, int], float]:
    """I(child; parent | other parents) in bits for every arc, by (parent, child).

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.data import Variable
    >>> a, b = Variable("a", ("0", "1")), Variable("b", ("0", "1"))
    >>> net = BayesNet([a, b], DAG(["a", "b"], [("a", "b")]), [[0.5, 0.5], [[1.0, 0.0], [0.0, 1.0]]])
    >>> arc_strengths(net, entries=4)
    {(0, 1): 1.0}
    """
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
    """I(A; B | rest) in bits of a joint distribution whose last two axes are A and B.

    Examples
    --------
    >>> conditional_information(np.array([[0.5, 0.0], [0.0, 0.5]]))
    1.0
    """
    by_rest = joint.reshape(-1, *joint.shape[-2:])
    weight = by_rest.sum(axis=(1, 2))
    nats = (
        entropy_of_counts(by_rest.sum(axis=2), axes=1)
        + entropy_of_counts(by_rest.sum(axis=1), axes=1)
        - entropy_of_counts(by_rest, axes=2)
    )
    return max(0.0, round(float((weight * nats).sum() / np.log(2)), 9))
