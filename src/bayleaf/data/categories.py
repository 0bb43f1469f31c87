"""Columns of categories: their states and codes, those that only name the rows, and what new rows call a category.

Rare categories may be pooled into one state, which also receives values that fit has not seen.

Columns that name the rows instead of describing them are identifiers: they say nothing about new rows, and are left
out. Categories are identifiers where (nearly) every row has a value of its own. Whole numbers, which as measurements
may differ in every row as well, are identifiers only where they number the rows, one after another, or where all
differ and the column's name says what they are. Other numbers never are.

In new rows 1, 1.0 and "1" are one value, where only one of them was seen; so are True, 1 and "true", where there is
nothing else; and texts are numbers where numbers were seen. Where models go on learning, a schema grows by the values
that are new.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import rows_or_share, whole
from bayleaf._util.words import counted, listing, warn

from .columns import Columns
from .dates import MOMENTS, moment_texts
from .discretize import apply_cuts
from .numbers import (
    MAX_STATES,
    are_labels,
    check_states,
    code_numbers,
    moments_for,
    refuse_infinite,
    settled,
    without_marks,
)
from .raw_columns import (
    ABSENT,
    EXACT,
    Column,
    LabelColumn,
    NumberColumn,
    SignedCodes,
    factorised,
    refuse_mixture,
    translate,
)
from .table import OwnCodes, Table, empty_codes, missing_code
from .text_values import read_numbers
from .text_words import FREE_TEXT, is_free_text
from .variable import OTHER, State, Variable


@dataclass(frozen=True)
class RareValues:
    """Which categories are rare, by the settings of scikit-learn's ``OneHotEncoder``.

    Parameters
    ----------
    min_frequency : int or float, optional
        Categories in fewer rows are pooled; a float is a share of the rows that have a value.
    max_categories : int, optional
        The most states that a column may have, at least 2, including the pooled one.
    """

    min_frequency: float | None = None
    max_categories: int | None = None

    def __bool__(self) -> bool:
        return self.min_frequency is not None or self.max_categories is not None

    def pooled(self, totals: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which categories are pooled, given the rows (or weights) of each; among ties, the first stay."""
        least: float = 0 if self.min_frequency is None else self.min_frequency
        if isinstance(self.min_frequency, float):
            least = self.min_frequency * float(totals.sum())
        rare: NDArray[np.bool_] = totals < least
        if self.max_categories is not None and np.count_nonzero(~rare) + rare.any() > self.max_categories:
            order = np.argsort(-np.where(rare, -1.0, totals), kind="stable")
            rare[order[self.max_categories - 1 :]] = True
        return rare


def check_rare_values(owner: Any, min_frequency: Any, max_categories: Any) -> None:
    """Refuse limits that are wrong for any data."""
    rows_or_share(owner, "min_frequency", min_frequency)
    whole(low=2, or_none=True)(owner, "max_categories", max_categories)


NONE_RARE = RareValues()


def as_labels(column: Column) -> LabelColumn:
    """Return a column as labels: dates as texts, integral floats (integers with missing values) as integers."""
    if isinstance(column, LabelColumn):
        return column
    column = settled(column, column.name)
    if column.values.dtype.kind != "f":
        levels, codes = factorised(column.values)
    else:
        missing = column.missing
        present = column.values[~missing]
        levels, numbers = factorised(present.astype(np.int64) if _are_integers(present) else present)
        codes = np.full(len(missing), ABSENT, dtype=numbers.dtype)
        codes[~missing] = numbers
    if column.dtype in MOMENTS:
        texts = moment_texts(levels, column.dtype)
        return LabelColumn(column.name, list(texts), codes, "string", tuple(texts))
    return LabelColumn(column.name, levels, codes, column.dtype)


def _are_integers(values: NDArray[np.float64]) -> bool:
    # Beyond 2**53 not every integer is a float: such values stay what they are.
    return bool((np.abs(values) <= 2**53).all() and (values == np.floor(values)).all())


def learn_categorical(
    column: LabelColumn,
    name: str,
    weights: NDArray[np.float64],
    impute: bool,
    rare: RareValues = NONE_RARE,
) -> tuple[Variable, SignedCodes]:
    """Make a variable of the labels of a column, and its codes (-1 for missing)."""
    states = column.declared if column.declared is not None else tuple(sorted(column.levels))
    states = states or ("?",)  # a column without any value
    variable = _pool(column, name, states, weights, rare) if rare and column.levels else None
    if variable is None:
        check_states(name, len(states), "categories", "an identifier? Drop it, or group its values")
        variable = Variable(name, states, None, column.dtype)
    number: dict[State, int] = {state: k for k, state in enumerate(variable.states)}
    unknown = ABSENT if variable.other is None else variable.other
    codes = translate(column.codes, [number.get(level, unknown) for level in column.levels], variable.arity)
    known = codes != ABSENT
    variable = replace(variable, n_missing=len(codes) - int(np.count_nonzero(known)))
    if impute:
        totals = np.bincount(codes[known], weights[known], minlength=variable.arity)
        fill = int(totals.argmax())
        variable = replace(variable, fill=fill)
        codes = np.where(known, codes, fill)
    return variable, codes


