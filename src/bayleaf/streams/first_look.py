"""What the first pass learns of the columns: how often each label occurs in each class, gaps, numbered rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf.data.categories import as_labels, is_identifier, nearly_all
from bayleaf.data.columns import Columns
from bayleaf.data.raw_columns import ABSENT, LabelColumn, NumberColumn
from bayleaf.data.text_words import are_free_texts
from bayleaf.data.variable import State

from .row_rules import MOST_CLASSES, ClassLabels, LabelledBatch, RowRules

# Of a column with more different values than this only their number is kept, roughly.
MOST_LEVELS = 2**18
# Hashes that the number of different values is estimated from: to within one percent, mostly.
KEPT_HASHES = 2**14


@dataclass
class DistinctEstimate:
    """About how many different values there are: from the smallest of their hashes.

    Hashes are spread evenly, so if the k-th smallest of all lies at the share p of their range, there are about
    (k - 1) / p different ones.

    References
    ----------
    Z. Bar-Yossef, T. S. Jayram, R. Kumar, D. Sivakumar and L. Trevisan. Counting distinct elements in a data stream.
    RANDOM 2002.

    Examples
    --------
    >>> estimate = DistinctEstimate()
    >>> for start in (0, 60_000):
    ...     estimate.add([f"value {k}" for k in range(start, start + 100_000)])
    >>> abs(estimate.number / 160_000 - 1) < 0.05
    True
    """

    smallest: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, dtype=np.uint64))

    def add(self, values: Sequence[State]) -> None:
        """Add some values, new ones or not."""
        hashes = pl.Series([str(value) for value in values], dtype=pl.String).hash(0).to_numpy()
        self.smallest = np.unique(np.concatenate([self.smallest, hashes]))[:KEPT_HASHES]

    def merge(self, other: DistinctEstimate) -> None:
        """Add the values of another estimate."""
        self.smallest = np.unique(np.concatenate([self.smallest, other.smallest]))[:KEPT_HASHES]

    @property
    def number(self) -> float:
        """About how many there are; exact where there are few."""
        if len(self.smallest) < KEPT_HASHES:
            return float(len(self.smallest))
        return (KEPT_HASHES - 1) / (float(self.smallest[-1]) / 2.0**64)


class LabelCounts:
    """The different values of a column of labels, with the number (or weight) of the rows of each class."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.known = self.missing = 0
        self._like: LabelColumn | None = None
        self._number: dict[State, int] = {}
        self._counts: NDArray[np.float64] = np.zeros((1, 1))  # the last line is for missing values
        self._many: DistinctEstimate | None = None

    @property
    def different(self) -> float:
        """How many different values there are, about."""
        if self._many is not None:
            return self._many.number
        return float(np.count_nonzero(self._counts[:-1].any(axis=1)))  # others are only declared

    @property
    def is_whole(self) -> bool:
        """Whether the values are whole numbers that doubles would not keep apart."""
        return self._like is not None and self._like.is_whole

    @property
    def too_many(self) -> bool:
        """Whether there are more different values than can be kept."""
        return self._many is not None

    @property
    def names_rows(self) -> bool:
        """Whether the values are identifiers: (nearly) every row has one of its own."""
        return nearly_all(round(self.different), self.known)

    @property
    def holds_texts(self) -> bool:
        """Whether the values are texts of several words, most of them in few rows."""
        is_text = self._like is not None and self._like.is_text and self._like.declared is None
        return is_text and are_free_texts(list(self._number), self.known)

    def add(
        self, column: LabelColumn, target: NDArray[np.int64], weights: NDArray[np.float64] | None
    ) -> None:
        """Count the values of a batch."""
        self._expect(column)
        absent = int(np.count_nonzero(column.codes == ABSENT))
        self.missing += absent
        self.known += len(column.codes) - absent
        if self._many is None:
            self._count(column, target, weights)
        elif column.levels:
            self._many.add(column.levels)

    def merge(self, later: LabelCounts, classes: Sequence[int]) -> None:
        """Add the counts of rows that come after these, with the number here of each class there."""
        assert later._like is not None
        self._expect(later._like)
        self.missing += later.missing
        self.known += later.known
        if self._many is None and later._many is None:
            found = np.zeros((len(later._counts), max(classes, default=0) + 1))
            found[:, classes[: later._counts.shape[1]]] = later._counts[:, : len(classes)]
            self._include(list(later._number), found)
        else:
            self._estimate().merge(later._estimate())

    def _expect(self, column: LabelColumn) -> None:
        """Refuse a column of another type than those before."""
        if self._like is None or not self._like.levels:
            self._like = replace(column, codes=column.codes[:0])
        elif column.levels and column.dtype != self._like.dtype:
            raise ValueError(
                f"Column '{self.name}' holds {self._like.dtype} values in its first rows and {column.dtype} values "
                "later: store it as one type."
            )

    def _count(
        self, column: LabelColumn, target: NDArray[np.int64], weights: NDArray[np.float64] | None
    ) -> None:
        classes, levels = int(target.max(initial=0)) + 1, len(column.levels)
        lines = np.where(column.codes == ABSENT, levels, column.codes).astype(np.int64)
        found = np.bincount(lines * classes + target, weights, minlength=(levels + 1) * classes)
        self._include(column.levels, found.reshape(levels + 1, classes).astype(np.float64))

    def _include(self, levels: Sequence[State], found: NDArray[np.float64]) -> None:
        """Add counts of levels, missing values in the last line, by class."""
        for level in levels:
            self._number.setdefault(level, len(self._number))
        if len(self._number) > MOST_LEVELS:
            self._estimate()
            return
        before, classes = self._counts.shape
        grown = np.zeros((len(self._number) + 1, max(classes, found.shape[1])))
        grown[: before - 1, :classes] = self._counts[:-1]
        grown[-1, :classes] = self._counts[-1]
        grown[[*(self._number[level] for level in levels), -1], : found.shape[1]] += found
        self._counts = grown

    def _estimate(self) -> DistinctEstimate:
        """Keep only about how many different values there are."""
        if self._many is None:
            self._many = DistinctEstimate()
            self._many.add(list(self._number))
            self._number, self._counts = {}, np.zeros((1, 1))
        return self._many

    def as_rows(self, n_classes: int) -> tuple[LabelColumn, NDArray[np.int64], NDArray[np.float64]]:
        """Return a column with one row for each value and class that occur together, their classes and weights."""
        assert self._like is not None
        counts = np.zeros((len(self._counts), n_classes))
        counts[:, : self._counts.shape[1]] = self._counts
        lines, classes = np.nonzero(counts)
        codes = np.where(lines == len(counts) - 1, ABSENT, lines)
        column = replace(self._like, levels=list(self._number), codes=codes)
        return column, classes, counts[lines, classes]


