"""Columns of categories: their states are learned, and their codes made.

Rare categories may be pooled into one state, which also receives values that fit has not seen.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.params import check_param
from bayleaf._util.words import counted

from .columns import ABSENT, Column, LabelColumn
from .date_columns import moment_labels
from .dates import MOMENTS
from .numbers import check_states
from .packing import SignedCodes, number_values, translate
from .variable import OTHER, State, Variable


@dataclass(frozen=True)
class RareValues:
    """Which categories are rare, in the words of scikit-learn's ``OneHotEncoder``.

    Parameters
    ----------
    min_frequency : int or float, optional
        Categories in fewer rows are pooled; a float is a share of the rows that have a value.
    max_categories : int, optional
        The most states that a column may have, at least 2, the pooled one among them.

    Examples
    --------
    >>> RareValues(min_frequency=5).pooled(np.array([20.0, 3.0, 5.0, 1.0])).tolist()
    [False, True, False, True]
    >>> RareValues(max_categories=2).pooled(np.array([3.0, 20.0, 3.0])).tolist()
    [True, False, True]
    """

    min_frequency: float | None = None
    max_categories: int | None = None

    def __bool__(self) -> bool:
        return self.min_frequency is not None or self.max_categories is not None

    def pooled(self, totals: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which categories are pooled, given the rows (or weights) of each; of equals, the first stay."""
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
    if isinstance(min_frequency, float | np.floating):
        check_param(owner, "min_frequency", min_frequency, float, low=0, high=1, low_open=True)
    else:
        check_param(owner, "min_frequency", min_frequency, int, low=1, allow_none=True)
    check_param(owner, "max_categories", max_categories, int, low=2, allow_none=True)


NONE_RARE = RareValues()


def as_labels(column: Column) -> LabelColumn:
    """Take a column of numbers as labels; integral floats (integers that met a missing value) become integers."""
    if isinstance(column, LabelColumn):
        return column
    if column.dtype in MOMENTS:
        return moment_labels(column)
    if column.values.dtype.kind != "f":
        levels, codes = number_values(column.values)
        return LabelColumn(column.name, levels, codes, column.dtype)
    missing = column.missing
    present = column.values[~missing]
    if _are_integers(present):
        present = present.astype(np.int64)
    levels, numbers = number_values(present)
    codes = np.full(len(missing), ABSENT, dtype=numbers.dtype)
    codes[~missing] = numbers
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
    codes = _translate(column, variable)
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
    label = OTHER
    while label in states:
        label = f"({label})"
    note = f"{counted(int(pooled.sum()), 'rare category')} in {label}"
    return Variable(name, (*kept, label), None, column.dtype, other=len(kept), note=note)


def _translate(column: LabelColumn, variable: Variable) -> SignedCodes:
    """Codes of a label column by a variable's states; anything else is one of the others, or ABSENT."""
    number: dict[State, int] = {state: k for k, state in enumerate(variable.states)}
    unknown = ABSENT if variable.other is None else variable.other
    return translate(column.codes, [number.get(level, unknown) for level in column.levels], variable.arity)
