"""Columns of categories: their states are learned, and their codes made."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .columns import ABSENT, Column, LabelColumn
from .numbers import check_states
from .packing import SignedCodes, number_values, translate
from .variable import State, Variable


def as_labels(column: Column) -> LabelColumn:
    """Take a column of numbers as labels; integral floats (integers that met a missing value) become integers."""
    if isinstance(column, LabelColumn):
        return column
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
    column: LabelColumn, name: str, weights: NDArray[np.float64], impute: bool
) -> tuple[Variable, SignedCodes]:
    """Make a variable of the labels of a column, and its codes (-1 for missing)."""
    states = column.declared if column.declared is not None else tuple(sorted(column.levels))
    states = states or ("?",)  # a column without any value
    check_states(name, len(states), "categories", "an identifier? Drop it, or group its values")
    variable = Variable(name, states, None, column.dtype)
    codes = _translate(column, variable)
    known = codes != ABSENT
    variable = replace(variable, n_missing=len(codes) - int(np.count_nonzero(known)))
    if impute:
        totals = np.bincount(codes[known], weights[known], minlength=len(states))
        fill = int(totals.argmax())
        variable = replace(variable, fill=fill)
        codes = np.where(known, codes, fill)
    return variable, codes


def _translate(column: LabelColumn, variable: Variable) -> SignedCodes:
    """Codes of a label column by a variable's states; anything else becomes ABSENT."""
    number: dict[State, int] = {state: k for k, state in enumerate(variable.states)}
    return translate(column.codes, [number.get(level, ABSENT) for level in column.levels], variable.arity)
