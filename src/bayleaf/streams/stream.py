"""From batches of raw rows to a schema, and to a source of counts: two passes for most learners.

The first pass counts the values of columns of labels in each class, and draws a uniform sample of rows. If the sample
holds all rows, they are learned from as any table in memory. Else labels are read by all their values, numbers are
cut by those of the sample, and the second pass counts the rows as the schema encodes them.
"""

from __future__ import annotations

import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf._util.progress import Steps
from bayleaf._util.words import warn
from bayleaf.counts import BatchSource, ChangedDataError, PassSource
from bayleaf.counts.row_samples import SAMPLE_ROWS
from bayleaf.data import Schema, Table, TableReader, Variable
from bayleaf.data.categories import LEFT_OUT, identifier_variable, identifier_warning, is_named
from bayleaf.data.columns import ReadColumns
from bayleaf.data.discretize import Cuts
from bayleaf.data.encoding import warn_of_empty, with_new_names
from bayleaf.data.numbers import MissingMarkWarning, mark_warning
from bayleaf.data.reader import class_weights, warn_of_left_out
from bayleaf.data.target import refuse_uncountable, refuse_wide_weights, refuse_wrong_target, target_name
from bayleaf.data.text_words import FREE_TEXT
from bayleaf.tables.column_text import MixedColumnWarning

from .batch_reader import BATCH_ROWS, BatchReader, NamedColumns, RawSample, open_source, refuse_reading
from .first_look import FirstLook, LabelCounts
from .row_rules import ClassCodes, RowEncoder, RowRules, Weights, row_weights


