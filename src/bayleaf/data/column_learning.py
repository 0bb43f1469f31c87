"""How fit learns one column: what it holds, its states, and the codes of its rows.

A missing value has a state of its own where that it is missing tells about the class.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from .categories import RareValues, as_labels, learn_categorical
from .columns import Column, Columns, LabelColumn, NumberColumn
from .date_columns import as_dates, dates_of_texts, learn_parts, settled
from .dates import MOMENTS
from .discretize import Cuts
from .discretize.discretizer import Discretizer
from .discretize.rows import TrainingRows
from .identifier_columns import identifier_variable, is_identifier
from .number_text import TextNumbers
from .numbers import as_numbers, learn_numbers, refuse_infinite, text_as_numbers
from .packing import SignedCodes
from .variable import Variable

# What learning a schema does about missing values; rows that are dropped for theirs do not come here.
Gaps = Literal["auto", "available", "state", "impute"]
MOST_STATES = 65535


def gap_tells(absent: NDArray[np.bool_], rows: TrainingRows) -> bool:
    """Tell whether gaps in a column say something about the class: 2 N I(gap; C) > (r - 1) ln N, as BIC asks.

    N is the weight of all rows, r the number of classes.

    Examples
    --------
    >>> rows = TrainingRows(np.repeat([0, 1], 50))
    >>> gap_tells(np.arange(100) < 10, rows), gap_tells(np.arange(100) % 10 == 0, rows)
    (True, False)
    """
    assert rows.target is not None
    totals, weights = rows.class_weights, rows.weights
    gaps = np.bincount(
        rows.target[absent], None if weights is None else weights[absent], minlength=len(totals)
    )
    return gap_counts_tell(gaps, totals)


def gap_counts_tell(gaps: NDArray[Any], totals: NDArray[Any]) -> bool:
    """Tell the same from the rows of each class that have a gap, and from all its rows.

    Examples
    --------
    >>> gap_counts_tell(np.array([10.0, 0.0]), np.array([50.0, 50.0]))
    True
    """
    counts = np.stack([gaps, totals - gaps])
    share = counts.sum(axis=1, keepdims=True) / totals.sum()
    expected = share * totals
    information = xlogy(counts, np.divide(counts, expected, where=expected > 0, out=np.ones_like(expected)))
    classes = np.count_nonzero(totals)
    return bool(2 * information.sum() > (classes - 1) * np.log(totals.sum()))


def settle_gaps(
    variable: Variable, codes: NDArray[np.integer[Any]], gaps: Gaps, rows: TrainingRows
) -> tuple[Variable, NDArray[np.integer[Any]]]:
    """Give the gaps of a column a state of their own if that is asked for, or if they tell about the class.

    Parameters
    ----------
    variable : Variable
        With the number of its missing values.
    codes : ndarray of int
        Of a signed type with -1 for missing, or of an unsigned one with its greatest number.
    gaps : str
    rows : TrainingRows

    Examples
    --------
    >>> rows = TrainingRows(np.array([0, 0, 0, 1, 1, 1]))
    >>> x = Variable("x", ("a", "b"), n_missing=2)
    >>> variable, codes = settle_gaps(x, np.array([0, 1, 0, -1, -1, 0]), "auto", rows)
    >>> variable.states, codes.tolist()
    (('a', 'b', '(missing)'), [0, 1, 0, 2, 2, 0])
    """
    if gaps not in ("auto", "state") or not variable.n_missing or variable.arity == MOST_STATES:
        return variable, codes
    kind = codes.dtype
    absent = codes == (np.iinfo(kind).max if kind.kind == "u" else -1)
    if gaps == "auto" and not gap_tells(absent, rows):
        return variable, codes
    with_gap = variable.with_gap()
    return with_gap, np.where(absent, with_gap.arity - 1, codes.astype(np.int32, copy=False))


@dataclass(frozen=True)
class LearnedColumn:
    """What was learned from a column, with the codes of its rows and the features made from it."""

    variable: Variable
    codes: NDArray[np.integer[Any]]
    is_empty: bool = False
    parts: Sequence[tuple[Variable, SignedCodes]] = ()


@dataclass
class ColumnLearner:
    """Learns the columns of a table one by one; several threads may ask at once.

    Attributes
    ----------
    columns : Columns
    names : sequence of str
    keys : sequence of str or int
        What the discretiser knows the columns by.
    types : ndarray of object
        What the columns are said to be, or None.
    categorical : ndarray of bool
        Columns to take as categories.
    rows : TrainingRows
        Classes and weights.
    discretizer : discretiser
    missing, rare, auto
        As in `learn_schema`.
    """

    columns: Columns
    names: Sequence[str]
    keys: Sequence[str | int]
    types: NDArray[np.object_]
    categorical: NDArray[np.bool_]
    rows: TrainingRows
    discretizer: Discretizer
    missing: Gaps
    rare: RareValues
    auto: bool
    n_rows: int
    given_cuts: Collection[Any] = field(init=False, default=())

    def __post_init__(self) -> None:
        if isinstance(
            self.discretizer, Cuts
        ):  # no other knows columns by name, and reading all of them takes time
            numeric = [self.holds_numbers(j) and not self.categorical[j] for j in range(len(self.columns))]
            self.discretizer.check_names([self.keys[j] for j in np.flatnonzero(numeric).tolist()])
            self.given_cuts = self.discretizer.cuts or ()

    def holds_numbers(self, j: int) -> bool:
        """Tell whether a column is read as numbers."""
        return isinstance(self._read(j)[0], NumberColumn)

    def learn(self, j: int, drops_identifiers: bool) -> LearnedColumn:
        """Learn a column; one that is, or looks like, an identifier gets a single state."""
        column, text = self._read(j)
        name, said = self.names[j], self.types[j]
        if self.categorical[j]:
            refuse_infinite(column, name)
            column = as_labels(column)
        if said == "identifier" or (drops_identifiers and said is None and is_identifier(column, name)):
            return LearnedColumn(identifier_variable(name), np.zeros(self.n_rows, dtype=np.int8))
        if isinstance(column, NumberColumn):
            learned = self._learn_numbers(j, settled(column, name))
        else:
            learned = self._learn_categories(name, column)
        note = "; ".join(filter(None, (text.note, learned.variable.note)))
        variable, codes = replace(learned.variable, reading=text.reading, note=note), learned.codes
        if not learned.is_empty:
            variable, codes = settle_gaps(variable, codes, self.missing, self.rows)
        return replace(learned, variable=variable, codes=codes)

    def _read(self, j: int) -> tuple[Column, TextNumbers]:
        """Return a column as what it is said to hold, or as what its values look like."""
        column, said = self.columns[j], self.types[j]
        if said == "number":
            return as_numbers(column, self.names[j])
        if said == "date":
            column, note = as_dates(column, self.names[j])
            return column, TextNumbers(note=note)
        if not self.auto or said is not None or self.categorical[j]:
            return column, TextNumbers()
        column, text = text_as_numbers(column, self.rows.weights)
        if isinstance(column, LabelColumn):
            column, note = dates_of_texts(column)
            text = TextNumbers(note=note) if note else text
        return column, text

    def _learn_numbers(self, j: int, column: NumberColumn) -> LearnedColumn:
        impute = self.missing == "impute"
        whole = self.auto and self.types[j] is None and self.keys[j] not in self.given_cuts
        variable, codes, is_empty = learn_numbers(
            column, self.names[j], self.keys[j], self.discretizer, self.rows, impute, whole
        )
        if column.dtype not in MOMENTS:
            return LearnedColumn(variable, codes, is_empty)
        variable = replace(variable, zone=column.zone, spelling=column.spelling)
        return LearnedColumn(
            variable, codes, is_empty, list(learn_parts(column, variable, self.rows, impute))
        )

    def _learn_categories(self, name: str, column: LabelColumn) -> LearnedColumn:
        weights = self.rows.weights
        ones_or_weights = (
            np.broadcast_to(1.0, self.n_rows) if weights is None else weights
        )  # ones take no memory
        variable, codes = learn_categorical(
            column, name, ones_or_weights, self.missing == "impute", self.rare
        )
        return LearnedColumn(variable, codes, column.is_empty)
