"""Networks in the NET language of Hugin."""

import os
import re
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.files import atomic_write
from bayleaf.network import BayesNet


def write_net(network: BayesNet, path: str | os.PathLike[str]) -> None:
    """Write a network as a Hugin NET file, all or nothing.

    Node names in NET are identifiers; a name that is none gets one made from it, and is kept as the node's label.
    Probabilities are written to the last bit. Cut points and the choice of a class are not kept.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.table import Variable
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "coin.net"
    >>> write_net(BayesNet([Variable("a coin", ("heads", "tails"))], DAG(["a coin"]), [[0.25, 0.75]]), path)
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
    text = "".join(_lines(network))
    with atomic_write(path, binary=True) as file:
        file.write(text.encode())


def _lines(network: BayesNet) -> Iterator[str]:
    names = dict(zip(network.nodes, identifiers(network.nodes), strict=True))
    yield "net\n{\n}\n"
    for variable in network.variables:
        states = " ".join(_quoted(state) for state in variable.states)
        yield f"node {names[variable.name]}\n{{\n  label = {_quoted(variable.name)};\n  states = ( {states} );\n}}\n"
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
    taken: set[str] = set()
    result = []
    for name in names:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)[:60] or "_"
        plain = f"_{plain}" if plain[0].isdigit() else plain
        chosen, number = plain, 2
        while chosen in taken:
            chosen, number = f"{plain}_{number}", number + 1
        taken.add(chosen)
        result.append(chosen)
    return result


def _nested(table: NDArray[np.float64]) -> str:
    """One pair of parentheses per axis, the node itself innermost."""
    if table.ndim == 1:
        return f"( {' '.join(map(repr, table.tolist()))} )"
    return f"({''.join(_nested(part) for part in table)})"


def _quoted(label: object) -> str:
    text = re.sub(r"\s", " ", str(label)).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


__all__ = ["identifiers", "write_net"]
