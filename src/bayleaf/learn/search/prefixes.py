"""Which of the first features of an order, and how many parents of each, classify left-out rows best."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.counts import count
from bayleaf.counts.contingency import DECIMALS
from bayleaf.data import Table
from bayleaf.learn.scores.class_focused import check_classes

# A feature takes no further parent where its table would have more cells.
MOST_CELLS = 2_000_000


@dataclass(frozen=True)
class PrefixLosses:
    """Leave-one-out losses of the classifiers over the first features of an order.

    Attributes
    ----------
    losses : ndarray of shape (most parents + 1, features + 1)
        The mean of (1 - P(own class | x))^2 over the rows, each left out of all counts, where every feature has its
        first k parents and only the first i features are used, at [k, i].
    """

    losses: NDArray[np.float64]

    @property
    def best(self) -> tuple[int, int]:
        """The number of parents and of features with the smallest loss; of equals the fewest features, then parents.

        Examples
        --------
        >>> PrefixLosses(np.array([[0.5, 0.2, 0.3], [0.5, 0.2, 0.1]])).best
        (1, 2)
        """
        by_features = self.losses.T.round(DECIMALS)
        features, parents = divmod(int(by_features.argmin()), by_features.shape[1])
        return parents, features


def bounded(table: Table, feature: int, parents: Sequence[int], most: int) -> list[int]:
    """Return the first parents of a feature, as long as its table stays small.

    Parameters
    ----------
    table : Table
    feature, parents : columns
        The strongest parent first.
    most : int
        Parents at most.
    """
    assert table.target is not None
    cells = int(table.arities[table.target]) * int(table.arities[feature])
    kept: list[int] = []
    for parent in parents[:most]:
        cells *= int(table.arities[parent])
        if cells > MOST_CELLS:
            break
        kept.append(parent)
    return kept


def prefix_losses(
    table: Table, families: Sequence[tuple[int, Sequence[int]]], most_parents: int, smoothing: float = 1.0
) -> PrefixLosses:
    """Leave every row out in turn, and measure all k-dependence classifiers over the first features of an order.

    P(x | pa, c) = (N(x, pa, c) + m / r) / (N(pa, c) + m) with the imaginary rows m and r states. A family in which a
    row has a missing value says nothing about it. A weight of two counts as two rows, of which one is left out.

    Parameters
    ----------
    table : Table
        With a class that is known in every row.
    families : sequence of (feature, parents)
        Columns, in the order of the features; the strongest parent first.
    most_parents : int
        Numbers of parents from 0 to this are tried.
    smoothing : float, default=1.0
        m.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("a", "noise", "class"))
    >>> table = Table.from_codes(variables, [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 5, target=2)
    >>> prefix_losses(table, [(0, []), (1, [0])], 1).best
    (0, 1)
    """
    target = check_classes(table).target
    assert target is not None
    sets = [
        [*parents[:known], feature, target]
        for feature, parents in families
        for known in range(len(parents) + 1)
    ]
    counts = [cells.astype(np.float64) for cells in count(table, [*sets, [target]])]
    class_counts = counts.pop()
    totals = [cells.sum(axis=-2) for cells in counts]
    sums = np.zeros((most_parents + 1, len(families) + 1))
    columns = [[*parents, feature] for feature, parents in families]
    _core.prefix_losses(
        table.codes,
        table.arities,
        target,
        np.array([column for own in columns for column in own], dtype=np.int64),
        _starts([len(own) for own in columns]),
        _starts([cells.size for cells in counts]),
        _starts([cells.size for cells in totals]),
        np.concatenate([np.zeros(0), *(cells.ravel() for cells in counts)]),
        np.concatenate([np.zeros(0), *(cells.ravel() for cells in totals)]),
        class_counts,
        table.weights,
        float(smoothing),
        sums,
        table.n_jobs,
    )
    return PrefixLosses(sums / table.total_weight)


def _starts(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
