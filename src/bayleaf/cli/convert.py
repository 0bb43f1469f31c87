"""``bayleaf convert``: the network of a model in another format."""

from pathlib import Path
from typing import Annotated

import typer

from bayleaf._util.whole_files import format_suffix
from bayleaf._util.words import counted
from bayleaf.networks import with_plain_names
from bayleaf.networks.network_files import FORMATS, NAMES

from . import options
from .inputs import check_writable, only_network, read_model_or_network
from .output import note, wrote

EXAMPLE = "bayleaf convert iris.bayleaf.json iris.bif"


def run(
    model: options.NetworkFile,
    output: Annotated[
        Path, typer.Argument(metavar="OUT", help=f"File to write: {NAMES}.", show_default=False)
    ],
    plain: Annotated[
        bool,
        typer.Option(
            "--plain",
            help="Plain words for names and states, for readers that take nothing else: le_0.8 for (-inf, 0.8].",
        ),
    ] = False,
) -> None:
    """Write the network of a model for other tools: BIF, XMLBIF, NET, DSC, DOT, or a network in JSON."""
    if format_suffix(output) not in FORMATS:
        raise ValueError(f"Cannot tell the format of '{output}' by its name: use {NAMES}.")
    name, write, _ = FORMATS[format_suffix(output)]
    check_writable(output, model)
    network = only_network(read_model_or_network(model))
    write(with_plain_names(network) if plain else network, output)
    if name == "DOT":
        note("DOT holds the graph alone, without its tables.")
    elif name != "JSON" and any(variable.cuts for variable in network.variables):
        note(f"{name} has no numbers: intervals are written as states. The model file keeps the cut points.")
    what = f"{counted(len(network.nodes), 'node')}, {counted(len(network.arcs), 'arc')}"
    wrote(output, f" ({what})")