def _pool(
    column: LabelColumn,
    name: str,
    states: tuple[State, ...],
    weights: NDArray[np.float64],
    rare: RareValues,
) -> Variable | None:
    """Make a variable with a state for all rare categories; None if there are none."""
    known = column.codes != ABSENT
    of_levels = np.bincount(column.codes[known], weights[known], minlength=len(column.levels))
    rows = dict(zip(column.levels, of_levels.tolist(), strict=True))
    pooled = rare.pooled(np.array([rows.get(state, 0.0) for state in states]))
    if not pooled.any():
        return None
    kept = tuple(state for state, is_rare in zip(states, pooled.tolist(), strict=True) if not is_rare)
    check_states(name, len(kept) + 1, "categories", "use a larger min_frequency")
    label = _other_label(states)
    note = f"{counted(int(pooled.sum()), 'rare category')} in {label}"
    return Variable(name, (*kept, label), None, column.dtype, other=len(kept), note=note)


def _other_label(states: Sequence[State]) -> str:
    label = OTHER
    while label in states:
        label = f"({label})"
    return label


# Values of one row are taken for new ones where there are so many of them, and so large a share of the rows has one.
FEWEST_SINGLE, SINGLE_SHARE = 10, 0.01


def single_values_as_new(table: Table) -> Table:
    """Return training rows in which a category that no other row has is read as one that fit has not seen.

    Without a row, its category would be new: what the row shows is what rows with new categories are like. Where many
    rows have such a category, as many new rows will have one that is new (Good 1953). So columns of many such get a
    state for other values, which these training rows have, and new categories later. The categories stay states.

    Rows of weight zero are not counted, and a row of weight two is one row. Columns that have a state for other
    values stay as they are.

    References
    ----------
    Good, I. J. (1953). The population frequencies of species and the estimation of population parameters. Biometrika
    40.

    Examples
    --------
    >>> from bayleaf.data import categorical_table
    >>> import polars as pl
    >>> rows = categorical_table(pl.DataFrame({"remark": ["none"] * 20 + [f"case {k}" for k in range(10)]}))
    >>> found = single_values_as_new(rows)
    >>> found.variables[0].states[-2:], found.codes[-2:, 0].tolist()
    (('none', '(other)'), [11, 11])
    """
    counting = table.counting_rows
    variables, single = list(table.variables), {}
    for j in table.features:
        variable = variables[j]
        is_list = variable.cuts is None and variable.source is None and variable.other is None
        if not is_list or not FEWEST_SINGLE <= variable.arity < MAX_STATES:
            continue
        codes = table.codes[counting, j]
        rows = np.bincount(codes[codes != table.missing_code], minlength=variable.arity)
        is_single = (rows == 1) & (np.arange(variable.arity) < len(variable.value_states))
        if np.count_nonzero(is_single) >= max(FEWEST_SINGLE, SINGLE_SHARE * len(counting)):
            variables[j], single[j] = _with_other(variable, int(is_single.sum())), is_single
    if not single:
        return table
    packed = empty_codes(table.n_rows, tuple(variables))
    for j, variable in enumerate(table.variables):
        new = np.arange(variable.arity)
        if j in single:
            new[len(variable.value_states) :] += 1  # the state of missing values comes last
            new[single[j]] = len(variable.value_states)
        of_codes = np.append(new, missing_code(packed.dtype))
        packed[:, j] = of_codes[np.minimum(table.codes[:, j], variable.arity)]
    return replace(table, variables=tuple(variables), codes=packed, own=OwnCodes(table.has_missing))


def _with_other(variable: Variable, single: int) -> Variable:
    """Return a variable with one more state, for other values; ``single`` of its own are those of one row."""
    label, values = _other_label(variable.states), variable.value_states
    note = f"{counted(single, 'category')} of one row learned as {label}"
    return replace(
        variable,
        states=(*values, label, *variable.states[len(values) :]),
        other=len(values),
        fill=variable.arity if variable.gap else variable.fill,
        note="; ".join(filter(None, (variable.note, note))),
    )


