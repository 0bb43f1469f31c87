"""The log-joint of a network on the training rows, and what exchanging families would do to a loss."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf import _core
from bayleaf._util.threads import thread_count
from bayleaf.parameters import Dirichlet, Laplace, MaximumLikelihood
from bayleaf.table import Table

Parents = tuple[int, ...]
Losses = NDArray[np.int64]
# A row of this fold is counted, but not judged.
NOT_JUDGED = 255
WORSE = int(np.iinfo(np.int64).max)
ERRORS, LOG_LOSS, COSTS = 0, 1, 2


@dataclass(frozen=True)
class Folding:
    """Which rows are judged by which tables: row m by tables that do not know its fold."""

    fold: NDArray[np.uint8] | None
    folds: int


EVERY_ROW = Folding(None, 0)


class LogJoint:
    """Per-row, per-class log-joint of the current network; families are exchanged in it exactly.

    Terms lie on a grid on which sums are exact, so the log-joint never depends on the path of a search. Steps much
    finer than the grid break ties between classes: the class more frequent in training wins, then the first.
    """

    def __init__(self, table: Table, folding: Folding, parameters: Any, kind: int, cost: Any = None) -> None:
        if table.target is None:
            raise ValueError("A class-focused score needs a class: the table has no target column.")
        self.table, self.target = table, table.target
        self.classes = int(table.arities[table.target])
        self.threads = thread_count(table.n_jobs)
        grid = 2.0 ** _grid_bits(table)
        estimate, value = _smoothing(parameters)
        self.sample = _core.search_sample(
            table.codes,
            table.arities,
            table.target,
            folding.fold,
            folding.folds,
            table.weights,
            estimate,
            value,
            grid,
            _log_integers(table, grid),
        )
        priorities = _priorities(table, folding)
        self.loss = self._make_loss(kind, cost, priorities)
        tables = np.zeros(table.n_rows, dtype=np.int64)
        if folding.fold is not None:
            tables = np.where(folding.fold == NOT_JUDGED, 0, folding.fold).astype(np.int64)
        step = 0.25 / grid / max(1, self.classes)
        self.values = np.ascontiguousarray(priorities[tables] * step)
        self.parents: list[Parents] = []

    def _make_loss(self, kind: int, cost: Any, priorities: NDArray[np.float64]) -> Any:
        table = self.table
        weights = table.weights
        heaviest = table.total_weight * (1000.0 if kind == LOG_LOSS else 1.0)
        if kind == COSTS:
            heaviest *= float(np.abs(cost).max())
        self.scale = 1.0
        if kind != ERRORS or weights is not None:
            self.scale = 2.0 ** min(40, 61 - math.ceil(math.log2(max(2.0, heaviest))))
        units = None
        if kind == ERRORS and weights is not None:
            units = np.rint(weights * self.scale).astype(np.int64)
        cost = np.ascontiguousarray(np.zeros((1, 1)) if cost is None else cost, dtype=np.float64)
        ranks = np.ascontiguousarray(self.classes - 1 - priorities).astype(np.int64)
        return _core.search_loss(kind, self.scale, units, weights, cost, ranks)

    def begin(self, parents: Sequence[Parents]) -> None:
        """Take a network as the current one."""
        if self.parents:
            self._add(list(enumerate(self.parents)), -1.0)
        self.parents = list(parents)
        self._add(list(enumerate(self.parents)), 1.0)

    def exchange(self, node: int, parents: Parents) -> None:
        """Give a node of the current network other parents."""
        self._add([(node, self.parents[node])], -1.0)
        self.parents[node] = parents
        self._add([(node, parents)], 1.0)

    def _add(self, families: list[tuple[int, Parents]], sign: float) -> None:
        nodes, parents, offsets = _flat(families)
        _core.add_families(self.sample, nodes, parents, offsets, sign, self.values, self.threads)

    def total(self) -> int:
        """Return the loss of the current network."""
        return int(_core.total_loss(self.sample, self.loss, self.values, self.threads))

    def parent_sets(self, node: int, candidates: Sequence[Parents], extra: Losses, bound: int) -> Losses:
        """Return the loss with each alternative parent set of a node, plus ``extra``.

        Candidates that reach the bound, or are not the best, may be given up: their loss is WORSE.
        """
        _, parents, offsets = _flat([(node, candidate) for candidate in candidates])
        losses = np.empty(len(candidates), dtype=np.int64)
        current = np.array(self.parents[node], dtype=np.int64)
        _core.parent_set_losses(
            self.sample,
            self.loss,
            self.values,
            node,
            current,
            parents,
            offsets,
            extra,
            True,
            bound,
            losses,
            self.threads,
        )
        return losses

    def changes(self, changes: Sequence[Sequence[tuple[int, Parents]]], extra: Losses, bound: int) -> Losses:
        """Return the loss after each change of several families at once, as `parent_sets` does."""
        families = [family for change in changes for family in change]
        starts = np.concatenate([[0], np.cumsum([len(change) for change in changes])]).astype(np.int64)
        nodes, added, added_offsets = _flat(families)
        _, removed, removed_offsets = _flat([(node, self.parents[node]) for node, _ in families])
        losses = np.empty(len(changes), dtype=np.int64)
        _core.change_losses(
            self.sample,
            self.loss,
            self.values,
            nodes,
            removed,
            removed_offsets,
            added,
            added_offsets,
            starts,
            extra,
            True,
            bound,
            losses,
            self.threads,
        )
        return losses


def _flat(families: Sequence[tuple[int, Parents]]) -> tuple[NDArray[np.int64], ...]:
    nodes = np.array([node for node, _ in families], dtype=np.int64)
    parents = np.array([p for _, family in families for p in family], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(family) for _, family in families])]).astype(np.int64)
    return nodes, parents, offsets


def _smoothing(parameters: Any) -> tuple[int, float]:
    if isinstance(parameters, MaximumLikelihood):
        return 0, max(float(parameters.epsilon), 1e-300)
    if isinstance(parameters, Laplace):
        return 1, 1.0
    if isinstance(parameters, Dirichlet):
        return 2, float(parameters.ess)
    raise TypeError(
        f"A class-focused score needs closed-form parameters (MaximumLikelihood, Laplace, Dirichlet). Got {parameters!r}."
    )


def _grid_bits(table: Table) -> int:
    """Bits after the point so that sums of all families' terms, and steps that break ties, are exact."""
    classes = int(table.arities[table.target]) if table.target is not None else 1
    largest = 64.0 * (table.n_variables + 1)
    return 49 - math.ceil(math.log2(largest)) - math.ceil(math.log2(max(2, classes)))


def _log_integers(table: Table, grid: float) -> NDArray[np.float64]:
    size = 2 + int(table.arities.max())
    if table.weights is None:
        size += table.n_rows + int(table.arities.max())
    logs = np.empty(size)
    _core.fill_log_integers(grid, logs)
    return logs


def _priorities(table: Table, folding: Folding) -> NDArray[np.float64]:
    """Rank of each class per table: the more frequent in training is larger, of equals the first."""
    assert table.target is not None
    truth = table.codes[:, table.target].astype(np.int64)
    classes = int(table.arities[table.target])
    totals = np.bincount(truth, table.weights, minlength=classes)
    priorities = []
    for k in range(max(1, folding.folds)):
        known = totals
        if folding.fold is not None:
            own = folding.fold == k
            weights = None if table.weights is None else table.weights[own]
            known = totals - np.bincount(truth[own], weights, minlength=classes)
        order = np.lexsort((np.arange(classes), -known))
        rank = np.empty(classes)
        rank[order] = np.arange(classes)[::-1]
        priorities.append(rank)
    return np.array(priorities)
