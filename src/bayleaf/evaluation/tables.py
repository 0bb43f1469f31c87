"""One table object that prints to a terminal, to Markdown and to LaTeX."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from .paired_tests import Tolerance, win_draw_loss
from .rank_tests import average_ranks
from .scoreboard import TIE_DECIMALS, Scoreboard


@dataclass(frozen=True)
class Cell:
    """Text of a table cell, whether it is the best of its row, and the number behind it.

    Examples
    --------
    >>> Cell("0.95 ± 0.03", best=True, value=0.953).text
    '0.95 ± 0.03'
    """

    text: str
    best: bool = False
    value: float | None = None


@dataclass(frozen=True)
class ResultTable:
    r"""A table of results: a name and cells in every row, totals at the end.

    Examples
    --------
    >>> row = ("iris", (Cell("0.05", best=True, value=0.05), Cell("0.67", value=0.67)))
    >>> table = ResultTable("zero-one loss", ("dataset", "NB", "majority"), (row,))
    >>> print(table)
    | dataset | NB       | majority |
    |:--------|---------:|---------:|
    | iris    | **0.05** |     0.67 |
    >>> print(table.to_latex())
    \begin{tabular}{lrr}
    \toprule
    dataset & NB & majority \\
    \midrule
    iris & \textbf{0.05} & 0.67 \\
    \bottomrule
    \end{tabular}
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    totals: tuple[tuple[str, tuple[Cell, ...]], ...] = ()
    notes: tuple[str, ...] = ()

    def to_markdown(self) -> str:
        """Pipe table with the best cells in bold; notes follow as paragraphs."""
        body = [
            [_markdown(name), *(f"**{_markdown(c.text)}**" if c.best else _markdown(c.text) for c in cells)]
            for name, cells in (*self.rows, *self.totals)
        ]
        head = [_markdown(name) for name in self.header]
        widths = [max(3, *(len(line[column]) for line in [head, *body])) for column in range(len(head))]
        rule = [":" + "-" * (widths[0] + 1), *("-" * (width + 1) + ":" for width in widths[1:])]
        lines = [
            _pipes([text.ljust(width) for text, width in zip(head, widths, strict=True)]),
            "|" + "|".join(rule) + "|",
        ]
        lines += [
            _pipes(
                [line[0].ljust(widths[0]), *(t.rjust(w) for t, w in zip(line[1:], widths[1:], strict=True))]
            )
            for line in body
        ]
        return "\n".join(lines + [f"\n{_markdown(note)}" for note in self.notes])

    def to_latex(self) -> str:
        r"""``tabular`` environment for the package booktabs, the best cells in \textbf; notes as comments."""
        lines = [rf"\begin{{tabular}}{{l{'r' * (len(self.header) - 1)}}}", r"\toprule"]
        lines.append(" & ".join(_latex(name) for name in self.header) + r" \\")
        for block in (self.rows, self.totals):
            if block:
                lines.append(r"\midrule")
            for name, cells in block:
                texts = [rf"\textbf{{{_latex(c.text)}}}" if c.best else _latex(c.text) for c in cells]
                lines.append(" & ".join([_latex(name), *texts]) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
        return "\n".join(lines + [f"% {note}" for note in self.notes])

    def to_frame(self) -> pl.DataFrame:
        """Names and the numbers behind the cells (their text where there is none), without the totals."""
        columns: dict[str, list[str] | list[float | None]] = {self.header[0]: [name for name, _ in self.rows]}
        for column, name in enumerate(self.header[1:]):
            cells = [cells[column] for _, cells in self.rows]
            numeric = any(cell.value is not None for cell in cells)
            columns[name] = [c.value for c in cells] if numeric else [c.text for c in cells]
        return pl.DataFrame(columns)

    def __rich__(self) -> Table:
        table = Table(title=self.title, caption="\n".join(self.notes) or None, title_justify="left")
        table.add_column(self.header[0])
        for name in self.header[1:]:
            table.add_column(Text(name), justify="right")
        for block in (self.rows, self.totals):
            for number, (name, cells) in enumerate(block):
                texts = [Text(cell.text, style="bold" if cell.best else "") for cell in cells]
                table.add_row(Text(name), *texts, end_section=number == len(block) - 1)
        return table

    def __str__(self) -> str:
        return self.to_markdown()


def mean_table(
    board: Scoreboard,
    spread: NDArray[np.float64] | None = None,
    *,
    digits: int = 3,
    title: str = "",
) -> ResultTable:
    """Table of values, best in bold, with the mean and the average rank of every method below.

    Examples
    --------
    >>> print(mean_table(Scoreboard([[0.1, 0.2], [0.3, 0.2]], ["NB", "TAN"], ["iris", "glass"]), digits=1))
    | dataset | NB       | TAN      |
    |:--------|---------:|---------:|
    | iris    |  **0.1** |      0.2 |
    | glass   |      0.3 |  **0.2** |
    | mean    |  **0.2** |  **0.2** |
    | rank    | **1.50** | **1.50** |
    """
    rows = []
    for number, dataset in enumerate(board.datasets):
        spreads = None if spread is None else spread[number]
        cells = value_cells(board.values[number], spreads, board.higher_is_better, digits)
        rows.append((dataset, cells))
    return ResultTable(
        title or board.measure, ("dataset", *board.methods), tuple(rows), total_rows(board, digits)
    )


def total_rows(board: Scoreboard, digits: int) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    """Rows with the mean value and the average rank of every method.

    Examples
    --------
    >>> [name for name, _ in total_rows(Scoreboard([[0.1, 0.2]], ["NB", "TAN"]), digits=3)]
    ['mean', 'rank']
    """
    ranks = average_ranks(board)
    in_order = np.array([ranks[method] for method in board.methods])
    return (
        ("mean", value_cells(board.values.mean(axis=0), None, board.higher_is_better, digits)),
        ("rank", value_cells(in_order, None, False, 2)),
    )


def value_cells(
    values: NDArray[np.float64], spreads: NDArray[np.float64] | None, higher_is_better: bool, digits: int
) -> tuple[Cell, ...]:
    """Cells of one row, with the best values marked; NaN is a dash.

    Examples
    --------
    >>> [cell.text for cell in value_cells(np.array([0.1, np.nan]), None, False, 2)]
    ['0.10', '–']
    """
    rounded = np.round(values, TIE_DECIMALS)
    known = rounded[np.isfinite(rounded)]
    best = (known.max() if higher_is_better else known.min()) if known.size else np.nan
    cells = []
    for column, value in enumerate(values):
        if not np.isfinite(value):
            cells.append(Cell("–"))
            continue
        text = f"{value:.{digits}f}"
        if spreads is not None and np.isfinite(spreads[column]):
            text += f" ± {spreads[column]:.{digits}f}"
        cells.append(Cell(text, best=bool(rounded[column] == best), value=float(value)))
    return tuple(cells)


def win_draw_loss_table(board: Scoreboard, *, tolerance: Tolerance | None = None) -> ResultTable:
    """Wins/draws/losses of the row's method against the column's; bold where the sign test gives p <= 0.05.

    Examples
    --------
    >>> board = Scoreboard([[0.1, 0.2], [0.3, 0.3], [0.3, 0.4]], methods=["TAN", "NB"])
    >>> print(win_draw_loss_table(board))
    | W/D/L | TAN   | NB    |
    |:------|------:|------:|
    | TAN   |       | 2/1/0 |
    | NB    | 0/1/2 |       |
    """
    rows = []
    for first in board.methods:
        cells = []
        for second in board.methods:
            if first == second:
                cells.append(Cell(""))
                continue
            record = win_draw_loss(
                board.column(first),
                board.column(second),
                higher_is_better=board.higher_is_better,
                tolerance=tolerance,
            )
            cells.append(Cell(str(record), best=record.p_value <= 0.05))
        rows.append((first, tuple(cells)))
    title = f"Wins/draws/losses, {board.measure}; draws: {tolerance or Tolerance()}"
    return ResultTable(title, ("W/D/L", *board.methods), tuple(rows))


def _pipes(texts: Sequence[str]) -> str:
    return "| " + " | ".join(texts) + " |"


def _markdown(text: str) -> str:
    return re.sub(r"([\\|*_`<])", r"\\\1", text)


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "–": "--",
    "<": r"$<$",
    ">": r"$>$",
    **{each: "\\" + each for each in "&%$#_{}"},
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(each, each) for each in text)
