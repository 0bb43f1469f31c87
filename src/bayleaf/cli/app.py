"""The application: its commands and the options they share."""

from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command_from_info

from .errors import CommandGroup
from .output import out

# Each command is the module of its name; the summaries are the first sentences of what the modules say.
COMMANDS = {
    "fit": "Learn a classifier from a table and write its model file.",
    "inspect": "Show how the columns of a table are read, before any fit: types, states, gaps, and what is left out.",
    "predict": "Predict the class of each row, with the probability of every class.",
    "evaluate": (
        "Measure methods on rows they have not seen: accuracy, log-loss, Brier score and AUC, with their spread."
    ),
    "compare": "Compare methods on one table: the same folds, intervals, and a test of every difference.",
    "explain": "Show why rows get their class: the evidence of each feature, strongest first.",
    "learn": "Learn a network over all columns of a table, without a class, and write it to a file.",
    "ask": "Ask a network: posteriors given evidence, explanations, interventions, rows drawn given evidence.",
    "show": "Show the network of a model: as a tree, or the tables of some of its nodes.",
    "report": (
        'Write the model page: one HTML file that shows the network and its quality, and answers "what if" and "why".'
    ),
    "convert": "Write the network of a model for other tools: BIF, XMLBIF, NET, DSC, DOT, or a network in JSON.",
    "sql": "Write a query that scores the rows of a table in its database: DuckDB, SQLite or PostgreSQL.",
    "methods": "List methods by name: six to choose from, or with --all every one.",
    "demo": "Show the main job on real data: fit, measure, predict with reasons, handle missing values.",
}


class Commands(CommandGroup):
    """The commands, each imported when it is called: the list of them needs none of the library."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that is called."""
        if args and args[0] in COMMANDS:
            self.commands[args[0]] = load_command(args[0])
        return super().resolve_command(ctx, args)


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
for _name, _summary in COMMANDS.items():
    app.command(_name, help=_summary)(lambda: None)


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
