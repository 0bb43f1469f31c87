"""Networks in XMLBIF 0.3, which Weka, SamIam, GeNIe and others read.

References
----------
F. Cozman. The interchange format for Bayesian networks. Carnegie Mellon University, 1998.
"""

import os
import re
from collections.abc import Iterator
from xml.sax.saxutils import escape

from bayleaf._util.files import atomic_write
from bayleaf.network import BayesNet

# Characters that no XML 1.0 document can hold, however they are written.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_xmlbif(network: BayesNet, path: str | os.PathLike[str]) -> None:
    """Write a network as an XMLBIF file, all or nothing.

    Probabilities are written to the last bit. The format knows only names: numbers and booleans become strings, and
    cut points and the choice of a class are not kept.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bayleaf.graph import DAG
    >>> from bayleaf.table import Variable
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "coin.xml"
    >>> write_xmlbif(BayesNet([Variable("coin", ("heads", "tails"))], DAG(["coin"]), [[0.25, 0.75]]), path)
    >>> "<OUTCOME>heads</OUTCOME>" in path.read_text()
    True
    """
    text = "".join(_lines(network))
    with atomic_write(path, binary=True) as file:
        file.write(text.encode())


def _lines(network: BayesNet) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<BIF VERSION="0.3">\n<NETWORK>\n<NAME>network</NAME>\n'
    for variable in network.variables:
        yield f'<VARIABLE TYPE="nature">\n  <NAME>{_text(variable.name)}</NAME>\n'
        yield from (f"  <OUTCOME>{_text(state)}</OUTCOME>\n" for state in variable.states)
        yield "</VARIABLE>\n"
    for name, table in zip(network.nodes, network.tables, strict=True):
        yield f"<DEFINITION>\n  <FOR>{_text(name)}</FOR>\n"
        yield from (f"  <GIVEN>{_text(parent)}</GIVEN>\n" for parent in network.parents(name))
        rows = table.reshape(-1, table.shape[-1]).tolist()
        yield (
            "  <TABLE>"
            + "\n    ".join(" ".join(map(repr, row)) for row in rows)
            + "</TABLE>\n</DEFINITION>\n"
        )
    yield "</NETWORK>\n</BIF>\n"


def _text(label: object) -> str:
    text = str(label)
    if found := _FORBIDDEN.search(text):
        raise ValueError(
            f"XML cannot hold the character {found.group()!r} in the name {text[:60]!r}: rename it."
        )
    return escape(text)


__all__ = ["write_xmlbif"]
