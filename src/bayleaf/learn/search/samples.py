"""The rows of a class-focused search as the kernels want them: folds, ways to count, units of loss."""

from dataclasses import dataclass
from math import ceil, log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.words import warn
from bayleaf.data import Table
from bayleaf.data.table import stratified_folds
from bayleaf.learn.parameters import Dirichlet, Laplace, MaximumLikelihood
from bayleaf.learn.scores import RowLoss
from bayleaf.learn.scores.class_focused import check_classes
from bayleaf.network.decisions import PRIOR_DECIMALS

WORSE = np.iinfo(np.int64).max
# Terms of smaller probabilities than exp(-LARGEST_TERM) are not expected: smoothing keeps them away.
LARGEST_TERM = 64
# Log-losses of rows are whole multiples of 2^-34 at the finest (6e-11): see cpp/scores/quick_log_losses.cpp.
FINEST_LOSS = 34
# Weights that are not whole numbers are whole multiples of 2^-50 of the largest at the finest.
FINEST_WEIGHT = 50


@dataclass(frozen=True)
class Units:
    """Losses are whole numbers in the kernel; this turns them into scores and back."""

    per_loss: float  # whole numbers that make up a loss of one
    offset: float = 0.0  # the score of a network without losses
    worth: float = 1.0  # what a loss of one takes from the score
    slack: int = 0  # a loss must be smaller by more than so many units to count as smaller

    def score(self, losses: Any) -> NDArray[np.float64]:
        """Larger scores for smaller losses."""
        return self.offset - np.asarray(losses, dtype=np.float64) / self.per_loss * self.worth

    def bound(self, score: float) -> int:
        """Return the loss that a better network stays below."""
        if score == -np.inf:
            return int(WORSE)
        loss = (self.offset - score) / self.worth * self.per_loss
        # The score of a whole loss is rounded, the more so where it is added to a large offset: what differs by less
        # is not better.
        largest = max(abs(loss), abs(self.offset) / self.worth * self.per_loss)
        return ceil(loss - max(0.25, largest * 2.0**-50)) - self.slack


# The fold of rows that fill tables and are not predicted themselves.
TABLES_ONLY = 255


def table_folds(table: Table, folds: int, rng: np.random.Generator, owner: str) -> NDArray[np.uint8]:
    """Deal the rows of each class out to the folds, in random order.

    The rows of a class that is smaller than the number of folds go to as many folds as it has rows, with a warning.
    """
    check_classes(table)
    assert table.target is not None
    rows = table.counting_rows
    if folds > len(rows):
        raise ValueError(
            f"{owner}: {folds} folds need at least {folds} rows, and the table has {len(rows)}. Use fewer folds."
        )
    truth = table.codes[rows, table.target]
    sizes = np.bincount(truth)
    smallest = int(sizes[sizes > 0].min())
    if smallest < folds:
        label = table.variables[table.target].states[int(np.flatnonzero(sizes == smallest)[0])]
        has = "1 row" if smallest == 1 else f"{smallest} rows"
        warn(
            f"{owner}: class {label!r} has {has}, fewer than the {folds} folds; it is missing from "
            f"{folds - smallest} of them."
        )
    fold = np.full(table.n_rows, TABLES_ONLY, dtype=np.uint8)
    fold[rows] = stratified_folds(truth, folds, rng)
    return fold


