"""How rows are judged: errors, log-losses and costs as the kernels count them."""

from dataclasses import dataclass
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.table import Table

# Terms of smaller probabilities than exp(-LARGEST_TERM) are not expected: smoothing keeps them away.
LARGEST_TERM = 64
# Log-losses of rows are whole multiples of 2^-34 at the finest (6e-11): see cpp/src/log_losses.cpp.
FINEST_LOSS = 34
# Whole weights with a larger sum are treated as any others.
LARGEST_LISTED = 2**22


@dataclass(frozen=True)
class Judgement:
    """How rows are judged: 'error', 'log_loss' or 'cost' (with a matrix [true class, decision])."""

    kind: str
    cost: NDArray[np.float64] | None = None


def kernel_loss(table: Table, judgement: Judgement, prior: NDArray[np.float64]) -> tuple[Any, float, float]:
    """Return the kernel's loss, how many of its units a loss of one for a row of weight one is, and what that means.

    Costs are divided by a power of two that brings the largest near one: however small or large they are, the kernel
    sees numbers that it can count with, and none is rounded.
    """
    whole = whole_weights(table)
    weights, per_weight = _kernel_weights(table, whole and judgement.kind != "log_loss")
    cost, ranks, units, unit_cost = np.zeros((1, 1)), np.zeros((1, 1), dtype=np.int64), None, 1.0
    if judgement.kind == "error":
        scale = 1.0 if weights is None or whole else 2.0**30
        units = None if weights is None else np.rint(weights * scale).astype(np.int64)
    elif judgement.kind == "log_loss":
        largest = LARGEST_TERM * (table.n_variables + 1) * max(table.n_rows, 1)
        scale = 2.0 ** min(FINEST_LOSS, 61 - ceil(log2(largest)))
    else:
        assert judgement.cost is not None
        unit_cost = 2.0 ** min(ceil(log2(abs(judgement.cost).max())), 1023)
        cost = np.ascontiguousarray(judgement.cost / unit_cost)
        ranks = decision_ranks(prior, cost.shape[1])
        scale = 2.0**30
    kinds = {"error": 0, "log_loss": 1, "cost": 2}
    loss = _core.search_loss(kinds[judgement.kind], scale, units, weights, cost, ranks)
    return loss, scale * per_weight, unit_cost


def _kernel_weights(table: Table, whole: bool) -> tuple[NDArray[np.float64] | None, float]:
    """Return the weights as the kernel sees them, and what a weight of one became.

    Whole weights stay whole where errors and costs are counted, so that they count exactly like copies of a row.
    """
    if table.weights is None or whole:
        return table.weights, 1.0
    largest = float(table.weights.max())
    return table.weights / largest, 1.0 / largest


def decision_ranks(prior: NDArray[np.float64], decisions: int) -> NDArray[np.int64]:
    """Of decisions with equal expected cost the more frequent class wins, then the first."""
    ranks = np.tile(np.arange(decisions, dtype=np.int64), (len(prior), 1))
    if prior.shape[1] == decisions:
        for row, weights in zip(ranks, prior, strict=True):
            row[np.argsort(-weights, kind="stable")] = np.arange(decisions)
    return ranks


def whole_weights(table: Table) -> bool:
    """Return whether weights are counts of equal rows, few enough to be listed."""
    weights = table.weights
    return weights is not None and table.total_weight <= LARGEST_LISTED and bool((weights % 1 == 0).all())
