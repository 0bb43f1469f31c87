"""The application: its commands and the options they share."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import cleandoc
from typing import Annotated, Any

import typer
from typer.main import get_command_from_info

from .errors import CommandGroup
from .output import out

# Each command is the module of its name: its function `run` says what it does and which options it has.
COMMANDS = (
    "studio",
    "fit",
    "inspect",
    "predict",
    "evaluate",
    "compare",
    "explain",
    "monitor",
    "learn",
    "ask",
    "show",
    "report",
    "card",
    "convert",
    "sql",
    "serve",
    "methods",
    "demo",
)


class Commands(CommandGroup):
    """The commands, each imported when it is called: the list of them needs none of the library."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that is called."""
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = load_command(args[0])
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """List what each command says of itself, which is looked up only here."""
        for name in COMMANDS:
            self.commands[name].help = summary(name)
        super().format_help(ctx, formatter)


def summary(name: str) -> str:
    """Return the first paragraph that a command says of itself, without importing it: it would bring the library."""
    module = find_spec(f"bayleaf.cli.{name}")
    assert module is not None
    code = module.loader.get_code(module.name)  # type: ignore[union-attr]
    run = next(each for each in code.co_consts if getattr(each, "co_name", None) == "run")
    return cleandoc(run.co_consts[0] or "").partition("\n\n")[0]


@cache
def load_command(name: str) -> Any:
    """Import the module of a command and make its options, once."""
    module = import_module(f"bayleaf.cli.{name}")
    holder = typer.Typer()
    holder.command(name, epilog=f"Example: [bold]{module.EXAMPLE}[/bold]")(module.run)
    return get_command_from_info(
        holder.registered_commands[0], pretty_exceptions_short=True, rich_markup_mode="rich"
    )


app = typer.Typer(
    name="bayleaf",
    cls=Commands,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name in COMMANDS:
    app.command(_name)(lambda: None)


def _print_version(wanted: bool) -> None:
    if wanted:
        from bayleaf import __version__

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
