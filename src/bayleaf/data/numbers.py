"""Columns of numbers and of dates, which are counted: cut points are learned from them, and make their codes.

In a column of few whole numbers each value keeps a state of its own, since the next one may mean something else; the
limits were chosen on data: see ``experiments/columns/whole_numbers.py``. The weekday, the month and the hour of dates
may become features too. Marks of missing values, texts or numbers such as -999, are taken out before.
"""

import datetime as dt
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, NoReturn, TypeGuard

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.words import counted, listing
from bayleaf.data.discretize.discretizer import Discretizer, TrainingRows, code_by_cuts, midpoint

from .dates import CYCLES, DAY, ISO, MOMENTS, STATES, as_counted, part_codes
from .discretize import MDLP, Cuts, apply_cuts
from .raw_columns import (
    ABSENT,
    Column,
    LabelColumn,
    NumberColumn,
    SignedCodes,
    count_integers,
    moment_column,
    translate,
)
from .text_values import (
    MOST_MARKS,
    TIME,
    DateTexts,
    TextNumbers,
    find_dates,
    find_numbers,
    is_mark,
    mark_text,
    missing_marks,
    read_dates,
    read_numbers,
)
from .variable import DType, Variable

MOST_VALUES = 10
FEWEST_ROWS = 30  # per value, on average
# Values that rule out most columns, spread over all rows.
_LOOK = 1000
MAX_STATES = 65535
TableCodes = NDArray[np.unsignedinteger[Any]]


# A text or a number that says that there is no value.
Mark = str | float
# Numbers of nothing but nines, and how far outside the rest they stand: so many times as far as the rest spreads, or
# this part of it where all others are positive.
_NINES = tuple(float("9" * digits) for digits in range(2, 10))
_FAR, _FAR_BELOW_ZERO = 3.0, 0.1
_FEWEST_MARKED = 3


class MissingMarkWarning(UserWarning):
    """Columns of the training data have marks that are read as missing values: ``found`` says which, by column.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", MissingMarkWarning)
    ...     # fit here
    """

    def __init__(self, message: str, found: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.found = dict(found or {})

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.found)


def mark_warning(found: Mapping[str, str]) -> MissingMarkWarning:
    """Return the warning that says what is read as missing, in each column that has such."""
    shown = listing([f"{marks} of column '{name}'" for name, marks in found.items()], most=5)
    return MissingMarkWarning(
        f"Read as missing values: {shown}. To read them otherwise, use missing_values or column_types (--types).",
        found,
    )


def marks_text(marks: Mapping[Mark, int]) -> str:
    """Say which marks are in how many rows.

    Examples
    --------
    >>> marks_text({"-": 28, -99.0: 1})
    "'-' in 28 rows, -99 in 1 row"
    """
    return ", ".join(f"{mark_text(mark)} in {counted(rows, 'row')}" for mark, rows in marks.items())


def find_marks(column: Column, *, said: bool = False) -> list[Mark]:
    """Return what marks missing values in a column of numbers, dates or two states; see `missing_marks`.

    Numbers are marks if they consist of nines (-99, 999), occur several times, and stand far outside all others. They
    are numbers as any other where it is ``said`` that the column holds numbers.
    """
    if isinstance(column, LabelColumn):
        can_have = column.is_text and column.declared is None
        return [*missing_marks([str(level) for level in column.levels], said=said)] if can_have else []
    return [] if said or column.dtype in MOMENTS or not len(column) else [*_sentinels(column.values)]


def _sentinels(values: NDArray[Any]) -> list[float]:
    low, high = float(values.min()), float(values.max())
    if low != low:  # NaN: most columns need not be searched for it
        low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    found: list[float] = []
    if -low not in _NINES and high not in _NINES[1:]:
        return found
    rest = values[values == values].astype(np.float64)
    while len(rest) and len(found) < MOST_MARKS:
        low, high = float(rest.min()), float(rest.max())
        ends = [low] * (-low in _NINES) + [high] * (high in _NINES[1:])
        far = [mark for mark in ends if _is_far_out(mark, rest)]
        if not far:
            break
        found.append(far[0])
        rest = rest[rest != far[0]]
    return found


