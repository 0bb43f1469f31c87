"""Losses as the kernels count them, and the scores they stand for."""

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

WORSE = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Units:
    """Losses are whole numbers in the kernel; this turns them into scores and back.

    Parameters
    ----------
    per_loss : float
        Whole numbers that make up a loss of one.
    offset : float
        The score of a network without losses.
    cost : float
        What a loss of one takes from the score.
    slack : int
        A loss must be smaller by more than so many units to count as smaller.

    Examples
    --------
    >>> units = Units(per_loss=8.0, offset=1.0)
    >>> float(units.score(2))
    0.75
    >>> units.bound(0.75)
    2
    """

    per_loss: float
    offset: float = 0.0
    cost: float = 1.0
    slack: int = 0

    def score(self, losses: Any) -> Any:
        """Larger scores for smaller losses."""
        return self.offset - np.asarray(losses, dtype=np.float64) / self.per_loss * self.cost

    def bound(self, score: float) -> int:
        """Return the loss that a better network stays below."""
        if score == -np.inf:
            return int(WORSE)
        loss = (self.offset - score) / self.cost * self.per_loss
        # The score of a whole loss is rounded, the more so where it is added to a large offset: what differs by less
        # is not better.
        largest = max(abs(loss), abs(self.offset) / self.cost * self.per_loss)
        return ceil(loss - max(0.25, largest * 2.0**-50)) - self.slack
