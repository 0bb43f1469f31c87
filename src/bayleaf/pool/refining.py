"""Corrections of a pool's score: of single columns, then of pairs and triples of columns, as far as they pay."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from bayleaf.tuning import CellProblem, Correction, Part, follow, walk
from bayleaf.tuning.stages import Rows, Stage

from .grids import FloatArray, Grid, GridCodes, IntArray
from .interactions import Columns, Residuals, best_sets
from .networks import bins_for
from .rows import PoolRows

# How strongly corrections are drawn to zero, from strong to weak.
STRENGTHS = (100.0, 25.0, 6.0, 1.5, 0.4, 0.1, 0.025)
MAX_ITER = 10
# The penalty of a cell grows by this share with what its rows could tell, and by this factor with every column.
RELATIVE = 0.1
PER_COLUMN = 2.0
# A cell with fewer rows is not corrected.
LEAST_ROWS = 3
# Sets of columns: how many of each size, on how many intervals, with how many categories at most.
SIZES = (2, 3)
MOST_SETS = 60
BINS = 8
MOST_CATEGORIES = 24


@dataclass(frozen=True)
class View:
    """Rows on a grid: what corrections are made of."""

    grid: Grid
    codes: GridCodes

    def cells(self, columns: Columns) -> IntArray:
        """Return the cell of each row in a table over some columns, the last of which changes fastest."""
        cells = np.zeros(len(self.codes), dtype=np.int64)
        for j in columns:
            cells = cells * self.grid.arities[j] + self.codes[:, j]
        return cells

    def size(self, columns: Columns) -> int:
        """Return the number of cells of a table over some columns."""
        return int(np.prod(self.grid.arities[list(columns)]))


@dataclass(frozen=True)
class Family:
    """A table of corrections: over which columns of which view, and the number of each cell's correction, or -1."""

    view: View
    columns: Columns
    numbers: NDArray[np.int32]


@dataclass(frozen=True)
class Branch:
    """The corrections that were learned without a part of the rows, or from all of them.

    Attributes
    ----------
    left_out : ndarray of bool
        The rows of the part.
    families : list of Family
    cells : int32 array of shape (families, rows)
    penalties : ndarray of shape (corrections,)
    correction : Correction
    """

    left_out: NDArray[np.bool_]
    families: list[Family]
    cells: NDArray[np.int32]
    penalties: FloatArray
    correction: Correction
    relative: FloatArray = field(default_factory=lambda: np.empty(0))

    @classmethod
    def without(cls, left_out: NDArray[np.bool_], classes: int) -> "Branch":
        """Begin with no correction."""
        cells = np.empty((0, len(left_out)), dtype=np.int32)
        return cls(left_out, [], cells, np.empty(0), Correction.none(classes))

    def grown(self, rows: PoolRows, view: View, sets: Sequence[Columns], told: FloatArray) -> "Branch":
        """Return the branch with tables over further sets of columns, whose corrections are still zero.

        ``told`` is what each row could tell: the variance of its class by the probabilities so far.
        """
        known = {(id(each.view), each.columns) for each in self.families}
        families, cells = list(self.families), [self.cells]
        relative: list[FloatArray] = [np.zeros(len(self.penalties))]
        first, used = len(self.penalties), ~self.left_out
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        for columns in sets:
            if (id(view), columns) in known:
                continue
            own, size = view.cells(columns), view.size(columns)
            enough = np.bincount(own[used], weights[used], size) >= LEAST_ROWS
            enough &= ~incomplete_cells(view.grid, columns)
            numbers = np.where(enough, first + np.cumsum(enough) - 1, -1).astype(np.int32)
            first += int(enough.sum())
            families.append(Family(view, columns, numbers))
            cells.append(numbers[own][None])
            could_tell = np.bincount(own[used], told[used], size)[enough]
            relative.append(np.asarray(PER_COLUMN ** (len(columns) - 1) * (1 + RELATIVE * could_tell)))
        fixed = np.concatenate([self.penalties, np.zeros(first - len(self.penalties))])
        return replace(
            self,
            families=families,
            cells=np.concatenate(cells),
            penalties=fixed,
            relative=np.concatenate(relative),
        )

    def part(self, rows: PoolRows, base: FloatArray) -> Part:
        """Return the problem of the new corrections."""
        problem = CellProblem(base, self.cells, rows.target, rows.weights, rows.n_jobs, rows.doubt)
        return Part.of(problem, self.left_out, self.relative, self.penalties, self.correction, inf)

    def corrected(self, correction: Correction, strength: float) -> "Branch":
        """Return the branch with its corrections learned."""
        return replace(self, correction=correction, penalties=self.penalties + strength * self.relative)

    def tables(self) -> list[tuple[Family, FloatArray]]:
        """Return the corrections of every table, [cell, class]; zeros where there are none."""
        padded = np.vstack([self.correction.cells, np.zeros((1, len(self.correction.bias)))])
        return [(each, padded[each.numbers]) for each in self.families]


