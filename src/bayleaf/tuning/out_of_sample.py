"""How good a model is on rows that it was not learned from, as far as its fit has seen."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# So many standard errors apart, one log-loss is clearly lower than another.
CLEARLY = 2.0


@dataclass(frozen=True)
class Figures:
    """Three measures of class probabilities.

    Attributes
    ----------
    log_loss : float
        Mean of -ln P(true class).
    accuracy : float
        Share of rows whose most probable class is the true one.
    brier : float
        Mean of the squared errors, summed over the classes: between 0 and 2.
    """

    log_loss: float
    accuracy: float
    brier: float

    @classmethod
    def of(
        cls,
        log_probabilities: NDArray[np.float64],
        truth: NDArray[np.integer[Any]],
        weights: NDArray[np.float64] | None = None,
    ) -> "Figures":
        """Measure the logarithms of class probabilities, a line for each row, by the classes that the rows have.

        Examples
        --------
        >>> Figures.of(np.log([[0.5, 0.5], [0.75, 0.25]]), np.array([0, 1]))
        Figures(log_loss=1.0397207708399179, accuracy=0.5, brier=0.8125)
        """
        rows, probabilities = np.arange(len(truth)), np.exp(log_probabilities)
        errors = (probabilities**2).sum(axis=1) - 2.0 * probabilities[rows, truth] + 1.0
        return cls(
            log_loss=float(-np.average(log_probabilities[rows, truth], weights=weights)),
            accuracy=float(np.average(log_probabilities.argmax(axis=1) == truth, weights=weights)),
            brier=float(np.average(errors, weights=weights)),
        )


@dataclass(frozen=True)
class OutOfSample(Figures):
    """How good a model is by rows that were held out in its fit, and how good the class frequencies are.

    Each row was predicted by graphs, tables, weights and corrections that were learned without it. Intervals are
    those of all rows, and how far corrections go was chosen on the same rows.

    Attributes
    ----------
    log_loss, accuracy, brier : float
        Means over the rows, by their weights.
    frequencies : Figures
        What the shares of the classes reach as probabilities.
    gain_error : float
        Standard error of the difference of both log-losses.
    rows : int
        How many rows were held out: all, or a sample of many.

    Examples
    --------
    >>> import bayleaf as bl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = bl.BayesNetClassifier().fit(X, y).out_of_sample_
    >>> print(found)
    log-loss 0.1... (class frequencies 1.099), accuracy 0.9... (0.333), Brier score 0.08... (0.667)
    >>> found.rows, found.frequencies.accuracy.__round__(3)
    (150, 0.333)
    """

    frequencies: Figures
    gain_error: float
    rows: int

    @classmethod
    def of_rows(
        cls,
        log_probabilities: NDArray[np.float64],
        truth: NDArray[np.integer[Any]],
        weights: NDArray[np.float64] | None = None,
    ) -> "OutOfSample":
        """Measure what was said of rows that were held out, and what the shares of their classes say."""
        totals = np.bincount(truth, weights, minlength=log_probabilities.shape[1])
        with np.errstate(divide="ignore"):  # a class of none of these rows
            shares = np.log(totals / totals.sum())
        frequencies = Figures.of(np.broadcast_to(shares, log_probabilities.shape), truth, weights)
        found = Figures.of(log_probabilities, truth, weights)
        gains = log_probabilities[np.arange(len(truth)), truth] - shares[truth]
        each = np.ones(len(truth)) if weights is None else weights
        spread = each * (gains - np.average(gains, weights=each))
        error = float(np.sqrt((spread**2).sum()) / each.sum())
        return cls(**asdict(found), frequencies=frequencies, gain_error=error, rows=len(truth))

    def __str__(self) -> str:
        return (
            f"log-loss {self.log_loss:.3f} (class frequencies {self.frequencies.log_loss:.3f}), "
            f"accuracy {self.accuracy:.3f} ({self.frequencies.accuracy:.3f}), "
            f"Brier score {self.brier:.3f} ({self.frequencies.brier:.3f})"
        )

    def shortfall(self) -> str | None:
        """Say that the model is not clearly better than the class frequencies, if that is so; None if it is.

        It is where its log-loss is lower by two standard errors: as far as that, noise is fitted now and then.

        Examples
        --------
        >>> OutOfSample(0.6, 0.5, 0.5, Figures(0.61, 0.7, 0.4), gain_error=0.01, rows=90).shortfall()
        'not clearly better than the class frequencies: log-loss 0.600 (theirs 0.610), accuracy 0.500 (theirs 0.700)'
        """
        usual = self.frequencies
        if usual.log_loss - self.log_loss > CLEARLY * self.gain_error:
            return None
        return (
            f"not clearly better than the class frequencies: log-loss {self.log_loss:.3f} (theirs "
            f"{usual.log_loss:.3f}), accuracy {self.accuracy:.3f} (theirs {usual.accuracy:.3f})"
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "OutOfSample":
        """Rebuild it from plain data."""
        return cls(**{**data, "frequencies": Figures(**data["frequencies"])})
