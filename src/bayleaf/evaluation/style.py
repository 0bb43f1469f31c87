"""One look for all figures: colours safe for colour-blind readers, quiet axes, readable type.

Figures are made without pyplot, so nothing is registered globally and nothing pops up.
"""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from bayleaf._util.params import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito (2008), "Color universal design", without their yellow, which is too pale for lines.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", (0, (1, 1)))
INK = "#222222"
GREY = "#767676"
PALE = "#d9d9d9"

_SETTINGS: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": PALE,
    "grid.linewidth": 0.5,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.8,
    "ytick.major.width": 0.8,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "text.parse_math": False,
}


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style inside the block, and leave matplotlib's settings as they were.

    Examples
    --------
    >>> with house_style():
    ...     figure, grid = new_figure(3.0, 2.0)
    >>> grid.shape
    (1, 1)
    """
    with require("matplotlib", extra="plot").rc_context(_SETTINGS):
        yield


def new_figure(
    width: float,
    height: float,
    rows: int = 1,
    columns: int = 1,
    *,
    layout: Literal["constrained", "compressed"] = "constrained",
    **options: Any,
) -> tuple["Figure", Any]:
    """Make a figure with a grid of axes (an array of rows times columns); sizes are in inches.

    The layout "compressed" moves axes of fixed aspect together.

    Examples
    --------
    >>> figure, grid = new_figure(6.0, 4.0, rows=2, columns=3)
    >>> grid.shape
    (2, 3)
    """
    figure: Figure = require("matplotlib.figure", extra="plot").Figure(
        figsize=(width, height), dpi=150, layout=layout
    )
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def colour(number: int) -> str:
    """Colour of the method with this number.

    Examples
    --------
    >>> colour(0), colour(7)
    ('#0072B2', '#0072B2')
    """
    return COLOURS[number % len(COLOURS)]


def marker(number: int) -> str:
    """Marker of the method with this number; it changes with the colour, so print in grey stays readable.

    Examples
    --------
    >>> marker(1)
    's'
    """
    return MARKERS[number % len(MARKERS)]


def line_style(number: int) -> Any:
    """Line style of the method with this number; it differs between methods of the same colour.

    Examples
    --------
    >>> line_style(0), line_style(7)
    ('-', '--')
    """
    return LINES[(number // len(COLOURS)) % len(LINES)]


def diagonal(axes: "Axes", low: float, high: float) -> None:
    """Draw the line of equality.

    Examples
    --------
    >>> figure, grid = new_figure(2.0, 2.0)
    >>> diagonal(grid[0, 0], 0.0, 1.0)
    """
    axes.plot([low, high], [low, high], color=GREY, linewidth=0.9, linestyle="--", zorder=1)
