"""The class of each row, numbered in the order in which labels come; sorted when all of them are known."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf.counts import ChangedDataError
from bayleaf.data.column_values import ABSENT, LabelColumn
from bayleaf.data.dates import MOMENTS
from bayleaf.data.packing import number_values, translate
from bayleaf.data.series import series_column
from bayleaf.data.target import read_target
from bayleaf.data.variable import State, Variable

# A column of more different values is no class, and would take more memory than there is.
MOST_CLASSES = 1000


class ClassLabels:
    """The labels of a class that have been met, and how many rows have each.

    Parameters
    ----------
    name : str
        Of the column.

    Examples
    --------
    >>> labels = ClassLabels("y")
    >>> labels.codes(pl.Series(["yes", "no", None]), grow=True)
    array([ 0,  1, -1])
    >>> variable, classes, order = labels.settled("class", rows=np.ones(2))
    >>> variable.states, order
    (('no', 'yes'), array([1, 0]))
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._number: dict[State, int] = {}

    def codes(self, column: pl.Series, *, grow: bool = False) -> NDArray[np.int64]:
        """Return the number of each row's label, -1 where it has none.

        New labels are numbered where they may come (``grow``), and else mean that the data have changed.
        """
        levels, codes = self._levels(column)
        if not grow:
            for level in levels:
                if level not in self._number:
                    raise ChangedDataError(
                        f"The data changed while they were read: the class {level!r} is new in '{self.name}'."
                    )
        return translate(codes, self._numbers(levels)).astype(np.int64)

    def merge(self, later: ClassLabels) -> list[int]:
        """Add the labels of rows that come after these; return the number here of each label there."""
        return self._numbers(list(later._number))

    def _numbers(self, levels: list[State]) -> list[int]:
        """Return the numbers of labels; new ones get the next."""
        for level in levels:
            self._number.setdefault(level, len(self._number))
        if len(self._number) > MOST_CLASSES:
            raise ValueError(
                f"'{self.name}' has more than {MOST_CLASSES:,} different values: it is not a class. Name the "
                "column of the class, or cut the numbers into a few intervals."
            )
        return [self._number[level] for level in levels]

    def _levels(self, column: pl.Series) -> tuple[list[State], NDArray[Any]]:
        read = series_column(self.name, nw.from_native(column, series_only=True))
        if isinstance(read, LabelColumn):
            return read.levels, read.codes
        if read.dtype in MOMENTS:
            read_target(column)  # says what is wrong with dates
        missing = read.missing
        levels, numbers = number_values(read.values[~missing])
        codes = np.full(len(missing), ABSENT, dtype=np.int64)
        codes[~missing] = numbers
        return levels, codes

    def settled(
        self, name: str, rows: NDArray[np.float64]
    ) -> tuple[Variable, NDArray[Any], NDArray[np.int64]]:
        """Return the class as a variable, its sorted labels, and the code of each number in that order.

        Labels without any row that counts are none; their code is -1.
        """
        labels = list(self._number)
        used = [number for number in range(len(labels)) if rows[number] > 0]
        # Several rows of each: labels that only one row has would look like measurements.
        variable, classes, codes = read_target(pl.Series([labels[k] for k in used] * 3), name=name)
        order = np.full(len(labels), ABSENT, dtype=np.int64)
        order[used] = codes[: len(used)]
        return variable, classes, order
