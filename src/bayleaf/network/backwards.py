"""Answers that need a way back through the elimination: the best states, and rows drawn given evidence."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf.data.table import Codes
from bayleaf.graph import DAG

from .evidence import UNKNOWN, Evidence
from .factors import (
    best_states,
    constant,
    draw_downwards,
    draw_states,
    eliminate,
    elimination_order,
    network_factors,
    with_ancestors,
)

Tables = Sequence[NDArray[np.float64]]


def most_probable(
    dag: DAG, tables: Tables, known: Evidence, asked: Sequence[int]
) -> tuple[NDArray[np.int64], float]:
    """Return codes with the most probable states of some nodes together, and log P(those states, evidence).

    All other nodes are summed over.
    """
    arities = np.array([table.shape[-1] for table in tables])
    nodes = with_ancestors(dag, [*asked, *known.nodes])
    factors = network_factors(dag, tables, nodes, known)
    maximized = frozenset(asked)
    summed = [node for node in nodes if known.codes[node] == UNKNOWN and node not in maximized]
    order = elimination_order(factors, arities, [summed, asked])
    buckets, left = eliminate(factors, order, arities, maximized)
    log_best = constant(left)
    if np.isneginf(log_best):
        raise known.impossible()
    codes = known.codes.copy()
    best_states(buckets, maximized, codes)
    return codes, log_best


def draw_rows(dag: DAG, tables: Tables, known: Evidence, codes: Codes, rng: np.random.Generator) -> None:
    """Draw all rows of codes given the evidence.

    The nodes above the evidence are drawn backwards through the elimination, those below downwards.
    """
    arities = np.array([table.shape[-1] for table in tables])
    above = with_ancestors(dag, known.nodes)
    factors = network_factors(dag, tables, above, known)
    given = known.codes != UNKNOWN
    order = elimination_order(factors, arities, [[node for node in above if not given[node]]])
    buckets, left = eliminate(factors, order, arities)
    if np.isneginf(constant(left)):
        raise known.impossible()
    codes[:, given] = known.codes[given]
    draw_states(buckets, codes, rng)
    draw_downwards(dag, tables, codes, rng, skip=frozenset(above))
