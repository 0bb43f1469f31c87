"""What a column is once it has been read: numbers or labels, with every spelling of "missing" gone."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .dates import Moment, Part
from .packing import SignedCodes
from .variable import DType, State

# Position of a missing value in LabelColumn.codes.
ABSENT = -1


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers."""

    name: str
    values: NDArray[Any]  # float64, with NaN for missing, or any integer type without missing values
    dtype: DType  # "integer", "float", that of a date or time, or "untyped" without any value
    zone: str | None = None  # of moments, which are counted in UTC
    parts: tuple[Part, ...] = ()  # of dates and times: those that may tell something
    spelling: str | None = None  # of dates and times that were read from texts

    def __len__(self) -> int:
        return len(self.values)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which values are missing."""
        if self.values.dtype.kind == "f":
            absent: NDArray[np.bool_] = np.isnan(self.values)
            return absent
        return np.zeros(len(self.values), dtype=bool)

    @property
    def is_empty(self) -> bool:
        """Whether no value is known."""
        return bool(self.missing.all())


@dataclass(frozen=True)
class LabelColumn:
    """A column of labels, factorised."""

    name: str
    levels: list[State]
    codes: SignedCodes  # index into levels, ABSENT for missing
    dtype: DType
    declared: tuple[State, ...] | None = None  # categories the column's type declares, seen or not
    by_type: bool = False  # whether the column's type says that it holds categories

    @property
    def is_text(self) -> bool:
        """Whether this is text of which nothing says that it is categories."""
        return self.dtype == "string" and not self.by_type

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which values are missing."""
        mask: NDArray[np.bool_] = self.codes == ABSENT
        return mask

    @property
    def is_empty(self) -> bool:
        """Whether no value is known."""
        return not self.levels

    def __len__(self) -> int:
        return len(self.codes)


Column = NumberColumn | LabelColumn


def untyped(name: str, rows: int) -> NumberColumn:
    """Return a column of which no value is known, and whose type says nothing."""
    return NumberColumn(name, np.full(rows, np.nan), "untyped")


# The parts of dates and times that may tell something.
_PARTS: dict[str, tuple[Part, ...]] = {"date": ("weekday", "month"), "datetime": ("weekday", "month", "hour")}


def moment_column(name: str, values: NDArray[Any], dtype: Moment, zone: str | None = None) -> NumberColumn:
    """Return a column of dates or times (see `bayleaf.data.dates`)."""
    return NumberColumn(name, values, dtype, zone, _PARTS.get(dtype, ()))
