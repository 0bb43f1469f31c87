"""Networks under search, kept as the log-joint of every row and class.

The log-joint of a row is a sum of one term per family that contains the class. Terms are logarithms rounded to a
grid so fine that posteriors do not notice and so coarse that double precision adds them without error. So a term
can be exchanged any number of times, and the result is exactly that of computing all terms anew.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import accumulate, chain
from math import ceil, log2
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.params import thread_count
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.network.decision import PRIOR_DECIMALS
from bayleaf.scores.score import Change, check_judged

from .samples import WORSE, ClosedForm, Units, search_sample, whole_weights

# Terms of smaller probabilities than exp(-LARGEST_TERM) are not expected: smoothing keeps them away.
LARGEST_TERM = 64
NOT_JUDGED = 255
MAX_CELLS = 2**31
# In units of loss. All rows together lose less than 2^61 of them, so that the sum is a whole number of 64 bits.
LARGEST_PENALTY = 2**61
# Log-losses of rows are whole multiples of 2^-34 at the finest (6e-11): see cpp/src/log_losses.cpp.
FINEST_LOSS = 34
# Weights that are not whole numbers are whole multiples of 2^-50 of the largest at the finest.
FINEST_WEIGHT = 50


@dataclass(frozen=True)
class Judgement:
    """How rows are judged: 'error', 'log_loss' or 'cost' (with a matrix [true class, decision])."""

    kind: str
    cost: NDArray[np.float64] | None = None


class LogJointEvaluator:
    """Scores from the log-joint of every row and class (see `Evaluator` for the methods).

    Parameters
    ----------
    table : Table
        With a class that is known in every row.
    dag : DAG
        Where the search starts.
    estimate : MaximumLikelihood, Laplace or Dirichlet
        Parameters of every network that is judged.
    judgement : Judgement
    fold : ndarray of uint8, optional
        Each row is judged by tables that do not know its fold; 255 for rows that only serve to fill tables.
        Without folds every row is judged by tables of all rows.
    rows_before : bool
        Judge every row by tables of the rows before it, instead.
    mean : bool
        Whether the score is the mean over the judged rows, or their sum.
    offset : float
        Added to every score.
    penalty : callable, optional
        From the parents of all nodes to a number that is subtracted from the score.

    Notes
    -----
    A family in which a row has a missing value contributes nothing to that row: neither to counts nor to its
    log-joint.

    Rows of whole weight count like copies of a row, ties included. With other weights, errors and expected costs of
    several candidates that are equal on paper may differ by rounding errors, and then no rule for ties applies.

    Of equally probable classes the more frequent in the rows wins. A classifier asks its network which that is: where
    the class has parents, smoothing may make equally frequent classes differ, and the two decide such ties apart.
    """

    def __init__(
        self,
        table: Table,
        dag: DAG,
        estimate: ClosedForm,
        judgement: Judgement,
        *,
        fold: NDArray[np.uint8] | None = None,
        rows_before: bool = False,
        mean: bool = True,
        offset: float = 0.0,
        penalty: Callable[[Sequence[Sequence[int]]], float] | None = None,
    ) -> None:
        self._table = check_judged(table)
        self._arities: list[int] = table.arities.tolist()
        self._parents = [tuple(parents) for parents in dag.parent_indices]
        self._penalty = penalty
        self._threads = thread_count(table.n_jobs)
        self._set_rows(estimate, judgement, fold, -1 if rows_before else 0, mean, offset)

    def _set_rows(
        self,
        estimate: ClosedForm,
        judgement: Judgement,
        fold: NDArray[np.uint8] | None,
        folds: int,
        mean: bool,
        offset: float,
    ) -> None:
        table = self._table
        grid = 2.0 ** (50 - ceil(log2(LARGEST_TERM * (table.n_variables + 1))))
        if fold is not None:
            folds = 1 + int(fold[fold != NOT_JUDGED].max(initial=0))
        self._folds = folds
        self._sample = search_sample(table, estimate, grid, fold, self._folds)
        prior = _class_weights(table, fold, self._folds)
        weights, weight_unit = _scaled_weights(table, judgement)
        self._loss, scale, cost, least = _loss(table, judgement, prior, weights)
        judged = slice(None) if fold is None else fold != NOT_JUDGED
        judged_weight = float((np.ones(table.n_rows) if weights is None else weights)[judged].sum())
        if judged_weight == 0:
            raise ValueError(
                "A class-focused score needs rows that count: every row it would judge has weight zero."
            )
        # Each row's weight is rounded to whole units: sums that differ by less are equal.
        slack = table.n_rows if judgement.kind == "error" and scale != 1.0 else 0
        self._units = (
            Units(scale * judged_weight, offset - least, cost, slack)
            if mean
            else Units(scale, offset - least * judged_weight * weight_unit, cost * weight_unit, slack)
        )
        self._log_joint = _start(table, judgement, prior, fold, grid)
        self._add(range(table.n_variables), self._parents, 1.0)
        self._value: float | None = None

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """The parents of every node now."""
        return tuple(self._parents)

    @property
    def value(self) -> float:
        """The score now."""
        if self._value is None:
            loss = _core.total_loss(self._sample, self._loss, self._log_joint, self._threads)
            self._value = float(self._units.score(loss + self._extra({})))
        return self._value

    def scores(self, node: int, parent_sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the score for each alternative parent set of one node."""
        scores: NDArray[np.float64] = self._units.score(self._parent_set_losses(node, parent_sets))
        return scores

    def best(self, node: int, parent_sets: Sequence[Sequence[int]], above: float) -> tuple[int, float] | None:
        """Return the first best of the parent sets and its score, or None if none scores above a threshold."""
        return self._first_best(self._parent_set_losses(node, parent_sets, above))

    def change_scores(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        """Return the score after each of several changes."""
        scores: NDArray[np.float64] = self._units.score(self._change_losses(changes))
        return scores

    def best_change(self, changes: Sequence[Change], above: float) -> tuple[int, float] | None:
        """Return the first best of the changes and its score, or None if none scores above a threshold."""
        return self._first_best(self._change_losses(changes, above))

    def commit(self, change: Change) -> None:
        """Exchange families for good."""
        nodes = [node for node, new in change.items() if tuple(sorted(new)) != self._parents[node]]
        self._check_cells(nodes, [change[node] for node in nodes])
        self._add(nodes, [self._parents[node] for node in nodes], -1.0)
        for node in nodes:
            self._parents[node] = tuple(sorted(change[node]))
        self._add(nodes, [self._parents[node] for node in nodes], 1.0)
        self._value = None

    def copy(self) -> Self:
        """Return the same network, to be changed apart from this one."""
        twin = copy(self)
        twin._parents = self._parents.copy()
        twin._log_joint = self._log_joint.copy()
        return twin

    def _parent_set_losses(
        self, node: int, parent_sets: Sequence[Sequence[int]], above: float | None = None
    ) -> NDArray[np.int64]:
        self._check_cells([node] * len(parent_sets), parent_sets)
        losses = np.empty(len(parent_sets), dtype=np.int64)
        _core.parent_set_losses(
            self._sample,
            self._loss,
            self._log_joint,
            node,
            np.array(self._parents[node], dtype=np.int64),
            *_flat(parent_sets),
            self._extras(({node: parents} for parents in parent_sets), len(parent_sets)),
            above is not None,
            int(WORSE) if above is None else self._units.bound(above),
            losses,
            self._threads,
        )
        return losses

    def _change_losses(self, changes: Sequence[Change], above: float | None = None) -> NDArray[np.int64]:
        nodes = [node for change in changes for node in change]
        added = [change[node] for change in changes for node in change]
        self._check_cells(nodes, added)
        losses = np.empty(len(changes), dtype=np.int64)
        _core.change_losses(
            self._sample,
            self._loss,
            self._log_joint,
            np.array(nodes, dtype=np.int64),
            *_flat([self._parents[node] for node in nodes]),
            *_flat(added),
            np.concatenate([[0], np.cumsum([len(change) for change in changes])]).astype(np.int64),
            self._extras(changes, len(changes)),
            above is not None,
            int(WORSE) if above is None else self._units.bound(above),
            losses,
            self._threads,
        )
        return losses

    def _first_best(self, losses: NDArray[np.int64]) -> tuple[int, float] | None:
        if len(losses) == 0:
            return None
        first = int(losses.argmin())
        return None if losses[first] == WORSE else (first, float(self._units.score(losses[first])))

    def _extras(self, changes: Iterable[Change], n: int) -> NDArray[np.int64]:
        if self._penalty is None:
            return np.zeros(n, dtype=np.int64)
        return np.fromiter((self._extra(change) for change in changes), np.int64, n)

    def _extra(self, change: Change) -> int:
        """Return the penalty of a changed network, in units of loss."""
        if self._penalty is None:
            return 0
        parents = [change.get(node, known) for node, known in enumerate(self._parents)]
        penalty = self._penalty(parents)
        losses = penalty / self._units.cost * self._units.per_loss
        if not abs(losses) <= LARGEST_PENALTY:
            raise ValueError(
                f"The penalty of this network, {penalty:.3g}, is too large to compare with the losses of the rows: "
                "use fewer parents or fewer states."
            )
        return round(losses)

    def _add(self, nodes: Sequence[int], parents: Sequence[Sequence[int]], sign: float) -> None:
        _core.add_families(
            self._sample,
            np.array(nodes, dtype=np.int64),
            *_flat(parents),
            sign,
            self._log_joint,
            self._threads,
        )

    def _check_cells(self, nodes: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> None:
        # One more than the folds, for rows that are not judged.
        tables, arities = self._folds + 1 if self._folds > 0 else 1, self._arities
        for node, parents in zip(nodes, parent_sets, strict=True):
            cells = tables * arities[node]
            for parent in parents:
                cells *= arities[parent]
            if cells > MAX_CELLS:
                names = ", ".join(f"'{self._table.names[j]}'" for j in [*parents, node])
                raise ValueError(
                    f"Tables over {names} would have {cells:,} cells, more than {MAX_CELLS:,}: use fewer parents "
                    "or fewer states."
                )


def _class_weights(table: Table, fold: NDArray[np.uint8] | None, folds: int) -> NDArray[np.float64]:
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


def _scaled_weights(table: Table, judgement: Judgement) -> tuple[NDArray[np.float64] | None, float]:
    """Return weights of one at most, and the weight that one stands for.

    It is a power of two. So weights are not rounded, and three rows of weight one cost what one of weight three does.
    """
    if table.weights is None or (judgement.kind != "log_loss" and whole_weights(table)):
        return table.weights, 1.0  # whole numbers of units: they count exactly like copies of rows
    unit = 2.0 ** min(ceil(log2(table.weights.max())), 1023)
    return table.weights / unit, unit


def _loss(
    table: Table,
    judgement: Judgement,
    prior: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
) -> tuple[Any, float, float, float]:
    """Return the kernel's loss, the units of a loss of one for a row of weight one, what it means, and what is added.

    Costs are divided by a power of two that brings the largest near one: however small or large they are, the kernel
    sees numbers that it can count with, and none is rounded. Where some are negative, the least is taken from all of
    them: the kernel gives up a candidate whose loss is too large already, so that losses must not fall again.
    """
    cost, ranks, units = np.zeros((1, 1)), np.zeros((1, 1), dtype=np.int64), None
    unit_cost, least = 1.0, 0.0
    if judgement.kind == "error":
        if weights is None or whole_weights(table):
            scale = 1.0
        else:
            scale = 2.0 ** min(FINEST_WEIGHT, 60 - ceil(log2(table.n_rows + 1)))
        units = None if weights is None else np.rint(weights * scale).astype(np.int64)
    elif judgement.kind == "log_loss":
        largest = LARGEST_TERM * (table.n_variables + 1) * max(table.n_rows, 1)
        scale = 2.0 ** min(FINEST_LOSS, 61 - ceil(log2(largest)))
    else:
        assert judgement.cost is not None
        unit_cost = 2.0 ** min(ceil(log2(abs(judgement.cost).max())), 1023)
        least = min(0.0, float(judgement.cost.min()))
        cost = np.ascontiguousarray(judgement.cost / unit_cost - least / unit_cost)
        ranks = _decision_ranks(prior, cost.shape[1])
        scale = 2.0**30
    kinds = {"error": 0, "log_loss": 1, "cost": 2}
    loss = _core.search_loss(kinds[judgement.kind], scale, units, weights, cost, ranks)
    return loss, scale, unit_cost, least


def _decision_ranks(prior: NDArray[np.float64], decisions: int) -> NDArray[np.int64]:
    """Of decisions with equal expected cost the more frequent class wins, then the first.

    Frequencies are compared as a classifier compares them: sums of weights are equal only up to rounding errors.
    """
    prior = (prior / np.maximum(prior.sum(axis=1, keepdims=True), np.finfo(float).tiny)).round(PRIOR_DECIMALS)
    ranks = np.tile(np.arange(decisions, dtype=np.int64), (len(prior), 1))
    if prior.shape[1] == decisions:
        for row, weights in zip(ranks, prior, strict=True):
            row[np.argsort(-weights, kind="stable")] = np.arange(decisions)
    return ranks


def _start(
    table: Table,
    judgement: Judgement,
    prior: NDArray[np.float64],
    fold: NDArray[np.uint8] | None,
    grid: float,
) -> NDArray[np.float64]:
    """Return the log-joint of a network without families.

    It is zero, but for errors it holds the rule for ties: classes that are preferred to the row's true class when
    both are equally probable get a start, the others a handicap. Both are half a grid step more than rounding can
    make of equal probabilities: a term is a difference of two logarithms, each rounded by half a step at most.
    """
    classes = int(table.arities[table.target])
    if judgement.kind != "error":
        return np.zeros((table.n_rows, classes))
    ranks = _decision_ranks(prior, classes)
    rounding = 2 * table.n_variables + 0.5
    preferred = np.sign(ranks[:, :, None] - ranks[:, None, :]) * (rounding / grid)
    which = np.zeros(table.n_rows, dtype=np.int64) if fold is None else np.where(fold == NOT_JUDGED, 0, fold)
    start: NDArray[np.float64] = np.ascontiguousarray(preferred[which, table.codes[:, table.target]])
    return start


def _flat(parent_sets: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    parents = np.array(list(chain.from_iterable(map(sorted, parent_sets))), dtype=np.int64)
    offsets = np.array([0, *accumulate(map(len, parent_sets))], dtype=np.int64)
    return parents, offsets
