"""Networks in the course of a search, kept as the log-joint of every row and class.

The log-joint of a row is a sum of one term per family that contains the class. Terms are logarithms rounded to a
grid so fine that posteriors do not notice and so coarse that double precision adds them without error. So a term
can be exchanged any number of times, and the result is exactly that of computing all terms anew.

What a class-focused search asks of a network: its score, and what any change would make of it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import accumulate, chain
from math import ceil, log2, prod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.learn.scores import RowLoss
from bayleaf.learn.scores.class_focused import check_classes

from . import samples
from .samples import LARGEST_TERM, TABLES_ONLY, WORSE, Smoothing, Units

# New parents of some nodes; the other nodes keep theirs.
Change = Mapping[int, Sequence[int]]


class Evaluator(ABC):
    """A network in the course of a search: it knows its score, and what any change of families would make of it.

    Scores are larger for better networks. Nodes and parents are column numbers of the table. ``fixed`` says whether
    the same rows count at every step, so that scores before and after a step can be compared.
    """

    fixed = True
    _parents: list[tuple[int, ...]]

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """The parents of every node now."""
        return tuple(self._parents)

    @property
    @abstractmethod
    def value(self) -> float:
        """The score now."""

    @abstractmethod
    def change_scores(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        """Return the score after each of several changes."""

    @abstractmethod
    def commit(self, change: Change) -> None:
        """Make a change."""

    def best_change(self, changes: Sequence[Change], above: float) -> tuple[int, float] | None:
        """Return the first best of the changes and its score, or None if none scores above a threshold."""
        scores = self.change_scores(changes)
        if len(scores) == 0 or scores.max() <= above:
            return None
        return int(scores.argmax()), float(scores.max())

    def scores(self, node: int, parent_sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the score for each alternative parent set of one node."""
        return self.change_scores([{node: parents} for parents in parent_sets])

    def best(self, node: int, parent_sets: Sequence[Sequence[int]], above: float) -> tuple[int, float] | None:
        """Return the first best of the parent sets and its score, or None if none scores above a threshold."""
        return self.best_change([{node: parents} for parents in parent_sets], above)

    def parents_after(self, change: Change) -> list[Sequence[int]]:
        """Return the parents of every node after a change."""
        return [change.get(node, known) for node, known in enumerate(self._parents)]


MAX_CELLS = 2**31
# In units of loss. All rows together lose less than 2^61 of them, so that the sum is a whole number of 64 bits.
LARGEST_PENALTY = 2**61


