"""How good probabilities are that training rows get from what was learned without them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# So many standard errors apart, one log-loss is clearly lower than another.
CLEARLY = 2.0


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
    gain_error : float
        Standard error of the difference of both log-losses.

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
    gain_error: float = 0.0

    @classmethod
    def of(
        cls,
        probabilities: NDArray[np.float64],
        target: NDArray[Any],
        prior: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
    ) -> "OutOfSample":
        """Judge probabilities [row, class] of rows with these classes, and those of the class frequencies."""
        usual = np.tile(prior, (len(target), 1))
        error = _gain_error(probabilities, usual, target, weights)
        return cls(
            len(target),
            *_judge(probabilities, target, weights),
            *_judge(usual, target, weights),
            gain_error=error,
        )

    def shortfall(self) -> str | None:
        """Say that the model is not clearly better than the class frequencies, if that is so; None if it is.

        It is where its log-loss is lower by two standard errors: as far as that, noise is fitted now and then.

        Examples
        --------
        >>> OutOfSample(90, 0.6, 0.5, 0.5, 0.61, 0.7, 0.4, gain_error=0.01).shortfall()
        'not clearly better than the class frequencies: log-loss 0.600 (theirs 0.610), accuracy 0.500 (theirs 0.700)'
        """
        if self.frequencies_log_loss - self.log_loss > CLEARLY * self.gain_error:
            return None
        return (
            f"not clearly better than the class frequencies: log-loss {self.log_loss:.3f} (theirs "
            f"{self.frequencies_log_loss:.3f}), accuracy {self.accuracy:.3f} (theirs {self.frequencies_accuracy:.3f})"
        )

    def __str__(self) -> str:
        return (
            f"log-loss {self.log_loss:.3f}, accuracy {self.accuracy:.3f}, Brier score {self.brier:.3f} (class "
            f"frequencies {self.frequencies_log_loss:.3f}, {self.frequencies_accuracy:.3f}, "
            f"{self.frequencies_brier:.3f})"
        )


def _gain_error(
    probabilities: NDArray[np.float64],
    usual: NDArray[np.float64],
    target: NDArray[Any],
    weights: NDArray[np.float64] | None,
) -> float:
    rows, least = np.arange(len(target)), np.finfo(float).tiny
    gains = np.log(np.maximum(probabilities[rows, target], least) / np.maximum(usual[rows, target], least))
    each = np.ones(len(target)) if weights is None else weights
    spread = each * (gains - np.average(gains, weights=each))
    return float(np.sqrt((spread**2).sum()) / each.sum())


def _judge(
    probabilities: NDArray[np.float64], target: NDArray[Any], weights: NDArray[np.float64] | None
) -> tuple[float, float, float]:
    """Return log-loss, accuracy and Brier score."""
    own = probabilities[np.arange(len(target)), target]
    losses = -np.log(np.maximum(own, np.finfo(float).tiny))
    right = probabilities.argmax(axis=1) == target
    squares = (probabilities**2).sum(axis=1) - 2 * own + 1
    return tuple(float(np.average(each, weights=weights)) for each in (losses, right, squares))  # type: ignore[return-value]
