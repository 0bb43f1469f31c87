"""Elimination of variables from a product of tables, on logarithms: by sums, by maxima, and the way back.

References
----------
R. Dechter. Bucket elimination: a unifying framework for reasoning. Artificial Intelligence 113, 1999.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayleaf.data.table import Codes
from bayleaf.graph import DAG, min_fill_order

from .evidence import UNKNOWN, Evidence
from .query_cost import QueryCost


@dataclass(frozen=True)
class Factor:
    """Logarithms over the states of some variables, one axis per variable.

    Examples
    --------
    >>> Factor((0, 1), np.zeros((2, 3))).over((1, 2, 0)).shape
    (3, 1, 2)
    """

    scope: tuple[int, ...]
    logs: NDArray[np.float64]

    def over(self, scope: Sequence[int]) -> NDArray[np.float64]:
        """Return the logarithms with one axis per variable of a larger scope, of length one for the others'."""
        order = [self.scope.index(variable) for variable in scope if variable in self.scope]
        moved = iter(self.logs.transpose(order).shape)
        return self.logs.transpose(order).reshape(
            [next(moved) if variable in self.scope else 1 for variable in scope]
        )


@dataclass(frozen=True)
class Bucket:
    """The product of all tables that hold a variable when its turn comes; its axis is the last."""

    scope: tuple[int, ...]
    logs: NDArray[np.float64]

    @property
    def variable(self) -> int:
        """The variable that is eliminated here."""
        return self.scope[-1]


def with_ancestors(dag: DAG, nodes: Sequence[int]) -> list[int]:
    """Return nodes and all their ancestors, in node order: no other table matters to them.

    Examples
    --------
    >>> with_ancestors(DAG.from_parents(["a", "b", "c"], [[], [0], [1]]), [1])
    [0, 1]
    """
    found: set[int] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += dag.parent_indices[node]
    return sorted(found)


def network_factors(
    dag: DAG, tables: Sequence[NDArray[np.float64]], nodes: Sequence[int], evidence: Evidence
) -> list[Factor]:
    """Return the tables of some nodes as logarithms, with the evidence put in."""
    factors = []
    with np.errstate(divide="ignore"):
        for node in nodes:
            family = (*dag.parent_indices[node], node)
            known = [evidence.codes[member] for member in family]
            cut = tables[node][tuple(slice(None) if code == UNKNOWN else code for code in known)]
            scope = tuple(member for member, code in zip(family, known, strict=True) if code == UNKNOWN)
            factors.append(Factor(scope, np.log(cut)))
            if node in evidence.likelihoods:
                weights = np.log(evidence.likelihoods[node])
                code = evidence.codes[node]
                factors.append(Factor((node,), weights) if code == UNKNOWN else Factor((), weights[code]))
    return factors


@dataclass(frozen=True)
class EliminationOrder:
    """Variables in the order of their elimination, each with the variables that its bucket joins it to."""

    scopes: tuple[tuple[int, ...], ...]
    cost: QueryCost


def elimination_order(
    factors: Sequence[Factor], arities: NDArray[np.int64], stages: Sequence[Sequence[int]]
) -> EliminationOrder:
    """Order variables by min-fill, those of one stage before those of the next, and say what it costs."""
    joined = np.zeros((len(arities), len(arities)), dtype=bool)
    for factor in factors:
        joined[np.ix_(factor.scope, factor.scope)] = True
    np.fill_diagonal(joined, False)
    scopes = []
    for stage in stages:
        for variable in min_fill_order(joined, stage):
            others = np.flatnonzero(joined[variable])
            joined[np.ix_(others, others)] = True
            joined[others, others] = False
            joined[variable, :] = joined[:, variable] = False
            scopes.append((*others.tolist(), variable))
    sizes = [float(arities[list(scope)].prod(dtype=np.float64)) for scope in scopes]
    return EliminationOrder(tuple(scopes), QueryCost(max(sizes, default=1.0), sum(sizes)))


