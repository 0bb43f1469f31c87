"""What decomposable scores share: a score of a graph is a sum over families, each from the family's counts.

Every score here has three methods with one contract:

- ``family(table, node, parents) -> float``: the gain of one family, *larger is better* whatever the score's sign;
- ``families(table, families) -> ndarray``: the same for many families, counted in one call of the count kernel;
- ``score(table, dag) -> float``: the score of a graph in the score's own convention (MDL: smaller is better).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf.counts import Counts, count
from bayleaf.graph import DAG
from bayleaf.table import Table

Family = tuple[int, Sequence[int]]
# A family with more cells is counted over the parent configurations that occur.
DENSE_CELLS = 2**20
# Tables counted in one call of the kernel.
BATCH_CELLS = 2**24


class DecomposableScore(Protocol):
    """What a search asks of a score."""

    def families(self, table: Table, families: Sequence[Family]) -> NDArray[np.float64]:
        """Return the gain of each family (node, parents), larger is better."""
        ...

    def score(self, table: Table, dag: DAG) -> float:
        """Return the score of a graph in the score's own convention."""
        ...


@dataclass(frozen=True)
class FamilyCounts:
    """Counts of one family.

    Parameters
    ----------
    counts : ndarray of shape (configurations, states)
        Rows per parent configuration and state of the node. Configurations that never occur may be absent.
    configurations : float
        The number of parent configurations, absent ones included.
    """

    counts: Counts
    configurations: float

    @property
    def totals(self) -> Counts:
        """Rows per parent configuration."""
        totals: Counts = self.counts.sum(axis=1)
        return totals


def score_families(
    table: Table, families: Sequence[Family], gain: Callable[[FamilyCounts], float]
) -> NDArray[np.float64]:
    """Return ``gain`` of the counts of each family.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]])
    >>> score_families(table, [(0, ())], lambda family: float(family.counts.max()))
    array([2.])
    """
    return np.array([gain(counts) for counts in _count_families(table, families)], dtype=np.float64)


def graph_families(table: Table, dag: DAG) -> list[Family]:
    """Return the families of a graph over the table's variables.

    Examples
    --------
    >>> from bayleaf.table import Variable
    >>> table = Table.from_codes((Variable("x", ("a",)), Variable("y", ("a",))), [[0, 0]])
    >>> graph_families(table, DAG(["x", "y"], [("x", "y")]))
    [(0, ()), (1, (0,))]
    """
    if dag.nodes != table.names:
        raise ValueError(
            f"The graph's nodes {list(dag.nodes)} are not the table's variables {list(table.names)}."
        )
    return list(enumerate(dag.parent_indices))


@dataclass
class FamilyScores:
    """Family gains of one score on one table, each computed once: the memory of a local search.

    Examples
    --------
    >>> from bayleaf.scores import LogLikelihood
    >>> from bayleaf.table import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")), Variable("y", ("a", "b"))), [[0, 0], [1, 1]])
    >>> scores = FamilyScores(LogLikelihood(), table)
    >>> scores.get([(1, (0,)), (1, ())]).round(4)
    array([ 0.    , -1.3863])
    >>> len(scores)
    2
    """

    score: DecomposableScore
    table: Table
    _known: dict[tuple[int, frozenset[int]], float] = field(default_factory=dict)

    def get(self, families: Sequence[Family]) -> NDArray[np.float64]:
        """Return the gain of each family; those not met before are counted together."""
        keys = [(node, frozenset(parents)) for node, parents in families]
        missing = list(dict.fromkeys(key for key in keys if key not in self._known))
        if missing:
            gains = self.score.families(
                self.table, [(node, tuple(sorted(parents))) for node, parents in missing]
            )
            self._known.update(zip(missing, gains.tolist(), strict=True))
        return np.array([self._known[key] for key in keys], dtype=np.float64)

    def __len__(self) -> int:
        return len(self._known)


def _count_families(table: Table, families: Sequence[Family]) -> Iterator[FamilyCounts]:
    batch: list[Family] = []
    cells = 0
    for node, parents in families:
        size = prod(int(table.arities[j]) for j in (*parents, node))
        if size > DENSE_CELLS:
            yield from _count_dense(table, batch)
            batch, cells = [], 0
            yield _count_sparse(table, node, parents)
            continue
        if cells + size > BATCH_CELLS:
            yield from _count_dense(table, batch)
            batch, cells = [], 0
        batch.append((node, parents))
        cells += size
    yield from _count_dense(table, batch)


def _count_dense(table: Table, families: Sequence[Family]) -> Iterator[FamilyCounts]:
    if families:
        for counts in count(table, [[*parents, node] for node, parents in families]):
            flat = counts.reshape(-1, counts.shape[-1])
            yield FamilyCounts(flat, float(len(flat)))


def _count_sparse(table: Table, node: int, parents: Sequence[int]) -> FamilyCounts:
    codes = table.codes[:, [*parents, node]]
    known = (codes != table.missing_code).all(axis=1)
    rows, states = np.ascontiguousarray(codes[known, :-1]), codes[known, -1].astype(np.int64)
    weights = None if table.weights is None else table.weights[known]
    # Equal rows have equal bytes: comparing them whole is much faster than column by column.
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, configuration = np.unique(keys, return_inverse=True)
    arity = int(table.arities[node])
    n = int(configuration.max(initial=-1)) + 1
    counts = np.bincount(configuration * arity + states, weights, minlength=n * arity).reshape(n, arity)
    configurations = prod(float(table.arities[j]) for j in parents)
    return FamilyCounts(counts, configurations)
