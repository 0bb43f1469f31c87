"""Corrections of a pool's score: of single columns, then of pairs and triples of columns, as far as they pay.

Pairs and triples are chosen by what held-out probabilities still get wrong.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb, inf

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from bayleaf._native import _core
from bayleaf.learn.tuning import CellProblem, Correction, Part, maximise, walk
from bayleaf.learn.tuning.stages import Rows, Stage

from .grids import FloatArray, Grid, GridCodes, IntArray, PoolRows, end_to_end, offsets_of
from .members import CYCLE, bins_for

Columns = tuple[int, ...]
# What is added to the variance of a cell before it may gain.
GAIN_PENALTY = 10.0
# Of more pairs than these only those of the columns that gain most by themselves are looked at.
MOST_PAIRS = 20_000


@dataclass(frozen=True)
class Residuals:
    """What held-out probabilities get wrong, by row and class.

    With probabilities p, residuals are g = 1[y = c] - p, and their variances h = p (1 - p).

    Attributes
    ----------
    residuals, variances : float32 arrays of shape (rows, classes)
        Of two classes only the second is kept: the first says the same.
    part : uint8 array of shape (rows,)
        The part that each row is held out with.
    parts : int
    """

    residuals: NDArray[np.float32]
    variances: NDArray[np.float32]
    part: NDArray[np.uint8]
    parts: int

    @classmethod
    def of(cls, rows: PoolRows, held_out: FloatArray, part: NDArray[np.uint8], parts: int) -> "Residuals":
        """Take logarithms of held-out probabilities."""
        probabilities = np.exp(held_out)
        residuals, variances = -probabilities, probabilities * (1.0 - probabilities)
        residuals[np.arange(rows.n_rows), rows.target] += 1.0
        if rows.weights is not None:
            residuals, variances = residuals * rows.weights[:, None], variances * rows.weights[:, None]
        if rows.classes == 2:
            residuals, variances = residuals[:, 1:], variances[:, 1:]
        return cls(
            np.ascontiguousarray(residuals, dtype=np.float32),
            np.ascontiguousarray(variances, dtype=np.float32),
            part,
            parts,
        )

    def gains(
        self, grid: Grid, codes: GridCodes, sets: Sequence[Columns] | IntArray, n_jobs: int | None
    ) -> FloatArray:
        """Return the gain of a table over each set of columns: by the rows outside each part, then by all rows.

        It is the sum over cells and classes of (sum g)^2 / (2 (sum h + 10)).
        """
        gains = np.empty((self.parts + 1, len(sets)))
        _core.set_gains(
            codes,
            grid.arities,
            *end_to_end(sets),
            self.part,
            self.parts,
            self.residuals,
            self.variances,
            GAIN_PENALTY,
            gains,
            n_jobs,
        )
        return gains


def best_sets(
    residuals: Residuals, grid: Grid, codes: GridCodes, size: int, most: int, n_jobs: int | None = None
) -> list[list[Columns]]:
    """Return the sets of columns that gain most: by the rows outside each part, then by all rows.

    Sets of three are grown from the best pairs. What is chosen for a part has not seen its rows.
    """
    columns = _looked_at(residuals, grid, codes, n_jobs)
    candidates = columns[np.stack(np.triu_indices(len(columns), 1), axis=1)]
    if not len(candidates):
        return [[] for _ in range(residuals.parts + 1)]
    gains = residuals.gains(grid, codes, candidates, n_jobs)
    chosen = [candidates[_largest(gain, most)] for gain in gains]
    for _ in range(2, size):
        grown = [_grown(sets, columns, codes.shape[1]) for sets in chosen]
        numbers, first = np.unique(np.concatenate([own for own, _ in grown]), return_index=True)
        candidates = np.concatenate([sets for _, sets in grown])[first]
        if not len(candidates):
            return [[] for _ in chosen]
        gains = residuals.gains(grid, codes, candidates, n_jobs)
        chosen = [
            sets[_largest(gain[np.searchsorted(numbers, own)], most)]
            for (own, sets), gain in zip(grown, gains, strict=True)
        ]
    return [list(map(tuple, sets.tolist())) for sets in chosen]


def _looked_at(residuals: Residuals, grid: Grid, codes: GridCodes, n_jobs: int | None) -> IntArray:
    """Return the columns to make sets of: all, or as many of the best as there may be pairs of."""
    d = codes.shape[1]
    most = int((2 * MOST_PAIRS) ** 0.5)
    if d <= most:
        return np.arange(d)
    gains = residuals.gains(grid, codes, np.arange(d)[:, None], n_jobs)[-1]
    return np.sort(_largest(gains, most))


def _grown(sets: IntArray, columns: IntArray, base: int) -> tuple[IntArray, IntArray]:
    """Return the sets with one more column, each once and in order; first the numbers that stand for them.

    Examples
    --------
    >>> numbers, sets = _grown(np.array([[0, 2], [1, 2]]), np.arange(3), base=10)
    >>> numbers, sets
    (array([12]), array([[0, 1, 2]]))
    """
    more = np.column_stack([np.repeat(sets, len(columns), axis=0), np.tile(columns, len(sets))])
    more = np.sort(more[~(more[:, :-1] == more[:, -1:]).any(axis=1)], axis=1)
    numbers, first = np.unique(more @ base ** np.arange(more.shape[1])[::-1], return_index=True)
    return numbers, more[first]


def _largest(gains: FloatArray, most: int) -> IntArray:
    """Return the places of the largest gains, of equal ones the first."""
    return np.argsort(-gains, kind="stable")[:most]


# How strongly corrections are drawn to zero, from strong to weak.
STRENGTHS = (100.0, 25.0, 6.0, 1.5, 0.4, 0.1, 0.025, 0.006)
MAX_ITER = 10
# Iterations of the search with all rows, which begins at zero.
LAST_ITER = 40
# The penalty of a cell grows by this share with what its rows could tell, of this many rows at most, and by this
# factor with every column.
RELATIVE = 0.1
TOLD_ROWS = 4000
PER_COLUMN = 2.0
TINY = 1e-300
# A cell with fewer rows is not corrected.
LEAST_ROWS = 3
# Up to this number of rows a finer grid of single columns pays; from there on more sets do.
MANY_ROWS = 10_000
ROWS_PER_BIN = 25
# Cells of rows that are found at once.
MOST_NUMBERED = 2**18
# Sets of columns: how many of each size but 1, on how many intervals, with how many categories at most.
SIZES = (1, 2, 3)
MOST_SETS, MOST_SETS_OF_MANY_ROWS = 60, 120
BINS = 8
MOST_CATEGORIES = 24


@dataclass(frozen=True)
class View:
    """Rows on a grid: what corrections are made of."""

    grid: Grid
    codes: GridCodes

    def cells(self, sets: IntArray) -> tuple[IntArray, IntArray]:
        """Return the cell of each row in the tables over some sets of columns, [set, row], and where each begins.

        The tables lie end to end; the last column of each changes fastest.
        """
        cells = np.zeros((len(sets), len(self.codes)), dtype=np.int64)
        for own in sets.T:
            cells = cells * self.grid.arities[own][:, None] + self.codes[:, own].T
        starts = offsets_of(np.prod(self.grid.arities[sets], axis=1).tolist())
        return cells + starts[:-1, None], starts


@dataclass(frozen=True)
class Family:
    """A table of corrections over some columns of a grid: the number of each cell's correction, or -1."""

    grid: Grid
    columns: Columns
    numbers: NDArray[np.int32]