Identifiers = Literal["drop", "keep"]
# Fewer values may differ by chance.
FEWEST_VALUES = 30
# Of more values than these, so large a share of different ones is enough.
MANY_VALUES, OWN_VALUE = 100, 0.9
# Of a column whose name says that it is an identifier, this share is worth a note.
OFTEN_OWN, REPEATS = 0.8, "looks like an identifier that repeats"
# Row numbers may have gaps, where rows were left out: of the numbers from the first to the last, one in ten
# occurs. Measurements are not so dense by chance.
MOST_STEPS = 10
IDENTIFIER_WORDS = frozenset({"id", "ids", "uid", "uuid", "guid", "rowid", "identifier"})
# Measurements that grow from row to row where a table has a row for each.
ORDER_WORDS = frozenset(
    {"year", "quarter", "month", "week", "day", "date", "hour", "minute", "second", "time", "age", "rank"}
)
MOST_NAMES = 5
# What the one state of a column that is left out is called; of free text see there.
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


def identifier_warning(found: Sequence[str], texts: Sequence[str] = ()) -> IdentifierWarning:
    """Return the warning that names the columns that are left out, which look like identifiers or hold free text."""
    sentences = []
    if found:
        names = listing([f"'{name}'" for name in found], most=MOST_NAMES)
        if len(found) == 1:
            why = f"Column {names} is left out: it looks like an identifier, which says"
        else:
            why = f"Columns {names} are left out: they look like identifiers, which say"
        them = "it" if len(found) == 1 else "them"
        sentences.append(f"{why} nothing about new rows (identifiers='keep' keeps {them}).")
    if texts:
        names = listing([f"'{name}'" for name in texts], most=MOST_NAMES)
        sentences.append(
            f"Column{'s' * (len(texts) > 1)} {names} {'is' if len(texts) == 1 else 'are'} left out as free text: "
            f"column_types={{{texts[0]!r}: 'text'}} makes features of its telling words."
        )
    return IdentifierWarning(" ".join(sentences), [*found, *texts])


def why_left_out(column: Column, name: str) -> tuple[str, str]:
    """Return what a column is left out as, "" for one that is used, and what there is to note about it then.

    Examples
    --------
    >>> from bayleaf.data import read_columns
    >>> column, = read_columns([[k % 45] for k in range(50)])
    >>> why_left_out(column, "subject_id")
    ('', 'looks like an identifier that repeats (45 different values in 50 rows): the type identifier leaves it out')
    """
    if is_identifier(column, name):
        return FREE_TEXT if is_free_text(column) else LEFT_OUT, ""
    if not is_named(name) or (isinstance(column, NumberColumn) and column.dtype != "integer"):
        return "", ""
    values = column.values if isinstance(column, NumberColumn) else column.codes
    known = values[~column.missing]
    different = len(np.unique(known))
    if different < FEWEST_VALUES or different < OFTEN_OWN * len(known):
        return "", ""
    rows = counted(len(known), "row")
    return "", f"{REPEATS} ({different:,} different values in {rows}): the type identifier leaves it out"


def is_identifier(column: Column, name: str) -> bool:
    """Tell whether the values of a column name its rows, or are free text."""
    if isinstance(column, NumberColumn):
        return column.dtype == "integer" and _numbers_rows(column, name)
    if len(column.levels) < FEWEST_VALUES:
        return False
    if is_free_text(column):
        return True
    known = column.codes[column.codes != ABSENT]
    # Levels may be declared and not occur.
    different = int(np.count_nonzero(np.bincount(known, minlength=1)))
    return nearly_all(different, len(known))


def nearly_all(different: float, values: int) -> bool:
    """Tell whether this many different values mean that (nearly) every value is its own."""
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
    """Tell whether a column's name says that it holds identifiers."""
    return _has_word(name, IDENTIFIER_WORDS)


def _has_word(name: str, words: frozenset[str]) -> bool:  # PassengerId has id, acid has not
    return not words.isdisjoint(each.lower() for each in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name))


def identifier_variable(name: str, left_out: str = LEFT_OUT, note: str = "") -> Variable:
    """Return the variable of a column that is left out: it has one state, which says what as."""
    return Variable(name, (left_out,), None, "identifier", note=note)


class _Selectable(Protocol):
    @property
    def variables(self) -> tuple[Variable, ...]: ...

    def select(self, columns: Sequence[int]) -> Self: ...


_Columns = TypeVar("_Columns", bound=_Selectable)


def without_identifiers(table: _Columns) -> _Columns:
    """Return the table of training rows (or another source of counts) without the columns that are left out."""
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


