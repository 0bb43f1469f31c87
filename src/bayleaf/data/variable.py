"""One column of data as the library sees it: a name and a fixed list of states."""

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import ROUND_HALF_UP, Context, Decimal
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
# The part of a free text that is one word, and its states.
WORD, PRESENCE = "word", ("absent", "present")
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
        "hour". Or the column of texts, and "word".
    zone : str, optional
        The time zone whose clocks show the moments of the column.
    spelling : str, optional
        How dates or times were written, where the column held text; as ``strptime`` spells it. Of a part of texts
        the word.
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
            known = PRESENCE if self.part == WORD else STATES.get(self.part, ("",))
            if self.states[: len(known)] != known or (self.part == WORD and not self.spelling):
                raise ValueError(f"The states of '{self.name}' are not those of the part '{self.part}'.")
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
    return _plain(plain) if len(_plain(plain)) < _LONG else short


def _plain(text: str) -> str:
    return format(Decimal(text), "f") if "e" in text else text


# Digits of a number, and those of one that is too long without an exponent.
_ALL_DIGITS, _FEW_DIGITS = 15, 6
# Pages have the minus sign of print; whatever may be typed back has the one of the keyboard. Both are read.
MINUS = "\N{MINUS SIGN}"


def number_text(value: float, reading: NumberFormat | None = None, minus: str = "-") -> str:
    """Write a number as people do: with up to 15 digits, or with 6 where that takes 12 characters or more.

    It has an exponent only where it is as long as that with 6 digits too. ``reading`` says how the column writes its
    decimal mark and thousands. The model page has a twin of this function, ``numberText``.

    Examples
    --------
    >>> number_text(10020.0), number_text(0.1 + 0.2), number_text(1 / 3), number_text(2.5e12)
    ('10020', '0.3', '0.333333', '2.5e+12')
    >>> number_text(-1234567.5, NumberFormat(",", "."), MINUS)
    '−1.234.567,5'
    """
    if not math.isfinite(value):
        return str(float(value)).replace("-", minus)
    text = _plain(f"{value:.{_ALL_DIGITS}g}")
    if len(text) >= _LONG:
        long = Decimal(f"{value:.{_ALL_DIGITS - 1}e}")
        short = _short(long)
        text = _plain(short) if len(_plain(short)) < _LONG else short
    return styled("0" if text == "-0" else text, reading, minus)


def _short(number: Decimal) -> str:
    """Round half up to the few digits: the digits of a decimal, which Python and browsers round alike."""
    rounded = Context(prec=_FEW_DIGITS, rounding=ROUND_HALF_UP).plus(number)
    return f"{float(rounded):.{_FEW_DIGITS}g}"


_DIGITS = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(e.*)?")


def styled(text: str, reading: NumberFormat | None = None, minus: str = "-") -> str:
    """Write the digits of a number with the decimal mark and the thousands of a column, and with a minus sign.

    Examples
    --------
    >>> styled("1234.5", NumberFormat(",", ".")), styled("-12", None, MINUS), styled("2024-01-31")
    ('1.234,5', '−12', '2024-01-31')
    """
    found = _DIGITS.fullmatch(text)
    if found is None:
        return text
    sign, whole, rest, exponent = found.groups(default="")
    if reading is not None and reading.thousands and not exponent:
        whole = f"{int(whole):,}".replace(",", reading.thousands)
    point = "." if reading is None else reading.decimal
    return f"{minus if sign else ''}{whole}{point + rest if rest else ''}{exponent.replace('-', minus)}"


def state_texts(variable: Variable, minus: str = "-") -> list[str]:
    """Write the states of a variable for people: intervals in words, those of whole numbers by the numbers in them.

    Examples
    --------
    >>> state_texts(Variable.numeric("age", [17.5, 64.5], "integer")), state_texts(Variable("sex", ("f", "m")))
    (['≤ 17', '18 to 64', '≥ 65'], ['f', 'm'])
    >>> state_texts(Variable.numeric("head", [1.5, 2.5], "integer"))
    ['≤ 1', '2', '≥ 3']
    >>> state_texts(Variable.numeric("mm", [6.35, 27.5]))
    ['≤ 6.35', '6.35 – 27.5', '> 27.5']
    """
    cuts, gap = variable.cuts, [str(variable.states[-1])] if variable.gap else []
    if cuts is None:
        return [str(state) for state in variable.states]
    if not cuts:
        return ["any number", *gap]
    if variable.dtype == "integer" and max(map(abs, cuts)) < 2**53:
        lasts = [math.floor(cut) for cut in cuts]
        inner = [_whole_text(low + 1, high, variable, minus) for low, high in pairwise(lasts)]
        first, last = (number_text(each, variable.reading, minus) for each in (lasts[0], lasts[-1] + 1))
        texts = [f"≤ {first}", *inner, f"≥ {last}", *gap]
        if len(set(texts)) == len(texts) and all(low < high for low, high in pairwise(lasts)):
            return texts
    edges = [styled(text, variable.reading, minus) for text in variable.cut_texts]
    return [f"≤ {edges[0]}", *(f"{low} – {high}" for low, high in pairwise(edges)), f"> {edges[-1]}", *gap]


def example_text(variable: Variable) -> str:
    """Write a number as the texts of a column do.

    Examples
    --------
    >>> example_text(Variable("price", ("a",), (1067.5,), reading=NumberFormat(",", ".", "€")))
    '1.067,5 €'
    """
    number = variable.cuts[-1] if variable.cuts else 1234.5
    unit = "" if variable.reading is None else variable.reading.unit
    return f"{number_text(number, variable.reading)} {unit}".strip()


def _whole_text(low: int, high: int, variable: Variable, minus: str) -> str:
    first, last = (number_text(each, variable.reading, minus) for each in (low, high))
    return first if low == high else f"{first} to {last}"


def value_in_state(variable: Variable, value: float) -> tuple[str, str]:
    """Write a number and the interval that it is in, both with so many digits that it is seen to be in there.

    Examples
    --------
    >>> value_in_state(Variable.numeric("lat", [44.948349, 44.948371]), 44.94834)
    ('44.94834', '(-inf, 44.948349]')
    >>> value_in_state(Variable.numeric("rooms", [2.5, 5.5], "integer"), 3.0)
    ('3', '3 to 5')
    """
    assert variable.cuts is not None
    code = variable.code(value)
    if variable.dtype == "integer" and value % 1 == 0:
        return number_text(value), state_texts(variable)[code]
    edges = [-math.inf, *variable.cuts, math.inf][code : code + 2]
    texts = ["-inf", *variable.cut_texts, "inf"][code : code + 2]
    for write in (number_text, repr):
        shown = number_text(value)
        if float(texts[0]) < float(shown) <= float(texts[1]):
            break
        texts = [write(float(edge)) for edge in edges]
    else:
        shown = repr(float(value))
    return shown, f"({texts[0]}, {texts[1]}{']' if code < len(variable.cuts) else ')'}"
