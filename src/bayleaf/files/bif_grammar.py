"""The grammar of BIF files: text becomes declarations and rows of numbers, nothing is interpreted yet."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from .whole_files import FilePath

# Separators and comments; atomic, so that a comment is never read in part.
_NOTHING = r"(?> [\s,|]+ | //[^\n]* | /\*.*?\*/ )*+"
_SPACE = re.compile(_NOTHING, re.VERBOSE | re.DOTALL)
_TOKEN = re.compile(
    _NOTHING
    + r"""
    ( "(?: [^"\\] | \\. )*"                       # a quoted name
    | [{}()\[\];]
    | (?: (?! //|/\* ) [^\s,|{}()\[\];"] )+ )     # a word or a number
    """,
    re.VERBOSE | re.DOTALL,
)
_PROPERTY = re.compile(r'(?:"[^"]*"|[^;"])*;|[^;]*;')
_ESCAPED = re.compile(r'\\(["\\])')
_KEYWORDS = frozenset(
    {"network", "variable", "probability", "property", "type", "discrete", "default", "table"}
)


@dataclass(frozen=True)
class Row:
    """One statement of a probability block; ``states`` belong to the parents, in the block's order."""

    kind: Literal["table", "default", "row"]
    states: tuple[str, ...]
    numbers: list[float]
    position: int


@dataclass(frozen=True)
class Distribution:
    """One probability block."""

    child: str
    parents: tuple[str, ...]
    rows: list[Row]
    position: int


@dataclass
class Document:
    """What a file says, block by block, with the positions in its text for messages."""

    path: FilePath
    text: str
    states: dict[str, list[str]] = field(default_factory=dict)
    declared_arity: dict[str, int] = field(default_factory=dict)
    declared_at: dict[str, int] = field(default_factory=dict)
    distributions: dict[str, Distribution] = field(default_factory=dict)

    def line(self, position: int) -> int:
        """Return the line of a position in the text."""
        return self.text.count("\n", 0, position) + 1

    def error(self, problem: str, position: int) -> ValueError:
        """Make the error that says what is wrong in which line of the file."""
        return ValueError(f"'{self.path}', line {self.line(position)}: {problem}.")


def bare_word(name: str) -> bool:
    """Whether a name can stand in a file without quotes.

    Examples
    --------
    >>> bare_word("<7.5"), bare_word("not bare"), bare_word("table")
    (True, False, False)
    """
    match = _TOKEN.fullmatch(name)
    whole = match is not None and match.start(1) == 0 and name[0] not in '"{}()[];'
    return whole and name not in _KEYWORDS and name.isprintable()


def parse(path: FilePath, text: str) -> Document:
    """Read all blocks of a file.

    Examples
    --------
    >>> parse("coin.bif", "network n { } variable coin { type discrete [ 2 ] { heads tails }; }").states
    {'coin': ['heads', 'tails']}
    """
    document = Document(path, text)
    scanner = _Scanner(document)
    first = scanner.token()
    if first != "network":
        shown = f"begins with '{first[:20]}'" if first else "is empty"
        raise ValueError(f"'{path}' is not a BIF file: it {shown} instead of 'network'.")
    _read_network(scanner)
    while keyword := scanner.token():
        scanner.begin_block(keyword)
        if keyword == "variable":
            _read_variable(scanner, document)
        elif keyword == "probability":
            _read_probability(scanner, document)
        else:
            raise document.error(
                f"expected a variable or probability block, found '{keyword}'", scanner.position
            )
    return document


class _Scanner:
    """Hands out the tokens of a text one after another."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.position = 0  # where the last token begins
        self._next = 0
        self._block = ("network", 0)

    def begin_block(self, keyword: str) -> None:
        self._block = (keyword, self.position)

    def token(self) -> str:
        """Return the next token, or "" at the end of the text."""
        match = _TOKEN.match(self.document.text, self._next)
        if match is None:
            end = _SPACE.match(self.document.text, self._next)
            self.position = self._next if end is None else end.end()
            if self.position < len(self.document.text):
                raise self.document.error("a quote or a comment is not closed", self.position)
            return ""
        self.position = match.start(1)
        self._next = match.end()
        return match[1]

    def needed(self) -> str:
        """Return the next token of a block that is not complete yet."""
        token = self.token()
        if not token:
            keyword, start = self._block
            line = self.document.line(start)
            raise self.document.error(
                f"the file is truncated: it ends inside the {keyword} block that begins in line {line}",
                self.position,
            )
        return token

    def expect(self, symbol: str) -> None:
        token = self.needed()
        if token != symbol:
            raise self.document.error(f"expected '{symbol}', found '{token}'", self.position)

    def name(self) -> str:
        token = self.needed()
        if token[0] == '"':
            return _ESCAPED.sub(r"\1", token[1:-1])
        if token in "{}()[];":
            raise self.document.error(f"expected a name, found '{token}'", self.position)
        return token

    def names_until(self, symbol: str) -> list[str]:
        """Read names up to a closing symbol."""
        names: list[str] = []
        while True:
            before = self._next
            if self.needed() == symbol:
                return names
            self._next = before
            names.append(self.name())

    def numbers(self) -> list[float]:
        """Read numbers up to a semicolon."""
        end = self.document.text.find(";", self._next)
        try:
            numbers = [float(word) for word in self.document.text[self._next : end].replace(",", " ").split()]
        except ValueError:
            end = -1
        if end < 0:  # a comment among the numbers, or a mistake: more slowly
            return self._numbers_by_token()
        self._next = end + 1
        return numbers

    def _numbers_by_token(self) -> list[float]:
        numbers: list[float] = []
        while (token := self.needed()) != ";":
            try:
                numbers.append(float(token))
            except ValueError:
                raise self.document.error(
                    f"expected a number or ';', found '{token}'", self.position
                ) from None
        return numbers

    def skip_property(self) -> None:
        match = _PROPERTY.match(self.document.text, self._next)
        self._next = match.end() if match else len(self.document.text)


def _read_network(scanner: _Scanner) -> None:
    while scanner.needed() != "{":  # the network's name does not matter
        pass
    while (token := scanner.needed()) != "}":
        if token != "property":
            raise scanner.document.error(f"expected 'property' or '}}', found '{token}'", scanner.position)
        scanner.skip_property()


def _read_variable(scanner: _Scanner, document: Document) -> None:
    name = scanner.name()
    start = scanner.position
    if name in document.states:
        raise document.error(f"the variable '{name}' is declared a second time", start)
    scanner.expect("{")
    while (token := scanner.needed()) != "}":
        if token == "property":
            scanner.skip_property()
        elif token == "type":
            _read_type(scanner, document, name)
        else:
            raise document.error(f"expected 'type' or 'property', found '{token}'", scanner.position)
    if name not in document.states:
        raise document.error(f"the variable '{name}' has no type", start)
    document.declared_at[name] = start


def _read_type(scanner: _Scanner, document: Document, name: str) -> None:
    kind = scanner.needed()
    if kind != "discrete":
        problem = f"'{name}' has the type '{kind}'; only discrete variables can be read"
        raise document.error(problem, scanner.position)
    scanner.expect("[")
    arity = scanner.needed()
    if not arity.isdecimal():
        raise document.error(f"expected a number of states, found '{arity}'", scanner.position)
    document.declared_arity[name] = int(arity)
    scanner.expect("]")
    scanner.expect("{")
    document.states[name] = scanner.names_until("}")
    scanner.expect(";")


def _read_probability(scanner: _Scanner, document: Document) -> None:
    start = scanner.position
    scanner.expect("(")
    names: Sequence[str] = scanner.names_until(")")
    if not names:
        raise document.error("a probability block names no variable", start)
    child, *parents = names
    if child in document.distributions:
        raise document.error(f"the variable '{child}' has a second probability block", start)
    scanner.expect("{")
    rows: list[Row] = []
    while (token := scanner.needed()) != "}":
        position = scanner.position
        if token == "property":
            scanner.skip_property()
        elif token == "table":
            rows.append(Row("table", (), scanner.numbers(), position))
        elif token == "default":
            rows.append(Row("default", (), scanner.numbers(), position))
        elif token == "(":
            states = tuple(scanner.names_until(")"))
            rows.append(Row("row", states, scanner.numbers(), position))
        else:
            raise document.error(f"expected a row of probabilities, found '{token}'", position)
    document.distributions[child] = Distribution(child, tuple(parents), rows, start)