def _is_far_out(mark: float, values: NDArray[np.float64]) -> bool:
    others = values[values != mark]
    if not len(others) or len(values) - len(others) < _FEWEST_MARKED:
        return False
    low, high = float(others.min()), float(others.max())
    distance, spread = low - mark if mark < low else mark - high, high - low
    below = mark < 0 <= low and distance >= _FAR_BELOW_ZERO * spread
    return spread > 0 and (below or distance >= _FAR * spread)


def taken_out(
    column: Column, marks: Collection[Mark], times: NDArray[np.float64] | None = None
) -> tuple[Column, dict[Mark, int]]:
    """Return a column in which marks are missing values, and how many rows have each that occurs.

    Each row counts as often as ``times`` says.
    """
    if not marks:
        return column, {}
    if isinstance(column, NumberColumn):
        rows = {mark: column.values == mark for mark in marks if not isinstance(mark, str)}
        found = {mark: int(np.dot(has, 1 if times is None else times).sum()) for mark, has in rows.items()}
        if column.dtype in MOMENTS or not any(found.values()):
            return column, {}
        values = column.values.astype(np.float64)
        for has in rows.values():
            values[has] = np.nan
        return replace(column, values=values), {mark: count for mark, count in found.items() if count}
    known = frozenset(marks)
    is_out = [not isinstance(level, bool) and level in known for level in column.levels]
    if not any(is_out):
        return column, {}
    has_value = column.codes != ABSENT
    weights = None if times is None else times[has_value]
    rows_of = np.bincount(column.codes[has_value], weights, minlength=len(column.levels))
    counts = {level: round(rows_of[k]) for k, level in enumerate(column.levels) if is_out[k] and rows_of[k]}
    kept = [level for k, level in enumerate(column.levels) if not is_out[k]]
    places = np.where(is_out, ABSENT, np.cumsum(np.logical_not(is_out)) - 1)
    declared = (
        column.declared
        if column.declared is None
        else tuple(each for each in column.declared if each in kept)
    )
    codes = translate(column.codes, places, len(kept))
    return replace(column, levels=kept, codes=codes, declared=declared), counts


def without_marks(variable: Variable, column: Column) -> Column:
    """Return a column of new rows in which marks are missing values: those of fit, and usual ones among numbers."""
    if variable.marks:
        column, _ = taken_out(column, variable.marks)
    if variable.cuts is not None and isinstance(column, LabelColumn) and column.dtype == "string":
        usual = [
            level for level in map(str, column.levels) if is_mark(level) and level not in variable.states
        ]
        column, _ = taken_out(column, usual) if usual else (column, {})
    return column


