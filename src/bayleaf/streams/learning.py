"""From batches of raw rows to a schema, and to a source of counts: two passes for most learners.

The first pass counts the values of columns of labels in each class, and draws a uniform sample of rows. If the sample
holds all rows, they are learned from as any table in memory. Else labels are read by all their values, numbers are
cut by those of the sample, and the second pass counts the rows as the schema encodes them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf._util.progress import Steps
from bayleaf._util.warning import warn
from bayleaf.counts import BatchSource, ChangedDataError
from bayleaf.data import Schema, Table, Variable, encode
from bayleaf.data.categories import as_labels
from bayleaf.data.column_types import resolve_column_types
from bayleaf.data.column_values import LabelColumn, NumberColumn
from bayleaf.data.columns import Columns, ReadColumns, complete_rows
from bayleaf.data.discretize import Cuts
from bayleaf.data.discretize.adaptive import default_discretizer
from bayleaf.data.encoding import learn_schema, warn_of_empty, with_new_names
from bayleaf.data.identifier_columns import identifier_variable, identifier_warning, is_identifier, is_named
from bayleaf.data.known_values import UnknownValueError
from bayleaf.data.rare_values import RareValues
from bayleaf.data.table import OwnCodes, empty_codes, missing_code
from bayleaf.data.target import categorical_mask, reads_values, target_name
from bayleaf.data.training import class_weights, warn_of_left_out

from .batch_reader import BATCH_ROWS, BatchReader, open_source
from .class_labels import MOST_CLASSES, ClassLabels
from .label_counts import LabelCounts
from .raw_sample import RawSample

# Rows that numbers are cut by, and that learners get which need rows.
SAMPLE_ROWS = 200_000
Weights = NDArray[np.float64] | None


@dataclass(frozen=True)
class Labelled:
    """The rows of a batch that have a class, with the numbers of their classes and their weights."""

    frame: pl.DataFrame
    target: NDArray[np.int64]
    weights: Weights


class Stream:
    """The rows of a source, as they are: read once when it is made.

    Parameters
    ----------
    owner : estimator
        Whose settings say how columns are read.
    reader : BatchReader
    target : str
        The column of the class.
    weight : str, optional
        The column of the rows' weights.
    drop : sequence of str
        Columns that are left out.
    sample_rows : int
        The most rows of the sample.

    Attributes
    ----------
    n_rows : int
        Rows with a class, and a weight above zero.
    sample : polars.DataFrame
        All of them, or so many of them.
    target : Variable
        The class.
    classes : ndarray
        The class labels, sorted.
    """

    def __init__(
        self,
        owner: Any,
        reader: BatchReader,
        target: str,
        *,
        weight: str | None = None,
        drop: Sequence[str] = (),
        sample_rows: int = SAMPLE_ROWS,
    ) -> None:
        self._owner, self._reader, self._target, self._weight = owner, reader, target, weight
        reader.check_columns([target], "the class")
        reader.check_columns(drop, "to be left out")
        reader.check_columns([] if weight is None else [weight], "the weights")
        self.features = [name for name in reader.names if name not in (target, weight, *drop)]
        if not self.features:
            raise ValueError(f"{reader.name} has no column beside those of the class and the weights.")
        self._types = resolve_column_types(owner.column_types, self.features, has_names=True)
        mask = categorical_mask(owner.categorical_features, self.features, has_names=True)
        self._categorical = mask | np.array([each == "category" for each in self._types])
        self._mark = reader.mark()
        self._labels = ClassLabels(target)
        self._passes = 0
        self._sample = RawSample(sample_rows)
        self._counts: dict[int, LabelCounts] = {}
        self._missing = np.zeros(len(self.features), dtype=np.int64)
        self._numbering: set[int] = set()  # columns whose first rows look as if numbered
        self._class_rows, self._class_weights = np.zeros((2, MOST_CLASSES))
        self.n_rows = self._rows_read = 0
        self._read_all()
        named = target_name(pl.Series(target, [], dtype=pl.String), self.features)
        self.target, self.classes, self._order = self._labels.settled(named, self._class_rows)

    @property
    def sample(self) -> pl.DataFrame:
        """All rows, or the sample."""
        return self._sample.frame()

    @property
    def is_whole(self) -> bool:
        """Whether the sample holds all rows."""
        return self._sample.is_whole

    def whole(self) -> tuple[pl.DataFrame, pl.Series, Weights]:
        """Return all rows, where the sample holds them: the features, the class and the weights."""
        weights = None if self._weight is None else row_weights(self.sample[self._weight])
        return self.sample.select(self.features), self.sample[self._target], weights

    def _batches(self, what: str) -> Iterator[Labelled]:
        """Read the rows once, and leave out those that do not count."""
        self._passes += 1
        columns = [*self.features, self._target, *([] if self._weight is None else [self._weight])]
        read = left_out = 0
        with Steps(f"{what} (pass {self._passes})", self._reader.n_rows, patience=1.0) as progress:
            for frame in self._reader.read(columns):
                read += frame.height
                codes = self._labels.codes(frame[self._target], grow=self._passes == 1)
                counts = codes >= 0
                left_out += int(np.count_nonzero(~counts))
                weights = None if self._weight is None else row_weights(frame[self._weight])
                if weights is not None:
                    counts &= weights > 0
                if self._owner.missing == "drop" and frame.height:
                    counts &= complete_rows(frame.select(self.features))
                if not counts.all():
                    frame, codes = frame.filter(pl.Series(counts)), codes[counts]
                    weights = None if weights is None else weights[counts]
                yield Labelled(frame, codes, weights)
                progress.reach(read)
        self._refuse_changes(read)
        if left_out and self._passes == 1:
            if left_out == read:
                raise ValueError(f"None of the {read:,} rows has a class in '{self._target}'.")
            warn_of_left_out(left_out, read)

    def _refuse_changes(self, rows: int) -> None:
        if self._passes == 1:
            self._rows_read = rows
        if rows != self._rows_read:
            raise ChangedDataError(
                f"{self._reader.name} changed while it was read: {self._rows_read:,} rows in the first pass, "
                f"{rows:,} in a later one. Learn from a copy, or when nobody writes."
            )
        if self._reader.mark() != self._mark:
            raise ChangedDataError(
                f"{self._reader.name} was written to while it was read: learn from a copy, or when nobody writes."
            )

    def _read_all(self) -> None:
        """Make the first pass."""
        for batch in self._batches("Reading"):
            columns = Columns(batch.frame.select(self.features))
            for j, name in enumerate(self.features):
                column = columns[j] if batch.frame.height else None
                if column is not None:
                    self._look(j, name, column, batch)
            self.n_rows += batch.frame.height
            self._class_rows += np.bincount(batch.target, minlength=MOST_CLASSES)
            self._class_weights += np.bincount(batch.target, batch.weights, minlength=MOST_CLASSES)
            whole = self.is_whole
            self._sample.add(batch.frame)
            if whole and not self.is_whole:  # labels are counted: only numbers are asked of a sample
                self._sample.keep([name for name in batch.frame.columns if not self._is_counted(name)])
        if not self.n_rows:
            raise ValueError(
                f"{self._reader.name} has no rows that count: all lack the class, a value or a weight."
            )

    def _is_counted(self, name: str) -> bool:
        return name in self.features and self.features.index(name) in self._counts

    def _look(self, j: int, name: str, column: LabelColumn | NumberColumn, batch: Labelled) -> None:
        if self._types[j] == "identifier":
            return
        if isinstance(column, NumberColumn):
            may_number = self._owner.identifiers == "drop" and self._types[j] is None and self.n_rows == 0
            if may_number and is_identifier(column, name):
                self._numbering.add(j)
            if column.values.dtype.kind == "f":
                self._missing[j] += int(np.count_nonzero(column.missing))
            if not self._categorical[j]:
                if j in self._counts:
                    raise ValueError(f"Column '{name}' holds texts in its first rows and numbers later.")
                return
            column = as_labels(column)
        self._counts.setdefault(j, LabelCounts(name)).add(column, batch.target, batch.weights)

    @cached_property
    def _factors(self) -> NDArray[np.float64] | None:
        """What the weight of a row is multiplied by, for each class, so that their sum stays what it was."""
        given = self._owner.class_weight
        if given is None:
            return None
        used = np.flatnonzero(self._order >= 0)
        numbers = used[self._order[used].argsort()]  # of the classes in the order of the labels
        rows, weights = self._class_rows[numbers], self._class_weights[numbers]
        if isinstance(given, str) and given == "balanced":
            factors = np.asarray(rows.sum() / (len(rows) * rows))
        else:
            factors = class_weights(given, self.classes, np.arange(len(rows)))
        return np.asarray(factors * (weights.sum() / (factors * weights).sum()))

    def _final(self, target: NDArray[np.int64], weights: Weights) -> tuple[NDArray[np.int64], Weights]:
        """Return the codes of classes in the order of the labels, and the weights with those of the classes."""
        codes = self._order[target]
        if self._factors is None:
            return codes, weights
        return codes, self._factors[codes] if weights is None else self._factors[codes] * weights

    @cached_property
    def schema(self) -> Schema:
        """How the columns are read."""
        found: dict[int, list[Variable]] = {}
        numbers = [
            j for j in range(len(self.features)) if j not in self._counts and self._types[j] != "identifier"
        ]
        identifiers = {j for j in numbers if j in self._numbering and self._numbers_rows(j)}
        found.update(self._number_variables([j for j in numbers if j not in identifiers]))
        for j, counts in self._counts.items():
            if self._owner.identifiers == "drop" and self._types[j] is None and counts.names_rows:
                identifiers.add(j)
            else:
                found[j] = self._label_variables(j, counts)
        if identifiers:
            warn(identifier_warning([self.features[j] for j in sorted(identifiers)]))
        columns = [
            found[j][0] if j in found else identifier_variable(name) for j, name in enumerate(self.features)
        ]
        if all(variable.dtype == "identifier" for variable in columns):
            raise ValueError("There is nothing to learn from: each column looks like an identifier.")
        parts = with_new_names([part for j in sorted(found) for part in found[j][1:]], self.features)
        return Schema((*columns, *parts), self.target, self.n_rows)

    def _numbers_rows(self, j: int) -> bool:
        """Whether a column whose first rows look as if numbered goes on like that."""
        values = self.sample[self.features[j]].drop_nulls()
        return values.n_unique() == len(values) and (values.is_sorted() or is_named(self.features[j]))

    def _learn(
        self, columns: Any, chosen: Sequence[int], target: NDArray[np.int64], weights: Weights
    ) -> tuple[Variable, ...]:
        """Learn the variables of some columns by the rules for tables in memory."""
        owner, names = self._owner, [self.features[j] for j in chosen]
        discretizer = default_discretizer() if owner.discretizer is None else owner.discretizer
        if isinstance(discretizer, Cuts):
            given = discretizer.cuts or {}
            # Texts may be numbers: whoever gives cut points for them says so.
            numbers = [name for j, name in enumerate(self.features) if j not in self._counts or name in given]
            discretizer.check_names(numbers)
            discretizer = Cuts({key: given[key] for key in names if key in given}, discretizer.others)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # of columns without a value: how many rows there are is not known there
            table = learn_schema(
                columns,
                target,
                self.target,
                discretizer=discretizer,
                categorical=self._categorical[list(chosen)],
                names=names,
                types=[self._types[j] for j in chosen],
                weights=weights,
                identifiers="keep",
                missing="available" if owner.missing == "drop" else owner.missing,
                rare=RareValues(owner.min_frequency, owner.max_categories),
                auto=reads_values(owner.categorical_features),
                n_jobs=owner.n_jobs,
            )
        return table.variables[:-1]

    def _number_variables(self, chosen: Sequence[int]) -> dict[int, list[Variable]]:
        """Learn columns of numbers, dates and times from the sample."""
        if not chosen:
            return {}
        sample = self.sample
        weights = None if self._weight is None else row_weights(sample[self._weight])
        target, weights = self._final(self._labels.codes(sample[self._target]), weights)
        learned = self._learn(sample.select([self.features[j] for j in chosen]), chosen, target, weights)
        found: dict[int, list[Variable]] = {}
        for j, variable in zip(chosen, learned, strict=False):
            if self._missing[j] == self.n_rows:
                warn_of_empty(variable.name, self.n_rows)
            found[j] = [
                replace(variable, n_missing=int(self._missing[j])),
                *(part for part in learned[len(chosen) :] if part.source == variable.name),
            ]
        return found

    def _label_variables(self, j: int, counts: LabelCounts) -> list[Variable]:
        """Learn a column of labels from all its values."""
        if counts.too_many:
            raise ValueError(
                f"Column '{counts.name}' has about {round(counts.different, -3):,.0f} different values in "
                f"{counts.known:,} rows, too many for categories: leave it out (drop), group its values, or store "
                "it as numbers or dates if it holds such."
            )
        column, target, weights = counts.as_rows(len(self._order))
        codes, factored = self._final(target, weights)
        if column.is_empty:
            warn_of_empty(counts.name, self.n_rows)
        variable, *parts = self._learn(ReadColumns([column]), [j], codes, factored)
        return [replace(variable, n_missing=counts.missing), *parts]

    def source(self) -> BatchSource:
        """Return the rows as a source of counts."""
        return BatchSource(
            self.schema.variables,
            self._encoded,
            len(self.schema.features),
            weighted=self._weight is not None or self._factors is not None,
            n_jobs=self._owner.n_jobs,
        )

    def _encoded(self) -> Iterator[Table]:
        variables = self.schema.variables
        for batch in self._batches("Counting"):
            if not batch.frame.height:
                continue
            try:
                table = encode(
                    self.schema,
                    batch.frame.select(self.features),
                    unknown="error",
                    n_jobs=self._owner.n_jobs,
                )
            except UnknownValueError as error:
                raise ChangedDataError(f"The data changed while they were read: {error}") from None
            target, weights = self._final(batch.target, batch.weights)
            codes = empty_codes(table.n_rows, variables)
            codes[:, :-1] = table.codes
            if codes.dtype != table.codes.dtype:
                codes[:, :-1][table.codes == table.missing_code] = missing_code(codes.dtype)
            codes[:, -1] = target
            missing = np.append(table.has_missing, False)
            yield Table(
                variables, codes, weights, len(variables) - 1, self._owner.n_jobs, own=OwnCodes(missing)
            )


def open_stream(
    owner: Any,
    source: Any,
    target: str,
    *,
    weight: str | None = None,
    drop: Sequence[str] = (),
    sample_rows: int = SAMPLE_ROWS,
    batch_rows: int = BATCH_ROWS,
) -> Stream:
    """Open a source and read it once: see `Stream` and `open_source`.

    Examples
    --------
    >>> import bayleaf as bl
    >>> rows = pl.DataFrame({"x": ["a", "b", "a"], "y": ["no", "yes", "no"]})
    >>> stream = open_stream(bl.BayesNetClassifier(), rows, "y", sample_rows=2)
    >>> stream.n_rows, stream.is_whole, stream.schema.features[0].states
    (3, False, ('a', 'b'))
    """
    return Stream(
        owner,
        open_source(source, batch_rows),
        target,
        weight=weight,
        drop=drop,
        sample_rows=sample_rows,
    )


def row_weights(column: pl.Series) -> NDArray[np.float64]:
    """Return the weights of a batch of rows; refuse what is no weight.

    Examples
    --------
    >>> row_weights(pl.Series("w", [1, 2]))
    array([1., 2.])
    """
    if not column.dtype.is_numeric():
        raise TypeError(f"The weights in '{column.name}' must be numbers; the column holds {column.dtype}.")
    weights = column.cast(pl.Float64).to_numpy()
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"The weights in '{column.name}' must be finite numbers from zero on, in every row.")
    return weights