class LogJointEvaluator(Evaluator):
    """Scores from the log-joint of every row and class.

    Parameters
    ----------
    fold : ndarray of uint8, optional
        Each row is predicted from tables that do not know its fold; 255 for rows that only serve to fill tables.
        Without folds every row is predicted from tables of all rows.
    rows_before : bool
        Predict every row from tables of the rows before it, instead.
    loss, mean, offset, price
        See `bayleaf.learn.scores.Criterion`.

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
        estimate: Smoothing,
        loss: RowLoss,
        *,
        fold: NDArray[np.uint8] | None = None,
        rows_before: bool = False,
        mean: bool = True,
        offset: float = 0.0,
        price: float = 0.0,
    ) -> None:
        self._table = check_classes(table)
        self._arities: list[int] = table.arities.tolist()
        self._parents = list(dag.parent_indices)
        self._estimate, self._row_loss = estimate, loss
        self._rows_before, self._mean, self._offset, self._price = rows_before, mean, offset, price
        self._n_jobs = table.n_jobs
        self._take_rows(fold)

    def _take_rows(self, fold: NDArray[np.uint8] | None) -> None:
        """Compute the log-joint of all rows, each from the tables of its fold."""
        table, loss = self._table, self._row_loss
        grid = 2.0 ** (50 - ceil(log2(LARGEST_TERM * (table.n_variables + 1))))
        self._folds = -1 if self._rows_before else 0
        if fold is not None:
            self._folds = 1 + int(fold[fold != TABLES_ONLY].max(initial=0))
        self._sample = samples.search_sample(table, self._estimate, grid, fold, self._folds)
        prior = samples.class_weights(table, fold, self._folds)
        weights, weight_unit = samples.scaled_weights(table, loss)
        self._loss, scale, cost_unit, least = samples.kernel_loss(table, loss, prior, weights)
        predicted = slice(None) if fold is None else fold != TABLES_ONLY
        weight = float((np.ones(table.n_rows) if weights is None else weights)[predicted].sum())
        if weight == 0:
            raise ValueError(
                "A class-focused score needs rows that count: every row it would predict has weight zero."
            )
        # Each row's weight is rounded to whole units: sums that differ by less are equal.
        slack = table.n_rows if loss.kind == "error" and scale != 1.0 else 0
        self._units = (
            Units(scale * weight, self._offset - least, cost_unit, slack)
            if self._mean
            else Units(scale, self._offset - least * weight * weight_unit, cost_unit * weight_unit, slack)
        )
        self._log_joint = _start(table, loss, prior, fold, grid)
        self._add(range(table.n_variables), self._parents, 1.0)
        self._value: float | None = None

    @property
    def value(self) -> float:
        """The score now."""
        if self._value is None:
            loss = _core.total_loss(self._sample, self._loss, self._log_joint, self._n_jobs)
            self._value = float(self._units.score(loss + self._extra({})))
        return self._value

    def scores(self, node: int, parent_sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the score for each alternative parent set of one node."""
        return self._units.score(self._parent_set_losses(node, parent_sets))

    def best(self, node: int, parent_sets: Sequence[Sequence[int]], above: float) -> tuple[int, float] | None:
        """Return the first best of the parent sets and its score, or None if none scores above a threshold."""
        return self._first_best(self._parent_set_losses(node, parent_sets, above))

    def change_scores(self, changes: Sequence[Change]) -> NDArray[np.float64]:
        """Return the score after each of several changes."""
        return self._units.score(self._change_losses(changes))

    def best_change(self, changes: Sequence[Change], above: float) -> tuple[int, float] | None:
        """Return the first best of the changes and its score, or None if none scores above a threshold."""
        return self._first_best(self._change_losses(changes, above))

    def commit(self, change: Change) -> None:
        """Exchange families permanently."""
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
            self._n_jobs,
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
            self._n_jobs,
        )
        return losses

    def _first_best(self, losses: NDArray[np.int64]) -> tuple[int, float] | None:
        if len(losses) == 0:
            return None
        first = int(losses.argmin())
        return None if losses[first] == WORSE else (first, float(self._units.score(losses[first])))

    def _extras(self, changes: Iterable[Change], n: int) -> NDArray[np.int64]:
        if self._price == 0:
            return np.zeros(n, dtype=np.int64)
        return np.fromiter((self._extra(change) for change in changes), np.int64, n)

    def _extra(self, change: Change) -> int:
        """Return the price of a changed network's parameters, in units of loss."""
        if self._price == 0:
            return 0
        arities = self._arities
        penalty = self._price * sum(
            prod(arities[parent] for parent in parents) * (arities[node] - 1)
            for node, parents in enumerate(self.parents_after(change))
        )
        losses = penalty / self._units.worth * self._units.per_loss
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
            self._n_jobs,
        )

    def _check_cells(self, nodes: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> None:
        # One more than the folds, for rows that only fill tables.
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


class FreshHoldoutEvaluator(LogJointEvaluator):
    """Minus the mean loss of held-out rows, of other ones after every step: ``draw`` returns them, as folds."""

    fixed = False

    def __init__(
        self,
        table: Table,
        dag: DAG,
        estimate: Smoothing,
        loss: RowLoss,
        draw: Callable[[], NDArray[np.uint8]],
    ) -> None:
        self._draw = draw
        super().__init__(table, dag, estimate, loss, fold=draw())

    def commit(self, change: Change) -> None:
        """Exchange families permanently, and hold out other rows."""
        self._check_cells(list(change), list(change.values()))
        self._parents = [tuple(sorted(parents)) for parents in self.parents_after(change)]
        self._take_rows(self._draw())


def _start(
    table: Table, loss: RowLoss, prior: NDArray[np.float64], fold: NDArray[np.uint8] | None, grid: float
) -> NDArray[np.float64]:
    """Return the log-joint of a network without families.

    It is zero, but for errors it holds the rule for ties: classes that are preferred to the row's true class when
    both are equally probable get a start, the others a handicap. Both are half a grid step more than rounding can
    make of equal probabilities: a term is a difference of two logarithms, each rounded by half a step at most.
    """
    classes = int(table.arities[table.target])
    if loss.kind != "error":
        return np.zeros((table.n_rows, classes))
    ranks = samples.decision_ranks(prior, classes)
    rounding = 2 * table.n_variables + 0.5
    preferred = np.sign(ranks[:, :, None] - ranks[:, None, :]) * (rounding / grid)
    which = np.zeros(table.n_rows, dtype=np.int64) if fold is None else np.where(fold == TABLES_ONLY, 0, fold)
    start: NDArray[np.float64] = np.ascontiguousarray(preferred[which, table.codes[:, table.target]])
    return start


def _flat(parent_sets: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    parents = np.array(list(chain.from_iterable(map(sorted, parent_sets))), dtype=np.int64)
    offsets = np.array([0, *accumulate(map(len, parent_sets))], dtype=np.int64)
    return parents, offsets
