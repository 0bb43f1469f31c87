"""The rows of a search as the kernels want them: folds, ways to count, units of loss."""

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf._util.warning import warn
from bayleaf.data import Table
from bayleaf.parameters import Dirichlet, Laplace, MaximumLikelihood
from bayleaf.scores.score import check_judged

WORSE = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Units:
    """Losses are whole numbers in the kernel; this turns them into scores and back.

    Parameters
    ----------
    per_loss : float
        Whole numbers that make up a loss of one.
    offset : float
        The score of a network without losses.
    cost : float
        What a loss of one takes from the score.
    slack : int
        A loss must be smaller by more than so many units to count as smaller.

    Examples
    --------
    >>> units = Units(per_loss=8.0, offset=1.0)
    >>> float(units.score(2))
    0.75
    >>> units.bound(0.75)
    2
    """

    per_loss: float
    offset: float = 0.0
    cost: float = 1.0
    slack: int = 0

    def score(self, losses: Any) -> Any:
        """Larger scores for smaller losses."""
        return self.offset - np.asarray(losses, dtype=np.float64) / self.per_loss * self.cost

    def bound(self, score: float) -> int:
        """Return the loss that a better network stays below."""
        if score == -np.inf:
            return int(WORSE)
        loss = (self.offset - score) / self.cost * self.per_loss
        # The score of a whole loss is rounded, the more so where it is added to a large offset: what differs by less
        # is not better.
        largest = max(abs(loss), abs(self.offset) / self.cost * self.per_loss)
        return ceil(loss - max(0.25, largest * 2.0**-50)) - self.slack


NOT_JUDGED = 255


def stratified_folds(table: Table, folds: int, rng: np.random.Generator, owner: str) -> NDArray[np.uint8]:
    """Deal the rows of each class out to the folds, in random order.

    The rows of a class that is smaller than the number of folds go to as many folds as it has rows, with a warning.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("c", ("a", "b")),), [[0], [0], [1], [1]], target=0)
    >>> sorted(stratified_folds(table, 2, np.random.default_rng(0), "score")[:2].tolist())
    [0, 1]
    """
    check_judged(table)
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
            f"{folds - smallest} of them.",
        )
    # Dealing goes on from class to class, so that fold sizes differ by one at most.
    shuffled = rng.permutation(len(rows))
    by_class = shuffled[np.argsort(truth[shuffled], kind="stable")]
    fold = np.full(table.n_rows, NOT_JUDGED, dtype=np.uint8)
    fold[rows[by_class]] = np.arange(len(rows)) % folds
    return fold


def holdout(table: Table, fraction: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Mark a stratified random part of the rows as fold 0, the rest as not judged.

    Examples
    --------
    >>> from bayleaf.data import Variable
    >>> table = Table.from_codes((Variable("c", ("a", "b")),), [[0], [0], [1], [1]], target=0)
    >>> int((holdout(table, 0.5, np.random.default_rng(0)) == 0).sum())
    2
    """
    rows = check_judged(table).counting_rows
    truth = table.codes[rows, table.target]
    if len(rows) < 2:
        raise ValueError(
            f"A hold-out needs at least 2 rows, one to learn from and one to judge: the table has {len(rows)}."
        )
    shuffled = rng.permutation(len(rows))
    by_class = shuffled[np.argsort(truth[shuffled], kind="stable")]
    # Rows at even distances in class order: each class gives its share.
    chosen = min(max(1, round(len(rows) * fraction)), len(rows) - 1)
    positions = (np.arange(chosen) + rng.random()) * len(rows) / chosen
    fold = np.full(table.n_rows, NOT_JUDGED, dtype=np.uint8)
    fold[rows[by_class[positions.astype(np.int64)]]] = 0
    return fold


# Cells that the table of one family may have in any case; larger ones are bounded by a fraction of the log-joint.
SMALL_TABLE = 8192
# Whole weights with a larger sum are treated as any others: see `_log_integers`.
LARGEST_LISTED = 2**22
ClosedForm = MaximumLikelihood | Laplace | Dirichlet


def search_sample(
    table: Table, estimate: ClosedForm, grid: float, fold: NDArray[np.uint8] | None, folds: int
) -> Any:
    """Return the kernel's sample of a table.

    Parameters
    ----------
    table : Table
        With a class that is known in every row.
    estimate : MaximumLikelihood, Laplace or Dirichlet
    grid : float
        Logarithms of probabilities are multiples of ``1 / grid``.
    fold : ndarray of uint8, optional
    folds : int
        As the kernel has it: 0 without folds, -1 to judge every row by the rows before it.
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


def _smoothing(estimate: ClosedForm) -> tuple[int, float]:
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
