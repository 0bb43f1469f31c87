"""Sets of two and three columns, chosen by what held-out probabilities still get wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import thread_count

from .grids import FloatArray, Grid, GridCodes
from .laid_out import end_to_end
from .rows import PoolRows

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

    def gains(self, grid: Grid, codes: GridCodes, sets: Sequence[Columns], n_jobs: int | None) -> FloatArray:
        """Return what a table over each set of columns could gain: by the rows outside each part, then by all rows.

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
            thread_count(n_jobs),
        )
        return gains


def best_sets(
    residuals: Residuals, grid: Grid, codes: GridCodes, size: int, most: int, n_jobs: int | None = None
) -> list[list[Columns]]:
    """Return the sets of columns that gain most: by the rows outside each part, then by all rows.

    Sets of three are grown from the best pairs. What is chosen for a part has not seen its rows.

    Examples
    --------
    >>> grid = Grid((np.arange(3, dtype=np.uint16),) * 3, np.array([3, 3, 3]))
    >>> codes = np.asfortranarray(np.indices((2, 2, 2)).reshape(3, -1).T.repeat(9, axis=0), dtype=np.uint16)
    >>> wrong = np.where(codes[:, 0] == codes[:, 2], 0.5, -0.5).astype(np.float32)[:, None]
    >>> part = np.arange(len(codes), dtype=np.uint8) % 2
    >>> best_sets(Residuals(wrong, np.full_like(wrong, 0.25), part, 2), grid, codes, 2, 1)
    [[(0, 2)], [(0, 2)], [(0, 2)]]
    """
    columns = _looked_at(residuals, grid, codes, n_jobs)
    candidates: list[Columns] = list(combinations(columns, 2))
    chosen: list[list[Columns]] = [[] for _ in range(residuals.parts + 1)]
    if not candidates:
        return chosen
    gains = residuals.gains(grid, codes, candidates, n_jobs)
    chosen = [_largest(candidates, gain, most) for gain in gains]
    for _ in range(2, size):
        grown = [_grown(sets, columns) for sets in chosen]
        candidates = sorted(set().union(*grown))
        if not candidates:
            return [[] for _ in chosen]
        gains = residuals.gains(grid, codes, candidates, n_jobs)
        place = {each: number for number, each in enumerate(candidates)}
        chosen = [
            _largest(own, gain[[place[each] for each in own]], most)
            for own, gain in zip(grown, gains, strict=True)
        ]
    return chosen


def _looked_at(residuals: Residuals, grid: Grid, codes: GridCodes, n_jobs: int | None) -> list[int]:
    """Return the columns to make sets of: all, or as many of the best as there may be pairs of."""
    d = codes.shape[1]
    most = int((2 * MOST_PAIRS) ** 0.5)
    if d <= most:
        return list(range(d))
    gains = residuals.gains(grid, codes, [(j,) for j in range(d)], n_jobs)[-1]
    return sorted(np.argsort(-gains, kind="stable")[:most].tolist())


def _grown(sets: Sequence[Columns], columns: Sequence[int]) -> list[Columns]:
    """Return the sets with one more column, each once."""
    return sorted({tuple(sorted((*each, j))) for each in sets for j in columns if j not in each})


def _largest(sets: Sequence[Columns], gains: FloatArray, most: int) -> list[Columns]:
    return [sets[k] for k in np.argsort(-gains, kind="stable")[:most]]
