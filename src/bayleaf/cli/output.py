"""How the command line looks: consoles, small tables of facts, numbers."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, cast

from rich import box
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

ACCENT = "bold cyan"
CLASS_STYLE = "bold magenta"
FOR, AGAINST = "green", "red"


# Characters of a line in a file or a pipe: more than any table has, so that nothing is cut or wrapped.
UNLIMITED = 10_000
MOST_OF_A_RULE = 100
_BLANKS = re.compile(r"[ \t]+\n")


class _WithoutTrailingBlanks:
    """Standard output, to which lines go without the blanks that fill the columns of a table."""

    def write(self, text: str) -> int:
        return sys.stdout.write(_BLANKS.sub("\n", text))

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stdout, name)


def out() -> Console:
    """Return the console of standard output. Names from the data are plain text, brackets and all.

    A terminal has its width. In a file or a pipe tables are as wide as they need, unless ``COLUMNS`` is set.
    """
    plain: Any = {"highlight": False, "markup": False, "emoji": False}
    if sys.stdout.isatty():
        return Console(**plain)
    width = None if os.environ.get("COLUMNS") else UNLIMITED
    return Console(file=cast(IO[str], _WithoutTrailingBlanks()), width=width, **plain)


def section(console: Console, title: str) -> None:
    """Print a title with a line behind it."""
    rule = Rule(Text(title, style="bold"), align="left", style="cyan")
    console.print(rule, width=min(console.width, MOST_OF_A_RULE))


def err() -> Console:
    """Return the console of standard error."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show a spinner on a terminal until the work in the block is done."""
    console = err()
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield


def note(text: str) -> None:
    """Print a remark to standard error, out of the way of results."""
    remark(f"Note: {text}", "dim")


def remark(text: str, style: str = "") -> None:
    """Print one line to standard error."""
    if hasattr(sys.stderr, "rich_proxied_file"):  # a progress bar is shown: this way the line goes above it
        print(text, file=sys.stderr)
    else:
        err().print(text, soft_wrap=True, style=style)


def wrote(what: object, more: str = "") -> None:
    """Say which file was written."""
    out().print(Text.assemble("Wrote ", (str(what), "bold"), more), soft_wrap=True)


def facts(lines: Mapping[str, RenderableType]) -> Padding:
    """Lay out names and what there is to say about them, in two columns."""
    grid = Table.grid(padding=(0, 3))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in lines.items():
        grid.add_row(name, value)
    return Padding(grid, (0, 0, 0, 2), expand=False)


def shown(console: Console, item: RenderableType) -> None:
    """Print something set off from the text around it."""
    console.print(Padding(item, (0, 0, 1, 2), expand=False))


def light_table(
    title: str | None = None,
    caption: str | None = None,
    *,
    words: Iterable[str] = (),
    numbers: Iterable[str] = (),
) -> Table:
    """Make a table with little ink: columns of words, which are cut where there is no room, then of numbers."""
    table = Table(
        title=title,
        caption=caption,
        title_justify="left",
        caption_justify="left",
        title_style="bold",
        header_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        collapse_padding=True,
    )
    for name in words:
        table.add_column(name, no_wrap=True, overflow="ellipsis")
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def seconds(duration: float) -> str:
    """Write a duration with as many digits as matter.

    Examples
    --------
    >>> seconds(0.0031), seconds(0.25), seconds(12.3), seconds(125)
    ('3 ms', '0.25 s', '12.3 s', '2 min 5 s')
    """
    if duration < 0.1:
        return f"{duration * 1000:.0f} ms"
    if duration < 1:
        return f"{duration:.2f} s"
    if duration < 60:
        return f"{duration:.1f} s"
    return f"{int(duration // 60)} min {duration % 60:.0f} s"


def probability(value: float, digits: int = 3) -> str:
    """Write a probability; one that is not 0 or 1 never looks like it.

    Examples
    --------
    >>> probability(0.5), probability(0.00001), probability(0.99999), probability(1.0)
    ('0.500', '<0.001', '>0.999', '1.000')
    """
    smallest = 10.0**-digits
    if 0 < value < smallest / 2:
        return f"<{smallest:.{digits}f}"
    if 1 - smallest / 2 < value < 1:
        return f">{1 - smallest:.{digits}f}"
    return f"{value:.{digits}f}"


def diverging_bar(value: float, scale: float, width: int = 7) -> Text:
    """Draw a bar to the right for positive and to the left for negative values."""
    length = round(width * min(abs(value) / scale, 1.0)) if scale else 0
    left = Text(("█" * length).rjust(width) if value < 0 else " " * width, style=AGAINST)
    right = Text(("█" * length).ljust(width) if value >= 0 else " " * width, style=FOR)
    return Text.assemble(left, ("│", "dim"), right)
