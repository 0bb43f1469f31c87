"""Networks under search, kept as the log-joint of every row and class.

The log-joint of a row is a sum of one term per family that contains the class. Terms are logarithms rounded to a
grid so fine that posteriors do not notice and so coarse that double precision adds them without error. So a term
can be exchanged any number of times, and the result is exactly that of computing all terms anew.
"""

from collections.abc import Callable, Sequence
from copy import copy
from math import ceil, log2
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.threads import thread_count
from bayleaf.graph import DAG
from bayleaf.parameters import Dirichlet, Laplace, MaximumLikelihood
from bayleaf.table import Table

from .checks import check_judged
from .judgement import LARGEST_TERM, Judgement, decision_ranks, kernel_loss, whole_weights
from .protocol import Change
from .units import WORSE, Units

NOT_JUDGED = 255
MAX_CELLS = 2**31
# In units of loss. All rows together lose less than 2^61 of them, so that the sum is a whole number of 64 bits.
LARGEST_PENALTY = 2**61
# Cells that the table of one family may have in any case; larger ones are bounded by a fraction of the log-joint.
SMALL_TABLE = 8192
ClosedForm = MaximumLikelihood | Laplace | Dirichlet


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

    Rows of whole weight count like copies of a row, ties included. With other weights, products of probabilities that
    are equal on paper may differ by rounding errors, and then no rule for ties applies.
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
        self._sample = _sample(table, estimate, grid, fold, self._folds)
        prior = _class_weights(table, fold, self._folds)
        self._loss, scale, cost = kernel_loss(table, judgement, prior)
        judged = slice(None) if fold is None else fold != NOT_JUDGED
        weights = np.ones(table.n_rows) if table.weights is None else table.weights
        judged_weight = float(weights[judged].sum())
        if judged_weight == 0:
            raise ValueError(
                "A class-focused score needs rows that count: every row it would judge has weight zero."
            )
        self._units = Units(scale * (judged_weight if mean else 1.0), offset, cost)
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
            self._extras([{node: parents} for parents in parent_sets]),
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
            self._extras(changes),
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

    def _extras(self, changes: Sequence[Change]) -> NDArray[np.int64]:
        if self._penalty is None:
            return np.zeros(len(changes), dtype=np.int64)
        return np.array([self._extra(change) for change in changes], dtype=np.int64)

    def _extra(self, change: Change) -> int:
        """Return the penalty of a changed network, in units of loss."""
        if self._penalty is None:
            return 0
        parents = [change.get(node, known) for node, known in enumerate(self._parents)]
        penalty = self._penalty(parents)
        if abs(penalty) * self._units.per_loss > LARGEST_PENALTY:
            raise ValueError(
                f"The penalty of this network, {penalty:.3g}, is too large to compare with the losses of the rows: "
                "use fewer parents or fewer states."
            )
        return round(penalty * self._units.per_loss)

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
        tables, arities = 1 + max(self._folds, 0), self._arities
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


def _sample(
    table: Table, estimate: ClosedForm, grid: float, fold: NDArray[np.uint8] | None, folds: int
) -> Any:
    assert table.target is not None
    kind, value = _smoothing(estimate)
    integers = _log_integers(table, grid)
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
        integers,
        SMALL_TABLE,
    )


def _log_integers(table: Table, grid: float) -> NDArray[np.float64]:
    """Tabulate logarithms of counts: none where weights are not whole, or too large to list all their sums."""
    listed = table.weights is None or whole_weights(table)
    # One imaginary row per state is the most that an estimate adds to a count.
    integers = np.empty(int(table.total_weight) + int(table.arities.max()) + 2 if listed else 0)
    _core.fill_log_integers(grid, integers)
    return integers


def _smoothing(estimate: ClosedForm) -> tuple[int, float]:
    if isinstance(estimate, MaximumLikelihood | Dirichlet):
        estimate.check_params()
    match estimate:
        case MaximumLikelihood(epsilon=epsilon):
            if epsilon < 1e-20:
                raise ValueError(
                    "A search needs MaximumLikelihood with epsilon in [1e-20, 1): otherwise one unseen value vetoes "
                    f"a class. Got {epsilon!r}."
                )
            return 0, float(epsilon)
        case Laplace():
            return 1, 1.0
        case Dirichlet(ess=ess):
            return 2, float(ess)
    raise TypeError(
        f"A search cannot count with {estimate!r}: use MaximumLikelihood(), Laplace() or Dirichlet()."
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


def _start(
    table: Table,
    judgement: Judgement,
    prior: NDArray[np.float64],
    fold: NDArray[np.uint8] | None,
    grid: float,
) -> NDArray[np.float64]:
    """Return the log-joint of a network without families.

    It is zero, but for errors it holds the rule for ties: half a grid step for each class that is preferred to the
    row's true class when both are equally probable.
    """
    classes = int(table.arities[table.target])
    if judgement.kind != "error":
        return np.zeros((table.n_rows, classes))
    ranks = decision_ranks(prior, classes)
    preferred = (ranks[:, None, :] < ranks[:, :, None]) * (0.5 / grid)
    which = np.zeros(table.n_rows, dtype=np.int64) if fold is None else np.where(fold == NOT_JUDGED, 0, fold)
    start: NDArray[np.float64] = np.ascontiguousarray(preferred[which, table.codes[:, table.target]])
    return start


def _flat(parent_sets: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    parents = np.array([j for parents in parent_sets for j in sorted(parents)], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(parents) for parents in parent_sets])]).astype(np.int64)
    return parents, offsets