Unknown = Literal["missing", "error"]
KnownBy = Literal["fit", "network"]
# In place of a code: a value of the right kind that fit has not seen, and a value of another kind.
UNKNOWN, STRANGE = -1, -2
_TRUTH = {"true": 1.0, "false": 0.0}
# As programs write numbers: 01 may be another code than 1.
_NUMERAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
# Longer numerals are texts: Python reads no whole numbers of thousands of digits.
_MOST_DIGITS = 40


class UnknownValueError(ValueError):
    """A column has values that fit has not seen, and these are refused."""


class KnownValues:
    """The values that a variable knows.

    Examples
    --------
    >>> KnownValues(Variable("smoker", (False, True), None, "boolean")).codes([1, "True", 0.0, "2", "often"])
    [1, 1, 0, -1, -2]
    >>> KnownValues(Variable.numeric("age", [18.0])).codes(["17", True, "old", "(18, inf)"])
    [0, 0, -2, 1]
    """

    def __init__(self, variable: Variable) -> None:
        self.variable = variable
        self.states = {state: code for code, state in enumerate(variable.states)}

    def codes(self, values: Sequence[State]) -> list[int]:
        """Return the codes of some values; `UNKNOWN` or `STRANGE` where there is none."""
        if self.variable.cuts is not None:
            return self._interval_codes(values)
        found = map(self.states.get, values)
        # To a dict True is 1.
        return [
            self._respelled(value) if code is None or type(value) is bool else code
            for value, code in zip(values, found, strict=True)
        ]

    def _respelled(self, value: State) -> int:
        key = _key(value, self._is_truth)
        if key in self._aliases:
            return self._aliases[key]
        same_kind = _KINDS.get(type(value)) == _KIND_OF_DTYPE.get(self.variable.dtype)
        return UNKNOWN if same_kind or (key is not None and self._aliases) else STRANGE

    @cached_property
    def _is_truth(self) -> bool:
        """Whether the states say nothing but true and false."""
        return all(_key(state, truth=True) in (0.0, 1.0) for state in self.variable.value_states)

    @cached_property
    def _aliases(self) -> dict[float | None, int]:
        """Codes of the states that are numbers, by the number; not of two that are the same."""
        codes: dict[float | None, int] = {}
        twice: set[float | None] = {None}
        for code, state in enumerate(self.variable.value_states):
            key = _key(state, self._is_truth)
            if key in codes:
                twice.add(key)
            codes[key] = code
        return {key: code for key, code in codes.items() if key not in twice}

    def _interval_codes(self, values: Sequence[State]) -> list[int]:
        """Return the codes of labels of intervals, of numbers, and of texts that are numbers."""
        assert self.variable.cuts is not None
        if self.variable.dtype in MOMENTS:
            return [self.states.get(value, STRANGE) for value in values]
        texts = [value for value in values if isinstance(value, str)]
        read = iter(read_numbers(texts, self.variable.reading).tolist())
        numbers = np.array(
            [next(read) if isinstance(value, str) else value for value in values], dtype=np.float64
        )
        for k, value in enumerate(values):
            if isinstance(value, str) and value.lower() in _TRUTH:
                numbers[k] = _TRUTH[value.lower()]
        codes = apply_cuts(np.nan_to_num(numbers), self.variable.cuts).astype(np.int64)
        codes[np.isnan(numbers)] = STRANGE
        return [self.states.get(value, code) for value, code in zip(values, codes.tolist(), strict=True)]


_KINDS = {str: "text", bool: "truth", int: "number", float: "number"}
_KIND_OF_DTYPE = {"string": "text", "boolean": "truth", "integer": "number", "float": "number"}


def _key(value: State, truth: bool) -> float | None:
    """Return the number that a value is, or None; true and false are numbers only if ``truth``.

    Whole numbers are kept exactly; a large number that was rounded to a double may have been any of several.
    """
    if isinstance(value, bool):
        return float(value) if truth else None
    if isinstance(value, str):
        if truth and value.lower() in _TRUTH:
            return _TRUTH[value.lower()]
        if not _NUMERAL.fullmatch(value) or len(value) > _MOST_DIGITS:
            return None
        value = float(value) if "." in value else int(value)
    return value if isinstance(value, int) or -EXACT <= value <= EXACT else None


