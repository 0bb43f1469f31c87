"""The square matrices that describe a graph or the weights of its edges, and checks of them."""

import operator
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def arc_matrix(parents: Sequence[Sequence[int]]) -> npt.NDArray[np.bool_]:
    """Return the arcs of a directed graph as a read-only matrix [parent, child].

    Examples
    --------
    >>> arc_matrix([(), (0,)])
    array([[False,  True],
           [False, False]])
    """
    matrix = np.zeros((len(parents), len(parents)), dtype=bool)
    for child, family in enumerate(parents):
        matrix[list(family), child] = True
    matrix.flags.writeable = False
    return matrix


def moral_matrix(parents: Sequence[Sequence[int]]) -> npt.NDArray[np.bool_]:
    """Return the pairs of nodes that an arc or a common child joins as a read-only symmetric matrix.

    Examples
    --------
    >>> moral_matrix([(), (), (0, 1)])[0]
    array([False,  True,  True])
    """
    arcs = arc_matrix(parents)
    matrix = arcs | arcs.T
    for family in parents:
        matrix[np.ix_(family, family)] = True
    np.fill_diagonal(matrix, False)
    matrix.flags.writeable = False
    return matrix


def check_square(matrix: npt.NDArray[np.generic], name: str) -> int:
    """Return the number of rows of a square matrix, or say what its shape is.

    Examples
    --------
    >>> check_square(np.zeros((3, 3)), "weights")
    3
    """
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name} must be a square matrix; its shape is {matrix.shape}.")
    return len(matrix)


def check_adjacency(adjacency: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Return a private copy of the adjacency matrix of an undirected graph, its diagonal cleared.

    Examples
    --------
    >>> check_adjacency([[1, 0], [0, 0]])
    array([[False, False],
           [False, False]])
    """
    graph = np.array(adjacency, dtype=bool)
    check_square(graph, "adjacency")
    if not np.array_equal(graph, graph.T):
        first, second = np.argwhere(graph != graph.T)[0]
        raise ValueError(
            f"adjacency must be symmetric; entries [{first}, {second}] and [{second}, {first}] differ."
        )
    np.fill_diagonal(graph, False)
    return graph


def check_symmetric(weights: npt.ArrayLike, name: str) -> npt.NDArray[np.float64]:
    """Return a symmetric copy of the weights; rounding differences give way to the upper triangle.

    The diagonal means nothing for a graph without loops and becomes zero.

    Examples
    --------
    >>> check_symmetric([[9, 1], [1, 9]], "weights")
    array([[0., 1.],
           [1., 0.]])
    """
    given = np.array(weights, dtype=np.float64)
    check_square(given, name)
    np.fill_diagonal(given, 0.0)
    if np.isnan(given).any():
        first, second = np.argwhere(np.isnan(given))[0]
        raise ValueError(f"{name} must be numbers; {name}[{first}, {second}] is NaN.")
    unequal = ~np.isclose(given, given.T, rtol=1e-9, atol=1e-12)
    if unequal.any():
        first, second = np.argwhere(unequal)[0]
        raise ValueError(
            f"{name} must be symmetric; {name}[{first}, {second}] is {given[first, second]:g} but "
            f"{name}[{second}, {first}] is {given[second, first]:g}."
        )
    return np.where(np.tri(len(given), dtype=bool), given.T, given)


def check_node(node: int, n: int, name: str) -> None:
    """Refuse an index that is not a node.

    Examples
    --------
    >>> check_node(1, 2, "root")
    """
    if not 0 <= operator.index(node) < n:
        raise ValueError(f"{name} must be a node index from 0 to {n - 1}; got {node}.")
