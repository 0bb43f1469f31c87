"""Columns of numbers: cut points are learned from them, and codes are made by cut points.

In a column of few whole numbers each value keeps a state of its own, since the next one may mean something else; the
limits were chosen on data: see ``experiments/columns/whole_numbers.py``.

The numbers of rows as the data has them, before they become intervals.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf.data.discretize.discretizer import Discretizer, TrainingRows, code_by_cuts

from .columns import Columns, as_frame, with_absent
from .date_columns import read_once
from .dates import MOMENTS
from .discretize import MDLP, Cuts, apply_cuts
from .number_text import TextNumbers, find_numbers, read_numbers
from .packing import count_integers
from .raw_columns import Column, LabelColumn, NumberColumn
from .schema import Schema
from .variable import DType, Variable

MOST_VALUES = 10
FEWEST_ROWS = 30  # per value, on average
# Values that rule out most columns, spread over all rows.
_LOOK = 1000


def value_cuts(values: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Return the midpoints between the values of a column of few whole numbers, NaN for missing; else None.

    A row of weight w counts as w rows.

    Examples
    --------
    >>> value_cuts(np.repeat([1, 2, 4], 30), None)
    array([1.5, 3. ])
    >>> value_cuts(np.array([1, 2, 4]), None) is None  # too few rows to tell
    True
    """
    look = _distinct(values[:: max(1, len(values) // _LOOK)])
    if look is None or len(look) > MOST_VALUES:
        return None
    levels = _distinct(values)
    if levels is None or not 1 < len(levels) <= MOST_VALUES:
        return None
    if _known_rows(values, weights) < FEWEST_ROWS * len(levels):
        return None
    return np.asarray(levels[:-1] / 2 + levels[1:] / 2)  # halved first: a sum may be too large


def _distinct(values: NDArray[Any]) -> NDArray[Any] | None:
    """Return the different values, ascending; None if one of them is not a whole number."""
    if values.dtype.kind == "f":
        values = values[~np.isnan(values)]
        if not (values == np.floor(values)).all() or (np.abs(values) > 2**53).any():
            return None
        values = values.astype(np.int64)
    counted = count_integers(values) if len(values) > _LOOK else None  # sorting a few is faster
    if counted is not None:
        low, present = counted
        return np.flatnonzero(present) + low
    return np.unique(values)


def _known_rows(values: NDArray[Any], weights: NDArray[np.float64] | None) -> float:
    known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
    return float(known.sum() if weights is None else weights[known].sum())


MAX_STATES = 65535
TableCodes = NDArray[np.unsignedinteger[Any]]


def as_numbers(column: Column, name: str) -> tuple[NumberColumn, TextNumbers]:
    """Take a column that is said to hold numbers as such, whatever its type; refuse it if it does not."""
    if isinstance(column, NumberColumn):
        return column, TextNumbers()
    if column.dtype != "string" or not column.levels:
        found = TextNumbers(np.array(column.levels, dtype=np.float64))
    else:
        found = find_numbers(column.levels)  # type: ignore[arg-type]
    if found.values is None and column.dtype == "string":  # codes and long names are numbers to who says so
        plain = read_numbers(column.levels, None)  # type: ignore[arg-type]
        found = found if np.isnan(plain).any() else TextNumbers(plain)
    if found.values is None:
        why = found.note.removeprefix("text, since ") or f"{column.levels[0]!r} is not one"
        raise ValueError(f"Column '{name}' is said to hold numbers, but {why}.")
    return _number_column(column, found), found


def text_as_numbers(column: Column, weights: NDArray[np.float64] | None) -> tuple[Column, TextNumbers]:
    """Take a column of text as numbers, if all its values are.

    Few whole numbers stay categories where there are not enough rows to keep one state for each of them as a number.
    """
    if isinstance(column, NumberColumn) or not column.is_text:
        return column, TextNumbers()
    found = find_numbers(column.levels)  # type: ignore[arg-type]
    if found.values is None:
        return column, found
    numbers = _number_column(column, found)
    few = len(column.levels) <= MOST_VALUES and found.reading is None
    if few and numbers.dtype == "integer" and value_cuts(numbers.values, weights) is None:
        return column, TextNumbers()
    return numbers, found


def _number_column(column: LabelColumn, found: TextNumbers) -> NumberColumn:
    assert found.values is not None
    whole = bool((found.values == np.floor(found.values)).all())
    dtype: DType = "untyped" if not column.levels else "integer" if whole else "float"
    values = np.append(found.values, np.nan)  # ABSENT is the last
    return NumberColumn(column.name, values[column.codes], dtype)


def learn_numbers(
    column: NumberColumn,
    name: str,
    key: str | int,
    discretizer: Discretizer,
    rows: TrainingRows,
    impute: bool,
    whole: bool,
) -> tuple[Variable, TableCodes, bool]:
    """Learn the cuts of a column.

    Parameters
    ----------
    column : NumberColumn
    name : str
    key : str or int
        What the discretiser knows the column by.
    discretizer : discretiser
    rows : TrainingRows
    impute : bool
        Replace missing values by the mean.
    whole : bool
        Keep one state per value where these are few whole numbers.

    Returns
    -------
    variable : Variable
    codes : ndarray of uint8 or uint16
        As a table holds them: the greatest number of the type means missing.
    is_empty : bool
        Whether no value is known.
    """
    if impute or not isinstance(
        discretizer, MDLP
    ):  # MDLP takes any number, and coding finds the infinite ones
        refuse_infinite(column, name)
    values, mean = rows.side_by_side(column.values), None
    if _is_empty(values):
        codes, _ = code_by_cuts(values, [])
        return replace(Variable.numeric(name, [], column.dtype), n_missing=len(values)), codes, True
    n_missing = 0
    if impute:
        missing = replace(column, values=values).missing
        n_missing = int(missing.sum())
        mean = _mean(values[~missing], None if rows.weights is None else rows.weights[~missing])
        values = np.where(missing, mean, values) if missing.any() else values
    keeps_values = getattr(discretizer, "keeps_values", False)
    cuts = value_cuts(values, rows.weights) if whole and not keeps_values else None
    if cuts is None:
        cuts = _given_dates(discretizer, key, column)
    if cuts is None:
        cuts = _column_cuts(discretizer, values, rows, key)
    if column.dtype == "date":  # the last day below each
        cuts = np.unique(np.floor(cuts))
    check_states(name, len(cuts) + 1, "intervals", "use fewer bins")
    fill = None if mean is None else int(apply_cuts(np.array([mean]), cuts)[0])
    codes, odd = code_by_cuts(values, cuts)
    _refuse_infinite_values(odd.infinite, name)
    variable = Variable.numeric(name, cuts.tolist(), column.dtype, fill)
    return replace(variable, n_missing=n_missing + odd.missing), codes, False


def code_numbers(variable: Variable, column: NumberColumn) -> TableCodes:
    """Return the codes of a column by the cuts of a variable, as a table holds them, after imputation.

    Examples
    --------
    >>> column = NumberColumn("age", np.array([17.0, 40.0, np.nan]), "float")
    >>> code_numbers(Variable.numeric("age", [18.0]), column)
    array([  0,   1, 255], dtype=uint8)
    """
    assert variable.cuts is not None
    codes, odd = code_by_cuts(column.values, variable.cuts, variable.fill)
    _refuse_infinite_values(odd.infinite, variable.name)
    return codes


def refuse_infinite(column: Column, name: str) -> None:
    """Raise if a number column has infinite values."""
    if isinstance(column, NumberColumn) and column.values.dtype.kind == "f":
        _refuse_infinite_values(int(np.isinf(column.values).sum()), name)


def check_states(name: str, count: int, what: str, advice: str) -> None:
    """Raise if a variable would have more states than two bytes can number."""
    if count > MAX_STATES:
        raise ValueError(f"Column '{name}' has {count} {what}, more than {MAX_STATES}: {advice}.")


def _refuse_infinite_values(count: int, name: str) -> None:
    if count:
        raise ValueError(
            f"Column '{name}' has {count} infinite value{'s' * (count > 1)} (inf): replace them by a finite "
            "number, below 1.8e308, or by a missing value."
        )


def _is_empty(values: NDArray[Any]) -> bool:
    if values.dtype.kind != "f" or not len(values):
        return not len(values)
    return bool(np.isnan(values[0]) and np.isnan(values).all())  # most columns are known by their first value


def _column_cuts(
    discretizer: Any, values: NDArray[Any], rows: TrainingRows, name: str | int
) -> NDArray[np.float64]:
    if isinstance(discretizer, Discretizer):
        return discretizer.column_cuts(values, rows, name)
    missing = np.isnan(values)
    target, weights = rows.known(missing)
    known = values[~missing].astype(np.float64, copy=False)
    own: NDArray[np.float64] = discretizer.cut_points(
        known, target, np.ones(len(known)) if weights is None else weights, name=name
    )
    return own


def _given_dates(discretizer: Any, key: str | int, column: NumberColumn) -> NDArray[np.float64] | None:
    """Return the cut points of a column of dates that the user has given as dates; None where there are none."""
    given = (discretizer.cuts or {}) if isinstance(discretizer, Cuts) else {}
    if column.dtype not in MOMENTS or key not in given:
        return None
    counting = Variable(str(key), ("",), (), column.dtype, zone=column.zone)
    numbers = [counting.date_number(point) for point in given[key]]
    points = [number for number in numbers if number is not None]
    if len(points) < len(numbers) or points != sorted(set(points)):
        raise ValueError(
            f"The cut points of column {key!r} must be increasing, and each a {column.dtype}. "
            f"Got {given[key]!r} instead."
        )
    return np.array(points, dtype=np.float64)


def _mean(values: NDArray[Any], weights: NDArray[np.float64] | None) -> float:
    # Twelve digits: neither the order of the rows nor a weight in place of repeated rows may decide on which side of
    # a cut the mean lies.
    return float(f"{np.average(values.astype(np.float64, copy=False), weights=weights):.12g}")


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