def holdout(table: Table, fraction: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Mark a stratified random part of the rows as fold 0; the rest fill tables only."""
    rows = check_classes(table).counting_rows
    truth = table.codes[rows, table.target]
    if len(rows) < 2:
        raise ValueError(
            f"A hold-out needs at least 2 rows, one to learn from and one to predict: the table has {len(rows)}."
        )
    shuffled = rng.permutation(len(rows))
    by_class = shuffled[np.argsort(truth[shuffled], kind="stable")]
    # Rows at even distances in class order: each class gives its share.
    chosen = min(max(1, round(len(rows) * fraction)), len(rows) - 1)
    positions = (np.arange(chosen) + rng.random()) * len(rows) / chosen
    fold = np.full(table.n_rows, TABLES_ONLY, dtype=np.uint8)
    fold[rows[by_class[positions.astype(np.int64)]]] = 0
    return fold


# Cells that the table of one family may have in any case; larger ones are bounded by a fraction of the log-joint.
SMALL_TABLE = 8192
# Whole weights with a larger sum are treated as any others: see `_log_integers`.
LARGEST_LISTED = 2**22
# The estimates that the kernel makes itself.
Smoothing = MaximumLikelihood | Laplace | Dirichlet


def search_sample(
    table: Table, estimate: Smoothing, grid: float, fold: NDArray[np.uint8] | None, folds: int
) -> Any:
    """Return the kernel's sample of a table whose class is known in every row.

    Logarithms of probabilities are multiples of ``1 / grid``. ``folds`` is as the kernel has it: 0 without folds, -1
    to predict every row from the rows before it.
    """
    assert table.target is not None
    kind, value = _smoothing(estimate)
    return _core.search_sample(
        table.codes,
        table.arities,
        table.target,
        fold,
        folds,
        table.weights,
        kind,
        value,
        grid,
        _log_integers(table, grid),
        SMALL_TABLE,
    )


def _log_integers(table: Table, grid: float) -> NDArray[np.float64]:
    """Tabulate logarithms of counts: none where weights are not whole, or too large to list all their sums."""
    listed = table.weights is None or whole_weights(table)
    # One imaginary row per state is the most that an estimate adds to a count.
    integers = np.empty(int(table.total_weight) + int(table.arities.max()) + 2 if listed else 0)
    _core.fill_log_integers(grid, integers)
    return integers


def whole_weights(table: Table) -> bool:
    """Return whether weights are numbers of equal rows, few enough to be listed."""
    weights = table.weights
    return weights is not None and table.total_weight <= LARGEST_LISTED and bool((weights % 1 == 0).all())


def _smoothing(estimate: Smoothing) -> tuple[int, float]:
    match estimate:
        case MaximumLikelihood(epsilon=epsilon):
            estimate.check_params()
            if epsilon < 1e-20:
                raise ValueError(
                    "A search needs MaximumLikelihood with epsilon in [1e-20, 1): otherwise one unseen value vetoes "
                    f"a class. Got {epsilon!r}."
                )
            return 0, float(epsilon)
        case Laplace():
            return 1, 1.0
        case Dirichlet(ess=ess):
            estimate.check_params()
            return 2, float(ess)
    raise TypeError(
        f"A search cannot count with {estimate!r}: use MaximumLikelihood(), Laplace() or Dirichlet()."
    )


def class_weights(table: Table, fold: NDArray[np.uint8] | None, folds: int) -> NDArray[np.float64]:
    """Weight of each class in the rows that fill the tables of each fold."""
    classes = int(table.arities[table.target])
    truth = table.codes[:, table.target].astype(np.int64)
    total = np.bincount(truth, table.weights, classes).astype(np.float64)
    if fold is None:
        return total[None, :]
    own = np.stack(
        [
            np.bincount(
                truth[fold == f], None if table.weights is None else table.weights[fold == f], classes
            )
            for f in range(folds)
        ]
    )
    prior: NDArray[np.float64] = total - own
    return prior


def scaled_weights(table: Table, loss: RowLoss) -> tuple[NDArray[np.float64] | None, float]:
    """Return weights of one at most, and the weight that one unit means.

    It is a power of two. So weights are not rounded, and three rows of weight one cost what one of weight three does.
    """
    if table.weights is None or (loss.kind != "log_loss" and whole_weights(table)):
        return table.weights, 1.0  # whole numbers of units: they count exactly like copies of rows
    unit = 2.0 ** min(ceil(log2(table.weights.max())), 1023)
    return table.weights / unit, unit


def kernel_loss(
    table: Table, loss: RowLoss, prior: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> tuple[Any, float, float, float]:
    """Return the kernel's loss, the units of a loss of one for a row of weight one, its cost, and the least cost.

    Costs are divided by a power of two that brings the largest near one: however small or large they are, the kernel
    sees numbers that it can count with, and none is rounded. Where some are negative, the least is taken from all of
    them: the kernel gives up a candidate whose loss is too large already, so that losses must not fall again.
    """
    costs, ranks, units = np.zeros((1, 1)), np.zeros((1, 1), dtype=np.int64), None
    cost_unit, least = 1.0, 0.0
    if loss.kind == "error":
        if weights is None or whole_weights(table):
            scale = 1.0
        else:
            scale = 2.0 ** min(FINEST_WEIGHT, 60 - ceil(log2(table.n_rows + 1)))
        units = None if weights is None else np.rint(weights * scale).astype(np.int64)
    elif loss.kind == "log_loss":
        largest = LARGEST_TERM * (table.n_variables + 1) * max(table.n_rows, 1)
        scale = 2.0 ** min(FINEST_LOSS, 61 - ceil(log2(largest)))
    else:
        assert loss.costs is not None
        cost_unit = 2.0 ** min(ceil(log2(abs(loss.costs).max())), 1023)
        least = min(0.0, float(loss.costs.min()))
        costs = np.ascontiguousarray(loss.costs / cost_unit - least / cost_unit)
        ranks = decision_ranks(prior, costs.shape[1])
        scale = 2.0**30
    kind = ("error", "log_loss", "cost").index(loss.kind)
    return _core.search_loss(kind, scale, units, weights, costs, ranks), scale, cost_unit, least


def decision_ranks(prior: NDArray[np.float64], decisions: int) -> NDArray[np.int64]:
    """Of decisions with equal expected cost the more frequent class wins, then the first.

    Frequencies are compared as a classifier compares them: sums of weights are equal only up to rounding errors.
    """
    prior = (prior / np.maximum(prior.sum(axis=1, keepdims=True), np.finfo(float).tiny)).round(PRIOR_DECIMALS)
    ranks = np.tile(np.arange(decisions, dtype=np.int64), (len(prior), 1))
    if prior.shape[1] == decisions:
        for row, weights in zip(ranks, prior, strict=True):
            row[np.argsort(-weights, kind="stable")] = np.arange(decisions)
    return ranks
