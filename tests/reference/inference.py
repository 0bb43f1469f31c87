"""Inference by adding up all assignments, and random networks to compare on."""

from collections.abc import Sequence
from itertools import product
from math import exp, inf, log

import numpy as np
from hypothesis import strategies as st

from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from reference.counting import MISSING, make_variables
from reference.graphs import random_parents


def make_network(
    rng: np.random.Generator,
    parents: Sequence[Sequence[int]],
    arities: Sequence[int],
    *,
    zeros: float = 0.0,
    smallest: float = 0.0,
) -> BayesNet:
    """Random tables; a share of the entries is zero, and others go down to 10**-smallest."""
    variables = make_variables(arities)
    tables = []
    for node, family in enumerate(parents):
        table = rng.random([arities[parent] for parent in family] + [arities[node]])
        table *= 10.0 ** -(smallest * rng.random(table.shape))
        kept = rng.integers(0, arities[node], table.shape[:-1])[..., None] == np.arange(arities[node])
        table[(rng.random(table.shape) < zeros) & ~kept] = 0.0
        tables.append(table / table.sum(axis=-1, keepdims=True))
    return BayesNet(variables, DAG.from_parents([v.name for v in variables], parents), tables)


@st.composite
def random_networks(draw, max_nodes: int = 6) -> BayesNet:
    """Draw a graph, arities (1 to 3) and tables, with or without zero probabilities."""
    parents = draw(random_parents(max_nodes=max_nodes))
    arities = draw(st.lists(st.integers(1, 3), min_size=len(parents), max_size=len(parents)))
    seed = draw(st.integers(0, 2**32 - 1))
    zeros = draw(st.sampled_from([0.0, 0.3, 0.7]))
    return make_network(np.random.default_rng(seed), parents, arities, zeros=zeros)


def slow_log_probability(network: BayesNet, row: Sequence[int]) -> float:
    """Log P(row), adding up the assignments of the missing values."""
    ranges = [
        range(variable.arity) if value == MISSING else (value,)
        for variable, value in zip(network.variables, row, strict=True)
    ]
    return log_of_sum([_log_of_assignment(network, assignment) for assignment in product(*ranges)])


def slow_log_joint(network: BayesNet, row: Sequence[int], query: int) -> list[float]:
    """Log P(query = q, row) for each state q, whatever the row says of the query."""
    rows = [[*row[:query], state, *row[query + 1 :]] for state in range(network.variables[query].arity)]
    return [slow_log_probability(network, changed) for changed in rows]


def log_of_sum(logs: Sequence[float]) -> float:
    top = max(logs)
    return top if top == -inf else top + log(sum(exp(value - top) for value in logs))


def _log_of_assignment(network: BayesNet, assignment: Sequence[int]) -> float:
    total = 0.0
    for node, parents in enumerate(network.dag.parent_indices):
        p = network.tables[node][(*(assignment[parent] for parent in parents), assignment[node])]
        if p == 0:
            return -inf
        total += log(p)
    return total


def posterior_by_einsum(network: BayesNet, query: str, evidence: dict[str, str]) -> np.ndarray:
    """Posterior of one node as a single tensor contraction (numpy's own order); for up to 52 nodes."""
    operands: list = []
    for node, table in enumerate(network.tables):
        operands += [table, [*network.dag.parent_indices[node], node]]
    for name, state in evidence.items():
        variable = network.variable(name)
        operands += [np.eye(variable.arity)[variable.states.index(state)], [network.dag.index(name)]]
    weights = np.einsum(*operands, [network.dag.index(query)], optimize="greedy")
    return weights / weights.sum()
