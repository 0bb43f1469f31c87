"""Networks in the Bayesian interchange format (BIF 0.15), as the repositories of benchmark networks use it.

A file is a sequence of blocks::

    network unknown { }
    variable rain { type discrete [ 2 ] { no, yes }; }
    variable wet { type discrete [ 2 ] { no, yes }; }
    probability ( rain ) { table 0.8, 0.2; }
    probability ( wet | rain ) { (no) 0.9, 0.1; (yes) 0.2, 0.8; }

Commas and bars separate like spaces. ``property`` statements and comments are skipped.

A scanner turns the text into declarations and rows of numbers; then tables are filled and checked.

References
----------
F. Cozman. The interchange format for Bayesian networks, version 0.15. Carnegie Mellon University, 1998.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.whole_files import FilePath, brief_errors, read_text, write_text
from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network.bayesnet import BayesNet

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


def _bare_word(name: str) -> bool:
    """Whether a name can stand in a file without quotes."""
    match = _TOKEN.fullmatch(name)
    whole = match is not None and match.start(1) == 0 and name[0] not in '"{}()[];'
    return whole and name not in _KEYWORDS and name.isprintable()


def _parse(path: FilePath, text: str) -> Document:
    """Read all blocks of a file."""
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


# Files print few digits. A row that misses one by more than this is a mistake; by less, it is renormalised; rows
# that miss it only in the last bits are left as they are, so that what was written is read back unchanged.
ROUNDING = 2e-3
LAST_BITS = 1e-9


@brief_errors()
def read_bif(path: FilePath) -> BayesNet:
    """Read a network from a BIF file, compressed by gzip or not.

    States are strings. Rows of probabilities that sum to one only within rounding are renormalised.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "coin.bif"
    >>> _ = path.write_text('''
    ... network coins { }
    ... variable coin { type discrete [ 2 ] { heads, tails }; }
    ... probability ( coin ) { table 0.25, 0.75; }
    ... ''')
    >>> read_bif(path).cpt("coin").tolist()
    [0.25, 0.75]
    """
    document = _parse(path, read_text(path, "a BIF file"))
    variables = {name: _variable(document, name) for name in document.states}
    if not variables:
        raise ValueError(f"'{path}' declares no variables.")
    for name in document.states:
        if name not in document.distributions:
            raise document.error(
                f"the variable '{name}' has no probability block", document.declared_at[name]
            )
    tables = {
        name: _table(document, distribution, variables)
        for name, distribution in document.distributions.items()
    }
    arcs = [(parent, name) for name, family in document.distributions.items() for parent in family.parents]
    try:
        dag = DAG(list(variables), arcs)
    except ValueError as error:
        raise ValueError(f"'{path}' does not describe a Bayesian network: {error}") from None
    return BayesNet(
        list(variables.values()),
        dag,
        [in_node_order(tables[name], document.distributions[name].parents, dag) for name in variables],
    )


def write_bif(network: BayesNet, path: FilePath) -> None:
    """Write a network as a BIF file, all or nothing; compressed where the name ends in ``.gz``.

    Probabilities are written to the last bit. The format knows only names: numbers and booleans become strings,
    and cut points and the choice of a class are not kept (`BayesNet.save` keeps everything).

    Names and states that are not plain words, such as the intervals of numeric variables, are quoted.
    pyAgrum and pgmpy cannot read these: give them `bayleaf.networks.write_xmlbif`, or a network that
    `bayleaf.networks.with_plain_names` returned.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "coin.bif"
    >>> write_bif(BayesNet([Variable("a coin", ("heads", "tails"))], DAG(["a coin"]), [[0.25, 0.75]]), path)
    >>> print(path.read_text())
    network unknown {
    }
    variable "a coin" {
      type discrete [ 2 ] { heads, tails };
    }
    probability ( "a coin" ) {
      table 0.25, 0.75;
    }
    """
    write_text(path, "".join(_lines(network)))


def _variable(document: Document, name: str) -> Variable:
    states = document.states[name]
    where = document.declared_at[name]
    if len(states) != document.declared_arity[name]:
        announced = document.declared_arity[name]
        raise document.error(f"'{name}' announces {announced} states but lists {len(states)}", where)
    if not states:
        raise document.error(f"'{name}' has no states", where)
    repeated, times = Counter(states).most_common(1)[0]
    if times > 1:
        raise document.error(f"'{name}' lists the state '{repeated}' {times} times", where)
    return Variable(name, tuple(states))


def _table(document: Document, family: Distribution, variables: dict[str, Variable]) -> NDArray[np.float64]:
    """Fill the table of one node; axes are the parents as the file lists them, then the node."""
    for name in (family.child, *family.parents):
        if name not in variables:
            raise document.error(f"the variable '{name}' is not declared", family.position)
    if len({family.child, *family.parents}) <= len(family.parents):
        raise document.error(f"the family of '{family.child}' names a variable twice", family.position)
    scope = [variables[name] for name in (*family.parents, family.child)]
    table = np.full([variable.arity for variable in scope], np.nan)
    positions = np.full(table.shape[:-1], family.position)
    codes = [{state: code for code, state in enumerate(variable.states)} for variable in scope[:-1]]
    default: Row | None = None
    for row in family.rows:
        if row.kind == "default":
            default = row
            _check_length(document, family, row, table.shape[-1])
        elif row.kind == "table":
            # All numbers at once: the node itself varies slowest, the last parent fastest.
            _check_length(document, family, row, table.size)
            whole = np.array(row.numbers).reshape(table.shape[-1], *table.shape[:-1])
            table[...] = np.moveaxis(whole, 0, -1)
            positions[...] = row.position
        else:
            _check_length(document, family, row, table.shape[-1])
            configuration = _configuration(document, family, row, codes)
            if positions[configuration] != family.position:
                raise document.error(
                    f"'{family.child}' has a second row for {_shown(row.states)}", row.position
                )
            table[configuration] = row.numbers
            positions[configuration] = row.position
    unfilled = np.argwhere(positions == family.position)
    if len(unfilled):
        if default is None:
            states = [str(scope[axis].states[code]) for axis, code in enumerate(unfilled[0])]
            lacking = f"no row for {_shown(states)}" if states else "no probabilities"
            raise document.error(f"'{family.child}' has {lacking}", family.position)
        table[positions == family.position] = default.numbers
        positions[positions == family.position] = default.position
    return checked_table(
        family.child, table, lambda problem, rows: document.error(problem, int(positions[rows].min()))
    )


def _check_length(document: Document, family: Distribution, row: Row, wanted: int) -> None:
    if len(row.numbers) != wanted:
        raise document.error(
            f"'{family.child}' needs {wanted} probabilities here; there are {len(row.numbers)}", row.position
        )


def _configuration(
    document: Document, family: Distribution, row: Row, codes: Sequence[dict[str | int | float | bool, int]]
) -> tuple[int, ...]:
    if len(row.states) != len(codes):
        problem = f"'{family.child}' has {len(codes)} parents; this row names {len(row.states)} states"
        raise document.error(problem, row.position)
    try:
        return tuple(code[state] for code, state in zip(codes, row.states, strict=True))
    except KeyError as error:
        parent = next(
            name
            for name, code, state in zip(family.parents, codes, row.states, strict=True)
            if state not in code
        )
        raise document.error(f"'{parent}' has no state '{error.args[0]}'", row.position) from None


def checked_table(
    name: str, table: NDArray[np.float64], refuse: Callable[[str, NDArray[np.bool_]], ValueError]
) -> NDArray[np.float64]:
    """Return a table whose rows sum to one; ``refuse`` makes an error of a problem and the rows that have it."""
    wrong = np.asarray(~(np.isfinite(table) & (table >= 0)).all(axis=-1))
    if wrong.any():
        raise refuse(f"'{name}' has numbers that are not probabilities", wrong)
    sums = table.sum(axis=-1)
    off = np.abs(sums - 1.0)
    if off.max() > ROUNDING:
        worst = np.asarray(off == off.max())
        raise refuse(f"the probabilities of '{name}' sum to {sums[worst][0]:.6g}, not to one", worst)
    return np.where(off[..., None] > LAST_BITS, table / sums[..., None], table)


def in_node_order(table: NDArray[np.float64], parents: Sequence[str], dag: DAG) -> NDArray[np.float64]:
    """Return a table whose axes are the parents as a file lists them, then the node, with parents in node order."""
    order = np.argsort([dag.index(parent) for parent in parents], kind="stable")
    return np.ascontiguousarray(table.transpose(*order, len(parents)))


def _shown(states: Sequence[str]) -> str:
    return f"({', '.join(states)})"


def _lines(network: BayesNet) -> Iterator[str]:
    yield "network unknown {\n}\n"
    for variable in network.variables:
        states = ", ".join(_word(state) for state in variable.states)
        yield f"variable {_word(variable.name)} {{\n"
        yield f"  type discrete [ {variable.arity} ] {{ {states} }};\n}}\n"
    for name, table in zip(network.nodes, network.tables, strict=True):
        parents = network.parents(name)
        given = f" | {', '.join(map(_word, parents))}" if parents else ""
        yield f"probability ( {_word(name)}{given} ) {{\n"
        labels = [[_word(state) for state in network.variable(parent).states] for parent in parents]
        rows = table.reshape(-1, table.shape[-1]).tolist()
        for configuration, row in zip(product(*labels), rows, strict=True):
            start = _shown(configuration) if parents else "table"
            yield f"  {start} {', '.join(map(repr, row))};\n"
        yield "}\n"


def _word(name: object) -> str:
    text = str(name)
    if _bare_word(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
