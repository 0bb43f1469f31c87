"""The summary of a comparison: what the results show, and what they do not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rich.console import Group
from rich.text import Text

from bayleaf._util.words import counted
from bayleaf.quality.measures import Measure

from . import rank_tests
from .paired_tests import PairedTest, Tolerance, corrected_t_test, signed_rank_test, win_draw_loss
from .result_tables import Cell, ResultTable, Scoreboard
from .results import Results

FEW_DATASETS = 10


@dataclass(frozen=True, eq=False)
class Comparison:
    """Result of `compare`; printing it gives the summary.

    Attributes
    ----------
    board : Scoreboard
        Values the comparison rests on.
    ranks : dict
        Average ranks, best first.
    friedman : FriedmanTest or None
        For three and more methods on two and more data sets.
    post_hoc : NemenyiTest, BonferroniDunnTest or None
        All pairs, or all against the control.
    pairs : mapping of str to PairedTest
        Signed-rank test for two methods; t-tests over folds for a single data set.
    records : ResultTable
        Wins, draws and losses of all pairs.
    """

    board: Scoreboard
    ranks: dict[str, float]
    alpha: float
    records: ResultTable
    friedman: rank_tests.FriedmanTest | None = None
    post_hoc: rank_tests.NemenyiTest | rank_tests.BonferroniDunnTest | None = None
    pairs: Mapping[str, PairedTest] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the overall test (or the only test) finds a difference at ``alpha``."""
        if self.friedman is not None:
            return self.friedman.f_p_value <= self.alpha
        return any(test.p_value <= self.alpha for test in self.pairs.values())

    def to_text(self) -> str:
        """All findings but the table of wins, draws and losses."""
        board = self.board
        direction = "higher" if board.higher_is_better else "lower"
        size = f"{counted(len(board.datasets), 'data set')}, {counted(len(board.methods), 'method')}"
        ranks = ", ".join(f"{name} {rank:.3f}" for name, rank in self.ranks.items())
        lines = [f"{board.measure} ({direction} is better), {size}", "", f"Average rank (1 is best): {ranks}"]
        if self.friedman is not None:
            lines += [str(self.friedman), f"  {self._verdict()}"]
        if self.post_hoc is not None:
            lines.append(str(self.post_hoc))
        lines += [f"{name}: {test}" for name, test in self.pairs.items()]
        lines += [f"Note: {note}" for note in self.notes]
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """All findings and the table of wins, draws and losses as Markdown."""
        return f"```text\n{self.to_text()}\n```\n\n**{self.records.title}**\n\n{self.records.to_markdown()}"

    def _verdict(self) -> str:
        if self.differs:
            return f"The methods differ (Iman-Davenport, alpha {self.alpha:g})."
        return (
            f"No difference between the methods is shown (Iman-Davenport, alpha {self.alpha:g}); "
            "the pairwise results below prove nothing."
        )

    def __str__(self) -> str:
        return f"{self.to_text()}\n\n{self.records.title}\n{self.records}"

    def __rich__(self) -> Group:
        return Group(Text(self.to_text()), Text(""), self.records)


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
            own, other = board.column(first), board.column(second)
            record = win_draw_loss(own, other, higher_is_better=board.higher_is_better, tolerance=tolerance)
            cells.append(Cell(str(record), best=record.p_value <= 0.05))
        rows.append((first, tuple(cells)))
    title = f"Wins/draws/losses, {board.measure}; draws: {tolerance or Tolerance()}"
    return ResultTable(title, ("W/D/L", *board.methods), tuple(rows))


