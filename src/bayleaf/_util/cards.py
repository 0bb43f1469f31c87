"""Small pieces of HTML with which models and explanations show themselves in notebooks.

Colours are set here rather than inherited, since a notebook may be light or dark.
"""

from collections.abc import Iterable, Sequence
from html import escape

from .words import short

INK, PAPER, LINE, FOR, AGAINST = "#26302b", "#ffffff", "#cfd8d3", "#1b7837", "#b2182b"
_CARD = (
    f"background:{PAPER};color:{INK};border:1px solid {LINE};border-radius:6px;padding:0.6em 0.9em;"
    "margin:0.2em 0;font:13px/1.45 sans-serif;max-width:980px;overflow-x:auto"
)
_CELL = f"padding:1px 10px 1px 0;color:{INK};background:{PAPER};border:0;vertical-align:top;text-align:"


def card(title: str, *parts: str) -> str:
    """Frame pieces of HTML under a title, which is text."""
    return f'<div class="bayleaf-card" style="{_CARD}"><b>{escape(title)}</b>{"".join(parts)}</div>'


def sentence(text: str, *, alarm: bool = False) -> str:
    """Return a line of text, in red where it is an alarm."""
    colour = f";color:{AGAINST};font-weight:600" if alarm else ""
    return f'<p style="margin:0.4em 0 0{colour}">{escape(text)}</p>'


def facts(lines: Iterable[tuple[str, str]]) -> str:
    """Return pairs of a name and a value, both text, as a table."""
    return _table([], [[f"<b>{escape(name)}</b>", escape(said)] for name, said in lines], "left left")


def bars(
    heading: Sequence[str],
    lines: Sequence[tuple[Sequence[str], float]],
    total: Sequence[str] | None = None,
    *,
    signed: bool = True,
    scale: float = 1.0,
) -> str:
    """Return a table whose lines end in a number with its bar.

    Parameters
    ----------
    heading : sequence of str
        Names of the columns, that of the number last.
    lines : sequence of (cells, number)
        The cells before the number, as text.
    total : sequence of str, optional
        All cells of a last line.
    signed : bool, default=True
        Whether bars go both ways from the middle.
    scale : float, default=1.0
        The number whose bar is as long as can be; larger ones have no longer bars.
    """
    rows = [
        [
            *(escape(short(cell)) for cell in cells),
            f"{number:+.3f}" if signed else f"{number:.3f}",
            _bar(number, scale, signed),
        ]
        for cells, number in lines
    ]
    if total is not None:
        rows.append([*(f"<b>{escape(cell)}</b>" for cell in total), ""])
    return _table([*heading, ""], rows, " ".join(["left"] * (len(heading) - 1) + ["right", "left"]))


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]], sides: str) -> str:
    """Return a table of cells that are HTML already; ``sides`` says where each column is aligned."""
    styles = [f'style="{_CELL}{side}"' for side in sides.split()]
    # A column of pictures has no heading, and an empty one would be read aloud.
    kinds = ["th" if name else "td" for name in heading]
    head = "".join(
        f"<{kind} {style}>{escape(name)}</{kind}>"
        for kind, name, style in zip(kinds, heading, styles, strict=False)
    )
    body = "".join(
        f"<tr>{''.join(f'<td {style}>{cell}</td>' for cell, style in zip(row, styles, strict=True))}</tr>"
        for row in rows
    )
    first = f"<tr>{head}</tr>" if head else ""
    return f'<table class="bayleaf-table" style="border-collapse:collapse;margin:0.4em 0 0">{first}{body}</table>'


def _bar(number: float, scale: float, signed: bool) -> str:
    width = 160 if signed else 80
    length = round(80 * min(abs(number) / scale, 1.0))
    start = (80 if number >= 0 else 80 - length) if signed else 0
    axis = f'<path d="M80,0V14" stroke="{INK}" stroke-width="0.8"/>' if signed else ""
    return (
        f'<svg width="{width}" height="14" aria-hidden="true"><rect x="{start}" y="2" width="{length}" height="10" '
        f'fill="{FOR if number >= 0 else AGAINST}"/>{axis}</svg>'
    )
