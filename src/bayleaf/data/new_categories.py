"""Categories that come later: a schema grows by those that a new batch of rows brings."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .categories import as_labels
from .columns import ABSENT, Column, Columns
from .known_values import UNKNOWN, KnownValues
from .numbers import check_states
from .variable import State, Variable


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
