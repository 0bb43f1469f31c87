"""Networks as DSC and as XMLBIF files.

DSC is the format of Microsoft's belief network editor, which bnlearn reads and writes too.

A file is a sequence of blocks::

    belief network "unknown"
    node rain { name: "rain"; type: discrete [ 2 ] = { "no", "yes" }; }
    node wet { name: "wet grass"; type: discrete [ 2 ] = { "no", "yes" }; }
    probability ( rain ) { 0.8, 0.2; }
    probability ( wet | rain ) { (0) : 0.9, 0.1; (1) : 0.2, 0.8; }

A row of probabilities is found by the numbers of its parents' states. Everything else in a block is skipped. What a
file says of states, parents and numbers becomes a network in the same way in both formats (`network_of`).

References
----------
F. Cozman. The interchange format for Bayesian networks. Carnegie Mellon University, 1998.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.whole_files import FilePath, brief_errors, read_text, write_text
from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network.bayesnet import BayesNet

from .bif import checked_table, in_node_order
from .network_formats import identifiers, quoted


@dataclass(frozen=True)
class FamilyPart:
    """Parents of a node as a file lists them, and its numbers: the node varies fastest, the first parent slowest."""

    parents: Sequence[str]
    numbers: Sequence[float] | NDArray[np.float64]


def network_of(
    path: FilePath, states: Mapping[str, Sequence[str]], families: Mapping[str, FamilyPart]
) -> BayesNet:
    """Put a network together, or say what is wrong in the file."""
    if not states:
        raise ValueError(f"'{path}' declares no variables.")
    for name, family in families.items():
        for member in (name, *family.parents):
            if member not in states:
                raise ValueError(f"'{path}': the variable '{member}' is not declared.")
        if len({name, *family.parents}) <= len(family.parents):
            raise ValueError(f"'{path}': the family of '{name}' names a variable twice.")
    lacking = [name for name in states if name not in families]
    if lacking:
        raise ValueError(f"'{path}': the variable '{lacking[0]}' has no probabilities.")
    arcs = [(parent, name) for name, family in families.items() for parent in family.parents]
    try:
        variables = [Variable(name, tuple(labels)) for name, labels in states.items()]
        dag = DAG(list(states), arcs)
    except ValueError as error:
        raise ValueError(f"'{path}' does not describe a Bayesian network: {error}") from None
    return BayesNet(variables, dag, [_table(path, name, families[name], states, dag) for name in states])


def _table(
    path: FilePath, name: str, family: FamilyPart, states: Mapping[str, Sequence[str]], dag: DAG
) -> NDArray[np.float64]:
    shape = [len(states[member]) for member in (*family.parents, name)]
    numbers = np.asarray(family.numbers, dtype=np.float64)
    if numbers.size != prod(shape):
        raise ValueError(f"'{path}': '{name}' needs {prod(shape)} probabilities; there are {numbers.size}.")
    table = checked_table(
        name, numbers.reshape(shape), lambda problem, _: ValueError(f"'{path}': {problem}.")
    )
    return in_node_order(table, family.parents, dag)


# Characters that no XML 1.0 document can hold, however they are written.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TOKEN = re.compile(r'\s*(?://[^\n]*\s*)*("(?:[^"\\]|\\.)*"|[^\s"{}()\[\]:;,=|]+|[{}()\[\]:;,=|])')


def write_dsc(network: BayesNet, path: FilePath) -> None:
    """Write a network as a DSC file, all or nothing; compressed where the name ends in ``.gz``.

    Nodes get identifiers made from their names, which are kept as well. Probabilities are written to the last bit;
    cut points and the choice of a class are not kept.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "coin.dsc"
    >>> write_dsc(BayesNet([Variable("a coin", ("heads", "tails"))], DAG(["a coin"]), [[0.25, 0.75]]), path)
    >>> read_dsc(path).posterior("a coin")
    {'heads': 0.25, 'tails': 0.75}
    """
    write_text(path, "".join(_lines(network)))


def _lines(network: BayesNet) -> Iterator[str]:
    names = dict(zip(network.nodes, identifiers(network.nodes), strict=True))
    yield 'belief network "unknown"\n'
    for variable in network.variables:
        states = ", ".join(quoted(state) for state in variable.states)
        yield f"node {names[variable.name]} {{\n  name: {quoted(variable.name)};\n"
        yield f"  type : discrete [ {variable.arity} ] = {{ {states} }};\n}}\n"
    for name, table in zip(network.nodes, network.tables, strict=True):
        parents = network.parents(name)
        given = f" | {', '.join(names[parent] for parent in parents)}" if parents else ""
        yield f"probability ( {names[name]}{given} ) {{\n"
        rows = table.reshape(-1, table.shape[-1]).tolist()
        for codes, row in zip(product(*map(range, table.shape[:-1])), rows, strict=True):
            start = f"({', '.join(map(str, codes))}) : " if parents else ""
            yield f"  {start}{', '.join(map(repr, row))};\n"
        yield "}\n"


@brief_errors()
def read_dsc(path: FilePath) -> BayesNet:
    """Read a network from a DSC file, compressed by gzip or not; states are strings.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "coin.dsc"
    >>> _ = path.write_text('''belief network "coins"
    ... node coin { type : discrete [ 2 ] = { "heads", "tails" }; }
    ... probability ( coin ) { 0.25, 0.75; }''')
    >>> read_dsc(path).cpt("coin").tolist()
    [0.25, 0.75]
    """
    return _Reader(path, read_text(path, "a DSC file")).network()


class _Reader:
    """Takes a text apart, token by token."""

    def __init__(self, path: FilePath, text: str) -> None:
        self.path, self.text = path, text
        self.place = 0
        self.labels: dict[str, str] = {}  # identifiers to names
        self.states: dict[str, list[str]] = {}
        self.families: dict[str, FamilyPart] = {}

    def error(self, problem: str) -> ValueError:
        line = self.text.count("\n", 0, self.place) + 1
        return ValueError(f"'{self.path}', line {line}: {problem}.")

    def token(self) -> str:
        """Return the next token, or nothing at the end."""
        match = _TOKEN.match(self.text, self.place)
        if match is None:
            if self.text[self.place :].strip() and not self.text[self.place :].lstrip().startswith("//"):
                raise self.error("a quote is not closed")
            return ""
        self.place = match.end()
        return match[1]

    def expect(self, *wanted: str) -> None:
        for token in wanted:
            found = self.token()
            if found != token:
                shown = f"'{found}'" if found else "the end of the file"
                raise self.error(f"expected '{token}', found {shown}")

    def until(self, *ends: str) -> tuple[list[str], str]:
        """Return the tokens up to one of several, without commas, and which one it was."""
        found = []
        while (token := self.token()) not in ends:
            if not token:
                raise self.error(f"expected '{ends[0]}', found the end of the file")
            if token != ",":
                found.append(token)
        return found, token

    def network(self) -> BayesNet:
        if self.token() != "belief" or self.token() != "network":
            raise ValueError(f"'{self.path}' is not a DSC file: it does not begin with 'belief network'.")
        while keyword := self.token():
            if keyword == "node":
                self.node()
            elif keyword == "probability":
                self.probability()
            elif keyword == "{":  # what is said of the network as a whole
                self.until("}")
            elif self.states or self.families:
                raise self.error(f"expected a node or probability block, found '{keyword}'")
        names = [self.labels[word] for word in self.states]
        if len(set(names)) < len(names):  # names need not be unique, identifiers are
            self.labels = {word: word for word in self.states}
        return network_of(
            self.path,
            {self.labels[word]: states for word, states in self.states.items()},
            {
                self.labels.get(word, word): FamilyPart(
                    [self.labels.get(parent, parent) for parent in family.parents], family.numbers
                )
                for word, family in self.families.items()
            },
        )

    def node(self) -> None:
        word = self.token()
        if word in self.states:
            raise self.error(f"the variable '{word}' is declared twice")
        self.expect("{")
        self.labels[word] = word
        while (field := self.token()) != "}":
            if field == "name":
                self.expect(":")
                (label, *_), _ = self.until(";")
                self.labels[word] = _plain(label) or word
            elif field == "type":
                self.expect(":", "discrete", "[")
                (size, *_), _ = self.until("]")
                self.expect("=", "{")
                states, _ = self.until("}")
                if size != str(len(states)):
                    raise self.error(f"'{word}' announces {size} states but lists {len(states)}")
                self.states[word] = [_plain(state) for state in states]
                self.expect(";")
            else:
                self.until(";")
        if word not in self.states:
            raise self.error(f"'{word}' has no states")

    def probability(self) -> None:
        self.expect("(")
        head, end = self.until("|", ")")
        parents = self.until(")")[0] if end == "|" else []
        if len(head) != 1:
            raise self.error("a probability block is about one variable")
        (word,) = head
        for member in (word, *parents):
            if member not in self.states:
                raise self.error(f"the variable '{member}' is not declared")
        shape = [len(self.states[member]) for member in (*parents, word)]
        table = np.full(shape, np.nan)
        self.expect("{")
        while (token := self.token()) != "}":
            at: tuple[int, ...] = ()
            if token == "(":
                at = self.configuration(word, shape[:-1])
                self.expect(":")
                token = self.token()
            rest, _ = self.until(";")
            numbers = [self.number(each) for each in ([] if token == "," else [token]) + rest]
            row = table[at] if len(at) == len(parents) else table
            if len(numbers) != row.size:
                raise self.error(f"'{word}' needs {row.size} probabilities here; there are {len(numbers)}")
            row[...] = np.reshape(numbers, row.shape)
        if np.isnan(table).any():
            raise self.error(f"'{word}' has configurations of its parents without probabilities")
        self.families[word] = FamilyPart(parents, table)

    def configuration(self, word: str, shape: list[int]) -> tuple[int, ...]:
        codes, _ = self.until(")")
        if len(codes) != len(shape):
            raise self.error(f"'{word}' has {len(shape)} parents; this row names {len(codes)} states")
        for code, arity in zip(codes, shape, strict=True):
            if not (code.isdecimal() and int(code) < arity):
                raise self.error(f"'{code}' is not the number of a state from 0 to {arity - 1}")
        return tuple(int(code) for code in codes)

    def number(self, token: str) -> float:
        try:
            return float(token)
        except ValueError:
            raise self.error(f"'{token}' is not a number") from None


def _plain(token: str) -> str:
    """Return a token without quotation marks; a line break in a name is a blank, as it is in what we write."""
    if not token.startswith('"'):
        return token
    return re.sub(r"\s", " ", re.sub(r"\\(.)", r"\1", token[1:-1]))


def write_xmlbif(network: BayesNet, path: FilePath) -> None:
    """Write a network as an XMLBIF file, all or nothing.

    Probabilities are written to the last bit. The format knows only names: numbers and booleans become strings, and
    cut points and the choice of a class are not kept.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "coin.xml"
    >>> write_xmlbif(BayesNet([Variable("coin", ("heads", "tails"))], DAG(["coin"]), [[0.25, 0.75]]), path)
    >>> "<OUTCOME>heads</OUTCOME>" in path.read_text()
    True
    """
    write_text(path, "".join(_xml_lines(network)))


def _xml_lines(network: BayesNet) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<BIF VERSION="0.3">\n<NETWORK>\n<NAME>network</NAME>\n'
    for variable in network.variables:
        yield f'<VARIABLE TYPE="nature">\n  <NAME>{_xml_text(variable.name)}</NAME>\n'
        yield from (f"  <OUTCOME>{_xml_text(state)}</OUTCOME>\n" for state in variable.states)
        yield "</VARIABLE>\n"
    for name, table in zip(network.nodes, network.tables, strict=True):
        yield f"<DEFINITION>\n  <FOR>{_xml_text(name)}</FOR>\n"
        yield from (f"  <GIVEN>{_xml_text(parent)}</GIVEN>\n" for parent in network.parents(name))
        rows = table.reshape(-1, table.shape[-1]).tolist()
        yield (
            "  <TABLE>"
            + "\n    ".join(" ".join(map(repr, row)) for row in rows)
            + "</TABLE>\n</DEFINITION>\n"
        )
    yield "</NETWORK>\n</BIF>\n"


def _xml_text(label: object) -> str:
    text = str(label)
    if found := _FORBIDDEN.search(text):
        raise ValueError(
            f"XML cannot hold the character {found.group()!r} in the name {text[:60]!r}: rename it."
        )
    return escape(text)


@brief_errors()
def read_xmlbif(path: FilePath) -> BayesNet:
    """Read a network from an XMLBIF file (``.xmlbif``, ``.bifxml``, ``.xml``), compressed by gzip or not.

    States are strings.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "coin.bifxml"
    >>> write_xmlbif(BayesNet([Variable("coin", ("heads", "tails"))], DAG(["coin"]), [[0.25, 0.75]]), path)
    >>> read_xmlbif(path).posterior("coin")
    {'heads': 0.25, 'tails': 0.75}
    """
    text = read_text(path, "an XMLBIF file")
    if "<!ENTITY" in text:  # no writer needs them, and a few can stand for gigabytes
        raise ValueError(f"'{path}' declares XML entities, which bayleaf does not read.")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise ValueError(f"'{path}' is not an XML file: {error}.") from None
    if root.tag.upper() != "BIF":
        raise ValueError(f"'{path}' is not an XMLBIF file: it holds <{root.tag}> instead of <BIF>.")
    states: dict[str, list[str]] = {}
    for variable in root.iter("VARIABLE"):
        name = _text(variable.find("NAME"))
        if name in states:
            raise ValueError(f"'{path}': the variable '{name}' is declared twice.")
        states[name] = [_text(outcome) for outcome in variable.iter("OUTCOME")]
    families = {}
    for definition in root.iter("DEFINITION"):
        name = _text(definition.find("FOR"))
        parents = [_text(parent) for parent in definition.iter("GIVEN")]
        families[name] = FamilyPart(parents, _numbers(path, name, definition))
    return network_of(path, states, families)


def _text(element: ET.Element | None) -> str:
    return "" if element is None else (element.text or "").strip()


def _numbers(path: FilePath, name: str, definition: ET.Element) -> list[float]:
    table = definition.find("TABLE")
    words = "" if table is None else " ".join(table.itertext())  # comments may stand between the rows
    try:
        return [float(word) for word in words.split()]
    except ValueError as error:
        raise ValueError(
            f"'{path}': the table of '{name}' holds something other than numbers: {error}."
        ) from None