def compare(
    results: Results | Scoreboard,
    measure: str | Measure = "zero_one_loss",
    control: str | None = None,
    *,
    alpha: float = 0.05,
    tolerance: Tolerance | None = None,
) -> Comparison:
    """Compare methods by one measure: ranks, tests fit for the number of methods and data sets, and records.

    Three and more methods on several data sets get Friedman's test in the form of Iman and Davenport, then
    Nemenyi's test of all pairs or, with a ``control``, the Bonferroni-Dunn test against it. Two methods get
    Wilcoxon's signed-rank test. A single data set gets corrected t-tests over its folds.

    Parameters
    ----------
    results : Results or Scoreboard
        What to compare.
    measure : str or Measure
        Ignored for a scoreboard, which has one measure only.
    control : str or None
        Method that all others are compared with.
    alpha : float
        Level of significance.
    tolerance : Tolerance or None
        Which differences count as draws in the table of wins, draws and losses.

    Examples
    --------
    >>> board = Scoreboard(
    ...     [[0.10, 0.12, 0.20], [0.21, 0.20, 0.31], [0.05, 0.08, 0.09], [0.33, 0.35, 0.34], [0.1, 0.2, 0.3]],
    ...     methods=["KDB", "TAN", "NB"],
    ...     measure="zero-one loss",
    ... )
    >>> print(compare(board, control="NB"))
    zero-one loss (lower is better), 5 data sets, 3 methods
    <BLANKLINE>
    Average rank (1 is best): KDB 1.200, TAN 2.000, NB 2.800
    Friedman: chi2(2) = 6.40, p = 0.041; Iman-Davenport: F(2, 8) = 7.11, p = 0.017 (5 data sets)
      The methods differ (Iman-Davenport, alpha 0.05).
    Bonferroni-Dunn against NB (2.80): critical difference 1.418 at alpha 0.05
      KDB (1.20): better, p = 0.023
      TAN (2.00): not distinguishable, p = 0.412
    Note: 5 data sets are few; rank tests have little power and rough p-values here.
    <BLANKLINE>
    Wins/draws/losses, zero-one loss; draws: exact ties only
    | W/D/L | KDB   | TAN   | NB        |
    |:------|------:|------:|----------:|
    | KDB   |       | 4/0/1 | **5/0/0** |
    | TAN   | 1/0/4 |       |     4/0/1 |
    | NB    | 0/0/5 | 1/0/4 |           |
    """
    board = results if isinstance(results, Scoreboard) else results.scoreboard(measure)
    if len(board.methods) < 2:
        raise ValueError(f"A comparison needs at least 2 methods. Got {', '.join(board.methods)}.")
    if control is not None:
        board.position(control)
    ranks, records = rank_tests.average_ranks(board), win_draw_loss_table(board, tolerance=tolerance)
    # What fits the number of data sets and methods.
    tests: dict[str, Any] = {}
    if len(board.datasets) == 1:
        if isinstance(results, Results):
            tests["pairs"] = _fold_tests(results, measure, control or next(iter(ranks)))
    elif len(board.methods) == 2:
        first, second = board.methods
        test = signed_rank_test(board.column(first), board.column(second))
        tests["pairs"] = {f"{first} against {second}": test}
    else:
        tests["friedman"] = rank_tests.friedman(board)
        tests["post_hoc"] = (
            rank_tests.nemenyi(board, alpha=alpha)
            if control is None
            else rank_tests.bonferroni_dunn(board, control, alpha=alpha)
        )
    return Comparison(board, ranks, alpha, records, notes=_notes(board, results), **tests)


def _fold_tests(results: Results, measure: str | Measure, control: str) -> dict[str, PairedTest]:
    """Corrected t-tests of one method against the others over the folds of the only data set."""
    board = results.scoreboard(measure)
    (dataset,) = board.datasets
    lines = results.select(datasets=[dataset]).frame
    share = float((lines["test_rows"] / lines["train_rows"]).mean())  # type: ignore[arg-type]
    own = results.values(measure, dataset, control)
    tests = {}
    for method in board.methods:
        other = results.values(measure, dataset, method)
        usable = (own == own) & (other == other)
        if method != control and usable.sum() > 1:
            test = corrected_t_test(own[usable], other[usable], test_share=share)
            tests[f"{control} against {method}"] = test
    return tests


def _notes(board: Scoreboard, results: Results | Scoreboard) -> tuple[str, ...]:
    notes = []
    n = len(board.datasets)
    if n == 1:
        notes.append("one data set says nothing about others; p-values are not adjusted for several methods.")
    elif n <= FEW_DATASETS:
        notes.append(f"{n} data sets are few; rank tests have little power and rough p-values here.")
    if board.left_out:
        notes.append(f"left out, since not complete for all methods: {', '.join(board.left_out)}.")
    if isinstance(results, Results) and results.errors.height:
        notes.append(f"{counted(results.errors.height, 'fold')} failed; see Results.errors.")
    return tuple(notes)
