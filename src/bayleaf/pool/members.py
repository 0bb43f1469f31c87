"""The networks of a pool: naive Bayes, then k-dependence networks on many grids, each a little different."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.machine import refuse_without_room
from bayleaf.counts import ChanceInformation, PairInformation, class_information
from bayleaf.counts.information import BYTES_PER_PAIR, MANY_FEATURES
from bayleaf.data import Table, Variable
from bayleaf.learn.parameters.shrinkage import STRENGTHS

from .grids import FloatArray, FoldOrder, Grid, GridCodes, IntArray, PoolRows, end_to_end, offsets_of

Parents = tuple[tuple[int, ...], ...]
# Of the networks of a cycle: how many parents besides the class, on how many intervals.
CYCLE = ((1, 16), (2, 10), (3, 6))
# Intervals on which information is measured.
MEASURED = 5
# Standard deviation of the logarithm by which the order of features is disturbed, and the share of parents withheld.
JITTER = 0.5
WITHHELD = 0.5
# The most states of a column of categories in a network with parents, and the most numbers of a family's table.
MOST_CATEGORIES = 64
MOST_NUMBERS = 2_000_000
# From here on a fifth of the rows does not change a graph.
MANY_ROWS = 50_000


@dataclass(frozen=True)
class Information:
    """What decides on a graph: I(X; C) of every column, and I(X; Y | C) of every pair, less what chance gives to it.

    On few rows chance would favour parents of many states.
    """

    relevance: FloatArray
    dependence: FloatArray


@dataclass(frozen=True)
class Plan:
    """A network before it has seen a row: what is left to chance is the same for every part of the rows.

    Attributes
    ----------
    parents : int
        The most parents of a column, besides the class.
    bins : int
        About how many intervals.
    shifts, jitter : ndarray of shape (columns,)
        Of the grid, and factors for the relevance of each column.
    withheld : ndarray of shape (columns, columns)
        Which parents [child, parent] are not to be considered, unless all are withheld.
    """

    parents: int
    bins: int
    shifts: FloatArray
    jitter: FloatArray
    withheld: NDArray[np.bool_]

    def graph(self, information: Information, arities: IntArray, classes: int, most_cells: int) -> Parents:
        """Return the parents of every column, in the order in which levels take them up.

        Columns are ordered by their relevance; each takes, of those before it, the ones it depends on most, as long
        as its table has no more than ``most_cells`` numbers.
        """
        if self.parents == 0:
            return ((),) * len(arities)
        order = np.argsort(-(information.relevance * self.jitter), kind="stable")
        parents = np.empty((len(arities), self.parents), dtype=np.int64)
        _core.network_graph(
            self.withheld, information.dependence, order, arities, classes, most_cells, parents
        )
        counts = np.count_nonzero(parents >= 0, axis=1).tolist()
        return tuple(tuple(own[:count]) for own, count in zip(parents.tolist(), counts, strict=True))


def plans(columns: int, rows: int, cycles: int, rng: np.random.Generator) -> list[Plan]:
    """Return naive Bayes and some cycles of networks; the first cycle as published, the others by chance.

    Examples
    --------
    >>> [(plan.parents, plan.bins) for plan in plans(2, 100, 1, np.random.default_rng(0))]
    [(0, 10), (1, 10), (2, 10), (3, 6)]
    """
    none = np.zeros(columns), np.ones(columns), np.zeros((columns, columns), dtype=bool)
    made = [Plan(0, bins_for(CYCLE[0][1], rows), *none)]
    for cycle in range(cycles):
        for parents, bins in CYCLE:
            chance = none
            if cycle > 0:
                shifts, jitter = rng.random(columns), np.exp(JITTER * rng.standard_normal(columns))
                chance = shifts, jitter, rng.random((columns, columns)) < WITHHELD
            made.append(Plan(parents, bins_for(bins, rows), *chance))
    return made


def bins_for(bins: int, rows: int) -> int:
    """Return how many intervals suit a number of rows: up to four times as many where rows are plenty."""
    growth = min(4.0, max(1.0, (rows / 4000) ** 0.5))
    return min(int(bins * growth), max(3, int(rows**0.5)))


def most_cells(rows: int) -> int:
    """Return how many numbers the table of a family may have.

    Examples
    --------
    >>> most_cells(100), most_cells(10_000)
    (20000, 200000)
    """
    return min(max(20_000, 20 * rows), MOST_NUMBERS)


def measure(rows: PoolRows, folds: FoldOrder) -> list[Information]:
    """Measure information on few intervals: on the rows outside each fold, then on all rows.

    With very many rows a fold more or less does not change it, and all rows are measured once.
    """
    if rows.n_columns > MANY_FEATURES:
        matrices = 8 * (len(folds) + 1) * rows.n_columns**2
        refuse_without_room(
            matrices + BYTES_PER_PAIR * rows.n_columns**2,
            f"A pool over {rows.n_columns:,} columns",
            "leave columns out, or learn one network",
        )
    grid = rows.columns.grid(MEASURED, categories=MOST_CATEGORIES)
    arities = [*grid.arities.tolist(), rows.classes]
    variables = tuple(Variable(str(j), tuple(range(arity))) for j, arity in enumerate(arities))
    codes = np.column_stack([grid.codes(rows.fine), rows.target])
    table = Table.from_codes(variables, codes, rows.weights, target=rows.n_columns, n_jobs=rows.n_jobs)
    whole = _information(table)
    if rows.n_rows > min(MANY_ROWS, folds.n_rows):
        return [whole] * (len(folds) + 1)
    return [*(_information(table.take(folds.fold != k)) for k in range(len(folds))), whole]


def _information(table: Table) -> Information:
    if len(table.features) == 1:
        return Information(np.zeros(1), np.zeros((1, 1)))
    pairs = PairInformation.of(table)
    dependence = pairs.given_class() - ChanceInformation.of(table, pairs).given_class
    return Information(class_information(table, pairs), dependence)


@dataclass(frozen=True)
class Network:
    """A member of the pool: a grid and the graph that all rows together have on it."""

    grid: Grid
    parents: Parents

    def tables(self, rows: PoolRows) -> list[FloatArray]:
        """Return log P(x | c, parents) of every column, [parents in their order, state, class], as one cell list."""
        sizes = [self.cells(column) * rows.classes for column in range(len(self.parents))]
        offsets = offsets_of(sizes)
        flat = np.empty(int(offsets[-1]))
        _core.shrunk_tables(
            *grid_arrays(rows, self.grid),
            *end_to_end(self.parents),
            np.array(STRENGTHS),
            offsets[:-1],
            flat,
            rows.n_jobs,
        )
        return [part.reshape(-1, rows.classes) for part in np.split(flat, offsets[1:-1])]

    def cells(self, column: int) -> int:
        """Return how many cells the table of a column has."""
        return int(np.prod(self.grid.arities[[column, *self.parents[column]]]))


def crossfit(
    plan: Plan, rows: PoolRows, folds: FoldOrder, information: Sequence[Information]
) -> tuple[Network, NDArray[np.float32]]:
    """Learn a network, and score the rows of the folds by the ones that were learned without them.

    Rows after those of the folds are in none: all networks learn from them.

    Returns
    -------
    network : Network
        Of all rows.
    scores : float32 array of shape (columns, rows of the folds, classes)
        log P(x | c, parents) of each column.
    """
    grid = rows.columns.grid(plan.bins, plan.shifts, None if plan.parents == 0 else MOST_CATEGORIES)
    graphs = [plan.graph(each, grid.arities, rows.classes, most_cells(rows.n_rows)) for each in information]
    scores = np.empty((rows.n_columns, folds.n_rows, rows.classes), dtype=np.float32)
    _core.crossfit_families(
        *grid_arrays(rows, grid),
        folds.order,
        folds.starts,
        *end_to_end(_all_parents(graphs[:-1])),
        np.array(STRENGTHS),
        scores,
        rows.n_jobs,
    )
    return Network(grid, graphs[-1]), scores


def grid_arrays(
    rows: PoolRows, grid: Grid
) -> tuple[GridCodes, IntArray, NDArray[np.int32], int, FloatArray | None]:
    """Return the rows as kernels take them: codes on a grid, their arities, the classes and the weights."""
    return grid.codes(rows.fine), grid.arities, rows.target, rows.classes, rows.weights


def _all_parents(graphs: Sequence[Parents]) -> list[tuple[int, ...]]:
    """Return the parents of all columns of all graphs, one after the other."""
    return [parents for graph in graphs for parents in graph]
