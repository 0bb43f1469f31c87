"""Corrections of table entries that make the classes of rows more probable, as far as held-out rows say."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core

from .held_out import FloatArray, Target, held_out_loss, log_softmax

Cells = NDArray[np.int32]
# How strongly corrections are drawn to zero, from strong to weak.
STRENGTHS = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.03)
# What draws the scale to 1 and the bias to 0.
PULL = 0.1
# A search ends after a step that lowers the mean log-loss by less, or where no slope is steeper.
SMALLEST_GAIN = 1e-6
SMALLEST_GRADIENT = 1e-5


@dataclass(frozen=True)
class Correction:
    """What is made of scores A: scale A + bias + the corrections of a row's cells."""

    scale: float
    bias: FloatArray  # [class]
    cells: FloatArray  # [cell, class]; where a problem has numbers, the last of these are their coefficients

    @classmethod
    def none(cls, classes: int, cells: int = 0) -> "Correction":
        """Return what changes nothing."""
        return cls(1.0, np.zeros(classes), np.zeros((cells, classes)))

    def extended(self, cells: int) -> "Correction":
        """Return the same with further cells, which are not corrected yet."""
        more = np.zeros((cells - len(self.cells), len(self.bias)))
        return replace(self, cells=np.concatenate([self.cells, more]))

    def flat(self) -> FloatArray:
        """Return all numbers in a row, as the kernels have them."""
        return np.concatenate([[self.scale], self.bias, self.cells.ravel()])

    @classmethod
    def from_flat(cls, numbers: FloatArray, classes: int) -> "Correction":
        """Take the numbers of `flat` apart."""
        cells = numbers[1 + classes :].reshape(-1, classes)
        return cls(float(numbers[0]), numbers[1 : 1 + classes], cells)


@dataclass(frozen=True)
class CellProblem:
    """Rows with base scores, classes, and the cells whose corrections each row feels.

    Cells are numbered through: no two families share one.
    """

    base: FloatArray  # [row, class]: out-of-sample scores, which the corrections are added to
    cells: Cells  # [family, row], or -1 for none
    target: Target
    weights: FloatArray | None = None
    n_jobs: int | None = None
    doubt: FloatArray | None = None  # by class: see `doubt_about`
    numbers: FloatArray | None = (
        None  # [number, row]; their coefficients come after the corrections of the cells
    )

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "CellProblem":
        """Return some of the rows, by index or mask."""
        return replace(
            self,
            base=self.base[rows],
            cells=np.ascontiguousarray(self.cells[:, rows]),
            target=self.target[rows],
            weights=None if self.weights is None else self.weights[rows],
            numbers=None if self.numbers is None else np.ascontiguousarray(self.numbers[:, rows]),
        )

    def scores(self, correction: Correction) -> FloatArray:
        """Return the corrected scores, [row, class]."""
        out = np.empty_like(self.base)
        _core.cell_scores(self.base, self.cells, self.numbers, correction.flat(), out, self.n_jobs)
        return out

    def loss(self, numbers: FloatArray) -> tuple[float, FloatArray]:
        """Return minus the conditional log-likelihood of `Correction.flat` numbers, and its gradient."""
        gradient = np.empty_like(numbers)
        value = _core.cell_loss(*self._arrays(), numbers, gradient, self.n_jobs)
        return value, gradient

    def lower(self, numbers: FloatArray, pulls: FloatArray, max_iter: int) -> FloatArray:
        """Return `Correction.flat` numbers of a lower penalised loss, from these on."""
        lower = numbers.copy()
        _core.lower_cell_loss(
            *self._arrays(), pulls, max_iter, SMALLEST_GAIN, SMALLEST_GRADIENT, lower, self.n_jobs
        )
        return lower

    def _arrays(
        self,
    ) -> tuple[FloatArray, Cells, FloatArray | None, Target, FloatArray | None, FloatArray | None]:
        return self.base, self.cells, self.numbers, self.target, self.weights, self.doubt


