"""Tables: data sets times methods as numbers, and as text for a terminal, Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rich.table import Table
from rich.text import Text
from scipy.stats import rankdata

from bayleaf._util.optional import polars as pl

# Means of the same fold values may differ in the last bits; such values are ties.
TIE_DECIMALS = 12


@dataclass(frozen=True, eq=False)
class Scoreboard:
    """One value of one measure for every data set (row) and method (column).

    Parameters
    ----------
    values : (data sets, methods) array
        Finite numbers.
    methods : sequence of str
        Names of the columns.
    datasets : sequence of str
        Names of the rows; numbered when empty.
    higher_is_better : bool
        False for losses, True for accuracy and AUC.
    measure : str
        Name for tables and figures.
    left_out : sequence of str
        Data sets that lack a value for some method and are therefore not among the rows.

    Examples
    --------
    >>> board = Scoreboard([[0.1, 0.2, 0.2], [0.3, 0.2, 0.4]], methods=["NB", "TAN", "KDB"])
    >>> board.ranks
    array([[1. , 2.5, 2.5],
           [2. , 1. , 3. ]])
    """

    values: NDArray[np.float64]
    methods: Sequence[str]
    datasets: Sequence[str] = ()
    higher_is_better: bool = False
    measure: str = "value"
    left_out: Sequence[str] = ()

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        datasets = tuple(self.datasets) or tuple(str(row + 1) for row in range(len(values)))
        if values.ndim != 2 or values.shape != (len(datasets), len(self.methods)) or not values.size:
            raise ValueError(
                f"The values must be a table of {len(datasets)} data sets by {len(self.methods)} methods. "
                f"Got shape {values.shape}."
            )
        for kind, names in (("method", self.methods), ("data set", datasets)):
            if len(set(names)) < len(names):
                raise ValueError(f"Every {kind} must have its own name. Got {list(names)}.")
        holes = np.argwhere(~np.isfinite(values))
        if holes.size:
            row, column = holes[0]
            raise ValueError(
                f"'{self.methods[column]}' has no finite value on '{datasets[row]}' "
                f"({len(holes)} such cells). Leave the data set or the method out."
            )
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "methods", tuple(self.methods))
        object.__setattr__(self, "datasets", datasets)
        object.__setattr__(self, "left_out", tuple(self.left_out))

    @property
    def ranks(self) -> NDArray[np.float64]:
        """Rank of every method on every data set: 1 is best, ties share the mean of their ranks."""
        return rank_rows(self.values, higher_is_better=self.higher_is_better)

    def column(self, method: str) -> NDArray[np.float64]:
        """Values of one method."""
        return self.values[:, self.position(method)]

    def position(self, method: str) -> int:
        """Column number of a method."""
        if method not in self.methods:
            raise ValueError(f"There is no method '{method}'. Known here: {', '.join(self.methods)}.")
        return list(self.methods).index(method)

    def select(
        self, methods: Sequence[str] | None = None, datasets: Sequence[str] | None = None
    ) -> Scoreboard:
        """Part of the board, in the order given."""
        columns = [self.position(method) for method in (self.methods if methods is None else methods)]
        wanted = self.datasets if datasets is None else datasets
        unknown = [name for name in wanted if name not in self.datasets]
        if unknown:
            raise ValueError(f"There is no data set '{unknown[0]}'. Known here: {', '.join(self.datasets)}.")
        rows = [list(self.datasets).index(name) for name in wanted]
        names = tuple(self.methods[column] for column in columns)
        part = self.values[np.ix_(rows, columns)]
        return Scoreboard(part, names, tuple(wanted), self.higher_is_better, self.measure, self.left_out)

    def to_frame(self) -> pl.DataFrame:
        """As a frame: one row per data set, one column per method."""
        columns = {method: self.values[:, column] for column, method in enumerate(self.methods)}
        return pl.DataFrame({"dataset": list(self.datasets), **columns})


def rank_rows(values: ArrayLike, *, higher_is_better: bool) -> NDArray[np.float64]:
    """Rank the entries of every row from 1 (best); ties share the mean of their ranks."""
    table = np.round(np.asarray(values, dtype=np.float64), TIE_DECIMALS)
    ranks: NDArray[np.float64] = rankdata(-table if higher_is_better else table, axis=1)
    return ranks


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
        lines = [_pipes(map(str.ljust, head, widths)), "|" + "|".join(rule) + "|"]
        lines += [_pipes([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in body]
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
        drawn = Table(title=self.title, caption="\n".join(self.notes) or None, title_justify="left")
        return self.drawn_into(drawn, best="bold")

    def drawn_into(self, drawn: Table, *, best: str) -> Table:
        """Put names and cells into a table of rich, the best cells in a style of their own."""
        drawn.add_column(self.header[0], no_wrap=True)
        for name in self.header[1:]:
            drawn.add_column(Text(name), justify="right")
        for block in (self.rows, self.totals):
            for number, (name, cells) in enumerate(block):
                texts = [Text(cell.text, style=best if cell.best else "") for cell in cells]
                drawn.add_row(Text(name), *texts, end_section=number == len(block) - 1)
        return drawn

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
    header, totals = ("dataset", *board.methods), total_rows(board, digits)
    return ResultTable(title or board.measure, header, tuple(rows), totals)


def total_rows(board: Scoreboard, digits: int) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    """Rows with the mean value and the average rank of every method."""
    return (
        ("mean", value_cells(board.values.mean(axis=0), None, board.higher_is_better, digits)),
        ("rank", value_cells(board.ranks.mean(axis=0), None, False, 2)),
    )


def value_cells(
    values: NDArray[np.float64], spreads: NDArray[np.float64] | None, higher_is_better: bool, digits: int
) -> tuple[Cell, ...]:
    """Cells of one row, with the best values marked; NaN is a dash."""
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


def _pipes(texts: Iterable[str]) -> str:
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
