"""``bayleaf methods``: the methods that fit and evaluate know."""

from typing import Annotated

import typer
from rich.text import Text

import bayleaf

from .output import ACCENT, light_table, out

EXAMPLE = "bayleaf methods"

# One method for each wish; docs/choose.md gives the reasons.
CHOICES = {
    "the simplest model, or few rows": "NB",
    "a graph that is easy to read": "TAN",
    "only the dependencies worth having": "FAN",
    "many rows: as many parents as the data support": "SKDB",
    "good probabilities, no single graph": "ESKDB",
    "redundant features": "WANBIA",
}


def run(
    show_all: Annotated[
        bool, typer.Option("--all", help="List all methods, with settings and references.")
    ] = False,
) -> None:
    """List methods by name: six to choose from, or with --all every one."""
    known = {method.name: method for method in bayleaf.methods()}
    if not show_all:
        table = light_table()
        table.add_column("you want", no_wrap=True)
        table.add_column("method", style=ACCENT, no_wrap=True)
        table.add_column("what it does")
        for wish, name in CHOICES.items():
            table.add_row(wish, name, Text(known[name].summary))
        out().print(table)
        hint = (
            "Without --method, fit learns TAN with tuned tables, which suits most data. "
            f"'bayleaf methods --all' lists all {len(known)}."
        )
        out().print(Text(hint, style="dim"))
        return
    table = light_table()
    table.add_column("method", style=ACCENT, no_wrap=True)
    table.add_column("what it does", ratio=3)
    table.add_column("settings", ratio=1)
    table.add_column("reference", style="dim", ratio=2)
    for method in known.values():
        settings = ", ".join(f"{name}={value}" for name, value in method.settings.items())
        table.add_row(method.name, Text(method.summary), Text(settings), Text(method.reference))
    out().print(table)
