"""Rows dealt out to folds, and the loss of rows that were held out.

How good probabilities are that training rows get from what was learned without them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf.data import Table

FloatArray = NDArray[np.float64]
Target = NDArray[np.int32]


def class_codes(table: Table) -> Target:
    """Return the class of every row, for kernels.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> class_codes(Table.from_codes((Variable("class", ("no", "yes")),), [[1], [0]], target=0))
    array([1, 0], dtype=int32)
    """
    return np.ascontiguousarray(table.codes[:, table.target], dtype=np.int32)


def order_of_content(table: Table, seed: int = 0) -> NDArray[np.int64]:
    """Return the rows of a table in an order that depends on what they say, not on where they stand.

    Classes come one after the other, and within them rows as if shuffled, equal ones together. Another order of the
    table's rows or columns gives the same sequence of rows.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "b", "class"))
    >>> codes = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 0]])
    >>> table = Table.from_codes(variables, codes, target=2)
    >>> moved = Table.from_codes(variables, codes[::-1], target=2)
    >>> bool((table.codes[order_of_content(table)] == moved.codes[order_of_content(moved)]).all())
    True
    """
    key = np.zeros(table.n_rows, dtype=np.uint64)
    for column in table.features:
        variable = table.variables[column]
        if variable.arity == 1:  # says nothing, and must not matter
            continue
        numbers = np.random.default_rng([seed, *variable.name.encode()]).integers(
            2**64, size=variable.arity + 1, dtype=np.uint64
        )
        key += numbers[np.minimum(table.codes[:, column], variable.arity)]
    weights = np.zeros(table.n_rows) if table.weights is None else table.weights
    return np.lexsort((weights, key, table.codes[:, table.target]))


def log_softmax(scores: FloatArray) -> FloatArray:
    """Return the logarithms of the probabilities that scores [row, class] stand for.

    Examples
    --------
    >>> np.exp(log_softmax(np.log([[1.0, 3.0]])))
    array([[0.25, 0.75]])
    """
    normalised: FloatArray = scores - logsumexp(scores, axis=-1, keepdims=True)
    return normalised


def held_out_loss(
    scores: FloatArray, target: Target, weights: FloatArray | None = None, doubt: FloatArray | None = None
) -> float:
    """Return the mean log-loss of scores [row, class].

    Parameters
    ----------
    scores : array of shape (rows, classes)
    target : int32 array of shape (rows,)
    weights : array of shape (rows,), optional
    doubt : array of shape (classes,), optional
        As much as this says a row counts for each class, and with the rest for its own: see `doubt_about`.

    Examples
    --------
    >>> round(held_out_loss(np.zeros((3, 2)), np.array([0, 1, 1], dtype=np.int32)), 4)
    0.6931
    """
    logarithms = log_softmax(scores)
    said = logarithms[np.arange(len(target)), target]
    if doubt is not None:
        said = (1 - doubt.sum()) * said + logarithms @ doubt
    return -float(np.average(said, weights=weights))


def doubt_about(target: Target, classes: int, weights: FloatArray | None = None) -> FloatArray:
    """Return how much of a row's label is doubted, by class: as if one row more had come whose class nobody knows.

    Rows that are told apart without an error would make scores as large as penalties allow, and a new row that is
    an error after all would then cost as much. With this doubt no probability is surer than the rows can show.

    Examples
    --------
    >>> doubt_about(np.array([0, 1, 1], dtype=np.int32), 2) * 4 * 5
    array([2., 3.])
    """
    counts = np.bincount(target, weights, minlength=classes)
    total = float(counts.sum())
    doubt: FloatArray = (counts + 1) / (total + classes) / (total + 1)
    return doubt


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
