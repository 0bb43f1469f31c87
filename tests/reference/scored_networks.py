"""Slow, obvious scores and searches over all networks, to compare the fast ones with."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations
from math import inf, lgamma, log, prod

import numpy as np

from all_dags import all_dags
from bayleaf.data import Table, Variable

Parents = tuple[tuple[int, ...], ...]
FamilyGain = Callable[[Table, int, Sequence[int]], float]


def random_table(
    rng: np.random.Generator,
    n: int,
    rows: int,
    *,
    most_states: int = 3,
    weights: np.ndarray | None = None,
    target: int | None = None,
) -> Table:
    """Rows with dependences: each variable copies an earlier one half of the time."""
    arities = rng.integers(2, most_states + 1, n)
    codes = np.stack([rng.integers(0, arity, rows) for arity in arities], axis=1)
    for j in range(1, n):
        copied = rng.random(rows) < 0.5
        codes[copied, j] = codes[copied, rng.integers(0, j)] % arities[j]
    variables = tuple(
        Variable(f"v{j}", tuple(range(arity)), None, "integer") for j, arity in enumerate(arities)
    )
    return Table.from_codes(variables, codes, weights, target)


# Scores, cell by cell


def cell_counts(table: Table, node: int, parents: Sequence[int]) -> dict[tuple[int, ...], Counter]:
    """Weights of each state, per parent configuration that occurs."""
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    counts: dict[tuple[int, ...], Counter] = {}
    for row, weight in zip(table.codes.tolist(), weights.tolist(), strict=True):
        if table.missing_code in [row[j] for j in (*parents, node)]:
            continue
        counts.setdefault(tuple(row[j] for j in parents), Counter())[row[node]] += weight
    return counts


def slow_log_likelihood(table: Table, node: int, parents: Sequence[int]) -> float:
    return sum(
        n * log(n / states.total())
        for states in cell_counts(table, node, parents).values()
        for n in states.values()
        if n > 0
    )


def dimension(table: Table, node: int, parents: Sequence[int]) -> int:
    return prod(int(table.arities[j]) for j in parents) * (int(table.arities[node]) - 1)


def slow_bic(table: Table, node: int, parents: Sequence[int]) -> float:
    penalty = 0.5 * log(table.total_weight) * dimension(table, node, parents)
    return slow_log_likelihood(table, node, parents) - penalty


def slow_aic(table: Table, node: int, parents: Sequence[int]) -> float:
    return slow_log_likelihood(table, node, parents) - dimension(table, node, parents)


def slow_k2(table: Table, node: int, parents: Sequence[int]) -> float:
    arity = int(table.arities[node])
    return sum(
        lgamma(arity) - lgamma(states.total() + arity) + sum(lgamma(n + 1) for n in states.values())
        for states in cell_counts(table, node, parents).values()
    )


def slow_bdeu(ess: float) -> FamilyGain:
    def gain(table: Table, node: int, parents: Sequence[int]) -> float:
        q = prod(int(table.arities[j]) for j in parents)
        row, cell = ess / q, ess / q / int(table.arities[node])
        return sum(
            lgamma(row)
            - lgamma(row + states.total())
            + sum(lgamma(cell + n) - lgamma(cell) for n in states.values())
            for states in cell_counts(table, node, parents).values()
        )

    return gain


# Searches


def graph_gain(table: Table, parents: Parents, gain: FamilyGain) -> float:
    return sum(gain(table, node, family) for node, family in enumerate(parents))


@cache
def every_dag(n: int) -> tuple[Parents, ...]:
    return tuple(all_dags(n))


def best_by_enumeration(
    table: Table, gain: FamilyGain, allowed: Callable[[Parents], bool] = lambda parents: True
) -> float:
    """The best score of all graphs that are allowed."""
    known: dict[tuple[int, tuple[int, ...]], float] = {}

    def family(node: int, parents: tuple[int, ...]) -> float:
        if (node, parents) not in known:
            known[node, parents] = gain(table, node, parents)
        return known[node, parents]

    return max(
        (
            sum(family(node, parents) for node, parents in enumerate(dag))
            for dag in every_dag(table.n_variables)
            if allowed(dag)
        ),
        default=-inf,
    )


def all_augmented(features: int) -> Iterator[Parents]:
    """All augmented naive Bayes graphs; the class is the last node."""
    for dag in all_dags(features):
        yield (*((*parents, features) for parents in dag), ())


def best_by_subsets(table: Table, gain: FamilyGain) -> float:
    """Dynamic programming over sets without any shortcut."""
    n = table.n_variables
    best_family = []
    for node in range(n):
        best: dict[int, float] = {}
        others = [j for j in range(n) if j != node]
        for subset in chain.from_iterable(combinations(others, size) for size in range(n)):
            mask = sum(1 << j for j in subset)
            smaller = [best[mask ^ 1 << j] for j in subset]
            best[mask] = max([gain(table, node, subset), *smaller])
        best_family.append(best)
    network = {0: 0.0}
    for mask in range(1, 1 << n):
        network[mask] = max(
            network[mask ^ 1 << j] + best_family[j][mask ^ 1 << j] for j in range(n) if mask >> j & 1
        )
    return network[(1 << n) - 1]


def best_by_arrays(n: int, gains: dict[tuple[int, tuple[int, ...]], float]) -> float:
    """The same with whole arrays, for more variables; families that are absent are not allowed.

    Parents at or above n belong to every family and are not looked at.
    """
    sets = np.arange(1 << n)
    best = np.full((n, 1 << n), -inf)
    for (node, parents), gain in gains.items():
        best[node, sum(1 << j for j in parents if j < n)] = gain
    for bit in 1 << np.arange(n):
        with_bit = sets[sets & bit > 0]
        best[:, with_bit] = np.maximum(best[:, with_bit], best[:, with_bit ^ bit])
    network = np.full(1 << n, -inf)
    network[0] = 0.0
    sizes = np.bitwise_count(sets)
    for size in range(1, n + 1):
        layer = sets[sizes == size]
        for node in range(n):
            chosen = layer[layer >> node & 1 > 0]
            before = chosen ^ 1 << node
            network[chosen] = np.maximum(network[chosen], network[before] + best[node, before])
    return float(network[-1])
