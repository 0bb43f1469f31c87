"""One column of data as the library sees it: a name and a fixed list of states."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from numbers import Real
from typing import Any, Literal

from .number_format import NumberFormat
from .number_text import read_numbers

State = str | int | float | bool
# A column without any value may have no type.
DType = Literal["string", "boolean", "integer", "float", "untyped", "identifier"]
# Label of the state that missing values have, where no value of the column is called so.
GAP = "(missing)"


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
    dtype : {"string", "boolean", "integer", "float", "untyped", "identifier"}
        What the column held when the schema was learned; "untyped" where it held no value and its type says
        nothing either: then any value is read, as missing. An "identifier" has one state, whatever it holds, and
        enters no network.
    fill : int, optional
        Code that takes the place of a missing value, where missing values are imputed or have a state of their own.
    other : int, optional
        Code of the state that stands for all rare categories together, and for those that fit has not seen.
    reading : NumberFormat, optional
        How texts are read as numbers, where a numeric column was made of texts.
    note : str
        What its owner should know about how the column was read; empty where there is nothing to say.
    gap : bool
        Whether the last state is that of missing values; it is what ``fill`` says then.
    n_missing : int, optional
        How many values were missing in fit; None where that is not known. Variables that differ in this alone are
        equal.

    Examples
    --------
    >>> Variable("smoker", ("no", "yes")).arity
    2
    >>> Variable.numeric("age", [18, 65]).states
    ('(-inf, 18]', '(18, 65]', '(65, inf)')
    """

    name: str
    states: tuple[State, ...]
    cuts: tuple[float, ...] | None = None
    dtype: DType = "string"
    fill: int | None = None
    other: int | None = None
    reading: NumberFormat | None = None
    note: str = ""
    gap: bool = False
    n_missing: int | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not self.states:
            raise ValueError(f"'{self.name}' has no states: a variable needs at least one.")
        if len(set(self.states)) < len(self.states):
            twice = next(state for state, times in Counter(self.states).items() if times > 1)
            raise ValueError(
                f"'{self.name}' has the state {twice!r} twice: each state needs a label of its own."
            )
        for what, code in (("replaces missing values", self.fill), ("stands for other values", self.other)):
            if code is not None and not 0 <= code < len(self.states):
                raise ValueError(f"The code {code} that {what} of '{self.name}' is none of its states.")
        if self.gap and self.fill != len(self.states) - 1:
            raise ValueError(f"Missing values of '{self.name}' have the last state, but not its code.")

    @classmethod
    def numeric(
        cls, name: str, cuts: Sequence[float], dtype: DType = "float", fill: int | None = None
    ) -> "Variable":
        """Make a numeric variable from its cut points."""
        points = tuple(float(cut) for cut in cuts)
        return cls(name, interval_labels(points), points, dtype, fill)

    @property
    def arity(self) -> int:
        """The number of states."""
        return len(self.states)

    @property
    def kind(self) -> Literal["categorical", "numeric"]:
        """Whether the column is a list of categories or a cut number line."""
        return "categorical" if self.cuts is None else "numeric"

    @property
    def value_states(self) -> tuple[State, ...]:
        """The states that stand for values, not for a missing one."""
        return self.states[:-1] if self.gap else self.states

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
        """Return the code of a state, by its label (or, for a numeric variable, by any number or text that is one).

        Examples
        --------
        >>> Variable("smoker", ("no", "yes")).code("yes")
        1
        >>> Variable.numeric("age", [18, 65]).code(40), Variable.numeric("age", [18, 65]).code("40")
        (1, 1)
        """
        if self.cuts is not None and state not in self.states:
            number = math.nan
            if isinstance(state, str):
                number = float(read_numbers([state], self.reading)[0])
            elif not isinstance(state, bool) and isinstance(state, Real):
                number = float(state)
            if number == number:  # NaN is not a state
                return sum(number > cut for cut in self.cuts)
        try:
            return self.states.index(state)
        except ValueError:
            shown = ", ".join(map(repr, self.states[:10])) + (", ..." if self.arity > 10 else "")
            raise ValueError(f"'{self.name}' has no state {state!r}; its states are {shown}.") from None

    def to_dict(self) -> dict[str, Any]:
        """Return the variable as plain data, for a model file."""
        data: dict[str, Any] = {"name": self.name, "dtype": self.dtype}
        if self.cuts is None:
            data["states"] = list(self.states)
        else:
            data["cuts"] = list(self.cuts)  # the intervals follow, and so does a state of missing values
        if self.reading is not None:
            data["reading"] = self.reading.to_dict()
        for key in ("fill", "other", "note", "gap", "n_missing"):
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
        states = data["states"] if cuts is None else (*interval_labels(cuts), *([GAP] if gap else []))
        reading = data.get("reading")
        return cls(
            name,
            tuple(states),
            None if cuts is None else tuple(map(float, cuts)),
            data["dtype"],
            data.get("fill"),
            other=data.get("other"),
            reading=None if reading is None else NumberFormat(**reading),
            note=data.get("note", ""),
            gap=gap,
            n_missing=data.get("n_missing"),
        )


def interval_labels(cuts: Sequence[float]) -> tuple[str, ...]:
    """Label the intervals between cut points, shortest numbers that tell them apart.

    Examples
    --------
    >>> interval_labels([0.8, 1.75])
    ('(-inf, 0.8]', '(0.8, 1.75]', '(1.75, inf)')
    >>> interval_labels([])
    ('(-inf, inf)',)
    """
    for digits in range(4, 18):
        shown = [f"{cut:.{digits}g}" for cut in cuts]
        if len(set(shown)) == len(shown):
            break
    edges = ["-inf", *shown] if cuts else ["-inf"]
    inner = [f"({low}, {high}]" for low, high in itertools.pairwise(edges)]
    return (*inner, f"({edges[-1]}, inf)")
