"""How strong each arc is, and how much each feature tells about the class, in bits, from the model alone.

The strength of an arc P -> X is the conditional mutual information I(X; P | other parents of X) under the network's
own distribution. It is exact where the network is narrow enough for exact inference on every family; otherwise the
distribution of the parents is taken from rows sampled from the network.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf.counts import count, entropy_of_counts
from bayleaf.network import BayesNet
from bayleaf.table.table import Codes, empty_codes, missing_code

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
    >>> from bayleaf.table import Variable
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
    probability = np.exp(network.compiled(None).log_joint(codes, 1)[:, 0])
    return [part.reshape(shape) for part, shape in zip(np.split(probability, ends[:-1]), shapes, strict=True)]


def _write_configurations(codes: Codes, nodes: Sequence[int], shape: Sequence[int]) -> None:
    if nodes:
        codes[:, list(nodes)] = np.indices(shape).reshape(len(shape), -1).T


def arc_strengths(network: BayesNet, entries: float) -> dict[tuple[int, int], float]:
    """I(child; parent | other parents) in bits for every arc, by (parent, child).

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.table import Variable
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


__all__ = ["arc_strengths", "class_information", "conditional_information", "joint_distributions"]
