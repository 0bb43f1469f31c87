"""One column of data as the library sees it: a name and a fixed list of states."""

import datetime as dt
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from numbers import Real
from typing import Any, Literal

import numpy as np

from bayleaf._util.kinds import check_fields

from .dates import ISO, MOMENTS, STATES, as_counted, moment_of, moment_texts
from .text_values import NumberFormat, read_numbers

State = str | int | float | bool
# A column without any value may have no type.
DType = Literal[
    "string", "boolean", "integer", "float", "untyped", "identifier", "date", "datetime", "time", "duration"
]
# Label of the state that missing values have, where no value of the column is called so.
GAP = "(missing)"
# Likewise the state of rare categories and of those that fit has not seen.
OTHER = "(other)"


@dataclass(frozen=True)
class Variable:
    """A discrete variable: a categorical column, or a numeric column cut into intervals.

    Parameters
    ----------
    name : str
        The column's name.
    states : tuple
        Labels in the order of their codes. Intervals of a numeric column are labelled ``(a, b]``.
    cuts : tuple of float, optional
        Interior cut points of a numeric column; a value equal to a cut belongs to the interval below it.
        ``None`` for a categorical column.
    dtype : {"string", "boolean", "integer", "float", "date", "datetime", "time", "duration", "untyped", "identifier"}
        What the column held when the schema was learned; "untyped" where it held no value and its type says
        nothing either: then any value is read, as missing. An "identifier" has one state, whatever it holds, and
        enters no network. What dates and times are counted in: see `bayleaf.data.dates`.
    fill : int, optional
        Code that replaces a missing value, where missing values are imputed or have a state of their own.
    other : int, optional
        Code of the state of all rare categories together, and of those that fit has not seen.
    reading : NumberFormat, optional
        How texts are read as numbers, where a numeric column was made of texts.
    note : str
        What its owner should know about how the column was read; empty where there is nothing to say.
    source, part : str, optional
        The column of dates or times that this feature was made from, and what it is of each: "weekday", "month" or
        "hour".
    zone : str, optional
        The time zone whose clocks show the moments of the column.
    spelling : str, optional
        How dates or times were written, where the column held text; as ``strptime`` spells it.
    gap : bool
        Whether the last state is that of missing values; it is what ``fill`` says then.
    marks : tuple
        Texts and numbers of the column that mark missing values, such as ``"-"`` and ``-99.0``.
    n_missing : int, optional
        How many values were missing in fit; None where that is not known. Variables that differ in this alone are
        equal.

    Attributes
    ----------
    arity : int
        The number of states.

    Examples
    --------
    >>> Variable("smoker", ("no", "yes")).arity
    2
    >>> Variable.numeric("age", [18, 65]).states
    ('(-inf, 18]', '(18, 65]', '(65, inf)')
    >>> Variable.numeric("born", [10957], "date").states
    ('(-inf, 2000-01-01]', '(2000-01-01, inf)')
    """

    name: str
    states: tuple[State, ...]
    cuts: tuple[float, ...] | None = None
    dtype: DType = "string"
    fill: int | None = None
    other: int | None = None
    reading: NumberFormat | None = None
    note: str = ""
    source: str | None = None
    part: str | None = None
    zone: str | None = None
    spelling: str | None = None
    gap: bool = False
    marks: tuple[str | float, ...] = ()
    n_missing: int | None = field(default=None, compare=False)
    arity: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "arity", len(self.states))
        if not self.states:
            raise ValueError(f"'{self.name}' has no states: a variable needs at least one.")
        if len(set(self.states)) < len(self.states):
            twice = next(state for state, times in Counter(self.states).items() if times > 1)
            raise ValueError(
                f"'{self.name}' has the state {twice!r} twice: each state needs a label of its own."
            )
        for what, code in (("replaces missing values", self.fill), ("stands for other values", self.other)):
            if code is not None and not 0 <= code < len(self.states):
                raise ValueError(f"The code {code} that {what} of '{self.name}' is not one of its states.")
        if self.part is not None:
            known = STATES.get(self.part, ("",))
            if self.states[: len(known)] != known:
                raise ValueError(
                    f"The states of '{self.name}' are not those of the part '{self.part}' of a date."
                )
        if self.other is not None and self.other != len(self.states) - 1 - self.gap:
            raise ValueError(
                f"The state of other values of '{self.name}' must be the last, but for missing ones."
            )
        if self.gap and self.fill != len(self.states) - 1:
            raise ValueError(f"Missing values of '{self.name}' have the last state, but not its code.")

    @classmethod
    def numeric(
        cls, name: str, cuts: Sequence[float], dtype: DType = "float", fill: int | None = None
    ) -> "Variable":
        """Make a numeric variable from its cut points."""
        points = tuple(float(cut) for cut in cuts)
        return cls(name, interval_labels(points, dtype), points, dtype, fill)

    @property
    def kind(self) -> Literal["categorical", "numeric"]:
        """Whether the column is a list of categories or a cut number line."""
        return "categorical" if self.cuts is None else "numeric"

    @property
    def cut_texts(self) -> list[str]:
        """The cut points as text, dates as dates."""
        return cut_texts(self.cuts or (), self.dtype)

    @property
    def value_states(self) -> tuple[State, ...]:
        """The states that stand for one value each, or for an interval: not for a missing one, nor for all others."""
        return self.states[: len(self.states) - self.gap - (self.other is not None)]

    def with_gap(self) -> "Variable":
        """Return the variable with one more state, the last, which missing values have.

        Examples
        --------
        >>> Variable("smoker", ("no", "yes")).with_gap().states
        ('no', 'yes', '(missing)')
        """
        label = GAP
        while label in self.states:
            label = f"({label})"
        return replace(self, states=(*self.states, label), fill=self.arity, gap=True)

    def code(self, state: object) -> int:
        """Return the code of a state, by its label; of a numeric variable by any number, date, or text that is one.

        Examples
        --------
        >>> Variable("smoker", ("no", "yes")).code("yes")
        1
        >>> Variable.numeric("age", [18, 65]).code(40), Variable.numeric("age", [18, 65]).code("40")
        (1, 1)
        """
        if self.cuts is not None and state not in self.states:
            number = self._number(state)
            if number == number:  # NaN is not a state
                return sum(number > cut for cut in self.cuts)
        try:
            return self.states.index(state)
        except ValueError:
            shown = ", ".join(map(repr, self.states[:10])) + (", ..." if self.arity > 10 else "")
            raise ValueError(f"'{self.name}' has no state {state!r}; its states are {shown}.") from None

    def _number(self, value: object) -> float:
        """Return a value as the cuts count it; NaN if that is impossible."""
        if not isinstance(value, bool) and isinstance(value, Real):
            return float(value)
        if self.dtype in MOMENTS:
            number = self.date_number(value)
            return math.nan if number is None else number
        return float(read_numbers([value], self.reading)[0]) if isinstance(value, str) else math.nan

    def date_number(self, value: Any) -> float | None:
        """Return a date or time (also one that ISO 8601 writes) as the cuts count it; None for anything else.

        Examples
        --------
        >>> Variable.numeric("born", [10957], "date").date_number("1970-01-02")
        1.0
        """
        if isinstance(value, str) and self.spelling in (None, ISO) and value not in self.states:
            try:
                value = dt.datetime.fromisoformat(value)
            except ValueError:
                return None
        if value is None or value != value:  # NaT
            return None
        moment = moment_of(value)
        if moment is None:
            return None
        number, dtype, zone = moment
        if dtype == self.dtype and zone is None:
            return number
        counted = as_counted(np.array([number]), dtype, zone, self.dtype, self.zone, self.name)
        return None if counted is None else float(counted[0])

    def to_dict(self) -> dict[str, Any]:
        """Return the variable as plain data, for a model file."""
        data: dict[str, Any] = {"name": self.name, "dtype": self.dtype}
        if self.cuts is None:
            data["states"] = list(self.states)
        else:
            data["cuts"] = list(self.cuts)  # the intervals follow, and so does a state of missing values
        if self.reading is not None:
            data["reading"] = asdict(self.reading)
        if self.marks:
            data["marks"] = list(self.marks)
        for key in ("fill", "other", "note", "gap", "n_missing", "source", "part", "zone", "spelling"):
            if getattr(self, key) != getattr(Variable, key):  # what is said in no file is the default
                data[key] = getattr(self, key)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Variable":
        """Rebuild a variable from plain data.

        Examples
        --------
        >>> Variable.from_dict(Variable.numeric("age", [18]).to_dict()).states
        ('(-inf, 18]', '(18, inf)')
        """
        name, cuts = data["name"], data.get("cuts")
        if cuts is not None and not all(low < high for low, high in pairwise([-math.inf, *cuts, math.inf])):
            raise ValueError(f"The cut points of '{name}' are not increasing finite numbers: {cuts}.")
        gap = data.get("gap", False)
        intervals = () if cuts is None else interval_labels(cuts, data["dtype"])
        states = data["states"] if cuts is None else (*intervals, *([GAP] if gap else []))
        reading = data.get("reading")
        variable = cls(
            name,
            tuple(states),
            None if cuts is None else tuple(map(float, cuts)),
            data["dtype"],
            data.get("fill"),
            other=data.get("other"),
            reading=None if reading is None else NumberFormat(**reading),
            note=data.get("note", ""),
            **{key: data.get(key) for key in ("source", "part", "zone", "spelling")},
            gap=gap,
            marks=tuple(data.get("marks", ())),
            n_missing=data.get("n_missing"),
        )
        check_fields(variable, f"the column '{name}'")
        if variable.n_missing is not None and not 0 <= variable.n_missing < 2**63:
            raise ValueError(f"The column '{name}' says an impossible number of missing values.")
        return variable


