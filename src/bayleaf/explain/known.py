"""How much of a row is known: how many values, and how large a share of the information about the class they have.

The share of a row is the sum of I(X; C), beyond what chance explains, over the features with a value, divided by the
sum over all features. As features repeat one another, it is a rough measure; but one value may tell more than ten
others, which the number of values does not show.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Table
from bayleaf.network import BayesNet

LITTLE = 0.5  # of the information
_of_networks: WeakKeyDictionary[BayesNet, dict[str, float] | None] = WeakKeyDictionary()


def information_about_class(network: BayesNet) -> dict[str, float] | None:
    """Return I(X; C) of each node but the class, in nats, worked out once; None where the network is too dense.

    Examples
    --------
    >>> import bayleaf as bl
    >>> clf = bl.BayesNetClassifier(parameters="laplace").fit([["a", "u"], ["b", "u"]] * 50, ["no", "yes"] * 50)
    >>> {name: round(told, 2) for name, told in information_about_class(clf.network_).items()}
    {'x0': 0.6, 'x1': 0.0}
    """
    if network not in _of_networks:
        assert network.target is not None
        try:
            _of_networks[network] = network.mutual_information(network.target)
        except ValueError:  # exact inference would cost too much
            _of_networks[network] = None
    return _of_networks[network]


def beyond_chance(told: NDArray[np.float64], network: BayesNet, rows: float) -> NDArray[np.float64]:
    """Return what features tell about the class beyond what columns of chance seem to tell in so many rows.

    That is (r - 1) (k - 1) / 2N for r states, k classes and N rows (Miller 1955): a column of hundreds of codes seems
    to tell a lot. The class is the last node.

    Examples
    --------
    >>> import bayleaf as bl
    >>> clf = bl.BayesNetClassifier(parameters="laplace").fit([["a", "u"], ["b", "u"]] * 50, ["no", "yes"] * 50)
    >>> beyond_chance(np.array([0.6, 0.0]), clf.network_, 100).round(3)
    array([0.595, 0.   ])
    """
    states = np.array([variable.arity for variable in network.variables])
    by_chance = (states[:-1] - 1) * (states[-1] - 1) / (2.0 * max(rows, 1.0))
    beyond: NDArray[np.float64] = np.maximum(told - by_chance, 0.0)
    return beyond


@dataclass(frozen=True, eq=False)
class Known:
    """How much is known of each row.

    Parameters
    ----------
    values : ndarray of shape (rows,)
        How many features have a value.
    features : int
        How many could have one: those of one state say nothing and are not counted.
    information : ndarray of shape (rows,) or None
        The share of the information about the class that the known values have.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> rows = Table.from_codes([Variable(name, ("no", "yes")) for name in "abc"], [[0, -1, 1], [0, 1, 1]])
    >>> known = Known.of(rows, lambda: np.array([0.3, 0.2, 0.5]))
    >>> known.sentence(0)
    '2 of 3 values known, 80% of the information.'
    >>> known.sentence(1)
    ''
    """

    values: NDArray[np.int64]
    features: int
    information: NDArray[np.float64] | None

    @classmethod
    def of(cls, table: Table, telling: Callable[[], NDArray[np.float64] | None]) -> Known:
        """Count what rows of features have; ``telling`` says what each feature tells, where a row lacks something."""
        counted = [j for j, variable in enumerate(table.variables) if variable.arity > 1]
        known = np.ones((table.n_rows, len(counted)), dtype=bool)
        for k, j in enumerate(counted):
            known[:, k] = ~table.gaps(j)
        values = known.sum(axis=1)
        if known.all():
            return cls(values, len(counted), np.ones(table.n_rows))
        told = telling()
        if told is None or not (total := told[counted].sum()) > 0:
            return cls(values, len(counted), None)
        share = np.where(known.all(axis=1), 1.0, known @ told[counted] / total)
        return cls(values, len(counted), share)

    def sentence(self, row: int) -> str:
        """Say how much is known of a row; nothing where all is."""
        values = int(self.values[row])
        if values == self.features:
            return ""
        share = values / self.features if self.information is None else float(self.information[row])
        told = "" if self.information is None else f", {_percent(share)} of the information"
        caution = " Little is known: more values may change the answer." if share < LITTLE else ""
        return f"{values} of {self.features} values known{told}.{caution}"


def _percent(share: float) -> str:
    """Write a share that is not all so that it does not look like it."""
    return ">99%" if 0.995 <= share < 1 else "<1%" if 0 < share < 0.005 else f"{share:.0%}"
