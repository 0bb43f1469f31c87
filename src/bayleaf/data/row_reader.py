"""Reading new rows by compiled rules: arrays of numbers, rows of Python objects, a few rows of a DataFrame.

Whatever is not read here, and whatever deserves a message, is left to `bayleaf.data.encode`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._native import _core

from .categories import KnownValues
from .dates import MOMENTS, part_of
from .table import Codes, OwnCodes, Table, missing_code
from .variable import State, Variable

# What the native reader came across, see cpp/network/value_reader.hpp.
MISSING, UNKNOWN, INFINITE, OTHER, NO_COLUMN = 1, 2, 4, 8, 16
CUTS, NUMBERS, STRINGS, BOOLEANS, NOTHING = range(5)
_READABLE = frozenset(map(np.dtype, (np.float64, np.float32, np.int64, np.int32, np.uint8)))
_LABELS = {"integer": NUMBERS, "float": NUMBERS, "string": STRINGS, "boolean": BOOLEANS}
# Beyond this, not every integer is a float.
EXACT = 2**53
# Up to so many rows, a DataFrame is read value by value: asking for its columns would take longer.
FEW_ROWS = 8
# In place of a number where a date should be: nobody says what it counts.
NO_DATE = object()
Row = dict[str, Any] | tuple[Any, ...]


class Spellings:
    """Answers which code a value has that is not among the states of a column; see `bayleaf.data.categories`."""

    def __init__(self, features: tuple[Variable, ...]) -> None:
        self._known = [KnownValues(variable) for variable in features]

    @property
    def states(self) -> tuple[dict[State, int], ...]:
        """Codes of the states, by label, of each column."""
        return tuple(known.states for known in self._known)

    def __call__(self, column: int, value: State) -> int:
        """Return the code of a value, or what `KnownValues` says of it."""
        return self._known[column].codes((value,))[0]


class RowReader:
    """Turns rows of values into codes by the features of a schema; it can be pickled and shared by threads.

    Examples
    --------
    >>> reader = RowReader((Variable.numeric("age", [18, 65]), Variable("smoker", ("no", "yes"))))
    >>> reader.codes_of({"age": 40, "smoker": "yes"})[0].tolist()
    [1, 1]
    """

    def __init__(self, features: tuple[Variable, ...]) -> None:
        self.features = features
        self.columns = tuple(variable for variable in features if variable.source is None)
        self.names = tuple(variable.name for variable in self.columns)
        self._dates = [
            (j, variable, [(k, part) for k, part in enumerate(features) if part.source == variable.name])
            for j, variable in enumerate(self.columns)
            if variable.dtype in MOMENTS
        ]
        self.name_list = list(self.names)
        self.wide = any(variable.arity > np.iinfo(np.uint8).max for variable in features)
        self.dtype: np.dtype[Any] = np.dtype(np.uint16 if self.wide else np.uint8)
        self.reads_arrays = all(map(_reads_numbers, features))
        self._native: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": None}

    @property
    def native(self) -> Any:
        """The compiled rules, made when they are first needed."""
        if self._native is None:
            spellings = Spellings(self.features)
            names = tuple(variable.name for variable in self.features)
            native = _core.ValueReader(names, spellings.states, np.generic, spellings)
            for variable in self.features:
                native.add_column(*_rule(variable))
            self._native = native
        return self._native

    def takes(self, X: Any) -> bool:
        """Tell whether X is an array of numbers that the compiled rules can read."""
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype in _READABLE
            and X.shape[1] == len(self.columns)
            and X.shape[0] > 0
            and self.reads_arrays
            and X.flags.aligned
            and X.strides[0] % X.itemsize == 0
            and X.strides[1] % X.itemsize == 0
        )

    def read_array(self, X: NDArray[Any], n_jobs: int | None) -> Table | None:
        """Encode an array that `takes` accepts; None where the general way has something to say."""
        codes: Codes = np.empty(X.shape, dtype=self.dtype, order="F")
        missing = np.zeros(X.shape[1], dtype=np.uint8)
        met = self.native.read_numbers(X, codes, missing, n_jobs)
        if met & ~MISSING:
            return None
        return Table(self.features, codes, n_jobs=n_jobs, own=OwnCodes(missing.view(bool)))

    def read_few(self, X: Any, n_jobs: int | None) -> Table | None:
        """Encode a few rows of a DataFrame that has the features as its columns; None for anything else."""
        rows = _few_rows(X, self.name_list)
        if rows is None:
            return None
        codes = np.empty((len(rows), len(self.features)), dtype=self.dtype)
        read, overall = self.native.read_values, 0
        for row, out in zip(rows, codes, strict=True):
            overall |= read(self._with_dates(row), out)
        if overall & ~MISSING:
            return None
        missing = np.any(codes == missing_code(self.dtype), axis=0)
        return Table(self.features, np.asfortranarray(codes), n_jobs=n_jobs, own=OwnCodes(missing))

    def codes_of(self, row: Row) -> tuple[Codes, int]:
        """Return the codes of one row, and what was met."""
        codes: Codes = np.empty(len(self.features), dtype=self.dtype)
        read = self.native.read_mapping if type(row) is dict else self.native.read_values
        return codes, read(self._with_dates(row), codes)

    def _with_dates(self, row: Row) -> Row:
        """Put numbers in place of dates and times, and add their parts; what is none stays for the general way."""
        if not self._dates:
            return row
        by_name = isinstance(row, dict)
        values: Any = dict(row) if by_name else [*row, *[None] * (len(self.features) - len(row))]
        for j, variable, parts in self._dates:
            place: Any = variable.name if by_name else j
            value = values.get(place) if by_name else values[place]
            number = variable.date_number(value)
            if number is None:
                if isinstance(value, int | float | np.number) and value == value:
                    values[place] = NO_DATE
                continue
            values[place] = number
            for k, part in parts:
                values[part.name if by_name else k] = part.states[part_of(part.part, number, variable.dtype)]
        return values if by_name else tuple(values)


def _reads_numbers(variable: Variable) -> bool:
    if variable.dtype in MOMENTS:
        return False
    if variable.cuts is not None or variable.dtype in ("untyped", "identifier"):
        return True
    return variable.dtype in ("integer", "float") and all(
        -EXACT < state < EXACT  # type: ignore[operator]
        for state in variable.value_states
    )


def _rule(variable: Variable) -> tuple[int, NDArray[np.float64], NDArray[np.uint16], int, int, bool]:
    """Return the reading, increasing numbers, their codes, and the codes of missing and of unknown values (-1: none).

    Where missing values have a state of their own, a category that fit has not seen is summed out nonetheless, unless
    there is a state for those: this is said last.
    """
    points: Sequence[Any] = ()
    if variable.dtype == "identifier":  # its only state, whatever comes
        return NOTHING, np.empty(0), np.empty(0, dtype=np.uint16), 0, 0, False
    if variable.dtype == "untyped":
        reading = NOTHING
    elif variable.cuts is not None:
        reading, points = CUTS, variable.cuts
    else:
        reading = _LABELS[variable.dtype]
        if reading == NUMBERS:
            points = variable.value_states
    values = np.array(points, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    fill = -1 if variable.fill is None else variable.fill
    unknown, pools = -1 if variable.gap else fill, variable.other is not None
    if variable.other is not None:
        unknown = variable.other
    return reading, values[order], order.astype(np.uint16), fill, unknown, pools


def _few_rows(X: Any, names: list[str]) -> list[tuple[Any, ...]] | None:
    """Return the rows of a small DataFrame as tuples; None where X is anything else, or has other columns."""
    library = type(X).__module__.partition(".")[0]
    if library not in ("polars", "pandas") or type(X).__name__ != "DataFrame" or not 0 < len(X) <= FEW_ROWS:
        return None
    if library == "polars":
        return X.rows() if X.columns == names else None
    if X.columns.tolist() != names:
        return None
    if len(X) == 1:
        value = X.iat
        return [tuple([value[0, j] for j in range(len(names))])]
    return list(map(tuple, X.to_numpy(dtype=object).tolist()))
