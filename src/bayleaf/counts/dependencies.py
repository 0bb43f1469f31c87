"""Functional dependencies between values: where one value is seen, another one always is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table as RichTable
from rich.text import Text

from bayleaf._util.optional import make_frame
from bayleaf._util.params import check_param
from bayleaf.data import Table, Variable, categorical_table
from bayleaf.data.table import Codes, missing_code
from bayleaf.data.variable import State

from .contingency import Counts, count

# Tables of pairs are counted in batches of about this many cells.
BATCH_CELLS = 2**24
SHOWN = 20
NOT_IMPLIED = -1


class Dependency(NamedTuple):
    """One dependency: every row with ``value`` in ``column`` has ``implied_value`` in ``implied_column``."""

    column: str
    value: State
    implied_column: str
    implied_value: State
    rows: float


@dataclass(frozen=True, eq=False)
class FunctionalDependencies:
    """Which value of one column determines which value of another, the most frequent first.

    Value a of X determines value b of Y when all the rows with X = a have Y = b and there are at least
    ``min_count`` of them. A row in which Y is missing speaks against it.

    It works as a sequence of `Dependency`, prints as a table and exports to a DataFrame.

    Attributes
    ----------
    variables : tuple of Variable
        The columns of the table that was searched.
    min_count : float
        The fewest rows that were accepted as evidence.
    columns, codes, implied_columns, implied_codes : ndarray of int
        Each dependency by column numbers and codes.
    counts : ndarray
        Rows (or their weight) with the determining value.

    References
    ----------
    L. Wang and H. Zhao. Learning a flexible K-dependence Bayesian classifier from the chain rule of joint
    probability distribution. Entropy 17, 2015.

    Examples
    --------
    >>> import polars as pl
    >>> data = pl.DataFrame({"pregnant": ["no", "no", "yes", "no"], "sex": ["f", "m", "f", "f"]})
    >>> FunctionalDependencies.find(data, min_count=1)[0]
    Dependency(column='pregnant', value='yes', implied_column='sex', implied_value='f', rows=1)
    """

    variables: tuple[Variable, ...]
    min_count: float
    columns: NDArray[np.int64]
    codes: NDArray[np.int64]
    implied_columns: NDArray[np.int64]
    implied_codes: NDArray[np.int64]
    counts: NDArray[np.int64 | np.float64]

    @classmethod
    def find(cls, data: Any, min_count: float = 100) -> "FunctionalDependencies":
        """Find all dependencies between the values of the features of a Table, or of the columns of a DataFrame."""
        check_param("FunctionalDependencies.find", "min_count", min_count, float, low=0, low_open=True)
        table = data if isinstance(data, Table) else categorical_table(data)
        features = table.features
        single = dict(zip(features, count(table, [[j] for j in features]), strict=True))
        # A column none of whose values is frequent enough determines nothing, and cannot be the reason to look.
        frequent = {j: bool((single[j] >= min_count).any()) for j in features}
        pairs = [(i, j) for i, j in combinations(features, 2) if frequent[i] or frequent[j]]
        found = [np.empty((0, 5))]
        for batch in _batches(table, pairs):
            for (i, j), joint in zip(batch, count(table, batch), strict=True):
                found.append(_of_pair(i, j, joint, single[i], min_count))
                found.append(_of_pair(j, i, joint.T, single[j], min_count))
        lines = np.concatenate(found)
        lines = lines[np.lexsort((lines[:, 2], lines[:, 1], lines[:, 0], -lines[:, 4]))]
        column, code, implied_column, implied_code = lines[:, :4].T.astype(np.int64)
        counts = lines[:, 4] if table.weights is not None else lines[:, 4].astype(np.int64)
        return cls(table.variables, min_count, column, code, implied_column, implied_code, counts)

    @classmethod
    def from_list(
        cls, variables: tuple[Variable, ...], dependencies: Sequence[Dependency], min_count: float
    ) -> "FunctionalDependencies":
        """Put dependencies together that were found before, as a model file lists them."""
        number = {variable.name: j for j, variable in enumerate(variables)}
        columns = np.array([number[each.column] for each in dependencies], dtype=np.int64)
        implied_columns = np.array([number[each.implied_column] for each in dependencies], dtype=np.int64)
        codes = [variables[j].states.index(each.value) for j, each in zip(columns, dependencies, strict=True)]
        implied_codes = [
            variables[j].states.index(each.implied_value)
            for j, each in zip(implied_columns, dependencies, strict=True)
        ]
        return cls(
            variables,
            min_count,
            columns,
            np.array(codes, dtype=np.int64),
            implied_columns,
            np.array(implied_codes, dtype=np.int64),
            np.array([each.rows for each in dependencies]),
        )

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, k: int) -> Dependency:
        cause = self.variables[self.columns[k]]
        effect = self.variables[self.implied_columns[k]]
        return Dependency(
            cause.name,
            cause.states[self.codes[k]],
            effect.name,
            effect.states[self.implied_codes[k]],
            self.counts[k].item(),
        )

    def __iter__(self) -> Iterator[Dependency]:
        return (self[k] for k in range(len(self)))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a DataFrame with one line per dependency; values as text, since columns differ in type."""
        return make_frame(
            {
                "column": [each.column for each in self],
                "value": [str(each.value) for each in self],
                "implied_column": [each.implied_column for each in self],
                "implied_value": [str(each.implied_value) for each in self],
                "rows": [each.rows for each in self],
            },
            backend,
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(f"{len(self):,} functional dependencies (seen at least {self.min_count:g} times)")
        if len(self) == 0:
            return
        table = RichTable()
        for heading in ("where", "always", "rows"):
            table.add_column(heading, justify="right" if heading == "rows" else "left")
        for k in range(min(len(self), SHOWN)):
            each = self[k]
            table.add_row(
                Text(f"{each.column} = {each.value}"),
                Text(f"{each.implied_column} = {each.implied_value}"),
                f"{each.rows:g}",
            )
        yield table
        if len(self) > SHOWN:
            yield Text(f"... and {len(self) - SHOWN:,} more; to_frame() has all.")

    def __repr__(self) -> str:
        console = Console(width=110, color_system=None)
        with console.capture() as capture:
            console.print(self)
        return capture.get().rstrip()

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Where the values of each column begin in `_implied`; each has one more, for a missing value."""
        sizes = [variable.arity + 1 for variable in self.variables]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def _implied(self) -> NDArray[np.int64]:
        """By value of any column and by column: the code that the value implies there, or NOT_IMPLIED."""
        implied = np.full((int(self._starts[-1]), len(self.variables)), NOT_IMPLIED, dtype=np.int64)
        implied[self._starts[self.columns] + self.codes, self.implied_columns] = self.implied_codes
        return implied

    @cached_property
    def between(self) -> NDArray[np.bool_]:
        """Whether any value of one column (row of the matrix) determines a value of another (column)."""
        matrix = np.zeros((len(self.variables), len(self.variables)), dtype=bool)
        matrix[self.columns, self.implied_columns] = True
        return matrix

    def hold(self, codes: Codes, columns: Any, implied_columns: Any) -> NDArray[np.bool_]:
        """Row by row, whether the value of one column determines the value that the row has in another.

        Parameters
        ----------
        codes : ndarray of shape (rows, variables)
            Rows as they are encoded in the table; a missing value determines nothing and is determined by nothing.
        columns, implied_columns : int or ndarray of int
            The two columns, the same for all rows or one of each per row.
        """
        rows = np.arange(len(codes))
        value = codes[rows, columns].astype(np.int64)
        arity = self._starts[np.add(columns, 1)] - self._starts[columns] - 1
        value = np.where(value == missing_code(codes.dtype), arity, value)
        other = codes[rows, implied_columns].astype(np.int64)
        matches: NDArray[np.bool_] = self._implied[self._starts[columns] + value, implied_columns] == other
        return matches


def _of_pair(cause: int, effect: int, joint: Counts, single: Counts, min_count: float) -> NDArray[np.float64]:
    """Dependencies of one column on another, from their joint table (cause first) and the cause's own."""
    best = joint.argmax(axis=1)
    rows = joint[np.arange(len(joint)), best]
    values = np.flatnonzero((rows == single) & (single >= min_count))
    lines = np.empty((len(values), 5))
    lines[:, 0] = cause
    lines[:, 1] = values
    lines[:, 2] = effect
    lines[:, 3] = best[values]
    lines[:, 4] = single[values]
    return lines


def _batches(table: Table, pairs: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    batch: list[tuple[int, int]] = []
    cells = 0
    for i, j in pairs:
        size = int(table.arities[i] * table.arities[j])
        if batch and cells + size > BATCH_CELLS:
            yield batch
            batch, cells = [], 0
        batch.append((i, j))
        cells += size
    if batch:
        yield batch
