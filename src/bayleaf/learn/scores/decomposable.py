"""Scores that are sums over families: the base class, the form that kernels know, and one score of the class."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, polygamma, xlogy

from bayleaf._util.params import WithSettings, declared, number
from bayleaf.counts import Counts, count, required_target
from bayleaf.data import Table
from bayleaf.graph import DAG, Family

# A family with more cells is counted over the parent configurations that occur.
DENSE_CELLS = 2**20
# Cells counted in one call of the kernel.
BATCH_CELLS = 2**24


@dataclass(frozen=True)
class FamilyCounts:
    """Counts of one family.

    Parameters
    ----------
    node : int
    parents : tuple of int
    counts : ndarray of shape (configurations, states)
        Rows per parent configuration and state of the node. Configurations that never occur may be absent.
    configurations : float
        The number of parent configurations, absent ones included.
    occurring : ndarray of shape (configurations, parents), optional
        The parents' codes in each configuration; None where all of them are there, the last parent changing fastest.
    """

    node: int
    parents: tuple[int, ...]
    counts: Counts
    configurations: float
    occurring: NDArray[Any] | None = None

    def without_parents(self) -> "FamilyCounts":
        """Return the counts of the node alone, from the same rows."""
        return FamilyCounts(self.node, (), self.counts.sum(axis=0, keepdims=True), 1.0)

    @property
    def totals(self) -> Counts:
        """Rows per parent configuration."""
        totals: Counts = self.counts.sum(axis=1)
        return totals


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
    """

    kind: Literal["gamma_per_set", "gamma", "entropy"]
    shift: float = 0.0
    penalty: float = 0.0

    @property
    def number(self) -> int:
        """The number by which kernels know the kind."""
        return ("gamma_per_set", "gamma", "entropy").index(self.kind)

    def total(self, cells: Counts, configurations: float) -> float:
        """Return the sum over the cells of a set; empty cells add nothing."""
        filled = cells[cells > 0]
        if self.kind == "entropy":
            total = float(xlogy(filled, filled).sum())
        else:
            shift = self.shift / configurations if self.kind == "gamma_per_set" else self.shift
            total = float((gammaln(shift + filled) - gammaln(shift)).sum())
        return total - self.penalty * configurations if self.penalty else total


@dataclass(frozen=True)
class SetForm:
    """A score as J(P + X) - K(P): exact search needs one sum per set of variables then, not one per family.

    Parameters
    ----------
    joint : SetTerm
        J.
    given : callable, optional
        The term K for a child of a given arity; by default K = J.
    arcs : ndarray of shape (variables, variables), optional
        What having the arc [parent, child] adds.
    alone : ndarray of shape (variables,), optional
        What a child adds whatever its parents.
    """

    joint: SetTerm
    given: Callable[[int], SetTerm] | None = None
    arcs: NDArray[np.float64] | None = None
    alone: NDArray[np.float64] | None = None

    def given_term(self, arity: int) -> SetTerm:
        """Return the term K for a child of a given arity."""
        return self.joint if self.given is None else self.given(arity)

    def gain(self, family: FamilyCounts) -> float:
        """Return the gain of a family."""
        arity = family.counts.shape[1]
        joint = self.joint.total(family.counts, family.configurations * arity)
        gain = joint - self.given_term(arity).total(family.totals, family.configurations)
        if self.arcs is not None:
            gain += float(self.arcs[list(family.parents), family.node].sum())
        if self.alone is not None:
            gain += float(self.alone[family.node])
        return gain


