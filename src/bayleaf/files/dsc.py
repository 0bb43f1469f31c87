"""Networks as DSC files, the format of Microsoft's belief network editor, which bnlearn reads and writes too.

A file is a sequence of blocks::

    belief network "unknown"
    node rain { name: "rain"; type: discrete [ 2 ] = { "no", "yes" }; }
    node wet { name: "wet grass"; type: discrete [ 2 ] = { "no", "yes" }; }
    probability ( rain ) { 0.8, 0.2; }
    probability ( wet | rain ) { (0) : 0.9, 0.1; (1) : 0.2, 0.8; }

A row of probabilities is found by the numbers of its parents' states. Everything else in a block is skipped.
"""

import re
from collections.abc import Iterator
from itertools import product

import numpy as np

from bayleaf.network.bayesnet import BayesNet

from .network_formats import identifiers
from .network_parts import FamilyPart, network_of
from .whole_files import FilePath, brief_errors, read_text, write_text

_TOKEN = re.compile(r'\s*(?://[^\n]*\s*)*("(?:[^"\\]|\\.)*"|[^\s"{}()\[\]:;,=|]+|[{}()\[\]:;,=|])')


def write_dsc(network: BayesNet, path: FilePath) -> None:
    """Write a network as a DSC file, all or nothing; compressed where the name ends in ``.gz``.

    Nodes get identifiers made from their names, which are kept as well. Probabilities are written to the last bit;
    cut points and the choice of a class are not kept.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayleaf.data import Variable
    >>> from bayleaf.graph import DAG
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
        states = ", ".join(_quoted(state) for state in variable.states)
        yield f"node {names[variable.name]} {{\n  name: {_quoted(variable.name)};\n"
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


def _quoted(label: object) -> str:
    text = re.sub(r"\s", " ", str(label)).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


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
    reader = _Reader(path, read_text(path, "a DSC file"))
    return reader.network()


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
