"""How strong each arc is, and how much each feature tells about the class, in bits, from the model alone.

The strength of an arc P -> X is the conditional mutual information I(X; P | other parents of X) under the network's own
distribution. It is exact where the network is narrow enough for exact inference on every family; otherwise the
distribution of the families is taken from rows sampled from the network.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf.counts import count, entropy
from bayleaf.network import BayesNet
from bayleaf.table import Table
from bayleaf.table.table import empty_codes, missing_code

SAMPLED_ROWS = 20_000
# Families with more parent configurations than this, or networks with larger elimination tables, are sampled.
MOST_CONFIGURATIONS = 1024
MOST_ENTRIES = 100_000


class FamilyDistributions:
    """Joint distributions of small sets of nodes under a network.

    Examples
    --------
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.table import Variable
    >>> a, b = Variable("a", ("0", "1")), Variable("b", ("0", "1"))
    >>> net = BayesNet([a, b], DAG(["a", "b"], [("a", "b")]), [[0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]])
    >>> FamilyDistributions(net, entries=4).of([0], 1).round(3)
    array([[0.45, 0.05], [0.1 , 0.4 ]])
    """

    def __init__(self, network: BayesNet, entries: int) -> None:
        self._network = network
        self._exact = entries <= MOST_ENTRIES
        self._sample: Table | None = None

    def of(self, given: Sequence[int], query: int) -> NDArray[np.float64]:
        """Joint distribution of some nodes and one more: one axis each, in this order."""
        shape = [self._network.variables[i].arity for i in given]
        if self._exact and np.prod(shape, dtype=float) <= MOST_CONFIGURATIONS:
            return self._infer(given, query, shape)
        if self._sample is None:
            self._sample = self._network.sample_table(SAMPLED_ROWS, 0)
        counted = count(self._sample, [[*given, query]])[0]
        result: NDArray[np.float64] = counted / counted.sum()
        return result

    def _infer(self, given: Sequence[int], query: int, shape: list[int]) -> NDArray[np.float64]:
        rows = int(np.prod(shape))
        codes = empty_codes(rows, self._network.variables)
        codes.fill(missing_code(codes.dtype))
        if given:
            codes[:, list(given)] = np.indices(shape).reshape(len(shape), -1).T
        joint = np.exp(self._network.log_joint(codes, query, n_jobs=1))
        return joint.reshape([*shape, joint.shape[1]])


def arc_strengths(network: BayesNet, distributions: FamilyDistributions) -> dict[tuple[int, int], float]:
    """I(child; parent | other parents) in bits for every arc, by (parent, child)."""
    strengths = {}
    for child, parents in enumerate(network.dag.parent_indices):
        if not parents:
            continue
        joint = distributions.of(parents, child)
        for axis, parent in enumerate(parents):
            strengths[parent, child] = conditional_information(np.moveaxis(joint, axis, -2))
    return strengths


def class_information(network: BayesNet, distributions: FamilyDistributions) -> dict[int, float]:
    """I(feature; class) in bits of every node other than the class; empty without a class."""
    if network.target is None:
        return {}
    target = network.dag.index(network.target)
    others = [node for node in range(len(network.nodes)) if node != target]
    return {node: conditional_information(distributions.of([node], target)) for node in others}


def conditional_information(joint: NDArray[np.float64]) -> float:
    """I(A; B | rest) in bits of a joint distribution whose last two axes are A and B.

    Examples
    --------
    >>> conditional_information(np.array([[0.5, 0.0], [0.0, 0.5]]))
    1.0
    """
    by_rest = joint.reshape(-1, *joint.shape[-2:])
    weight = by_rest.sum(axis=(1, 2))
    nats = entropy(by_rest.sum(axis=2), axes=1) + entropy(by_rest.sum(axis=1), axes=1) - entropy(by_rest, axes=2)
    return max(0.0, round(float((weight * nats).sum() / np.log(2)), 9))


__all__ = ["FamilyDistributions", "arc_strengths", "class_information", "conditional_information"]
