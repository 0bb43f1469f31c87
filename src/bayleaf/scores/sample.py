"""The rows of a search and the way to count them, as the kernels want them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core
from bayleaf.parameters import Dirichlet, Laplace, MaximumLikelihood
from bayleaf.table import Table

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