class FirstLook:
    """What was seen of the columns so far. What was seen of later rows elsewhere can be merged."""

    def __init__(self, rules: RowRules) -> None:
        self.rules = rules
        self.labels = ClassLabels(rules.target)
        self.counts: dict[int, LabelCounts] = {}  # of features that hold labels
        # Rows in which each number is missing, and features whose first rows look as if numbered.
        self.missing: NDArray[np.int64] = np.zeros(len(rules.features), dtype=np.int64)
        self.numbering: set[int] = set()
        self.class_rows, self.class_weights = np.zeros((2, MOST_CLASSES))  # by number among the labels
        self.smallest_weight, self.largest_weight = np.inf, 0.0
        self.read = self.rows = self.without_class = 0  # of the rows that are read, only some count

    def add(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Look at a batch; return those of its rows that count."""
        batch = self.rules.labelled(frame, self.labels, grow=True)
        columns = Columns(batch.frame.select(self.rules.features))
        for j in range(len(self.rules.features)):
            column = columns[j] if batch.frame.height else None
            if column is not None:
                self._look(j, column, batch)
        self.read += frame.height
        self.rows += batch.frame.height
        self.without_class += batch.without_class
        self.class_rows += np.bincount(batch.target, minlength=MOST_CLASSES)
        self.class_weights += np.bincount(batch.target, batch.weights, minlength=MOST_CLASSES)
        if batch.weights is not None and len(batch.weights):
            self.smallest_weight = min(self.smallest_weight, float(batch.weights.min()))
            self.largest_weight = max(self.largest_weight, float(batch.weights.max()))
        return batch.frame

    def _look(self, j: int, column: LabelColumn | NumberColumn, batch: LabelledBatch) -> None:
        name, kind = self.rules.features[j], self.rules.types[j]
        if kind == "identifier":
            return
        if isinstance(column, NumberColumn):
            may_number = self.rules.identifiers and kind is None and self.rows == 0
            if may_number and is_identifier(column, name):
                self.numbering.add(j)
            if column.values.dtype.kind == "f":
                self.missing[j] += int(np.count_nonzero(column.missing))
            whole = column.dtype == "integer" and j in self.counts and self.counts[j].is_whole
            if not self.rules.categorical[j] and not whole:
                if j in self.counts:
                    raise ValueError(
                        f"Column '{name}' holds texts in its first rows and numbers later: store it as one type."
                    )
                return
            column = as_labels(column)
        elif self.rows and j not in self.counts:
            if column.is_whole:
                raise ValueError(
                    f"Column '{name}' has whole numbers beyond 2^53, which doubles do not keep apart, only in later "
                    "rows: say in column_types whether it is a category, a number or an identifier."
                )
            raise ValueError(
                f"Column '{name}' holds numbers in its first rows and texts later: store it as one type."
            )
        self.counts.setdefault(j, LabelCounts(name)).add(column, batch.target, batch.weights)

    def merge(self, later: FirstLook) -> None:
        """Add what was seen of rows that come after these."""
        if self.rows == 0:
            self.numbering = later.numbering
        classes = self.labels.merge(later.labels)
        for j, counts in later.counts.items():
            self.counts.setdefault(j, LabelCounts(self.rules.features[j])).merge(counts, classes)
        self.missing = self.missing + later.missing
        self.class_rows[classes] += later.class_rows[: len(classes)]
        self.smallest_weight = min(self.smallest_weight, later.smallest_weight)
        self.largest_weight = max(self.largest_weight, later.largest_weight)
        self.class_weights[classes] += later.class_weights[: len(classes)]
        self.read += later.read
        self.rows += later.rows
        self.without_class += later.without_class

    def is_counted(self, name: str) -> bool:
        """Tell whether a column is a feature that holds labels: all its values are counted."""
        features = self.rules.features
        return name in features and features.index(name) in self.counts
