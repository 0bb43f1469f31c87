"""Networks for other tools: Hugin's NET, DOT, tidy frames, objects of other libraries."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.optional import make_frame
from bayleaf._util.params import require
from bayleaf._util.whole_files import FilePath, write_text
from bayleaf.network import BayesNet


def write_net(network: BayesNet, path: FilePath) -> None:
    """Write a network as a Hugin NET file, all or nothing.

    Node names in NET are identifiers; any other name is made into one, and is kept as the node's label.
    Probabilities are written to the last bit. Cut points and the choice of a class are not kept.

    Examples
    --------
    >>> import pathlib, tempfile, bayleaf as bl
    >>> coin = bl.BayesNet([bl.data.Variable("a coin", ("heads", "tails"))], bl.DAG(["a coin"]), [[0.25, 0.75]])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "coin.net"
    >>> write_net(coin, path)
    >>> print(path.read_text())
    net
    {
    }
    node a_coin
    {
      label = "a coin";
      states = ( "heads" "tails" );
    }
    potential ( a_coin )
    {
      data = ( 0.25 0.75 );
    }
    """
    write_text(path, "".join(_net_lines(network)))


def _net_lines(network: BayesNet) -> Iterator[str]:
    names = dict(zip(network.nodes, identifiers(network.nodes), strict=True))
    yield "net\n{\n}\n"
    for variable in network.variables:
        states = " ".join(quoted(state) for state in variable.states)
        yield f"node {names[variable.name]}\n{{\n  label = {quoted(variable.name)};\n  states = ( {states} );\n}}\n"
    for name, table in zip(network.nodes, network.tables, strict=True):
        parents = network.parents(name)
        given = f" | {' '.join(names[parent] for parent in parents)}" if parents else ""
        yield f"potential ( {names[name]}{given} )\n{{\n  data = {_nested(table)};\n}}\n"


def identifiers(names: Sequence[str]) -> list[str]:
    """Make distinct identifiers from names: letters, digits and underscores, not starting with a digit.

    Examples
    --------
    >>> identifiers(["age", "a b", "a-b", "3rd"])
    ['age', 'a_b', 'a_b_2', '_3rd']
    """
    plain = [re.sub(r"\W", "_", name, flags=re.ASCII)[:60] or "_" for name in names]
    return list(distinct(f"_{word}" if word[0].isdigit() else word for word in plain))


def distinct(words: Iterable[str]) -> Iterator[str]:
    """Give numbers to words that are there already."""
    taken: set[str] = set()
    for word in words:
        name, number = word, 2
        while name in taken:
            name, number = f"{word}_{number}", number + 1
        taken.add(name)
        yield name


def _nested(table: NDArray[np.float64]) -> str:
    """One pair of parentheses per axis, the node itself innermost."""
    if table.ndim == 1:
        return f"( {' '.join(map(repr, table.tolist()))} )"
    return f"({''.join(_nested(part) for part in table)})"


def quoted(label: object) -> str:
    """Return a label in quotation marks, line breaks as blanks."""
    text = re.sub(r"\s", " ", str(label)).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def to_dot(network: BayesNet, strengths: Mapping[tuple[str, str], float] | None = None) -> str:
    """Return the graph of a network in the DOT language; the class stands out.

    Parameters
    ----------
    network : BayesNet
    strengths : mapping from (parent, child) to number, optional
        Stronger arcs are drawn thicker.

    Examples
    --------
    >>> import bayleaf as bl
    >>> a, b = (bl.data.Variable(name, ("0", "1")) for name in "ab")
    >>> dag = bl.DAG(["a", "b"], [("a", "b")])
    >>> print(to_dot(bl.BayesNet([a, b], dag, [[0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]]], "a")))
    digraph {
      node [shape=box, style=rounded];
      "a" [style="rounded,filled", fillcolor="#1d7a4f", fontcolor=white];
      "b";
      "a" -> "b";
    }
    """
    given = strengths or {}
    strongest = max(given.values(), default=0.0) or 1.0
    lines = ["digraph {", "  node [shape=box, style=rounded];"]
    for name in network.nodes:
        look = (
            ' [style="rounded,filled", fillcolor="#1d7a4f", fontcolor=white]'
            if name == network.target
            else ""
        )
        lines.append(f"  {_dot_quoted(name)}{look};")
    for parent, child in network.arcs:
        strength = given.get((parent, child))
        look = "" if strength is None else f" [penwidth={0.8 + 4.2 * (strength / strongest) ** 0.5:.2f}]"
        lines.append(f"  {_dot_quoted(parent)} -> {_dot_quoted(child)}{look};")
    return "\n".join([*lines, "}"])


def _dot_quoted(name: str) -> str:
    text = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\0", "")
    return f'"{text}"'


def to_networkx(network: BayesNet) -> Any:
    """Return the graph as a ``networkx.DiGraph``; nodes carry their states and tables.

    Examples
    --------
    >>> import bayleaf as bl
    >>> graph = to_networkx(bl.BayesNet([bl.data.Variable("a", ("0", "1"))], bl.DAG(["a"]), [[0.25, 0.75]], "a"))
    >>> graph.nodes["a"]["states"], graph.graph["target"]
    (('0', '1'), 'a')
    """
    networkx = require("networkx", extra="export")
    graph = networkx.DiGraph(target=network.target)
    for variable, table in zip(network.variables, network.tables, strict=True):
        graph.add_node(
            variable.name, states=variable.states, parents=network.parents(variable.name), cpt=table
        )
    graph.add_edges_from(network.arcs)
    return graph


def to_pgmpy(network: BayesNet) -> Any:
    """Return the network as a pgmpy Bayesian network; states become strings."""
    models = require("pgmpy.models", extra="export")
    tabular = require("pgmpy.factors.discrete", extra="export").TabularCPD
    kind = getattr(models, "DiscreteBayesianNetwork", None) or models.BayesianNetwork
    result = kind()
    result.add_nodes_from(network.nodes)
    result.add_edges_from(network.arcs)
    labels = {variable.name: [str(state) for state in variable.states] for variable in network.variables}
    for name, table in zip(network.nodes, network.tables, strict=True):
        parents = network.parents(name)
        result.add_cpds(
            tabular(
                name,
                table.shape[-1],
                table.reshape(-1, table.shape[-1]).T,
                evidence=list(parents) or None,
                evidence_card=list(table.shape[:-1]) or None,
                state_names={node: labels[node] for node in (name, *parents)},
            )
        )
    return result


def to_pyagrum(network: BayesNet) -> Any:
    """Return the network as a pyAgrum ``BayesNet``; states become strings."""
    gum = require("pyagrum", extra="export")
    result = gum.BayesNet()
    for variable in network.variables:
        labels = [str(state) for state in variable.states]
        result.add(gum.LabelizedVariable(variable.name, variable.name, labels))
    for parent, child in network.arcs:
        result.addArc(parent, child)
    for name, table in zip(network.nodes, network.tables, strict=True):
        parents = network.parents(name)
        for states in product(*(range(size) for size in table.shape[:-1])):
            if parents:
                result.cpt(name)[dict(zip(parents, states, strict=True))] = table[states].tolist()
            else:
                result.cpt(name)[:] = table.tolist()
    return result


def cpt_frame(network: BayesNet, node: str | None = None, backend: str | None = None) -> Any:
    """Return the table of one node, or of all, as a tidy DataFrame.

    Parameters
    ----------
    network : BayesNet
    node : str, optional
        With a node: one column per parent, one for the node itself, and ``probability``. Without: the tables of all
        nodes with the columns ``node``, ``given`` (the states of the parents in words), ``state``, ``probability``.
    backend : {"polars", "pandas", "pyarrow"}, optional
        Library of the DataFrame that is returned; by default the first of these that is installed.

    Examples
    --------
    >>> import bayleaf as bl
    >>> rain, wet = (bl.data.Variable(name, ("no", "yes")) for name in ("rain", "wet"))
    >>> dag = bl.DAG(["rain", "wet"], [("rain", "wet")])
    >>> net = bl.BayesNet([rain, wet], dag, [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])
    >>> cpt_frame(net, "wet").row(1)
    ('no', 'yes', 0.1)
    >>> cpt_frame(net).row(3)
    ('wet', 'rain = no', 'yes', 0.1)
    """
    return _all_tables(network, backend) if node is None else _one_table(network, node, backend)


def _one_table(network: BayesNet, node: str, backend: str | None) -> Any:
    family = [*network.parents(node), node]
    rows = list(product(*(_of_one_type(network.variable(name).states) for name in family)))
    columns: dict[str, list[Any]] = {name: [row[k] for row in rows] for k, name in enumerate(family)}
    value = "probability"
    while value in columns:  # a variable may have this very name
        value += "_"
    columns[value] = network.cpt(node).ravel().tolist()
    return make_frame(columns, backend)


def _of_one_type(states: Sequence[Any]) -> Sequence[Any]:
    """States for a column of a DataFrame: as they are, or as text where a label stands among numbers."""
    texts = sum(isinstance(state, str) for state in states)
    return states if texts in (0, len(states)) else list(map(str, states))


def _all_tables(network: BayesNet, backend: str | None) -> Any:
    columns: dict[str, list[Any]] = {"node": [], "given": [], "state": [], "probability": []}
    for variable, table in zip(network.variables, network.tables, strict=True):
        parents = network.parents(variable.name)
        for configuration in product(*(network.variable(parent).states for parent in parents)):
            given = ", ".join(
                f"{parent} = {state}" for parent, state in zip(parents, configuration, strict=True)
            )
            columns["node"] += [variable.name] * variable.arity
            columns["given"] += [given] * variable.arity
            columns["state"] += [str(state) for state in variable.states]
        columns["probability"] += table.ravel().tolist()
    return make_frame(columns, backend)
