"""``bayleaf serve``: a service that scores rows of JSON by a model."""

import sys
from typing import Annotated

import typer

from . import options
from .output import out

EXAMPLE = "bayleaf serve iris.bayleaf.json --port 8000"


def run(
    model: options.ModelFile,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Address to listen on: this machine alone, or 0.0.0.0 for all networks."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="Port to listen on; 0 takes a free one.")
    ] = 8000,
) -> None:
    """Score rows of JSON over HTTP until Ctrl-C: single rows, batches, and a description of the service."""
    from bayleaf.studio.limits import listen, server_of
    from bayleaf.studio.serving import scoring_app

    app = scoring_app(model)  # before the door opens: a damaged file is refused
    door = listen(host, port)
    address = f"http://{host}:{door.getsockname()[1]}"
    what = f"Serving {model} on {address}/score; described in {address}/openapi.json. Ctrl-C stops it."
    out().print(what, soft_wrap=True)
    sys.stdout.flush()  # also where it goes to a file
    try:
        server_of(app).run(sockets=[door])
    except KeyboardInterrupt:  # the way to stop it
        out().print("Stopped.")
