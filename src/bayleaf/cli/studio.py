"""``bayleaf studio``: from a table to a model in the browser, on this machine alone."""

import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from .output import out

EXAMPLE = "bayleaf studio patients.csv"


def run(
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="[TABLE | MODEL | PROJECT]",
            help="A table, a model file, or the folder of a project; without any, drop a table on the page.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="Port of this machine; 0 takes a free one.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address without opening it in the browser.")
    ] = False,
) -> None:
    """Open the studio: read a table, learn, judge and use models in the browser, on this machine alone.

    What is done is kept in a folder beside the table, PATH.bayleaf-studio. Ctrl-C stops everything; closing the page
    stops nothing.
    """
    from bayleaf.studio.doors import Guard
    from bayleaf.studio.limits import listen, server_of
    from bayleaf.studio.project import project_for
    from bayleaf.studio.workbench import Workbench, import_model, studio_app

    project = project_for(path)
    if path is not None and path.is_file() and project.data is None:
        import_model(project, path)
    door = listen("127.0.0.1", port)
    bench = Workbench(project)
    guard = Guard(studio_app(bench), door.getsockname()[1])
    server = server_of(guard)
    bench.leaving = lambda: server.should_exit
    console = out()
    console.print(f"The studio of {project.folder}:", guard.first_address, soft_wrap=True)
    console.print("Ctrl-C stops it.")
    sys.stdout.flush()
    if not no_browser:
        webbrowser.open(guard.first_address)
    try:
        server.run(sockets=[door])
    except KeyboardInterrupt:  # the way to stop it
        console.print("Stopped.")
