"""``bayleaf methods``: the methods that fit and evaluate know."""

from rich.text import Text

import bayleaf

from .output import ACCENT, light_table, out

NAME = "methods"
EXAMPLE = "bayleaf methods"


def run() -> None:
    """List the methods by name."""
    table = light_table()
    table.add_column("method", style=ACCENT, no_wrap=True)
    table.add_column("what it does", ratio=3)
    table.add_column("settings", ratio=1)
    table.add_column("reference", style="dim", ratio=2)
    for method in bayleaf.methods():
        settings = ", ".join(f"{name}={value}" for name, value in method.settings.items())
        table.add_row(method.name, Text(method.summary), Text(settings), Text(method.reference))
    out().print(table)