def maximise(
    problem: CellProblem, penalties: FloatArray, start: Correction, max_iter: int = 20, pull: float = PULL
) -> Correction:
    """Climb the penalised conditional likelihood of the rows from a start, by L-BFGS.

    The sum over rows of log softmax(scale A + bias + sum of D over the row's cells)[own class] - 1/2 sum over cells
    of penalty |D|^2 - pull / 2 ((scale - 1)^2 + |bias|^2). An infinite pull keeps scale and bias.
    """
    classes = len(start.bias)
    pulls = np.concatenate([np.full(1 + classes, pull), np.repeat(penalties, classes)])
    return Correction.from_flat(problem.lower(start.flat(), pulls, max_iter), classes)


@dataclass(frozen=True)
class Part:
    """Rows to correct by, and rows to judge it by: one of several folds, or all rows and none.

    The penalty of a cell is ``fixed + strength * relative``.
    """

    training: CellProblem
    held_out: CellProblem  # over the same cells
    rows: NDArray[np.int64]  # the numbers of the rows held out
    fixed: FloatArray
    relative: FloatArray
    start: Correction
    pull: float | None = (
        PULL  # of scale and bias to 1 and 0; None for as much as the corrections are drawn to 0
    )

    @classmethod
    def of(
        cls,
        problem: CellProblem,
        held_out: NDArray[np.bool_],
        relative: FloatArray,
        fixed: FloatArray | None = None,
        start: Correction | None = None,
        pull: float | None = PULL,
    ) -> "Part":
        """Divide the rows of a problem."""
        begin = Correction.none(problem.base.shape[1]) if start is None else start
        return cls(
            problem.take(~held_out) if held_out.any() else problem,
            problem.take(held_out),
            np.flatnonzero(held_out),
            np.zeros(len(relative)) if fixed is None else fixed,
            relative,
            begin.extended(len(relative)),
            pull,
        )

    def at(self, strength: float, start: Correction, max_iter: int) -> Correction:
        """Return the correction of the training rows for a strength of the penalty."""
        pull = strength if self.pull is None else self.pull
        return maximise(self.training, self.fixed + strength * self.relative, start, max_iter, pull)


@dataclass(frozen=True)
class Walk:
    """Where a path of strengths led."""

    strengths: tuple[float, ...]  # up to the best one
    losses: tuple[float, ...]  # the held-out log-loss of every strength tried
    scores: FloatArray  # logarithms of the held-out probabilities at the best strength
    corrections: tuple[Correction, ...]  # those of the folds there

    @property
    def loss(self) -> float:
        """The held-out log-loss at the best strength."""
        return min(self.losses)


def walk(
    folds: Sequence[Part],
    target: Target,
    weights: FloatArray | None = None,
    *,
    strengths: Sequence[float] = STRENGTHS,
    bound: float = np.inf,
    max_iter: int = 20,
) -> Walk:
    """Weaken the penalty step by step, each from where the last one ended, until held-out rows lose by it.

    Every row is held out in one of the folds; target and weights are those of all rows. ``bound`` is a loss that is
    known to be reached otherwise: after two steps that do not go below it the walk ends.
    """
    current = [part.start for part in folds]
    losses: list[float] = []
    best: tuple[FloatArray, tuple[Correction, ...]] | None = None
    for strength in strengths:
        held_out = np.empty((len(target), folds[0].training.base.shape[1]))
        for k, part in enumerate(folds):
            current[k] = part.at(strength, current[k], max_iter)
            held_out[part.rows] = part.held_out.scores(current[k])
        loss = held_out_loss(held_out, target, weights, folds[0].training.doubt)
        better = loss < min(losses, default=np.inf)
        losses.append(loss)
        if better:
            best = log_softmax(held_out), tuple(current)
        if not better or (loss > bound and len(losses) > 1):
            break
    assert best is not None
    reached = int(np.argmin(losses)) + 1
    return Walk(tuple(strengths[:reached]), tuple(losses), *best)


def follow(part: Part, strengths: Sequence[float], max_iter: int = 20) -> Correction:
    """Take the same steps with all rows, without looking back."""
    correction = part.start
    for strength in strengths:
        correction = part.at(strength, correction, max_iter)
    return correction
