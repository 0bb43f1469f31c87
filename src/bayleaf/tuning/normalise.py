"""Scores over the families of a graph become the tables of a network with the same graph."""

from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

from bayleaf.graph import DAG
from bayleaf.parameters import Tables

from .folds import FloatArray


def unconnected_parents(dag: DAG) -> tuple[str, str, str] | None:
    """Return a node of which two parents are not connected, and these two; None where there is none.

    Examples
    --------
    >>> unconnected_parents(DAG(["a", "b", "c"], [("a", "c"), ("b", "c")]))
    ('c', 'a', 'b')
    >>> unconnected_parents(DAG(["a", "b", "c"], [("a", "c"), ("b", "c"), ("a", "b")])) is None
    True
    """
    parents_of = dag.parent_indices
    for node, parents in enumerate(parents_of):
        for place, one in enumerate(parents):
            for other in parents[place + 1 :]:
                if one not in parents_of[other] and other not in parents_of[one]:
                    return dag.nodes[node], dag.nodes[one], dag.nodes[other]
    return None


def normalised(dag: DAG, scores: Sequence[FloatArray]) -> Tables:
    """Return the tables of the network whose distribution is proportional to exp(sum of the families' scores).

    From the leaves upwards each family is divided by its sum over the node's own states, and the sums are handed to
    the family of the last of its parents, which holds the others too: so every pair of parents must be connected.

    Parameters
    ----------
    dag : DAG
        See `unconnected_parents`.
    scores : sequence of arrays
        For each node one axis per parent, then its own; finite.

    References
    ----------
    T. Roos, H. Wettig, P. Grünwald, P. Myllymäki and H. Tirri. On discriminative Bayesian network classifiers and
    logistic regression. Machine Learning 59, 2005.

    Examples
    --------
    >>> dag = DAG(["x", "class"], [("class", "x")])
    >>> x, c = normalised(dag, [np.log([[4.0, 1.0], [2.0, 3.0]]), np.log([1.0, 3.0])])
    >>> c.round(6)  # both lines of x sum to 5, which leaves the class as it is
    array([0.25, 0.75])
    >>> x.round(6)
    array([[0.8, 0.2],
           [0.4, 0.6]])
    """
    parents_of = dag.parent_indices
    place = {node: number for number, node in enumerate(dag.topological_indices)}
    left = [np.array(part, dtype=np.float64) for part in scores]
    tables: list[FloatArray] = [np.empty(0)] * len(left)
    for node in reversed(dag.topological_indices):
        sums = logsumexp(left[node], axis=-1, keepdims=True)
        table = np.exp(left[node] - sums)
        tables[node] = table / table.sum(axis=-1, keepdims=True)
        parents = parents_of[node]
        if parents:
            last = max(parents, key=place.__getitem__)
            family = [*parents_of[last], last]
            # The axes of the sums in the order of that family; its other axes do not matter to them.
            shape = [sums.shape[parents.index(other)] if other in parents else 1 for other in family]
            order = sorted(range(len(parents)), key=lambda axis: family.index(parents[axis]))
            left[last] += np.transpose(sums[..., 0], order).reshape(shape)
    return tuple(tables)
