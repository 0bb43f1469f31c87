"""``bayleaf convert``: the network of a model in another format."""

from pathlib import Path
from typing import Annotated

import typer

from bayleaf.io import check_output

from .fit import refuse_same_file
from .models import read_network
from .output import counted, note, wrote

NAME = "convert"
EXAMPLE = "bayleaf convert iris.bayleaf.json iris.bif"


def run(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="Model file, network file (.json) or .bif.", show_default=False),
    ],
    output: Annotated[
        Path, typer.Argument(metavar="OUT", help="File to write: .bif or .json.", show_default=False)
    ],
) -> None:
    """Write the network of a model as BIF (for other tools) or as a network in JSON."""
    if output.suffix.lower() not in (".bif", ".json"):
        raise ValueError(f"Cannot tell the format of '{output}' by its name: use .bif or .json.")
    check_output(output)
    refuse_same_file(model, output)
    network = read_network(model)
    if output.suffix.lower() == ".bif":
        network.to_bif(output)
        if any(variable.cuts for variable in network.variables):
            note("BIF has no numbers: intervals are written as states. The model file keeps the cut points.")
    else:
        network.save(output)
    what = f"{counted(len(network.nodes), 'node')}, {counted(len(network.arcs), 'arc')}"
    wrote(output, f" ({what})")
