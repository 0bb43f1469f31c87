"""The application: its commands and the options they share."""

from typing import Annotated

import typer

from bayleaf import __version__

from . import convert, demo, evaluate, explain, fit, methods, predict, report, show
from .errors import CommandGroup
from .output import out

app = typer.Typer(
    name="bayleaf",
    cls=CommandGroup,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (fit, predict, evaluate, explain, show, report, convert, methods, demo):
    app.command(command.NAME, epilog=f"Example: [bold]{command.EXAMPLE}[/bold]")(command.run)


def _print_version(wanted: bool) -> None:
    if wanted:
        out().print(f"bayleaf {__version__}")
        raise typer.Exit


@app.callback(
    invoke_without_command=True,
    epilog="First steps: [bold]bayleaf demo[/bold], then [bold]bayleaf fit --help[/bold]",
)
def common(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where errors come from.")] = False,
) -> None:
    """Bayesian network classifiers: accurate, honest probabilities, reasons, missing values."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