def incomplete_cells(grid: Grid, columns: Columns) -> NDArray[np.bool_]:
    """Return which cells of a table have a missing value.

    Examples
    --------
    >>> grid = Grid((np.arange(2, dtype=np.uint16), np.arange(3, dtype=np.uint16)), np.array([2, 3]))
    >>> incomplete_cells(grid, (0, 1)).astype(int)
    array([0, 0, 1, 1, 1, 1])
    """
    found = np.zeros(1, dtype=bool)
    for j in columns:
        own = np.arange(grid.arities[j]) == grid.arities[j] - 1
        found = (found[:, None] | own).ravel()
    return found


def refine(rows: PoolRows, parts: Rows, stage: Stage, naive: Grid) -> tuple[Stage, Branch]:
    """Correct the score of a pool, phase by phase; a phase is kept if held-out rows gain by it.

    First the columns one by one on the grid of naive Bayes, then pairs, then triples of columns, which are chosen by
    what is still wrong.

    Returns
    -------
    stage : Stage
        Whose held-out probabilities are the corrected ones.
    branch : Branch
        The corrections that all rows teach.
    """
    masks = [parts.parts == part for part in range(parts.n_parts)]
    branches = [Branch.without(mask, rows.classes) for mask in (*masks, np.zeros(rows.n_rows, dtype=bool))]
    single = View(naive, naive.codes(rows.fine))
    alone: list[list[Columns]] = [[(j,) for j in range(rows.n_columns)]] * len(branches)
    stage, branches = _phase(rows, stage, branches, single, alone)
    grid = rows.columns.grid(min(BINS, bins_for(BINS, rows.n_rows)), categories=MOST_CATEGORIES)
    joint = View(grid, grid.codes(rows.fine))
    for size in SIZES:
        residuals = Residuals.of(rows, stage.held_out, parts.parts, parts.n_parts)
        sets = best_sets(residuals, grid, joint.codes, size, MOST_SETS, rows.n_jobs)
        stage, branches = _phase(rows, stage, branches, joint, sets)
    return stage, branches[-1]


def _phase(
    rows: PoolRows, stage: Stage, branches: list[Branch], view: View, sets: Sequence[Sequence[Columns]]
) -> tuple[Stage, list[Branch]]:
    told = (1.0 - (np.exp(stage.held_out) ** 2).sum(axis=1)) / 2
    if rows.weights is not None:
        told = told * rows.weights
    grown = [branch.grown(rows, view, own, told) for branch, own in zip(branches, sets, strict=True)]
    if not any(
        len(branch.relative) > len(old.penalties) for branch, old in zip(grown, branches, strict=True)
    ):
        return stage, branches
    parts = [branch.part(rows, base) for branch, base in zip(grown[:-1], stage.scores[:-1], strict=True)]
    found = walk(parts, rows.target, rows.weights, strengths=STRENGTHS, bound=stage.loss, max_iter=MAX_ITER)
    if found.loss >= stage.loss:
        return stage, branches
    whole = follow(grown[-1].part(rows, stage.scores[-1]), found.strengths, MAX_ITER)
    learned = [
        branch.corrected(correction, found.strengths[-1])
        for branch, correction in zip(grown, (*found.corrections, whole), strict=True)
    ]
    return replace(stage, held_out=found.scores, loss=found.loss), learned