class DecomposableScore(WithSettings):
    """A score of a graph that is a sum over its families.

    A score says what a family is worth in one of two ways:

    - ``gain(family)``: from the counts of the family. Hill-climbing, traces and tests need nothing else.
    - ``set_form(table)``: as a difference of sums over two sets of variables, where it is one. Then exact search can
      maximise the score, and hill-climbing counts all neighbours of a family at once. ``gain`` is not asked.

    Gains are *larger for better families*, whatever the score's own convention.

    Examples
    --------
    >>> from bayleaf import HillClimbing
    >>> from bayleaf.data import Variable
    >>> class Purity(DecomposableScore):
    ...     def gain(self, family):
    ...         return float(family.counts.max(axis=1).sum()) - 0.1 * family.configurations
    >>> table = Table.from_codes(tuple(Variable(name, ("0", "1")) for name in "ab"), [[0, 0], [1, 1]] * 5)
    >>> Purity().family(table, 1, (0,))
    9.8
    >>> HillClimbing(Purity()).learn(table, np.random.default_rng(0)).arcs
    (('b', 'a'),)
    """

    def gain(self, family: FamilyCounts) -> float:
        """Return the gain of one family, larger is better."""
        raise NotImplementedError(f"{type(self).__name__} needs a method 'gain' or 'set_form'.")

    def set_form(self, table: Table) -> SetForm | None:
        """Return the score as a difference of sums over sets; None where it is not such a difference."""
        return None

    def families(self, table: Table, families: Sequence[Family]) -> NDArray[np.float64]:
        """Return the gain of each family (node, parents), larger is better."""
        self.check_params()
        form = self.set_form(table)
        gain = self.gain if form is None else form.gain
        return np.array([gain(family) for family in count_families(table, families)], dtype=np.float64)

    def gains_over_none(self, table: Table, families: Sequence[Family]) -> NDArray[np.float64]:
        """Return what the parents of each family add to the node alone, on the rows that have all its values."""
        self.check_params()
        form = self.set_form(table)
        gain = self.gain if form is None else form.gain
        return np.array(
            [gain(family) - gain(family.without_parents()) for family in count_families(table, families)],
            dtype=np.float64,
        )

    def family(self, table: Table, node: int, parents: Sequence[int]) -> float:
        """Return the gain of one family, larger is better."""
        return float(self.families(table, [(node, tuple(parents))])[0])

    def score(self, table: Table, dag: DAG) -> float:
        """Return the score of a graph in the score's own convention: the sum of gains, unless it says otherwise."""
        if dag.nodes != table.names:
            raise ValueError(
                f"The graph's nodes {list(dag.nodes)} are not the table's variables {list(table.names)}."
            )
        return float(self.families(table, list(enumerate(dag.parent_indices))).sum())


@dataclass
class FamilyScores:
    """Family gains of one score on one table, each computed once: the memory of a local search."""

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


def count_families(
    table: Table, families: Sequence[Family], beside: Sequence[int] = ()
) -> Iterator[FamilyCounts]:
    """Count families one after another; what is in memory at a time is bounded.

    The columns ``beside`` are counted with every node: counts have one axis for each, before that of the node.
    """
    batch: list[Family] = []
    cells = 0
    for node, parents in families:
        size = prod(int(table.arities[j]) for j in (*parents, *beside, node))
        # Without the rows there is no way to see which configurations occur: everything is counted.
        sparse = size > DENSE_CELLS and len(parents) > 0 and isinstance(table, Table)
        if sparse or cells + size > BATCH_CELLS:
            yield from _count_dense(table, batch, beside)
            batch, cells = [], 0
        if sparse:
            yield _count_sparse(table, node, parents, beside)
        else:
            batch.append((node, parents))
            cells += size
    yield from _count_dense(table, batch, beside)


def _count_dense(table: Table, families: Sequence[Family], beside: Sequence[int]) -> Iterator[FamilyCounts]:
    if families:
        found = count(table, [[*parents, *beside, node] for node, parents in families])
        for (node, parents), counts in zip(families, found, strict=True):
            flat = counts.reshape(-1, *counts.shape[len(parents) :])
            yield FamilyCounts(node, parents, flat, float(len(flat)))


def _count_sparse(table: Table, node: int, parents: tuple[int, ...], beside: Sequence[int]) -> FamilyCounts:
    own = [*beside, node]
    codes = table.codes[:, [*parents, *own]]
    known = (codes != table.missing_code).all(axis=1)
    rows = np.ascontiguousarray(codes[known, : len(parents)])
    shape = tuple(int(table.arities[j]) for j in own)
    cell = np.ravel_multi_index(tuple(codes[known, len(parents) :].T.astype(np.int64)), shape)
    weights = None if table.weights is None else table.weights[known]
    # Equal rows have equal bytes: comparing them whole is much faster than column by column.
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, configuration = np.unique(keys, return_index=True, return_inverse=True)
    counts = np.bincount(configuration * prod(shape) + cell, weights, minlength=len(first) * prod(shape))
    configurations = prod(float(table.arities[j]) for j in parents)
    return FamilyCounts(node, parents, counts.reshape(-1, *shape), configurations, rows[first])


