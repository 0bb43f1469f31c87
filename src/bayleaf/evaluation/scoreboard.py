"""Data sets times methods, one number each: what every comparison starts from."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

# Means of the same fold values may differ in the last bits; such values are ties.
TIE_DECIMALS = 12


@dataclass(frozen=True, eq=False)
class Scoreboard:
    """One value of one measure for every data set (row) and method (column).

    Parameters
    ----------
    values : (data sets, methods) array
        Finite numbers.
    methods : sequence of str
        Names of the columns.
    datasets : sequence of str
        Names of the rows; numbered when empty.
    higher_is_better : bool
        False for losses, True for accuracy and AUC.
    measure : str
        Name for tables and figures.
    left_out : sequence of str
        Data sets that lack a value for some method and are therefore not among the rows.

    Examples
    --------
    >>> board = Scoreboard([[0.1, 0.2, 0.2], [0.3, 0.2, 0.4]], methods=["NB", "TAN", "KDB"])
    >>> board.ranks
    array([[1. , 2.5, 2.5],
           [2. , 1. , 3. ]])
    """

    values: NDArray[np.float64]
    methods: Sequence[str]
    datasets: Sequence[str] = ()
    higher_is_better: bool = False
    measure: str = "value"
    left_out: Sequence[str] = ()

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        datasets = tuple(self.datasets) or tuple(str(row + 1) for row in range(len(values)))
        if values.ndim != 2 or values.shape != (len(datasets), len(self.methods)) or not values.size:
            raise ValueError(
                f"The values must be a table of {len(datasets)} data sets by {len(self.methods)} methods. "
                f"Got shape {values.shape}."
            )
        for kind, names in (("method", self.methods), ("data set", datasets)):
            if len(set(names)) < len(names):
                raise ValueError(f"Every {kind} must have its own name. Got {list(names)}.")
        holes = np.argwhere(~np.isfinite(values))
        if holes.size:
            row, column = holes[0]
            raise ValueError(
                f"'{self.methods[column]}' has no finite value on '{datasets[row]}' "
                f"({len(holes)} such cells). Leave the data set or the method out."
            )
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "methods", tuple(self.methods))
        object.__setattr__(self, "datasets", datasets)
        object.__setattr__(self, "left_out", tuple(self.left_out))

    @property
    def ranks(self) -> NDArray[np.float64]:
        """Rank of every method on every data set: 1 is best, ties share the mean of their ranks."""
        return rank_rows(self.values, higher_is_better=self.higher_is_better)

    def column(self, method: str) -> NDArray[np.float64]:
        """Values of one method."""
        return self.values[:, self.position(method)]

    def position(self, method: str) -> int:
        """Column number of a method."""
        if method not in self.methods:
            raise ValueError(f"There is no method '{method}'. Known here: {', '.join(self.methods)}.")
        return list(self.methods).index(method)

    def select(
        self, methods: Sequence[str] | None = None, datasets: Sequence[str] | None = None
    ) -> "Scoreboard":
        """Part of the board, in the order given."""
        columns = [self.position(method) for method in (self.methods if methods is None else methods)]
        wanted = self.datasets if datasets is None else datasets
        unknown = [name for name in wanted if name not in self.datasets]
        if unknown:
            raise ValueError(f"There is no data set '{unknown[0]}'. Known here: {', '.join(self.datasets)}.")
        rows = [list(self.datasets).index(name) for name in wanted]
        names = tuple(self.methods[column] for column in columns)
        part = self.values[np.ix_(rows, columns)]
        return Scoreboard(part, names, tuple(wanted), self.higher_is_better, self.measure, self.left_out)

    def to_frame(self) -> pl.DataFrame:
        """As a frame: one row per data set, one column per method."""
        columns = {method: self.values[:, column] for column, method in enumerate(self.methods)}
        return pl.DataFrame({"dataset": list(self.datasets), **columns})


def rank_rows(values: ArrayLike, *, higher_is_better: bool) -> NDArray[np.float64]:
    """Rank the entries of every row from 1 (best); ties share the mean of their ranks.

    Examples
    --------
    >>> rank_rows([[0.9, 0.7, 0.9]], higher_is_better=True)
    array([[1.5, 3. , 1.5]])
    """
    table = np.round(np.asarray(values, dtype=np.float64), TIE_DECIMALS)
    ranks: NDArray[np.float64] = rankdata(-table if higher_is_better else table, axis=1)
    return ranks
