"""Tables of the class: P(c | x, y, ...) over a few columns that chance picks, which see what only they show together.

A network says how the columns come about in each class; these tables say directly which class the rows near a row
have, as the leaves of extremely randomised trees do. A pool takes the mean of the logarithms of many. Of the columns
of a table the first m make level m, which backs off to the level below by half a row:

    P_m(c | x_1 ... x_m) = (N(c, x_1 ... x_m) + P_{m-1}(c | x_1 ... x_{m-1}) / 2) / (N(x_1 ... x_m) + 1 / 2)

Level 0 is the class, with half a row more for each. A missing value tells nothing: its level is the one below.

Trees whose splits are left to chance are those of Geurts, P., Ernst, D. and Wehenkel, L. (2006), Extremely randomized
trees, Machine Learning 63; here all cells of a level are split alike, so that a tree is a table.
"""

from dataclasses import dataclass

import numpy as np

from bayleaf._native import _core

from .grids import FloatArray, FoldOrder, Grid, PoolRows, end_to_end, offsets_of
from .members import grid_arrays

# How many grids, tables on each, intervals (about) and categories (at most).
GRIDS, TABLES_OF_GRID = 10, 5
BINS = 3
MOST_CATEGORIES = 5
# Cells of a table for each row, and between which bounds; and the most numbers of a table.
CELLS_PER_ROW = 4
FEWEST_CELLS, MOST_CELLS = 1024, 16384
MOST_NUMBERS = 2**17
# What a cell has of the level below it, in rows.
BORROWED_ROWS = 0.5
# Draws of these tables are not those of the networks.
STREAM = 1

Columns = tuple[int, ...]


@dataclass(frozen=True)
class ClassTable:
    """The logarithm of the chance of each class over some columns on a grid, [cell, class]."""

    grid: Grid
    columns: Columns
    table: FloatArray


@dataclass(frozen=True)
class ClassTables:
    """Many tables, of whose logarithms the pool takes the mean."""

    tables: tuple[ClassTable, ...]


def crossfit_class_tables(rows: PoolRows, folds: FoldOrder, seed: int) -> tuple[ClassTables, FloatArray]:
    """Learn the tables from all rows, and score each row of a fold by those of the rows outside it.

    What is left to chance does not depend on what the rows say of the class.
    """
    rng = np.random.default_rng((seed, STREAM))
    scores = np.zeros((folds.n_rows, rows.classes))
    most = cells_of_table(rows.n_rows, rows.classes)
    tables: list[ClassTable] = []
    for _ in range(GRIDS):
        grid = rows.columns.grid(BINS, rng.random(rows.n_columns), MOST_CATEGORIES)
        sets = [_some_columns(grid, most, rng) for _ in range(TABLES_OF_GRID)]
        found, said = tables_on(grid, sets, rows, folds)
        tables += found
        scores += said
    return ClassTables(tuple(tables)), scores / len(tables)


def tables_on(
    grid: Grid, sets: list[Columns], rows: PoolRows, folds: FoldOrder
) -> tuple[list[ClassTable], FloatArray]:
    """Return tables over some sets of columns, and the sum of what those without a row's fold say of it."""
    sizes = [int(np.prod(grid.arities[list(columns)])) * rows.classes for columns in sets]
    starts = offsets_of(sizes)
    flat = np.empty(int(starts[-1]))
    scores = np.empty((len(sets), folds.n_rows, rows.classes), dtype=np.float32)
    _core.class_tables(
        *grid_arrays(rows, grid),
        folds.order,
        folds.starts,
        *end_to_end(sets),
        BORROWED_ROWS,
        starts[:-1],
        flat,
        scores,
        rows.n_jobs,
    )
    parts = [part.reshape(-1, rows.classes) for part in np.split(flat, starts[1:-1])]
    tables = [ClassTable(grid, columns, part) for columns, part in zip(sets, parts, strict=True)]
    return tables, scores.sum(axis=0, dtype=np.float64)


def cells_of_table(rows: int, classes: int) -> int:
    """Return how many cells a table may have.

    Examples
    --------
    >>> cells_of_table(100, 2), cells_of_table(500, 2), cells_of_table(10**6, 2), cells_of_table(10**6, 1_000)
    (1024, 2000, 16384, 131)
    """
    return min(max(FEWEST_CELLS, min(CELLS_PER_ROW * rows, MOST_CELLS)), MOST_NUMBERS // classes)


def _some_columns(grid: Grid, most: int, rng: np.random.Generator) -> Columns:
    """Return columns in a random order, as many as a table of that many cells can have; at least one."""
    columns: list[int] = []
    size = 1
    for j in rng.permutation(len(grid.arities)).tolist():
        size *= int(grid.arities[j])
        if size > most and columns:
            break
        columns.append(j)
    return tuple(columns)