class ApproximateCLL(DecomposableScore):
    """Approximate conditional log-likelihood (aCLL) of augmented naive Bayes graphs.

    The conditional log-likelihood of a row, log U_c - log sum_c' U_c' with U_c = P(c, x), is replaced by
    log U_c + beta sum_c' log U_c' + constant, the least-squares fit when (U_1, ..., U_s, rest) follows a
    Dirichlet(1, ..., 1, N) distribution. The score then decomposes over features:

        M_ijck = N_ijck + beta sum_c' N_ijc'k,   N+_ijck = max(M_ijck, floor),
        aCLL = sum_ijck M_ijck log(N+_ijck / sum_k' N+_ijck')

    with j a configuration of the feature parents. It is not score-equivalent. The class's own family adds zero.

    Parameters
    ----------
    floor : float, default=5.0
        Smallest pseudo-count inside the logarithm.

    Notes
    -----
    Differs from the paper: beta has a closed form (trigamma functions) instead of a simulation; for 2 and 3 classes
    and many rows it is -0.3921 and -0.2401, where the simulation gave -0.39291 and -0.239266.

    References
    ----------
    A. M. Carvalho, P. Adao and P. Mateus. Efficient approximation of the conditional relative entropy with
    applications to discriminative learning of Bayesian network classifiers. Entropy 15, 2013.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> variables = tuple(Variable(name, ("0", "1")) for name in ("x", "class"))
    >>> table = Table.from_codes(variables, [[0, 0], [0, 0], [1, 1], [1, 1]] * 10, target=1)
    >>> round(ApproximateCLL().family(table, 0, (1,)), 3)
    10.853
    """

    settings = declared(floor=number(above=0))

    def __init__(self, floor: float = 5.0) -> None:
        self.floor = floor

    def families(self, table: Table, families: Sequence[Family]) -> NDArray[np.float64]:
        """Return the gain of each family, larger is better; features need the class among their parents."""
        self.check_params()
        target = self._check(table, families)
        beta = class_weight(int(table.arities[target]), table.total_weight)
        features = [
            (node, tuple(j for j in parents if j != target)) for node, parents in families if node != target
        ]
        gains = (
            self._gain(family.counts, beta) for family in count_families(table, features, beside=(target,))
        )
        return np.array([0.0 if node == target else next(gains) for node, _ in families])

    def _gain(self, counts: Counts, beta: float) -> float:
        """Return the gain of a feature from its counts [configuration of feature parents, class, state]."""
        pseudo = counts + beta * counts.sum(axis=-2, keepdims=True)
        floored = np.maximum(pseudo, self.floor)
        theta = floored / floored.sum(axis=-1, keepdims=True)
        return float((pseudo * np.log(theta)).sum())

    @staticmethod
    def _check(table: Table, families: Sequence[Family]) -> int:
        target = required_target(table, "ApproximateCLL")
        for node, parents in families:
            if (node == target and parents) or (node != target and target not in parents):
                raise ValueError(
                    "ApproximateCLL is defined for augmented naive Bayes graphs: the class has no parents and is a "
                    f"parent of every feature; '{table.names[node]}' has the parents "
                    f"{[table.names[j] for j in parents]}."
                )
        return target


def class_weight(classes: int, rows: float) -> float:
    """Return beta: the weight of the other classes' log-joints in the approximation.

    beta = -[psi1(s) - psi1(s + N)] / [psi1(1) - s psi1(s + N)] for s classes and N rows, psi1 the trigamma function.
    """
    at_all = polygamma(1, classes + rows)
    return float(-(polygamma(1, classes) - at_all) / (polygamma(1, 1) - classes * at_all))
