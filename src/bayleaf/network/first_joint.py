"""Tables of a network whose first nodes have a joint table, of which they may know some states only."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf.graph import DAG

FloatArray = NDArray[np.float64]


def first_joint(dag: DAG, tables: Sequence[FloatArray], target: int, first: Sequence[int]) -> FloatArray:
    """Return P(class, first features), the class on the first axis.

    Parameters
    ----------
    dag : DAG
        In which the class has no parent, and each of these features the class and those before it.
    tables : sequence of arrays
        One per node: an axis for each parent in node order, then the node's own.
    target : int
        The class.
    first : sequence of int
        Features, in the order of the nodes.

    Examples
    --------
    >>> dag = DAG(["x", "c"], [("c", "x")])
    >>> first_joint(dag, [np.array([[0.5, 0.5], [0.1, 0.9]]), np.array([0.5, 0.5])], 1, [0]).tolist()
    [[0.25, 0.25], [0.05, 0.45]]
    """
    joint = tables[target]
    for feature in first:
        # Parents are in node order; the class comes first here.
        joint = joint[..., None] * np.moveaxis(tables[feature], dag.parent_indices[feature].index(target), 0)
    return joint


def with_first_joint(
    dag: DAG, tables: Sequence[FloatArray], target: int, first: Sequence[int], joint: FloatArray
) -> tuple[list[FloatArray], float]:
    """Return the tables for another joint of the class and the first features, and the sum of its entries.

    Only the tables of these nodes change. Where the entries do not sum to one, as when states were made impossible,
    they are divided by the sum: the network is conditioned on what is possible.

    Parameters
    ----------
    dag, tables, target, first
        As in `first_joint`.
    joint : ndarray
        As `first_joint` returns it; one entry at least is above zero.

    Examples
    --------
    >>> dag, tables = DAG(["x", "c"], [("c", "x")]), [np.array([[0.5, 0.5], [0.1, 0.9]]), np.array([0.5, 0.5])]
    >>> seen, share = with_first_joint(dag, tables, 1, [0], first_joint(dag, tables, 1, [0]) * [1, 0])
    >>> round(share, 3), seen[1].round(3)
    (0.3, array([0.833, 0.167]))
    """
    changed = list(tables)
    share = float(joint.sum())
    changed[target] = joint.sum(axis=tuple(range(1, joint.ndim))) / share
    for depth, feature in enumerate(first, 1):
        own = dag.parent_indices[feature].index(target)
        cells = joint.sum(axis=tuple(range(depth + 1, joint.ndim)))
        totals = cells.sum(axis=-1, keepdims=True)
        # Where a configuration of the parents is impossible, nobody asks for the rest.
        old = np.moveaxis(tables[feature], own, 0)
        new = np.where(totals > 0, cells / np.where(totals > 0, totals, 1.0), old)
        changed[feature] = np.moveaxis(new, 0, own)
    return changed, share
