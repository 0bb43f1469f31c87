"""What scores share: the contract of decomposable and class-focused scores, and families counted for them.

Exact search needs one sum per set of variables then, instead of one per family.

Every score here has three methods with one contract:

- ``family(table, node, parents) -> float``: the gain of one family, *larger is better* whatever the score's sign;
- ``families(table, families) -> ndarray``: the same for many families, counted in one call of the count kernel;
- ``score(table, dag) -> float``: the score of a graph in the score's own convention (MDL: smaller is better).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bayleaf.counts import Counts, count
from bayleaf.data import Table
from bayleaf.graph import DAG


@dataclass(frozen=True)
class SetTerm:
    """What the cells of a set of variables with q configurations add up to.

    Parameters
    ----------
    kind : {"gamma_per_set", "gamma", "entropy"}
        Term of a cell with N rows: lnG(shift / q + N) - lnG(shift / q), lnG(shift + N) - lnG(shift), or N ln N.
    shift : float
    penalty : float
        Taken off once per configuration of the set.

    Examples
    --------
    >>> SetTerm("entropy", penalty=1.0).kind
    'entropy'
    """

    kind: Literal["gamma_per_set", "gamma", "entropy"]
    shift: float = 0.0
    penalty: float = 0.0


@dataclass(frozen=True)
class SetForm:
    """A score as J(P + X) - K(P).

    Parameters
    ----------
    joint : SetTerm
        J.
    given : callable, optional
        The term K for a child of a given arity; by default K = J.

    Examples
    --------
    >>> SetForm(SetTerm("gamma", 1.0), lambda arity: SetTerm("gamma", float(arity))).given(3).shift
    3.0
    """

    joint: SetTerm
    given: Callable[[int], SetTerm] | None = None


@dataclass(frozen=True)
class CountedForm:
    """A decomposable score from counts alone, and from which arcs there are.

    Parameters
    ----------
    form : SetForm
        What the counts of a family add.
    arcs : ndarray of shape (variables, variables), optional
        What having the arc [parent, child] adds.
    alone : ndarray of shape (variables,), optional
        What a child adds whatever its parents.

    Examples
    --------
    >>> CountedForm(SetForm(SetTerm("entropy"))).arcs is None
    True
    """

    form: SetForm
    arcs: NDArray[np.float64] | None = None
    alone: NDArray[np.float64] | None = None


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
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("x", ("a", "b")),), [[0], [0], [1]])
    >>> score_families(table, [(0, ())], lambda family: float(family.counts.max()))
    array([2.])
    """
    return np.array([gain(counts) for counts in _count_families(table, families)], dtype=np.float64)


def graph_families(table: Table, dag: DAG) -> list[Family]:
    """Return the families of a graph over the table's variables.

    Examples
    --------
    >>> from bayleaf.data import Variable
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
    >>> from bayleaf.data import Variable
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


# New parents of some nodes; the other nodes keep theirs.
Change = Mapping[int, Sequence[int]]


class Evaluator(Protocol):
    """A network in the course of a search: it knows its score, and what any change of families would make of it.

    Scores are larger for better networks. Nodes and parents are column numbers of the table.
    """

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """The parents of every node now."""
        ...

    @property
    def value(self) -> float:
        """The score now."""
        ...

    def scores(self, node: int, parent_sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the score for each alternative parent set of one node."""
        ...

    def best(self, node: int, parent_sets: Sequence[Sequence[int]], above: float) -> tuple[int, float] | None:
        """Return the first best of the parent sets and its score, or None if none scores above a threshold."""
        ...

    def change_scores(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        """Return the score after each of several changes."""
        ...

    def best_change(self, changes: Sequence[Change], above: float) -> tuple[int, float] | None:
        """Return the first best of the changes and its score, or None if none scores above a threshold."""
        ...

    def commit(self, change: Change) -> None:
        """Make a change."""
        ...


class ClassFocusedScore(Protocol):
    """A score of the classifier that a graph makes of a table."""

    def evaluator(self, table: Table, dag: DAG, rng: np.random.Generator) -> Evaluator:
        """Start a search at a graph."""
        ...


def check_judged(table: Table) -> Table:
    """Return a table whose rows can be judged by their class, or say what it lacks.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> check_judged(Table.from_codes((Variable("c", ("a", "b")),), [[0], [-1]], target=0))
    Traceback (most recent call last):
        ...
    ValueError: A class-focused score needs the class of every row: the target has missing values.
    """
    if table.target is None:
        raise ValueError("A class-focused score needs a class: the table has no target column.")
    if table.n_rows == 0:
        raise ValueError("A class-focused score needs rows to judge: the table has none.")
    if table.has_missing[table.target]:
        raise ValueError("A class-focused score needs the class of every row: the target has missing values.")
    if table.total_weight == 0:
        raise ValueError("A class-focused score needs rows that count: every weight is zero.")
    return table
