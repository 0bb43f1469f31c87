"""From a batch of raw rows to codes: which rows count, the number of their class, and their values by a schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf.counts import ChangedDataError
from bayleaf.data import Schema, Table, TableReader, encode
from bayleaf.data.categories import UnknownValueError
from bayleaf.data.columns import ColumnType, complete_rows, given_marks, resolve_column_types
from bayleaf.data.dates import MOMENTS
from bayleaf.data.numbers import Mark, taken_out
from bayleaf.data.raw_columns import ABSENT, Column, LabelColumn, factorised, series_column, translate
from bayleaf.data.table import OwnCodes, empty_codes, missing_code
from bayleaf.data.target import categorical_mask, read_target
from bayleaf.data.variable import State, Variable

# A column of more different values is not a class, and would take more memory than there is.
MOST_CLASSES = 1000


class ClassLabels:
    """The labels of a class that have been met, and how many rows have each."""

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
        levels, numbers = factorised(read.values[~missing])
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


Weights = NDArray[np.float64] | None


@dataclass(frozen=True)
class LabelledBatch:
    """The rows of a batch that count, with the numbers of their classes and their weights."""

    frame: pl.DataFrame
    target: NDArray[np.int64]
    weights: Weights
    without_class: int  # rows of the batch that have no class


@dataclass(frozen=True)
class RowRules:
    """What is asked of every batch, wherever it is read."""

    features: tuple[str, ...]
    target: str
    weight: str | None  # the column of the rows' weights
    types: tuple[ColumnType | None, ...]  # what each feature is said to be, None where nothing is said
    categorical: NDArray[np.bool_]  # which features are categories whatever they look like
    identifiers: bool  # whether columns that look like identifiers are looked for
    complete: bool  # whether rows with a gap are left out
    marks: tuple[tuple[Mark, ...], ...] = ()  # of each feature what else is a gap then, where that is known

    @classmethod
    def of(cls, settings: TableReader, features: Sequence[str], target: str, weight: str | None) -> Self:
        """Return the rules that the settings of an estimator mean."""
        types = tuple(resolve_column_types(settings.column_types, list(features), has_names=True))
        mask = categorical_mask(settings.categorical_features, list(features), has_names=True)
        return cls(
            tuple(features),
            target,
            weight,
            types,
            mask | np.array([each == "category" for each in types]),
            settings.identifiers == "drop",
            settings.missing == "drop",
            ()
            if settings.missing_values is None
            else (given_marks(settings.missing_values),) * len(features),
        )

    @property
    def columns(self) -> list[str]:
        """All columns that are read."""
        return [*self.features, self.target, *([] if self.weight is None else [self.weight])]

    def labelled(self, frame: pl.DataFrame, labels: ClassLabels, *, grow: bool = False) -> LabelledBatch:
        """Return the rows of a batch that count; ``grow`` says whether new class labels may come."""
        codes = labels.codes(frame[self.target], grow=grow)
        counts = codes >= 0
        without_class = int(np.count_nonzero(~counts))
        weights = None if self.weight is None else row_weights(frame[self.weight])
        if weights is not None:
            counts &= weights > 0
        if self.complete and frame.height:
            counts &= complete_rows(frame.select(self.features), self._without_marks)
        if not counts.all():
            frame, codes = frame.filter(pl.Series(counts)), codes[counts]
            weights = None if weights is None else weights[counts]
        return LabelledBatch(frame, codes, weights, without_class)

    def _without_marks(self, j: int, column: Column) -> Column:
        return taken_out(column, self.marks[j])[0] if self.marks else column


def row_weights(column: pl.Series) -> NDArray[np.float64]:
    """Return the weights of a batch of rows; refuse values that are not weights."""
    if not column.dtype.is_numeric():
        raise TypeError(f"The weights in '{column.name}' must be numbers; the column holds {column.dtype}.")
    weights = column.cast(pl.Float64).to_numpy()
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(
            f"The weights in '{column.name}' must be finite numbers, zero or more, in every row."
        )
    return weights


@dataclass(frozen=True)
class ClassCodes:
    """The code of each class, and what a row of it weighs."""

    order: NDArray[np.int64]  # the code of each number that `ClassLabels` has given
    factors: Weights  # what the weight of a row is multiplied by, for each code

    def of(self, target: NDArray[np.int64], weights: Weights) -> tuple[NDArray[np.int64], Weights]:
        """Return the codes of classes in the order of the labels, and the weights with those of the classes."""
        codes = self.order[target]
        if self.factors is None:
            return codes, weights
        return codes, self.factors[codes] if weights is None else self.factors[codes] * weights


@dataclass(frozen=True)
class RowEncoder:
    """Encodes batches, here or wherever it is sent to."""

    rules: RowRules
    labels: ClassLabels
    classes: ClassCodes
    schema: Schema
    n_jobs: int | None

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.rules.weight is not None or self.classes.factors is not None

    def table(self, frame: pl.DataFrame) -> Table | None:
        """Return the rows of a batch that count, encoded; None where none does."""
        batch = self.rules.labelled(frame, self.labels)
        if not batch.frame.height:
            return None
        variables = self.schema.variables
        try:
            table = encode(
                self.schema, batch.frame.select(self.rules.features), unknown="error", n_jobs=self.n_jobs
            )
        except UnknownValueError as error:
            raise ChangedDataError(f"The data changed while they were read: {error}") from None
        target, weights = self.classes.of(batch.target, batch.weights)
        codes = empty_codes(table.n_rows, variables)
        codes[:, :-1] = table.codes
        if codes.dtype != table.codes.dtype:
            codes[:, :-1][table.codes == table.missing_code] = missing_code(codes.dtype)
        codes[:, -1] = target
        missing = np.append(table.has_missing, False)
        return Table(variables, codes, weights, len(variables) - 1, self.n_jobs, own=OwnCodes(missing))