@dataclass(frozen=True)
class Branch:
    """Corrections that are learned without a part of the rows, or from all of them.

    Attributes
    ----------
    left_out : ndarray of bool
        The rows of the part.
    families : tuple of Family
    cells : int32 array of shape (families, rows)
    penalties : ndarray of shape (corrections,)
        Of those that are learned already.
    relative : ndarray of shape (corrections,)
        Factor of the strength for new corrections; 0 for those before.
    correction : Correction
    """

    left_out: NDArray[np.bool_]
    families: tuple[Family, ...]
    cells: NDArray[np.int32]
    penalties: FloatArray
    relative: FloatArray
    correction: Correction

    @classmethod
    def without(cls, left_out: NDArray[np.bool_], classes: int) -> "Branch":
        """Begin with no correction."""
        cells, none = np.empty((0, len(left_out)), dtype=np.int32), np.empty(0)
        return cls(left_out, (), cells, none, none, Correction.none(classes))

    def grown(self, rows: PoolRows, view: View, sets: Sequence[Columns], told: FloatArray) -> "Branch":
        """Return the branch with tables over further sets of as many columns each, whose corrections are still zero.

        ``told`` is what each row could tell: see `could_tell`.
        """
        families, cells = list(self.families), [self.cells]
        relative: list[FloatArray] = [np.zeros(len(self.penalties))]
        first, used = len(self.penalties), np.flatnonzero(~self.left_out)
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        together = max(MOST_NUMBERED // max(rows.n_rows, 1), 1)
        for begin in range(0, len(sets), together):
            some = np.array(sets[begin : begin + together], dtype=np.int64)
            own, starts = view.cells(some)
            size, of_used = int(starts[-1]), own[:, used].ravel()
            enough = np.bincount(of_used, np.tile(weights[used], len(some)), size) >= LEAST_ROWS
            enough &= ~incomplete_cells(view.grid, some)
            numbers = np.where(enough, first + np.cumsum(enough) - 1, -1).astype(np.int32)
            first += int(enough.sum())
            tables = np.split(numbers, starts[1:-1])
            families += map(Family, [view.grid] * len(some), map(tuple, some.tolist()), tables)
            cells.append(numbers[own])
            told_by_cell = np.bincount(of_used, np.tile(told[used], len(some)), size)[enough]
            relative.append(np.asarray(PER_COLUMN ** (some.shape[1] - 1) * (1 + RELATIVE * told_by_cell)))
        return replace(
            self,
            families=tuple(families),
            cells=np.concatenate(cells),
            penalties=np.concatenate([self.penalties, np.zeros(first - len(self.penalties))]),
            relative=np.concatenate(relative),
        )

    def part(self, rows: PoolRows, base: FloatArray) -> Part:
        """Return the problem of the new corrections."""
        problem = CellProblem(base, self.cells, rows.target, rows.weights, rows.n_jobs, rows.doubt)
        return Part.of(problem, self.left_out, self.relative, self.penalties, self.correction, inf)

    def settled(self, strength: float) -> "Branch":
        """Return the branch with the penalties of its new corrections settled."""
        return replace(self, penalties=self.penalties + strength * self.relative)

    def tables(self) -> list[tuple[Family, FloatArray]]:
        """Return the corrections of every table, [cell, class]; zeros where there are none."""
        padded = np.vstack([self.correction.cells, np.zeros((1, len(self.correction.bias)))])
        return [(each, padded[each.numbers]) for each in self.families]


def incomplete_cells(grid: Grid, sets: IntArray) -> NDArray[np.bool_]:
    """Return which cells have a missing value, in tables over some sets of columns that lie end to end."""
    arities = grid.arities[sets]
    sizes = np.prod(arities, axis=1)
    cells = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    found = np.zeros(len(cells), dtype=bool)
    for own in arities.T[::-1]:
        cells, state = np.divmod(cells, np.repeat(own, sizes))
        found |= state == np.repeat(own - 1, sizes)
    return found


def could_tell(scores: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Return what each row could tell: half the chance that two draws by its probabilities differ, times its weight.

    Of more than 4,000 rows each counts less, so that together they could tell no more than these.
    """
    told: FloatArray = (1.0 - (softmax(scores, axis=1) ** 2).sum(axis=1)) / 2
    told *= min(1.0, TOLD_ROWS / len(told))
    return told if weights is None else told * weights


def single_bins(rows: int) -> int:
    """Return on how many intervals single columns are corrected: those of naive Bayes, or more of 25 rows each.

    Examples
    --------
    >>> single_bins(400), single_bins(1_000), single_bins(10_000), single_bins(16_000)
    (16, 40, 200, 32)
    """
    finer = min(rows // ROWS_PER_BIN, int(2 * rows**0.5)) if rows <= MANY_ROWS else 0
    return max(finer, bins_for(CYCLE[0][1], rows))


def most_sets(rows: int, columns: int) -> int:
    """Return how many pairs are corrected, and how many triples: with many rows as many as there are pairs.

    Examples
    --------
    >>> most_sets(10_000, 40), most_sets(16_000, 8), most_sets(16_000, 14), most_sets(16_000, 40)
    (60, 60, 91, 120)
    """
    if rows <= MANY_ROWS:
        return MOST_SETS
    return max(MOST_SETS, min(comb(columns, 2), MOST_SETS_OF_MANY_ROWS))


@dataclass(frozen=True)
class Phase:
    """Tables of corrections over sets of columns, by which held-out rows gain.

    Attributes
    ----------
    strength : float
        Of the penalty.
    told : float
        What rows could still tell by then, as a share of what they could at the beginning.
    """

    grid: Grid
    sets: list[Columns]
    strength: float
    told: float


def choose_corrections(rows: PoolRows, parts: Rows, stage: Stage) -> tuple[Stage, list[Phase]]:
    """Choose what to correct, phase by phase; a phase is kept if held-out rows gain by it.

    First the columns one by one, on a grid that shows sharp steps; then pairs, then triples of columns on a coarse
    one, which are chosen by what is still wrong. The returned stage has the corrected held-out probabilities.
    """
    branches = [Branch.without(parts.parts == part, rows.classes) for part in range(parts.n_parts)]
    at_first = could_tell(stage.held_out, rows.weights)
    phases: list[Phase] = []
    most = most_sets(rows.n_rows, rows.n_columns)
    single = rows.columns.grid(single_bins(rows.n_rows))
    joint = rows.columns.grid(min(BINS, bins_for(BINS, rows.n_rows)), categories=MOST_CATEGORIES)
    for size in SIZES:
        grid = single if size == 1 else joint
        view = View(grid, grid.codes(rows.fine))
        if size == 1:
            sets: list[list[Columns]] = [[(j,) for j in range(rows.n_columns)]] * (1 + len(branches))
        else:
            residuals = Residuals.of(rows, stage.held_out, parts.parts, parts.n_parts)
            sets = best_sets(residuals, grid, view.codes, size, most, rows.n_jobs)
        if not sets[-1]:
            continue
        told = could_tell(stage.held_out, rows.weights)
        grown = [branch.grown(rows, view, own, told) for branch, own in zip(branches, sets, strict=False)]
        found = walk(
            [branch.part(rows, base) for branch, base in zip(grown, stage.scores, strict=False)],
            rows.target,
            rows.weights,
            strengths=STRENGTHS,
            bound=stage.loss,
            max_iter=MAX_ITER,
        )
        if found.loss < stage.loss:
            strength = found.strengths[-1]
            branches = [
                replace(branch.settled(strength), correction=correction)
                for branch, correction in zip(grown, found.corrections, strict=True)
            ]
            phases.append(Phase(grid, sets[-1], strength, float(told.sum() / max(at_first.sum(), TINY))))
            stage = replace(stage, held_out=found.scores, loss=found.loss)
    return stage, phases


def learn_corrections(rows: PoolRows, base: FloatArray, phases: Sequence[Phase]) -> Branch:
    """Learn the corrections of all phases together, which are added to out-of-sample scores, [row, class]."""
    branch = Branch.without(np.zeros(rows.n_rows, dtype=bool), rows.classes)
    told = could_tell(base, rows.weights)
    for phase in phases:
        view = View(phase.grid, phase.grid.codes(rows.fine))
        branch = branch.grown(rows, view, phase.sets, phase.told * told).settled(phase.strength)
    if not phases:
        return branch
    problem = branch.part(rows, base)
    correction = maximise(problem.training, branch.penalties, problem.start, LAST_ITER, inf)
    return replace(branch, correction=correction)