class Stream(ABC):
    """The rows of a source, as they are: looked at once when it is made.

    Parameters
    ----------
    settings : TableReader
        Says how columns are read.
    reader : NamedColumns
    target : str
        The column of the class.
    weight : str, optional
        The column of the rows' weights.
    drop : sequence of str
        Columns that are left out.
    sample_rows : int
        The most rows of the sample.
    whole_rows : bool, default=False
        Whether the sample has all columns; else only those that it is asked for, which are not labels.

    Attributes
    ----------
    target : Variable
        The class.
    classes : ndarray
        The class labels, sorted.
    """

    def __init__(
        self,
        settings: TableReader,
        reader: NamedColumns,
        target: str,
        *,
        weight: str | None = None,
        drop: Sequence[str] = (),
        sample_rows: int = SAMPLE_ROWS,
        whole_rows: bool = False,
    ) -> None:
        self._settings, self._reader, self._whole_rows = settings, reader, whole_rows
        reader.check_columns([target], "the class")
        reader.check_columns(drop, "to be left out")
        reader.check_columns([] if weight is None else [weight], "the weights")
        features = [name for name in reader.names if name not in (target, weight, *drop)]
        if not features:
            raise ValueError(f"{reader.name} has no column besides those of the class and the weights.")
        self._rules = RowRules.of(settings, features, target, weight)
        self._read(sample_rows)
        if self._rules.complete and not self._rules.marks:
            self._drop_marks(sample_rows)
        if not settings.many_classes:
            refuse_wrong_target(self.target.states, self._look.rows, target)

    def _read(self, sample_rows: int) -> None:
        """Look at all rows once, and settle the class."""
        self._sample = RawSample(sample_rows)
        self._marked: dict[str, str] = {}  # columns with marks of missing values
        self._look = self._first_pass()
        self._refuse_nothing()
        named = target_name(pl.Series(self._rules.target, [], dtype=pl.String), self.features)
        self.target, self.classes, self._order = self._look.labels.settled(named, self._look.class_rows)

    def _drop_marks(self, sample_rows: int) -> None:
        """Where rows with gaps are left out and columns have marks of such, look again without these rows."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is left is warned of later
            marks = tuple(variable.marks for variable in self.schema.columns)
        for name in ("schema", "_codes", "_factors"):
            self.__dict__.pop(name, None)
        self._marked = {}
        if any(marks):
            self._rules = replace(self._rules, marks=marks)
            self._read(sample_rows)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that are learned from."""
        return self._rules.features

    @property
    def n_rows(self) -> int:
        """Rows with a class, and a weight above zero."""
        return self._look.rows

    @property
    def sample(self) -> pl.DataFrame:
        """All rows, or the sample."""
        return self._sample.frame()

    @property
    def is_whole(self) -> bool:
        """Whether the sample holds all rows."""
        return self._sample.is_whole

    def whole(self) -> tuple[pl.DataFrame, pl.Series, Weights]:
        """Return the rows of the sample, where it has all columns: the features, the class and the weights."""
        rules, sample = self._rules, self.sample
        weights = None if rules.weight is None else row_weights(sample[rules.weight])
        return sample.select(rules.features), sample[rules.target], weights

    @abstractmethod
    def _first_pass(self) -> FirstLook:
        """Look at all rows once, and draw the sample."""

    @abstractmethod
    def source(self) -> PassSource:
        """Return the rows as a source of counts."""

    def _refuse_nothing(self) -> None:
        """Refuse data without a row that counts; say how many rows have no class."""
        look, name = self._look, self._reader.name
        if look.without_class:
            if look.without_class == look.read:
                raise ValueError(f"None of the {look.read:,} rows has a class in '{self._rules.target}'.")
            warn_of_left_out(look.without_class, look.read)
        if not look.read:
            raise ValueError(f"{name} has columns but no rows.")
        if not look.rows:
            raise ValueError(f"{name} has no rows that count: all lack the class, a value or a weight.")
        if self._rules.weight is not None:
            weight = f"The column '{self._rules.weight}'"
            refuse_wide_weights(weight, look.smallest_weight, look.largest_weight)
            refuse_uncountable(weight, float(look.class_weights.sum()))

    @cached_property
    def _factors(self) -> NDArray[np.float64] | None:
        """What the weight of a row is multiplied by, for each class, so that their sum stays what it was."""
        given = self._settings.class_weight
        if given is None:
            return None
        used = np.flatnonzero(self._order >= 0)
        numbers = used[self._order[used].argsort()]  # of the classes in the order of the labels
        rows, weights = self._look.class_rows[numbers], self._look.class_weights[numbers]
        if isinstance(given, str) and given == "balanced":
            factors = np.asarray(rows.sum() / (len(rows) * rows))
        else:
            factors = class_weights(given, self.classes, np.arange(len(rows)))
        return np.asarray(factors * (weights.sum() / (factors * weights).sum()))

    @cached_property
    def _codes(self) -> ClassCodes:
        return ClassCodes(self._order, self._factors)

    @cached_property
    def schema(self) -> Schema:
        """How the columns are read."""
        found: dict[int, list[Variable]] = {}
        numbers = [
            j
            for j in range(len(self.features))
            if j not in self._look.counts and self._rules.types[j] != "identifier"
        ]
        identifiers = {j for j in numbers if j in self._look.numbering and self._numbers_rows(j)}
        found.update(self._number_variables([j for j in numbers if j not in identifiers]))
        for j, counts in self._look.counts.items():
            if (
                self._settings.identifiers == "drop"
                and self._rules.types[j] is None
                and (counts.names_rows or counts.holds_texts)
            ):
                identifiers.add(j)
            else:
                found[j] = self._label_variables(j, counts)
        if self._marked:
            warn(mark_warning(self._marked))
        if identifiers:
            texts = [
                j for j in sorted(identifiers) if j in self._look.counts and self._look.counts[j].holds_texts
            ]
            others = [self.features[j] for j in sorted(identifiers.difference(texts))]
            warn(identifier_warning(others, [self.features[j] for j in texts]))
        else:
            texts = []
        columns = [
            found[j][0] if j in found else identifier_variable(name, FREE_TEXT if j in texts else LEFT_OUT)
            for j, name in enumerate(self.features)
        ]
        if all(variable.dtype == "identifier" for learned in found.values() for variable in learned):
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
        names = [self.features[j] for j in chosen]
        discretizer = self._settings.used_discretizer
        if isinstance(discretizer, Cuts):
            given = discretizer.cuts or {}
            # Texts may be numbers: whoever gives cut points for them says so.
            numbers = [
                name for j, name in enumerate(self.features) if j not in self._look.counts or name in given
            ]
            discretizer.check_names(numbers)
            discretizer = Cuts({key: given[key] for key in names if key in given}, discretizer.others)
        reader = replace(self._settings, discretizer=discretizer, identifiers="keep")
        types, categorical = [self._rules.types[j] for j in chosen], self._rules.categorical[list(chosen)]
        with warnings.catch_warnings(record=True) as warned:
            # Of columns without a value: how many rows there are is not known there.
            warnings.simplefilter("always")
            table = reader.learn_columns(columns, target, self.target, names, types, categorical, weights)
        for each in warned:
            if isinstance(each.message, MissingMarkWarning):
                self._marked |= each.message.found
        return table.variables[:-1]

    def _number_variables(self, chosen: Sequence[int]) -> dict[int, list[Variable]]:
        """Learn columns of numbers, dates and times from the sample."""
        if not chosen:
            return {}
        sample = self.sample
        weights = None if self._rules.weight is None else row_weights(sample[self._rules.weight])
        target, weights = self._codes.of(self._look.labels.codes(sample[self._rules.target]), weights)
        learned = self._learn(sample.select([self.features[j] for j in chosen]), chosen, target, weights)
        found: dict[int, list[Variable]] = {}
        for j, variable in zip(chosen, learned, strict=False):
            if self._look.missing[j] == self.n_rows:
                warn_of_empty(variable.name, self.n_rows)
            marked = np.isin(
                sample[variable.name].to_numpy(), [x for x in variable.marks if not isinstance(x, str)]
            )
            n_missing = int(self._look.missing[j]) + round(float(marked.mean()) * self.n_rows)
            found[j] = [
                replace(variable, n_missing=n_missing),
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
        codes, factored = self._codes.of(target, weights)
        if column.is_empty:
            warn_of_empty(counts.name, self.n_rows)
        variable, *parts = self._learn(ReadColumns([column], weights), [j], codes, factored)
        is_mark = np.isin(column.codes, [k for k, x in enumerate(column.levels) if x in variable.marks])
        return [replace(variable, n_missing=counts.missing + round(weights[is_mark].sum())), *parts]

    def _encoder(self, n_jobs: int | None) -> RowEncoder:
        return RowEncoder(self._rules, self._look.labels, self._codes, self.schema, n_jobs)


class BatchStream(Stream):
    """The rows of a source that is read in batches."""

    _reader: BatchReader
    _passes = 0

    def _first_pass(self) -> FirstLook:
        """Look at all rows once, and draw the sample."""
        self._mark = self._reader.mark()
        look = FirstLook(self._rules)
        for frame in self._frames("Reading"):
            rows = look.add(frame)
            whole = self.is_whole
            self._sample.add(rows)
            # Labels are counted: only numbers are asked for.
            if whole and not (self.is_whole or self._whole_rows):
                self._sample.keep([name for name in rows.columns if not look.is_counted(name)])
        return look

    def _frames(self, what: str) -> Iterator[pl.DataFrame]:
        """Read the rows once."""
        self._passes += 1
        read = 0
        with Steps(f"{what} (pass {self._passes})", self._reader.n_rows, patience=1.0) as progress:
            for frame in self._reader.read(self._rules.columns):
                read += frame.height
                yield frame
                progress.reach(read)
        if self._passes > 1:
            refuse_other_rows(self._reader.name, self._look.read, read)
        if self._reader.mark() != self._mark:
            raise ChangedDataError(
                f"{self._reader.name} was written to while it was read: learn from a copy, or while nothing writes "
                "to it."
            )

    def source(self) -> BatchSource:
        """Return the rows as a source of counts."""
        encoder = self._encoder(self._settings.n_jobs)

        def tables() -> Iterator[Table]:
            for frame in self._frames("Counting"):
                table = encoder.table(frame)
                if table is not None:
                    yield table

        return BatchSource(
            self.schema.variables,
            tables,
            len(self.schema.features),
            weighted=encoder.weighted,
            n_jobs=self._settings.n_jobs,
        )


def open_stream(
    settings: TableReader,
    source: Any,
    target: str,
    *,
    weight: str | None = None,
    drop: Sequence[str] = (),
    sample_rows: int = SAMPLE_ROWS,
    whole_rows: bool = False,
    batch_rows: int = BATCH_ROWS,
    **how: Any,
) -> Stream:
    """Open a source and read it once: see `Stream`, and `open_source` for ``how`` text files are read."""
    asked: dict[str, Any] = {
        "weight": weight,
        "drop": drop,
        "sample_rows": sample_rows,
        "whole_rows": whole_rows,
    }
    from .spark_stream import SparkRows, SparkStream, is_spark  # its stream derives from Stream

    if is_spark(source):
        source = SparkRows(source)
    if isinstance(source, SparkRows):
        refuse_reading(how, "A Spark DataFrame")
        return SparkStream(settings, source, target, **asked)
    with (
        warnings.catch_warnings()
    ):  # the class is categorical in any case, and columns left out do not matter
        for name in (target, *drop):
            about = re.escape(f"Column '{name}' of ")
            warnings.filterwarnings("ignore", message=about, category=MixedColumnWarning)
        reader = open_source(source, batch_rows, categorical=named_categories(settings), **how)
    return BatchStream(settings, reader, target, **asked)


def named_categories(settings: TableReader) -> list[Any]:
    """Return the columns that settings name as categories: texts of these keep the way they are written."""
    given, types = settings.categorical_features, settings.column_types or {}
    listed = [] if isinstance(given, str) else np.atleast_1d(np.asarray(given, dtype=object)).tolist()
    return [*listed, *(name for name, kind in types.items() if kind == "category")]


def refuse_other_rows(name: str, before: int, now: int) -> None:
    """Refuse data of which a later pass finds other rows than the first."""
    if now != before:
        raise ChangedDataError(
            f"{name} changed while it was read: {before:,} rows in the first pass, {now:,} in a later one. Learn "
            "from a copy, or while nothing writes to it."
        )