def interval_labels(cuts: Sequence[float], dtype: str = "float") -> tuple[str, ...]:
    """Label the intervals between cut points, by the shortest numbers or dates that tell them apart."""
    edges = ["-inf", *cut_texts(cuts, dtype)]
    inner = [f"({low}, {high}]" for low, high in pairwise(edges)]
    return (*inner, f"({edges[-1]}, inf)")


def cut_texts(cuts: Sequence[float], dtype: str = "float") -> list[str]:
    """Write cut points as short as they still differ; large ones with all digits before the decimal mark.

    Examples
    --------
    >>> cut_texts([0.5, 1234.5, 10023.4]), cut_texts([1.25e-5, 2.5e12])
    (['0.5', '1234.5', '10023'], ['0.0000125', '2.5e+12'])
    """
    shown = moment_texts(cuts, dtype) if dtype in MOMENTS else []
    if cuts and len(set(shown)) == len(cuts):
        return shown
    for digits in range(4, 18):
        shown = [_cut_text(cut, digits) for cut in cuts]
        if len(set(shown)) == len(shown):
            break
    return shown


# A number of so many characters is written with an exponent.
_LONG = 12


def _cut_text(cut: float, digits: int) -> str:
    """Write a number of that many digits, without an exponent where it is short.

    A number half way between two whole ones keeps its half: rounded up, it would be written as one above it.
    """
    short = f"{cut:.{digits}g}"
    plain = f"{cut:.1f}" if cut % 1 == 0.5 else f"{cut:.0f}" if abs(cut) >= 10**digits else short
    if "e" in plain:
        plain = format(Decimal(short), "f")
    return plain if len(plain) < _LONG else short
