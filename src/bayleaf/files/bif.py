"""Networks in the Bayesian interchange format (BIF 0.15), as the repositories of benchmark networks use it.

A file is a sequence of blocks::

    network unknown { }
    variable rain { type discrete [ 2 ] { no, yes }; }
    variable wet { type discrete [ 2 ] { no, yes }; }
    probability ( rain ) { table 0.8, 0.2; }
    probability ( wet | rain ) { (no) 0.9, 0.1; (yes) 0.2, 0.8; }

Commas and bars separate like spaces. ``property`` statements and comments are skipped.

References
----------
Cozman. The interchange format for Bayesian networks, version 0.15. Carnegie Mellon University, 1998.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network.bayesnet import BayesNet

from .bif_grammar import Distribution, Document, Row, bare_word, parse
from .whole_files import FilePath, brief_errors, read_text, write_text

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
    document = parse(path, read_text(path, "a BIF file"))
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
        [_in_node_order(tables[name], document.distributions[name].parents, dag) for name in variables],
    )


def write_bif(network: BayesNet, path: FilePath) -> None:
    """Write a network as a BIF file, all or nothing; compressed where the name ends in ``.gz``.

    Probabilities are written to the last bit. The format knows only names: numbers and booleans become strings,
    and cut points and the choice of a class are not kept (`BayesNet.save` keeps everything).

    Names and states that are not plain words, such as the intervals of numeric variables, are quoted.
    pyAgrum and pgmpy cannot read these: give them `bayleaf.files.write_xmlbif`, or a network that
    `bayleaf.files.with_plain_names` returned.

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
    return _normalised(document, family.child, table, positions)


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


def _normalised(
    document: Document, name: str, table: NDArray[np.float64], positions: NDArray[np.int64]
) -> NDArray[np.float64]:
    bad = ~(np.isfinite(table) & (table >= 0)).all(axis=-1)
    if bad.any():
        problem = f"'{name}' has numbers that are not probabilities"
        raise document.error(problem, int(positions[bad].min()))
    sums = table.sum(axis=-1)
    off = np.abs(sums - 1.0)
    if off.max() > ROUNDING:
        worst = np.unravel_index(off.argmax(), off.shape)
        problem = f"the probabilities of '{name}' sum to {sums[worst]:.6g}, not to one"
        raise document.error(problem, int(positions[worst]))
    rounded = off > LAST_BITS
    table[rounded] /= sums[rounded][:, None]
    return table


def _shown(states: Sequence[str]) -> str:
    return f"({', '.join(states)})"


def _in_node_order(table: NDArray[np.float64], parents: Sequence[str], dag: DAG) -> NDArray[np.float64]:
    order = np.argsort([dag.index(parent) for parent in parents], kind="stable")
    return np.ascontiguousarray(table.transpose(*order, len(parents)))


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
    if bare_word(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
