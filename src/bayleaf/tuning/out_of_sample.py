"""How good probabilities are that training rows get from what was learned without them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class OutOfSample:
    """How good probabilities are that training rows get from what was learned without them, and class frequencies.

    Attributes
    ----------
    rows : int
        How many training rows were judged.
    log_loss, accuracy, brier : float
    frequencies_log_loss, frequencies_accuracy, frequencies_brier : float
        What the class frequencies alone reach.

    Examples
    --------
    >>> found = OutOfSample.of(np.array([[0.8, 0.2], [0.4, 0.6]]), np.array([0, 1]), np.array([0.5, 0.5]))
    >>> print(found)
    log-loss 0.367, accuracy 1.000, Brier score 0.200 (class frequencies 0.693, 0.500, 0.500)
    """

    rows: int
    log_loss: float
    accuracy: float
    brier: float
    frequencies_log_loss: float
    frequencies_accuracy: float
    frequencies_brier: float

    @classmethod
    def of(
        cls,
        probabilities: NDArray[np.float64],
        target: NDArray[Any],
        prior: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
    ) -> "OutOfSample":
        """Judge probabilities [row, class] of rows with these classes, and those of the class frequencies."""
        own = _judge(probabilities, target, weights)
        return cls(len(target), *own, *_judge(np.tile(prior, (len(target), 1)), target, weights))

    def __str__(self) -> str:
        return (
            f"log-loss {self.log_loss:.3f}, accuracy {self.accuracy:.3f}, Brier score {self.brier:.3f} (class "
            f"frequencies {self.frequencies_log_loss:.3f}, {self.frequencies_accuracy:.3f}, "
            f"{self.frequencies_brier:.3f})"
        )


def _judge(
    probabilities: NDArray[np.float64], target: NDArray[Any], weights: NDArray[np.float64] | None
) -> tuple[float, float, float]:
    """Return log-loss, accuracy and Brier score."""
    own = probabilities[np.arange(len(target)), target]
    losses = -np.log(np.maximum(own, np.finfo(float).tiny))
    right = probabilities.argmax(axis=1) == target
    squares = (probabilities**2).sum(axis=1) - 2 * own + 1
    return tuple(float(np.average(each, weights=weights)) for each in (losses, right, squares))  # type: ignore[return-value]
