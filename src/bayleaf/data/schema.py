"""The schema: what fit learned about the columns, also as a printed table; and what columns mean to people."""

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields
from typing import Any

from bayleaf._util.optional import make_frame
from bayleaf._util.words import counted, listing

from .categories import REPEATS
from .columns import AbsentColumns
from .dates import MOMENTS
from .text_values import mark_text
from .text_words import FREE_TEXT
from .variable import Variable, state_texts, styled

HEADINGS = ("column", "read as", "states", "gaps", "note")
# Columns that a printed schema shows; `bayleaf inspect` and `Schema.to_frame` have all of them.
MOST_COLUMNS = 100
# Remarks about columns that a summary has.
MOST_REMARKS = 5
# How a note about columns that say the same begins.
SAYS_THE_SAME = "says the same as"
WIDTH = 120


@dataclass(frozen=True)
class SchemaLine:
    """One column of a schema in words."""

    column: str
    read_as: str
    states: str
    gaps: str
    note: str


@dataclass(frozen=True, repr=False)
class Schema:
    """The variables of a table: the features and, usually, the class. It prints as a table.

    Parameters
    ----------
    features : tuple of Variable
    target : Variable, optional
        The class.
    rows : int, optional
        Rows that it was learned from; None where that is not known. Schemas that differ in this alone are equal.

    Examples
    --------
    >>> schema = Schema((Variable("x", ("a", "b"), n_missing=3),), Variable("class", ("no", "yes")), rows=12)
    >>> print(schema)
    column   read as    states                  gaps   note
    ───────────────────────────────────────────────────────
    x        category   2 categories: a, b   3 (25%)
    class    class      2 classes: no, yes
    """

    features: tuple[Variable, ...]
    target: Variable | None = None
    rows: int | None = field(default=None, compare=False)

    def lines(self) -> list[SchemaLine]:
        """Describe each column in words: what it was read as, its states, its gaps, and what there is to note."""
        return list(schema_lines(self.features, self.target, self.rows))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the printed table as a DataFrame of the named library."""
        cells = zip(*map(astuple, self.lines()), strict=True)
        return make_frame({name: list(column) for name, column in zip(HEADINGS, cells, strict=True)}, backend)

    def __repr__(self) -> str:
        return as_text(self.lines())

    def _repr_html_(self) -> str:
        return as_html(self.lines())

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables, the class last."""
        return self.features if self.target is None else (*self.features, self.target)

    @property
    def columns(self) -> tuple[Variable, ...]:
        """The features that are columns of the data; those made from a column come after all of these."""
        return tuple(variable for variable in self.features if variable.source is None)

    @property
    def used(self) -> list[int]:
        """Positions of the features that may enter a network: all but identifiers, which are left out."""
        return [j for j, variable in enumerate(self.features) if variable.dtype != "identifier"]

    @property
    def left_out(self) -> tuple[list[str], list[str]]:
        """Names of the columns that are left out: identifiers, and free texts without features of their words."""
        sources = {variable.source for variable in self.features}
        names: tuple[list[str], list[str]] = ([], [])
        for variable in self.columns:
            if variable.dtype == "identifier" and variable.name not in sources:
                names[is_text(variable)].append(variable.name)
        return names

    @property
    def remarks(self) -> list[str]:
        """What is noted about columns that are used and perhaps should not be: repeated identifiers, and twins."""
        return [
            f"'{variable.name}' {note}"
            for variable in self.columns
            for note in variable.note.split("; ")
            if note.startswith((REPEATS, SAYS_THE_SAME))
        ]

    def may_lack(self, absent_columns: AbsentColumns) -> list[str]:
        """Return the columns that new rows may lack: what is left out, and all if they count as missing then."""
        sources = {variable.source for variable in self.features}
        return [
            variable.name
            for variable in self.columns
            if absent_columns == "missing"
            or (variable.dtype == "identifier" and variable.name not in sources)
        ]


def schema_lines(
    features: Sequence[Variable], target: Variable | None, rows: int | None
) -> Iterator[SchemaLine]:
    """Describe the features, then the class; ``rows`` are those of fit, where known."""
    for variable in features:
        yield SchemaLine(
            variable.name,
            type_word(variable),
            "" if target is None and variable.cuts == () else states_text(variable),
            _gaps(variable, rows),
            "; ".join(_notes(variable, has_class=target is not None)),
        )
    if target is not None:
        classes = f"{counted(target.arity, 'class')}: {listing(target.states)}"
        yield SchemaLine(target.name, "class", classes, "", "")