def as_numbers(column: Column, name: str) -> tuple[NumberColumn, TextNumbers]:
    """Read a column that the user calls numbers, whatever its type; raise if it is none."""
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
    """Read a column of text as numbers, if all its values are.

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
    """Learn the cuts of a column: its variable, its codes as a table holds them, and whether no value is known.

    The discretiser knows the column by ``key``. ``impute`` replaces missing values by the mean; ``whole`` keeps one
    state per value where these are few whole numbers.
    """
    if impute or not isinstance(discretizer, MDLP):  # which takes any number: coding finds the infinite ones
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


def value_cuts(values: NDArray[Any], weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """Return the midpoints between the values of a column of few whole numbers, NaN for missing; else None.

    A row of weight w counts as w rows.
    """
    look = _distinct(values[:: max(1, len(values) // _LOOK)])
    if look is None or len(look) > MOST_VALUES:
        return None
    levels = _distinct(values)
    if levels is None or not 1 < len(levels) <= MOST_VALUES:
        return None
    known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
    if (known.sum() if weights is None else weights[known].sum()) < FEWEST_ROWS * len(levels):
        return None
    return midpoint(levels[:-1], levels[1:])


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


def code_numbers(variable: Variable, column: NumberColumn) -> TableCodes:
    """Return the codes of a column by the cuts of a variable, as a table holds them, after imputation."""
    assert variable.cuts is not None
    codes, odd = code_by_cuts(column.values, variable.cuts, variable.fill)
    _refuse_infinite_values(odd.infinite, variable.name)
    return codes


def refuse_infinite(column: Column, name: str) -> None:
    """Raise if a number column has infinite values."""
    if isinstance(column, NumberColumn) and column.values.dtype.kind == "f":
        _refuse_infinite_values(int(np.isinf(column.values).sum()), name)


def _refuse_infinite_values(count: int, name: str) -> None:
    if count:
        raise ValueError(
            f"Column '{name}' has {count} infinite value{'s' * (count > 1)} (inf): replace them by a finite "
            "number, below 1.8e308, or by a missing value."
        )


def check_states(name: str, count: int, what: str, advice: str) -> None:
    """Raise if a variable would have more states than two bytes can number."""
    if count > MAX_STATES:
        raise ValueError(f"Column '{name}' has {count} {what}, more than {MAX_STATES}: {advice}.")


def dates_of_texts(column: LabelColumn) -> tuple[Column, str]:
    """Read a column of texts as dates or times, if all of them are; also return what to note about it."""
    if not column.is_text or column.declared is not None:
        return column, ""
    found = find_dates([str(level) for level in column.levels])
    if found is None:
        return column, ""
    if found.rival is not None:
        return column, f"text: {column.levels[0]!r} may be {found.spelling} or {found.rival}"
    return _of_levels(column, found), f"text, read as {found.spelling}"


def as_dates(column: Column, name: str) -> tuple[NumberColumn, str]:
    """Read a column that the user calls dates or times; raise if it is none."""
    note, example = "", ""
    if isinstance(column, LabelColumn) and column.levels:
        example = repr(column.levels[0])
        column, note = dates_of_texts(column)
    if isinstance(column, NumberColumn) and column.dtype in (*MOMENTS, "untyped"):
        return column, note
    why = note.removeprefix("text: ") or (f"{example} is none" if example else f"holds {column.dtype} values")
    raise ValueError(f"Column '{name}' is said to hold dates or times, but {why}.")


def _of_levels(column: LabelColumn, read: DateTexts) -> NumberColumn:
    values = np.append(read.values, np.nan)[column.codes]  # ABSENT is the last
    return replace(moment_column(column.name, values, read.dtype, read.zone), spelling=read.spelling)


def settled(column: NumberColumn, name: str) -> NumberColumn:
    """Return dates and times as the clocks of their time zone show them, other columns unchanged.

    Moments that are all at midnight are dates.
    """
    if column.dtype != "datetime":
        return column
    seconds = as_counted(column.values, "datetime", column.zone, "datetime", column.zone, name)
    assert seconds is not None
    known = seconds[~np.isnan(seconds)]
    if not len(known) or (known % DAY).any():
        return replace(column, values=seconds)
    parts = tuple(part for part in column.parts if part != "hour")
    return replace(column, values=seconds / DAY, dtype="date", parts=parts)


def learn_parts(
    column: NumberColumn, variable: Variable, rows: TrainingRows, impute: bool
) -> Iterator[tuple[Variable, SignedCodes]]:
    """Yield the weekday, month and hour of dates or times as features, each where it tells about the class.

    A part that does not recur within the dates would only repeat what the date itself says.
    """
    known = column.values[~column.missing]
    if not column.parts or not len(known):
        return
    days = float(known.max() - known.min()) / (DAY if column.dtype == "datetime" else 1)
    assert rows.target is not None
    for part in column.parts:
        codes = part_codes(part, column.values, column.dtype)
        if days <= CYCLES[part] or not part_tells(codes, rows.target, rows.weights):
            continue
        fill = None
        if impute:
            weights = None if rows.weights is None else rows.weights[codes != ABSENT]
            fill = int(np.bincount(codes[codes != ABSENT], weights).argmax())
            codes = np.where(codes == ABSENT, fill, codes).astype(np.int8)
        name = f"{variable.name} ({part})"
        yield Variable(name, STATES[part], None, "string", fill, source=variable.name, part=part), codes


def part_tells(
    codes: NDArray[np.int8], target: NDArray[np.int64], weights: NDArray[np.float64] | None
) -> bool:
    """Tell whether a part says more about the class than its table costs, by BIC.

    It does where 2 N I(part; class) > (r - 1) (c - 1) ln N, with r values of the part and c classes among the N rows
    in which it is known.
    """
    known = codes >= 0
    classes = int(target.max(initial=0)) + 1
    cells = codes[known].astype(np.int64) * classes + target[known]
    flat = np.bincount(cells, None if weights is None else weights[known], minlength=24 * classes)
    table = flat.astype(np.float64).reshape(-1, classes)
    counts = table[table.any(axis=1)][:, table.any(axis=0)]
    if min(counts.shape) < 2:
        return False
    rows = counts.sum()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / rows
    present = counts > 0
    information = (counts[present] * np.log(counts[present] / expected[present])).sum()
    return bool(2.0 * information > (counts.shape[0] - 1) * (counts.shape[1] - 1) * np.log(max(rows, 1.0)))


def read_once(variable: Variable, column: Column) -> Column:
    """Return a column as the variable counts dates or times, for its codes and those of its parts."""
    return column if are_labels(variable, column) else moments_for(variable, column)


def are_labels(variable: Variable, column: Column) -> TypeGuard[LabelColumn]:
    """Tell whether a column holds labels of the variable's intervals: samples of a network do."""
    return isinstance(column, LabelColumn) and set(column.levels) <= set(variable.states)