def eliminate(
    factors: Sequence[Factor],
    order: EliminationOrder,
    arities: NDArray[np.int64],
    maximized: frozenset[int] = frozenset(),
) -> tuple[list[Bucket], list[Factor]]:
    """Eliminate variables in order: by the maximum those that are maximised, the others by sums.

    Returns
    -------
    list of Bucket
        One per variable, in the order of elimination.
    list of Factor
        What is left, over the variables that were not eliminated.
    """
    order.cost.check()
    waiting = list(factors)
    buckets = []
    for scope in order.scopes:
        mine = [factor for factor in waiting if scope[-1] in factor.scope]
        waiting = [factor for factor in waiting if scope[-1] not in factor.scope]
        logs = np.zeros(arities[list(scope)])
        for factor in mine:
            logs += factor.over(scope)
        buckets.append(Bucket(scope, logs))
        reduced = logs.max(axis=-1) if scope[-1] in maximized else log_sum(logs)
        waiting.append(Factor(scope[:-1], reduced))
    return buckets, waiting


def constant(factors: Sequence[Factor]) -> float:
    """Return the logarithm of the product of factors that have no variable left.

    Examples
    --------
    >>> constant([Factor((), np.array(-1.0)), Factor((), np.array(-0.5))])
    -1.5
    """
    return float(sum(factor.logs.item() for factor in factors))


def log_sum(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the logarithm of the sum over the last axis.

    Examples
    --------
    >>> log_sum(np.log([[1.0, 3.0], [0.5, 0.5]])).round(3)
    array([1.386, 0.   ])
    """
    top = logs.max(axis=-1, keepdims=True)
    top[np.isneginf(top)] = 0.0
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(logs - top).sum(axis=-1)) + top[..., 0])


def best_states(buckets: Sequence[Bucket], maximized: frozenset[int], codes: NDArray[np.int64]) -> None:
    """Write the best state of every maximised variable into codes, the last eliminated first."""
    for bucket in reversed(buckets):
        if bucket.variable in maximized:
            codes[bucket.variable] = bucket.logs[tuple(codes[list(bucket.scope[:-1])])].argmax()


def draw_states(buckets: Sequence[Bucket], codes: Codes, rng: np.random.Generator) -> None:
    """Draw the variables of all buckets for every row of codes, the last eliminated first."""
    for bucket in reversed(buckets):
        configuration = np.zeros(len(codes), dtype=np.int64)
        for variable, arity in zip(bucket.scope[:-1], bucket.logs.shape[:-1], strict=True):
            configuration = configuration * arity + codes[:, variable]
        met, position = np.unique(configuration, return_inverse=True)
        logs = bucket.logs.reshape(-1, bucket.logs.shape[-1])[met]
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))  # what rows have met is possible
        codes[:, bucket.variable] = draw_codes(weights, position, rng)


def draw_downwards(
    dag: DAG,
    tables: Sequence[NDArray[np.float64]],
    codes: Codes,
    rng: np.random.Generator,
    skip: frozenset[int] = frozenset(),
) -> None:
    """Draw nodes from the top for every row of codes, except those that rows have already."""
    for node in dag.topological_indices:
        if node in skip:
            continue
        table = tables[node]
        configuration = np.zeros(len(codes), dtype=np.int64)
        for parent, arity in zip(dag.parent_indices[node], table.shape[:-1], strict=True):
            configuration = configuration * arity + codes[:, parent]
        codes[:, node] = draw_codes(table.reshape(-1, table.shape[-1]), configuration, rng)


def draw_codes(
    weights: NDArray[np.float64], configuration: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw one state per row: row i has the distribution ``weights[configuration[i]]``, which need not sum to one.

    Examples
    --------
    >>> draw_codes(np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([1, 0, 1]), np.random.default_rng(0))
    array([1, 0, 1])
    """
    cumulative = np.cumsum(weights, axis=1)
    # Inverse transform, configuration by configuration: one sorted search in all of them at once.
    starts = np.arange(len(cumulative))
    staircase = (cumulative / cumulative[:, -1:] + starts[:, None]).ravel()
    # Adding may round up to the next configuration's first step, whose state could be an impossible one.
    uniform = np.minimum(
        rng.random(len(configuration)) + configuration, np.nextafter(configuration + 1.0, 0.0)
    )
    return np.asarray(np.searchsorted(staircase, uniform, side="right") - configuration * weights.shape[1])
