"""A joint distribution over features and class, as the questions about single values and whole rows need it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf.data import Table
from bayleaf.network.decision import Predictor, best_class, posteriors

Draw = Callable[[int, np.random.Generator], Table]


@dataclass(frozen=True, eq=False)
class JointModel:
    """What can be asked of a classifier that has a joint distribution.

    Attributes
    ----------
    network : Predictor
        Its log-joints are logarithms of P(class, known values): of a network, or of networks whose joint
        probabilities are averaged.
    draw : callable
        Draws so many rows of the features, encoded as ``network`` takes them.
    classes, prior : ndarray
    costs : ndarray or None
        [true class, decision] where decisions are chosen by their expected cost.
    """

    network: Predictor
    draw: Draw
    classes: NDArray[np.object_]
    prior: NDArray[np.float64]
    costs: NDArray[np.float64] | None = None

    def log_joint(self, table: Table) -> NDArray[np.float64]:
        """Log P(class, known values) of each row; missing values are summed out."""
        return self.network.log_joint(table, len(self.network.nodes) - 1, table.n_jobs)

    def log_evidence(self, table: Table) -> NDArray[np.float64]:
        """Log P(known values) of each row."""
        total: NDArray[np.float64] = logsumexp(self.log_joint(table), axis=1)
        return total

    def posteriors(self, log_joint: NDArray[np.float64]) -> NDArray[np.float64]:
        """Class probabilities of rows; those of an impossible row are the prior."""
        return posteriors(log_joint, self.prior)

    def decide(self, posterior: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class that is decided for in each row."""
        return best_class(posterior, self.prior, self.costs)


def with_each_value(table: Table, features: list[int], *, alone: bool) -> Table:
    """Return the first row of a table once for each value of each of some features, which replaces its own.

    Values are those that can be measured: the state of missing values is none. With ``alone`` all other features are
    missing.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("a", ("0", "1")), Variable("b", ("0", "1"))), [[1, -1]])
    >>> with_each_value(table, [1], alone=False).codes.tolist()
    [[1, 0], [1, 1]]
    """
    states = [n_values(table, j) for j in features]
    codes = np.repeat(table.codes[:1], sum(states), axis=0)
    if alone:
        codes[:] = table.missing_code
    start = 0
    for j, count in zip(features, states, strict=True):
        codes[start : start + count, j] = np.arange(count)
        start += count
    return replace(table, codes=np.asfortranarray(codes), weights=None)


def n_values(table: Table, feature: int) -> int:
    """Return how many values of a feature can be measured."""
    variable = table.variables[feature]
    return variable.arity - variable.gap


def blocks(table: Table, features: list[int]) -> list[slice]:
    """Return where the values of each feature stand among the rows of `with_each_value`."""
    ends = np.cumsum([n_values(table, j) for j in features]).tolist()
    return [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def information(joint: NDArray[np.float64]) -> float:
    """Return the mutual information of rows and columns of a table of probabilities, in bits.

    Examples
    --------
    >>> information(np.array([[0.5, 0.0], [0.0, 0.5]]))
    1.0
    """
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    possible = joint > 0
    total = joint[possible] @ np.log2(joint[possible] / apart[possible])
    return max(0.0, float(total))