def encode_part(variable: Variable, source: Variable, column: Column) -> SignedCodes:
    """Return the codes of a feature that is a part of the dates in a column; -1 for missing."""
    # Intervals of dates have no weekday.
    if are_labels(source, column):
        codes = np.full(len(column), ABSENT, dtype=np.int8)
    else:
        moments = moments_for(source, column)
        codes = part_codes(variable.part or "", moments.values, source.dtype)
    return codes if variable.fill is None else np.where(codes == ABSENT, variable.fill, codes)


def moments_for(variable: Variable, column: Column) -> NumberColumn:
    """Return the values of a column as the variable counts dates or times; raise for a column of anything else.

    Texts are dates written as in fit, or by ISO 8601.
    """
    if isinstance(column, LabelColumn):
        if column.levels and (column.dtype != "string" or variable.dtype == "duration"):
            _refuse(variable, column.dtype)
        column = _texts_for(variable, column)
    if column.dtype == "untyped":
        return column
    counted: NDArray[Any] | None = None
    if column.dtype in MOMENTS:
        counted = as_counted(
            column.values, column.dtype, column.zone, variable.dtype, variable.zone, variable.name
        )
    if counted is None:
        _refuse(variable, column.dtype)
    return replace(column, values=counted, dtype=variable.dtype, zone=None)


def _texts_for(variable: Variable, column: LabelColumn) -> NumberColumn:
    """Read each text as fit read it, or else by ISO 8601."""
    texts = [str(level) for level in column.levels]
    usual = TIME if variable.dtype == "time" else ISO
    spelling = variable.spelling or usual
    own = read_dates(texts, spelling)
    complete = own is not None and not np.isnan(own.values).any()
    other = own if complete or spelling == usual else read_dates(texts, usual)
    if own is not None and other is not None and (own.dtype, own.zone) == (other.dtype, other.zone):
        own = replace(own, values=np.where(np.isnan(own.values), other.values, own.values))
    for read in (own, other):
        if read is not None and not np.isnan(read.values).any():
            return _of_levels(column, read)
    wrong = texts[0] if own is None else texts[int(np.isnan(own.values).argmax())]
    raise ValueError(
        f"Column '{variable.name}' held {variable.dtype} values in fit, and {wrong!r} cannot be read as one: write "
        f"it like {dt.datetime(2024, 1, 31, 8).strftime(spelling)!r}, or convert the column."
    )


def _refuse(variable: Variable, dtype: str) -> NoReturn:
    raise TypeError(
        f"Column '{variable.name}' held {variable.dtype} values in fit and holds {dtype} values now: convert it."
    )