def encode_column(
    variable: Variable, column: Column, unknown: Unknown = "missing", known_by: KnownBy = "fit"
) -> SignedCodes:
    """Return the codes of one column, -1 for missing, unless missing values are imputed or have a state."""
    refuse_infinite(column, variable.name)
    codes: SignedCodes
    if variable.dtype == "untyped":
        codes = np.full(len(column), ABSENT, dtype=np.int64)
    elif variable.cuts is not None and (
        isinstance(column, NumberColumn) or (variable.dtype in MOMENTS and not are_labels(variable, column))
    ):
        if variable.dtype in MOMENTS:
            column = moments_for(variable, column)
        elif column.dtype in MOMENTS:
            raise TypeError(
                f"Column '{variable.name}' held numbers in fit and holds {column.dtype} values now: convert it."
            )
        assert isinstance(column, NumberColumn)
        read = code_numbers(variable, column)
        codes = np.where(read == np.iinfo(read.dtype).max, ABSENT, read.astype(np.int64))
    else:
        if variable.cuts is None and isinstance(column, LabelColumn) and column.mixture:
            refuse_mixture(column)
        codes = _look_up(variable, as_labels(column), unknown, known_by)
    if variable.fill is not None:
        absent = codes == ABSENT
        if variable.gap:  # a category that fit has not seen is not a gap
            absent &= column.missing
        codes = np.where(absent, variable.fill, codes)
    return codes


def _look_up(variable: Variable, labels: LabelColumn, unknown: Unknown, known_by: KnownBy) -> SignedCodes:
    """Codes of a label column by the values that a variable knows; anything else becomes ABSENT."""
    found = KnownValues(variable).codes(labels.levels)
    if found and min(found) < 0:  # those that a type declares need not occur
        rows = np.bincount(labels.codes[labels.codes != ABSENT], minlength=len(labels.levels))
        pooled = UNKNOWN if variable.other is not None else 0  # there is a state for these: nothing to report
        strangers = [k for k, code in enumerate(found) if code < 0 and code != pooled and rows[k]]
        if strangers and all(found[k] == STRANGE for k in np.flatnonzero(rows)):
            held = "numbers" if variable.cuts is not None else f"{variable.dtype} values"
            raise TypeError(
                f"Column '{variable.name}' held {held} in fit and holds {labels.dtype} values now: convert it."
            )
        if strangers:
            _report_unknown(variable, [labels.levels[k] for k in strangers], unknown, known_by)
    unknown_code = ABSENT if variable.other is None else variable.other
    codes = [code if code >= 0 else unknown_code if code == UNKNOWN else ABSENT for code in found]
    return translate(labels.codes, codes, variable.arity)


def _report_unknown(variable: Variable, strangers: list[State], unknown: Unknown, known_by: KnownBy) -> None:
    shown = ", ".join(map(repr, strangers[:3])) + (", ..." if len(strangers) > 3 else "")
    several = len(strangers) > 1
    start = f"Column '{variable.name}' has {counted(len(strangers), 'value')} that"
    if variable.cuts is not None:
        start += f" {'are not numbers' if several else 'is not a number'} ({shown})"
    elif known_by == "network":
        start += f" {'are not states' if several else 'is not a state'} of the network ({shown})"
    else:
        start += f" {'were' if several else 'was'} not seen in fit ({shown})"
    if known_by == "network":
        warn(f"{start}; treated as missing.")
    elif unknown == "error":
        raise UnknownValueError(f"{start}; the setting unknown=missing treats such values as missing.")
    else:
        warn(f"{start}; treated as missing (the setting unknown=error refuses them).")


def with_new_categories(features: Sequence[Variable], X: Any) -> tuple[Variable, ...]:
    """Return the features of a schema with the categories of new rows, where they have some that are new.

    States that were sorted stay so, as if all rows had come at once; others get the new ones at their end.

    The features have no states for gaps or for rare values; X has the columns of the schema.
    """
    columns = Columns(X)
    grown, j = [], 0
    for variable in features:
        if variable.source is not None:  # made from another column: its states are fixed
            grown.append(variable)
            continue
        if variable.cuts is None and variable.dtype not in ("untyped", "identifier"):
            variable = _grown(variable, without_marks(variable, columns[j]))
        grown.append(variable)
        j += 1
    return tuple(grown)


def _grown(variable: Variable, column: Column) -> Variable:
    labels = as_labels(column)
    found = KnownValues(variable).codes(labels.levels)
    if UNKNOWN not in found:
        return variable
    rows = np.bincount(labels.codes[labels.codes != ABSENT], minlength=len(labels.levels))
    new: list[State] = [
        level
        for level, code, count in zip(labels.levels, found, rows, strict=True)
        if code == UNKNOWN and count
    ]
    old = variable.states if variable.states != ("?",) else ()  # a column without any value so far
    is_sorted = list(old) == sorted(old)
    states = (*old, *sorted(new))
    check_states(variable.name, len(states), "categories", "leave the column out, or group its values")
    return replace(variable, states=tuple(sorted(states)) if is_sorted else states)
