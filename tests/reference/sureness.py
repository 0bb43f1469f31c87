"""Variances of the scores of the classes, cell by cell and row by row, and limits of one probability at a time."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import polygamma

from bayleaf.network import BayesNet


def drawn_variance(p: float, rows: float, draws: int = 200_000) -> float:
    """Var(log p) of shares drawn from a Dirichlet distribution, by drawing many."""
    s = rows + 1.0
    shares = np.random.default_rng(0).dirichlet([p * s, (1.0 - p) * s], size=draws)[:, 0]
    return float(np.log(np.maximum(shares, 1e-300)).var())


def cell_variances(p: float, rows: float) -> tuple[float, float]:
    """Downwards and upwards, of the logarithm of one share."""
    s = rows + 1.0
    p = max(p, 0.05 / s)
    down = float(polygamma(1, p * s) - polygamma(1, s))
    return down, math.log(1.0 + (1.0 - p) / (p * (s + 1.0)))


def score_variances(
    network: BayesNet, families: Sequence[Any], row: Sequence[int | None], c: int
) -> tuple[float, float]:
    """Of the score of one class in one row of states, None where a value is missing."""
    query = len(network.nodes) - 1
    down = up = 1.0 / (families[query][c] + 1.0)
    for node, parents in enumerate(network.dag.parent_indices[:query]):
        if row[node] is None or query not in parents:
            continue
        states = [c if parent == query else row[parent] for parent in parents]
        if None in states:
            axes = tuple(axis for axis, parent in enumerate(parents) if parent != query)
            cells = families[node].sum(axis=axes)[c]
            p = (cells[row[node]] + 0.5) / (cells.sum() + 0.5 * len(cells))
        else:
            cells, p = families[node][tuple(states)], network.tables[node][(*states, row[node])]
        below, above = cell_variances(float(p), float(cells.sum()))
        down, up = down + below, up + above
    return down, up


def limits(
    posterior: Sequence[float],
    variances: Sequence[tuple[float, float]],
    added: float,
    apart: Sequence[float],
    z: float,
) -> list[tuple[float, float]]:
    """Return the interval of each class of a row.

    ``variances`` are those of the scores, downwards and upwards; ``added`` has each score besides; ``apart`` is the
    variance of each log-odds by itself.
    """
    found = []
    for c, p in enumerate(posterior):
        others = [k for k in range(len(posterior)) if k != c]
        low = high = apart[c] + added
        low, high = low + variances[c][0], high + variances[c][1]
        for k in others:
            q = posterior[k] / sum(posterior[j] for j in others)
            low += q * q * (variances[k][1] + added)
            high += q * q * (variances[k][0] + added)
        odds = math.log(p / (1.0 - p))
        moves = (-z * math.sqrt(low), z * math.sqrt(high))
        found.append(tuple(0.5 + 0.5 * math.tanh((odds + move) / 2.0) for move in moves))
    return found
