"""``bayleaf convert``: the network of a model in another format."""

from pathlib import Path
from typing import Annotated

import typer

from bayleaf.files import check_output, to_dot, write_bif, write_net, write_network, write_xmlbif
from bayleaf.files.atomic import atomic_write
from bayleaf.network import BayesNet

from .fit import refuse_same_file
from .inputs import read_network
from .output import counted, note, wrote

NAME = "convert"
EXAMPLE = "bayleaf convert iris.bayleaf.json iris.bif"


def _write_dot(network: BayesNet, path: Path) -> None:
    with atomic_write(path) as file:
        file.write(to_dot(network))


WRITERS = {
    ".bif": write_bif,
    ".xmlbif": write_xmlbif,
    ".xml": write_xmlbif,
    ".net": write_net,
    ".dot": _write_dot,
    ".json": write_network,
}
FORMATS = ".bif, .xmlbif, .net (Hugin), .dot (Graphviz) or .json"


def run(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="Model file, network file (.json) or .bif.", show_default=False),
    ],
    output: Annotated[
        Path, typer.Argument(metavar="OUT", help=f"File to write: {FORMATS}.", show_default=False)
    ],
) -> None:
    """Write the network of a model for other tools: BIF, XMLBIF, NET, DOT, or a network in JSON."""
    suffix = output.suffix.lower()
    if suffix not in WRITERS:
        raise ValueError(f"Cannot tell the format of '{output}' by its name: use {FORMATS}.")
    check_output(output)
    refuse_same_file(model, output)
    network = read_network(model)
    WRITERS[suffix](network, output)
    if suffix == ".dot":
        note("DOT holds the graph alone, without its tables.")
    elif suffix != ".json" and any(variable.cuts for variable in network.variables):
        name = suffix[1:].upper()
        note(f"{name} has no numbers: intervals are written as states. The model file keeps the cut points.")
    what = f"{counted(len(network.nodes), 'node')}, {counted(len(network.arcs), 'arc')}"
    wrote(output, f" ({what})")
