"""What the first pass learns of the columns: values of labels by class, gaps, and columns that number the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import polars as pl
from bayleaf.data.categories import as_labels
from bayleaf.data.column_values import LabelColumn, NumberColumn
from bayleaf.data.columns import Columns
from bayleaf.data.identifier_columns import is_identifier

from .class_labels import MOST_CLASSES, ClassLabels
from .label_counts import LabelCounts
from .row_rules import Labelled, RowRules


class FirstLook:
    """What was seen of the columns so far. What was seen of later rows elsewhere can be merged.

    Parameters
    ----------
    rules : RowRules

    Attributes
    ----------
    read : int
        Rows that were read.
    rows : int
        Rows that count.
    without_class : int
        Rows without a class, which do not.
    labels : ClassLabels
    counts : dict
        Of each feature that holds labels, by its number.
    missing : ndarray of int
        Rows in which each number is missing.
    numbering : set of int
        Features whose first rows look as if numbered.
    class_rows, class_weights : ndarray
        Of each class, by its number among the labels.

    Examples
    --------
    >>> rules = RowRules(("x",), "y", None, (None,), np.zeros(1, dtype=bool), True, False)
    >>> first, later = FirstLook(rules), FirstLook(rules)
    >>> _ = first.add(pl.DataFrame({"x": ["a", "b"], "y": ["no", "yes"]}))
    >>> _ = later.add(pl.DataFrame({"x": ["c", "b"], "y": ["yes", None]}))
    >>> first.merge(later)
    >>> first.rows, first.class_rows[:2], first.counts[0].different
    (3, array([1., 2.]), 3.0)
    """

    def __init__(self, rules: RowRules) -> None:
        self.rules = rules
        self.labels = ClassLabels(rules.target)
        self.counts: dict[int, LabelCounts] = {}
        self.missing: NDArray[np.int64] = np.zeros(len(rules.features), dtype=np.int64)
        self.numbering: set[int] = set()
        self.class_rows, self.class_weights = np.zeros((2, MOST_CLASSES))
        self.read = self.rows = self.without_class = 0

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
        return batch.frame

    def _look(self, j: int, column: LabelColumn | NumberColumn, batch: Labelled) -> None:
        name, kind = self.rules.features[j], self.rules.types[j]
        if kind == "identifier":
            return
        if isinstance(column, NumberColumn):
            may_number = self.rules.identifiers and kind is None and self.rows == 0
            if may_number and is_identifier(column, name):
                self.numbering.add(j)
            if column.values.dtype.kind == "f":
                self.missing[j] += int(np.count_nonzero(column.missing))
            if not self.rules.categorical[j]:
                if j in self.counts:
                    raise ValueError(
                        f"Column '{name}' holds texts in its first rows and numbers later: store it as one type."
                    )
                return
            column = as_labels(column)
        elif self.rows and j not in self.counts:
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
        self.class_weights[classes] += later.class_weights[: len(classes)]
        self.read += later.read
        self.rows += later.rows
        self.without_class += later.without_class

    def is_counted(self, name: str) -> bool:
        """Tell whether a column is a feature that holds labels: all its values are counted."""
        features = self.rules.features
        return name in features and features.index(name) in self.counts