def type_word(variable: Variable) -> str:
    """Name what a column was read as, by the words of ``column_types``."""
    if variable.dtype == "identifier":
        return "text" if is_text(variable) else "identifier"
    if variable.dtype == "untyped":
        return "nothing"
    if variable.part is not None:
        return f"{variable.part} of {variable.source}"
    if variable.cuts is None:
        return "category"
    if variable.dtype in MOMENTS:
        return variable.dtype
    return "number" if variable.reading is None else "number from text"


def is_text(variable: Variable) -> bool:
    """Tell whether a column is left out since it holds free text."""
    return variable.dtype == "identifier" and variable.states == (FREE_TEXT,)


def states_text(variable: Variable) -> str:
    """Describe the states of a variable."""
    gap, values = "; and missing" if variable.gap else "", variable.value_states
    if variable.dtype in ("identifier", "untyped"):
        return ""
    if variable.cuts is None:
        return f"{counted(len(values), 'category')}: {listing(values)}{gap}"
    if not variable.cuts:
        return f"1 interval (no cut){gap}"
    shown = state_texts(variable)[1 : len(values) - 1]
    if shown and variable.dtype == "integer" and all(_is_one(text) for text in shown):
        return f"{counted(len(values), 'whole number')}: {listing(state_texts(variable), most=12)}"
    cuts = [styled(text, variable.reading) for text in variable.cut_texts]
    return f"{len(values)} intervals, cut at {listing(cuts, most=12)}{gap}"


def _is_one(text: str) -> bool:
    return " to " not in text and " – " not in text


def _gaps(variable: Variable, rows: int | None) -> str:
    count = variable.n_missing
    if not count:
        return ""
    if not rows:
        return f"{count:,}"
    share = 100 * count / rows
    return f"{count:,} ({'<1' if share < 0.5 else f'{share:.0f}'}%)"


def _notes(variable: Variable, *, has_class: bool) -> Iterator[str]:
    if variable.note:
        yield variable.note
    if variable.marks and variable.n_missing:
        yield f"{listing(map(mark_text, variable.marks), most=5)} read as missing"
    if variable.dtype == "identifier":
        if not is_text(variable):
            yield "left out: says nothing about new rows"
        elif not variable.note:
            yield "left out: free text, whose words become features as the type text"
    elif variable.dtype == "untyped":
        yield "no values: carries no evidence"
    elif variable.cuts == () and not has_class:
        yield "cut when the class is known"
    elif variable.arity == 1:
        what = "one category" if variable.cuts is None else "not cut"
        yield f"{what}: carries no evidence"


def rich_table(lines: Sequence[SchemaLine]) -> Any:
    """Lay out lines for a terminal."""
    from rich import box  # only here: most who read tables print no schema
    from rich.table import Table as RichTable
    from rich.text import Text

    table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for heading in HEADINGS:
        table.add_column(heading, overflow="fold", justify="right" if heading == "gaps" else "left")
    for line in lines:
        column, *rest = astuple(line)
        table.add_row(Text(column, style="bold"), *map(Text, rest))
    return table


def as_text(lines: Sequence[SchemaLine]) -> str:
    """Write lines as a table of plain text."""
    from rich.console import Console

    console = Console(width=WIDTH, color_system=None, force_jupyter=False, force_terminal=False)
    with console.capture() as capture:
        console.print(rich_table(lines[:MOST_COLUMNS]))
        if len(lines) > MOST_COLUMNS:
            console.print(f"... and {counted(len(lines) - MOST_COLUMNS, 'more line')}")
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def as_html(lines: Sequence[SchemaLine]) -> str:
    """Write lines as a table for a notebook."""
    head = "".join(f"<th>{heading}</th>" for heading in HEADINGS)
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in astuple(line))}</tr>"
        for line in lines[:MOST_COLUMNS]
    )
    more = len(lines) - MOST_COLUMNS
    rest = f"<p>... and {counted(more, 'more line')}</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


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
        """Raise for names that no column has, and for states that a column does not have."""
        columns = {variable.name: variable for variable in variables}
        for name, part in asdict(self).items():
            strange = [column for column in part or () if name != "title" and column not in columns]
            if strange:
                raise ValueError(
                    f"{name} name {strange[0]!r}, which is not a column of the model; its columns are "
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
        """Return the parts that are given, as plain data."""
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
