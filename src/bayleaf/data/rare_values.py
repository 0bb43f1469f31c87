"""Rare categories, pooled into one state that also receives values which fit has not seen."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import check_param


@dataclass(frozen=True)
class RareValues:
    """Which categories are rare, in the words of scikit-learn's ``OneHotEncoder``.

    Parameters
    ----------
    min_frequency : int or float, optional
        Categories in fewer rows are pooled; a float is a share of the rows that have a value.
    max_categories : int, optional
        The most states that a column may have, at least 2, the pooled one among them.

    Examples
    --------
    >>> RareValues(min_frequency=5).pooled(np.array([20.0, 3.0, 5.0, 1.0])).tolist()
    [False, True, False, True]
    >>> RareValues(max_categories=2).pooled(np.array([3.0, 20.0, 3.0])).tolist()
    [True, False, True]
    """

    min_frequency: float | None = None
    max_categories: int | None = None

    def __bool__(self) -> bool:
        return self.min_frequency is not None or self.max_categories is not None

    def pooled(self, totals: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which categories are pooled, given the rows (or weights) of each; of equals, the first stay."""
        least: float = 0 if self.min_frequency is None else self.min_frequency
        if isinstance(self.min_frequency, float):
            least = self.min_frequency * float(totals.sum())
        rare: NDArray[np.bool_] = totals < least
        if self.max_categories is not None and np.count_nonzero(~rare) + rare.any() > self.max_categories:
            order = np.argsort(-np.where(rare, -1.0, totals), kind="stable")
            rare[order[self.max_categories - 1 :]] = True
        return rare


def check_rare_values(owner: Any, min_frequency: Any, max_categories: Any) -> None:
    """Refuse limits that are wrong for any data."""
    if isinstance(min_frequency, float | np.floating):
        check_param(owner, "min_frequency", min_frequency, float, low=0, high=1, low_open=True)
    else:
        check_param(owner, "min_frequency", min_frequency, int, low=1, allow_none=True)
    check_param(owner, "max_categories", max_categories, int, low=2, allow_none=True)
