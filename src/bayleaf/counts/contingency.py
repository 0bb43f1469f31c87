"""Contingency tables of sets of columns."""

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import thread_count
from bayleaf.data import Table
from bayleaf.graph import DAG

# More cells than this in one table is a mistake (a family with too many parents), not a table.
MAX_CELLS = 2**31
Counts = NDArray[np.int64 | np.float64]
# Measures that are equal in exact arithmetic must tie, whatever the order of the columns: differences in the last
# bits are rounded away.
DECIMALS = 12


def count(table: Table, sets: Sequence[Sequence[int]]) -> list[Counts]:
    """Count the rows of a table by each of several sets of columns.

    A row with a missing value in a set is left out of that set's table. With weights, cells hold sums of
    weights (float64) instead of numbers of rows (int64).

    Parameters
    ----------
    table : Table
    sets : sequence of sequences of int
        Columns of each set; the result has one axis per column, in that order.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    >>> count(Table.from_codes((x, c), [[0, 1], [1, 1], [0, 0], [0, 1]]), [[1, 0], [0]])
    [array([[1, 0], [2, 1]]), array([3, 1])]
    """
    columns_of_sets = np.array([j for columns in sets for j in columns], dtype=np.int64)
    if columns_of_sets.size:
        _check_columns(table, columns_of_sets)
    shapes = [tuple(int(table.arities[j]) for j in columns) for columns in sets]
    sizes = [prod(shape) for shape in shapes]
    for columns, size in zip(sets, sizes, strict=True):
        _check_size(table, columns, size)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    flat = _zeros(int(starts[-1]), weighted=table.weights is not None)
    offsets = np.concatenate([[0], np.cumsum([len(columns) for columns in sets])]).astype(np.int64)
    _core.count(
        table.codes,
        table.arities,
        columns_of_sets,
        offsets,
        starts[:-1],
        table.weights,
        flat,
        thread_count(table.n_jobs),
    )
    return [
        flat[start:stop].reshape(shape)
        for start, stop, shape in zip(starts, starts[1:], shapes, strict=False)
    ]


def family_counts(table: Table, dag: DAG) -> list[Counts]:
    """Count each node together with its parents: axes are the parents in node order, then the node.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> x, c = Variable("x", ("a", "b")), Variable("c", ("no", "yes"))
    >>> table = Table.from_codes((x, c), [[0, 1], [1, 1], [0, 0]])
    >>> family_counts(table, DAG(["x", "c"], [("c", "x")]))[0]
    array([[1, 0], [1, 1]])
    """
    return count(table, [[*parents, node] for node, parents in enumerate(dag.parent_indices)])


def _zeros(cells: int, *, weighted: bool) -> NDArray[np.int64] | NDArray[np.float64]:
    return np.zeros(cells, dtype=np.float64) if weighted else np.zeros(cells, dtype=np.int64)


def _check_columns(table: Table, columns: NDArray[np.int64]) -> None:
    for column in (int(columns.min()), int(columns.max())):
        if not 0 <= column < table.n_variables:
            raise ValueError(f"There is no column {column}: the table has {table.n_variables} columns.")


def _check_size(table: Table, columns: Sequence[int], size: int) -> None:
    if size > MAX_CELLS:
        names = ", ".join(f"'{table.names[j]}'" for j in columns)
        raise ValueError(
            f"A table over {names} would have {size:,} cells, more than {MAX_CELLS:,}: use fewer parents or "
            "fewer states."
        )
