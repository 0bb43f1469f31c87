"""The numbers of rows as the data has them, before they become intervals."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Column, Columns, NumberColumn, as_frame, with_absent
from .date_columns import read_once
from .dates import MOMENTS
from .number_text import read_numbers
from .schema import Schema
from .variable import Variable


def number_values(variable: Variable, column: Column) -> NDArray[np.float64]:
    """Return the values of a column as the variable's cut points count them; NaN where there is no number.

    Examples
    --------
    >>> from bayleaf.data import read_columns
    >>> number_values(Variable.numeric("age", [18.0]), read_columns([["17"], ["old"], [None]])[0])
    array([17., nan, nan])
    """
    if variable.dtype in MOMENTS:
        column = read_once(variable, column)
    if isinstance(column, NumberColumn):
        return column.values.astype(np.float64, copy=False)
    texts = [level if isinstance(level, str) else "" for level in column.levels]
    numbers = np.append(read_numbers(texts, variable.reading), np.nan)  # ABSENT is the last
    for k, level in enumerate(column.levels):
        if not isinstance(level, str):
            numbers[k] = float(level)
    return numbers[column.codes]


def raw_numbers(schema: Schema, X: Any) -> dict[str, NDArray[np.float64]]:
    """Return the values of the numeric columns that rows have, by name.

    Examples
    --------
    >>> schema = Schema((Variable.numeric("age", [18.0]), Variable("sex", ("f", "m"))))
    >>> raw_numbers(schema, [[17.5, "f"], [None, "m"]])
    {'age': array([17.5,  nan])}
    """
    columns = Columns(columns_in_order(schema, X))
    return {
        variable.name: number_values(variable, columns[j])
        for j, variable in enumerate(schema.columns)
        if variable.cuts is not None and variable.dtype != "identifier"
    }


def columns_in_order(schema: Schema, X: Any) -> Any:
    """Return the columns of X that a schema knows, in its order; those that X lacks are missing in every row.

    Where no column bears a name of the schema, columns are known by their position.

    Examples
    --------
    >>> import polars as pl
    >>> schema = Schema((Variable("a", ("0", "1")), Variable("b", ("0", "1"))))
    >>> columns_in_order(schema, pl.DataFrame({"c": ["0"], "b": ["1"]})).rows()
    [(None, '1')]
    """
    frame, names = as_frame(X), [variable.name for variable in schema.columns]
    if frame is None or not set(names) & set(frame.columns):
        return X
    return as_frame(with_absent(X, names, names)).select(names).to_native()  # type: ignore[union-attr]


def number_ranges(schema: Schema, X: Any) -> dict[str, list[float]]:
    """Return the smallest and the largest number of each numeric column that has any.

    Examples
    --------
    >>> number_ranges(Schema((Variable.numeric("age", [18.0]),)), [[17.5], [None], [70]])
    {'age': [17.5, 70.0]}
    """
    X = columns_in_order(schema, X)
    numeric = [
        j
        for j, variable in enumerate(schema.columns)
        if variable.cuts is not None and variable.dtype != "identifier"
    ]
    if isinstance(X, np.ndarray) and X.dtype.kind in "iuf":
        limits = _limits_of_array(X)
        found = [(limits[0, j], limits[1, j]) for j in numeric]
    else:
        columns = Columns(X)
        found = [_limits_of_column(schema.columns[j], columns[j]) for j in numeric]
    return {
        schema.columns[j].name: [float(low), float(high)]
        for j, (low, high) in zip(numeric, found, strict=True)
        if not np.isnan(low)
    }


def _limits_of_array(array: NDArray[Any], rows: int = 2048) -> NDArray[Any]:
    """Return the smallest and the largest number of each column; some rows at a time, which are read once."""
    parts = [array[start : start + rows] for start in range(0, len(array), rows)]
    lowest, highest = zip(*((np.fmin.reduce(part), np.fmax.reduce(part)) for part in parts), strict=True)
    return np.stack([np.fmin.reduce(lowest), np.fmax.reduce(highest)])


def _limits_of_column(variable: Variable, column: Column) -> tuple[Any, Any]:
    if isinstance(column, NumberColumn) and column.dtype not in MOMENTS:
        values = column.values  # not turned into floats first: that would be a copy
    else:
        values = number_values(variable, column)
    low, high = values.min(), values.max()  # many times quicker than heeding NaN
    return (np.fmin.reduce(values), np.fmax.reduce(values)) if np.isnan(low) else (low, high)
