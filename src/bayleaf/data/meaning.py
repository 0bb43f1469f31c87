"""What columns and states mean to people: shown names, units, descriptions."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from .variable import Variable

Texts = dict[str, str]


@dataclass(frozen=True)
class Meaning:
    """How the model page names columns and states, where their own names would not tell.

    Attributes
    ----------
    title : str or None
        Heading of the page.
    labels : dict
        Shown names, by column.
    units : dict
        Units of numbers, by column.
    descriptions : dict
        A sentence or two about what a column means, by column.
    states : dict
        Shown names of states, by column and state.

    Examples
    --------
    >>> meaning = Meaning.of(labels={"sex": "Sex"}, states={"sex": {0: "female", 1: "male"}})
    >>> meaning.name("sex"), meaning.name("age"), meaning.states["sex"]["1"]
    ('Sex', 'age', 'male')
    """

    title: str | None = None
    labels: Texts = field(default_factory=dict)
    units: Texts = field(default_factory=dict)
    descriptions: Texts = field(default_factory=dict)
    states: dict[str, Texts] = field(default_factory=dict)

    @classmethod
    def of(cls, **parts: Any) -> "Meaning":
        """Check parts, any of which may be left out or None, and put them together."""
        known = [each.name for each in fields(cls)]
        strange = [name for name in parts if name not in known]
        if strange:
            raise ValueError(f"A meaning has no part {strange[0]!r}; it has {', '.join(known)}.")
        given = {name: part for name, part in parts.items() if part is not None}
        checked: dict[str, Any] = {}
        for name, part in given.items():
            if name == "title":
                checked[name] = str(part)
            elif name == "states":
                by_column = _checked(name, part)
                checked[name] = {
                    column: _texts(f"{name} of '{column}'", texts) for column, texts in by_column.items()
                }
            else:
                checked[name] = _texts(name, part)
        return cls(**checked)

    def joined(self, other: "Meaning") -> "Meaning":
        """Return the parts of both; what ``other`` says counts more."""
        parts: dict[str, Any] = {
            name: {**mine, **theirs}
            for (name, mine), theirs in zip(asdict(self).items(), asdict(other).values(), strict=True)
            if name != "title"
        }
        return Meaning(other.title if other.title is not None else self.title, **parts)

    def check(self, variables: Iterable[Variable]) -> None:
        """Refuse names that no column bears, and states that a column does not have."""
        columns = {variable.name: variable for variable in variables}
        for name, part in asdict(self).items():
            strange = [column for column in part or () if name != "title" and column not in columns]
            if strange:
                raise ValueError(
                    f"{name} name {strange[0]!r}, which is no column of the model; its columns are "
                    f"{', '.join(list(columns)[:10])}{', ...' if len(columns) > 10 else ''}."
                )
        for column, texts in self.states.items():
            known = [str(state) for state in columns[column].states]
            strange = [state for state in texts if state not in known]
            if strange:
                raise ValueError(f"'{column}' has no state {strange[0]!r}; it has {', '.join(known[:10])}.")

    def name(self, column: str) -> str:
        """Return the shown name of a column."""
        return self.labels.get(column, column)

    def to_dict(self) -> dict[str, Any]:
        """Return the parts that say something, as plain data."""
        return {name: part for name, part in asdict(self).items() if part}


def _checked(name: str, part: Any) -> dict[str, Any]:
    if not isinstance(part, Mapping):
        raise TypeError(f"{name} must be a dict. Got {type(part).__name__} instead.")
    return {str(key): value for key, value in part.items()}


def _texts(name: str, part: Any) -> Texts:
    texts = _checked(name, part)
    for key, value in texts.items():
        if not isinstance(value, str):
            raise TypeError(f"{name} must map '{key}' to a text. Got {value!r} instead.")
    return texts
