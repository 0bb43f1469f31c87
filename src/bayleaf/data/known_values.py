"""Values of new rows, found among those that fit has seen however they are spelled.

1, 1.0 and "1" are one value, where only one of them was seen; so are True, 1 and "true", where there is nothing else;
and texts are numbers where numbers were seen. Where models go on learning, a schema grows by the values that are new.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from bayleaf._util.warning import warn
from bayleaf._util.words import counted

from .categories import as_labels
from .columns import ABSENT, Column, Columns, LabelColumn, NumberColumn
from .date_columns import moments_for
from .dates import MOMENTS
from .discretize import apply_cuts
from .number_text import read_numbers
from .numbers import check_states, code_numbers, refuse_infinite
from .packing import SignedCodes, translate
from .variable import State, Variable

Unknown = Literal["missing", "error"]
KnownBy = Literal["fit", "network"]

# In place of a code: a value of the right kind that fit has not seen, and a value of another kind.
UNKNOWN, STRANGE = -1, -2

_TRUTH = {"true": 1.0, "false": 0.0}
# As programs write numbers: 01 may be another code than 1.
_NUMERAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
# Beyond this, not every integer is a float.
_EXACT = 2**53


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
    """Return the number that a value is, or None; of true and false only where ``truth`` says so."""
    if isinstance(value, bool):
        return float(value) if truth else None
    if isinstance(value, str):
        if truth and value.lower() in _TRUTH:
            return _TRUTH[value.lower()]
        return float(value) if _NUMERAL.fullmatch(value) else None
    return float(value) if -_EXACT <= value <= _EXACT else None


def encode_column(
    variable: Variable, column: Column, unknown: Unknown = "missing", known_by: KnownBy = "fit"
) -> SignedCodes:
    """Return the codes of one column, -1 for missing, unless missing values are imputed or have a state."""
    refuse_infinite(column, variable.name)
    codes: SignedCodes
    if variable.dtype == "untyped":
        codes = np.full(len(column), ABSENT, dtype=np.int64)
    elif variable.cuts is not None and (
        isinstance(column, NumberColumn) or (variable.dtype in MOMENTS and not _are_labels(variable, column))
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
        codes = _look_up(variable, as_labels(column), unknown, known_by)
    if variable.fill is not None:
        absent = codes == ABSENT
        if variable.gap:  # a category that fit has not seen is no gap
            absent &= column.missing
        codes = np.where(absent, variable.fill, codes)
    return codes


def _are_labels(variable: Variable, column: LabelColumn) -> bool:
    """Tell whether a column holds labels of intervals: samples of a network do."""
    return set(column.levels) <= set(variable.states)


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

    Parameters
    ----------
    features : sequence of Variable
        Without states for gaps or for rare values.
    X : DataFrame or array
        With the columns of the schema.

    Examples
    --------
    >>> x = Variable("x", ("a", "c"))
    >>> with_new_categories([x], [["b"], ["a"]])[0].states
    ('a', 'b', 'c')
    """
    columns = Columns(X)
    grown, j = [], 0
    for variable in features:
        if variable.source is not None:  # made from another column: its states are fixed
            grown.append(variable)
            continue
        if variable.cuts is None and variable.dtype not in ("untyped", "identifier"):
            variable = _grown(variable, columns[j])
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
