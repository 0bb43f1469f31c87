"""Columns that name the rows instead of describing them: identifiers say nothing about new rows, and are left out.

Texts and other categories are identifiers where (nearly) every row has a value of its own. Whole numbers are only
where they number the rows, one after another, or where all differ and the column's name says what they are:
measurements may differ in every row as well. Other numbers never are.
"""

import re
from collections.abc import Sequence
from typing import Literal, Protocol, Self, TypeVar

import numpy as np

from bayleaf._util.words import listing

from .raw_columns import ABSENT, Column, LabelColumn, NumberColumn
from .table import Table
from .variable import Variable

Identifiers = Literal["drop", "keep"]
# Fewer values may differ by chance.
FEWEST_VALUES = 30
# Of more values than these, so large a share of different ones is enough.
MANY_VALUES, OWN_VALUE = 100, 0.9
# Row numbers may have gaps, where rows were left out: of the numbers from the first to the last, one in so many
# occurs. So many different measurements so close to each other are not met by chance.
MOST_STEPS = 10
IDENTIFIER_WORDS = frozenset({"id", "ids", "uid", "uuid", "guid", "rowid", "identifier"})
# Measurements that grow from row to row where a table has a row for each.
ORDER_WORDS = frozenset(
    {"year", "quarter", "month", "week", "day", "date", "hour", "minute", "second", "time", "age", "rank"}
)
MOST_NAMES = 5
# What the one state of a column that is left out is called.
LEFT_OUT = "(identifier)"


class IdentifierWarning(UserWarning):
    """Columns of the training data look like identifiers, and are left out: those in ``columns``.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", IdentifierWarning)
    ...     # fit here
    """

    def __init__(self, message: str, columns: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.columns = list(columns)


def identifier_variable(name: str) -> Variable:
    """Return the variable that stands for a column that is left out: whatever it holds, it says nothing.

    Examples
    --------
    >>> identifier_variable("patient").dtype
    'identifier'
    """
    return Variable(name, (LEFT_OUT,), None, "identifier")


def is_identifier(column: Column, name: str) -> bool:
    """Tell whether the values of a column name its rows.

    Examples
    --------
    >>> is_identifier(NumberColumn("x", np.arange(1000, 1200), "integer"), "x")
    True
    >>> rng = np.random.default_rng(0)
    >>> is_identifier(NumberColumn("x", rng.permutation(200), "integer"), "x")
    False
    >>> is_identifier(NumberColumn("x", rng.permutation(200), "integer"), "PassengerId")
    True
    """
    if isinstance(column, NumberColumn):
        return column.dtype == "integer" and _numbers_rows(column, name)
    if len(column.levels) < FEWEST_VALUES:
        return False
    return _own_values(column)


def _own_values(column: LabelColumn) -> bool:
    known = column.codes[column.codes != ABSENT]
    # Levels may be declared and not occur.
    different = int(np.count_nonzero(np.bincount(known, minlength=1)))
    return nearly_all(different, len(known))


def nearly_all(different: float, values: int) -> bool:
    """Tell whether so many different ones among values mean that (nearly) every value is its own.

    Examples
    --------
    >>> nearly_all(150, 160), nearly_all(150, 300), nearly_all(29, 29)
    (True, False, False)
    """
    if different < FEWEST_VALUES:
        return False
    return different == values or (different > MANY_VALUES and different >= OWN_VALUE * values)


def _numbers_rows(column: NumberColumn, name: str) -> bool:
    values, named = column.values, is_named(name)
    grows = len(values) > 1 and bool(values[0] < values[1])  # most columns are known by their first values
    if len(values) < FEWEST_VALUES or not (grows or named):
        return False
    known = values[~column.missing].astype(np.int64)
    if len(known) < FEWEST_VALUES:
        return False
    if named:
        return len(np.unique(known)) == len(known)
    steps = np.diff(known)
    if not (steps > 0).all() or _has_word(name, ORDER_WORDS):
        return False
    return (int(known[-1]) - int(known[0])) // int(np.gcd.reduce(steps)) < MOST_STEPS * len(known)


def is_named(name: str) -> bool:
    """Tell whether a column's name says that it holds identifiers.

    Examples
    --------
    >>> is_named("PassengerId"), is_named("grid")
    (True, False)
    """
    return _has_word(name, IDENTIFIER_WORDS)


def _has_word(name: str, words: frozenset[str]) -> bool:
    """Tell whether a column's name has one of some words in it.

    Examples
    --------
    >>> [_has_word(name, IDENTIFIER_WORDS) for name in ("id", "PassengerId", "customer_id", "acid", "paid", "grid")]
    [True, True, True, False, False, False]
    """
    return not words.isdisjoint(each.lower() for each in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name))


class _Selectable(Protocol):
    @property
    def variables(self) -> tuple[Variable, ...]: ...

    def select(self, columns: Sequence[int]) -> Self: ...


_Columns = TypeVar("_Columns", bound=_Selectable)


def without_identifiers(table: _Columns) -> _Columns:
    """Return the table of training rows (or another source of counts) without the columns that are left out.

    Examples
    --------
    >>> variables = (identifier_variable("id"), Variable("x", ("a", "b")), Variable("class", ("no", "yes")))
    >>> without_identifiers(Table.from_codes(variables, [[0, 0, 1], [0, 1, 0]], target=2)).names
    ('x', 'class')
    """
    used = [j for j, variable in enumerate(table.variables) if variable.dtype != "identifier"]
    return table if len(used) == len(table.variables) else table.select(used)


def identifiers(table: Table) -> list[str]:
    """Return the features of a table whose categories look like names of the rows.

    Examples
    --------
    >>> from bayleaf.data import categorical_table
    >>> import polars as pl
    >>> rows = pl.DataFrame({"patient": [f"patient {k}" for k in range(150)], "sex": ["f", "m", "m"] * 50})
    >>> identifiers(categorical_table(rows))
    ['patient']
    """
    return [table.names[j] for j in table.features if _names_rows(table, j)]


def _names_rows(table: Table, column: int) -> bool:
    variable = table.variables[column]
    if variable.kind != "categorical" or variable.arity < FEWEST_VALUES:
        return False
    codes = table.codes[:, column]
    counts = np.bincount(codes[codes != table.missing_code], minlength=1)
    return nearly_all(int(np.count_nonzero(counts)), int(counts.sum()))


def identifier_warning(found: Sequence[str]) -> IdentifierWarning:
    """Return the warning that names the columns that are left out.

    Examples
    --------
    >>> print(identifier_warning(["id"]))
    Column 'id' is left out: it looks like an identifier, which says nothing about new rows (identifiers='keep' ...).
    """
    names = listing([f"'{name}'" for name in found], most=MOST_NAMES)
    if len(found) == 1:
        text = (
            f"Column {names} is left out: it looks like an identifier, which says nothing about new rows "
            "(identifiers='keep' keeps it)."
        )
    else:
        text = (
            f"Columns {names} are left out: they look like identifiers, which say nothing about new rows "
            "(identifiers='keep' keeps them)."
        )
    return IdentifierWarning(text, found)
