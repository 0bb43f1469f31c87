import io

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from bayleaf.benchmark import (
    Cell,
    CrossValidation,
    Results,
    ResultTable,
    Scoreboard,
    Tolerance,
    evaluate,
    mean_table,
    win_draw_loss_table,
)
from bayleaf.quality import MEASURES


def line(dataset, method, fold, loss, error=""):
    values = {measure.name: float("nan") for measure in MEASURES}
    return {
        "dataset": dataset,
        "method": method,
        "repeat": 0,
        "fold": fold,
        "rows": 20,
        "train_rows": 10,
        "test_rows": 10,
        "protocol": "2-fold, seed 0",
        "fingerprint": "0",
        **values,
        "zero_one_loss": loss,
        "error": error,
    }


@pytest.fixture
def patchy():
    """NB is complete; TAN failed on one fold of b and on all folds of c; KDB has not reached c yet."""
    nan = float("nan")
    lines = [line(d, "NB", f, 0.3 + 0.1 * f) for d in "abc" for f in (0, 1)]
    lines += [line("a", "TAN", 0, 0.2), line("a", "TAN", 1, 0.2)]
    lines += [line("b", "TAN", 0, 0.1), line("b", "TAN", 1, nan, "ValueError: no")]
    lines += [line("c", "TAN", f, nan, "ValueError: no") for f in (0, 1)]
    lines += [line(d, "KDB", f, 0.25) for d in "ab" for f in (0, 1)]
    return Results.from_lines(lines, MEASURES)


def test_summary_shows_what_is_missing_and_never_calls_it_best(patchy):
    table = patchy.summary(digits=2)
    texts = {name: [cell.text for cell in cells] for name, cells in table.rows}
    assert texts["a"] == ["0.35 ± 0.07", "0.20 ± 0.00", "0.25 ± 0.00"]
    assert texts["b"] == ["0.35 ± 0.07", "failed", "0.25 ± 0.00"]
    assert texts["c"] == ["0.35 ± 0.07", "failed", "–"]
    best = {name: [cell.best for cell in cells] for name, cells in table.rows}
    assert best["b"] == [False, False, True]
    assert "leave out b, c" in table.notes[0]
    assert table.notes[1:] == (
        "TAN failed in 1 of 2 folds of b: ValueError: no.",
        "TAN failed in 2 of 2 folds of c: ValueError: no.",
    )


def test_folds_that_are_left_are_no_mean(patchy):
    spread = {(row["dataset"], row["method"]): row for row in patchy.spread("zero_one_loss").to_dicts()}
    assert spread["b", "TAN"]["mean"] is spread["b", "TAN"]["deviation"] is None
    assert (spread["b", "TAN"]["failed"], spread["b", "TAN"]["reason"]) == (1, "ValueError: no")
    assert spread["b", "NB"]["mean"] == pytest.approx(0.35)
    assert spread["b", "NB"]["reason"] is None


def test_of_many_failures_the_first_are_told():
    nan = float("nan")
    lines = [line("a", f"m{k}", f, nan if f else 0.5, "no" * f) for k in range(8) for f in (0, 1)]
    told = Results.from_lines(lines, MEASURES).failures()
    assert told[0] == "m0 failed in 1 of 2 folds of a: no."
    assert len(told) == 6
    assert told[-1] == "3 more such: see errors."


def test_scoreboard_keeps_complete_data_sets_only(patchy):
    board = patchy.scoreboard("zero_one_loss")
    assert board.datasets == ("a",)
    assert board.left_out == ("b", "c")
    assert board.values.tolist() == [[pytest.approx(0.35), 0.2, 0.25]]
    assert [d.tolist() for d in patchy.deviations("zero_one_loss").values()][1] == [0.0]


def test_summary_agrees_with_numpy():
    data = {"iris": load_iris(return_X_y=True)}
    results = evaluate({"NB": GaussianNB(), "majority": DummyClassifier()}, data, CrossValidation(4))
    values = results.values("accuracy", "iris", "NB")
    frame = results.summary("accuracy").to_frame()
    assert frame["NB"][0] == pytest.approx(values.mean())
    text = results.summary("accuracy", digits=4).rows[0][1][0].text
    assert text == f"{values.mean():.4f} ± {values.std(ddof=1):.4f}"


def test_ties_are_all_best():
    table = mean_table(Scoreboard([[0.3, 0.1 + 0.2, 0.5]], ["a", "b", "c"]))
    assert [cell.best for cell in table.rows[0][1]] == [True, True, False]


def test_markdown_and_latex_escape_names():
    cells = (Cell("0.1 ± 0.2", best=True), Cell("–"))
    table = ResultTable("t", ("data_set", "A|B", "50% & more"), (("x_1 #2", cells),), notes=("100 %",))
    markdown, latex = table.to_markdown(), table.to_latex()
    assert r"A\|B" in markdown
    assert "**0.1 ± 0.2**" in markdown
    assert r"50\% \& more" in latex
    assert r"x\_1 \#2 & \textbf{0.1 $\pm$ 0.2} & --" in latex
    assert latex.endswith("% 100 %")
    widths = {len(each) for each in markdown.splitlines()[:3]}
    assert len(widths) == 1


def test_terminal_table_shows_names_as_they_are():
    table = ResultTable("loss", ("data", "[bold]NB"), (("iris", (Cell("0.1", best=True, value=0.1),)),))
    file = io.StringIO()
    Console(file=file, width=60).print(table)
    assert "[bold]NB" in file.getvalue()
    assert "iris" in file.getvalue()


def test_frame_holds_numbers_where_there_are_any():
    board = Scoreboard([[0.1, 0.2], [0.3, 0.4]], ["NB", "TAN"], ["x", "y"])
    assert (
        mean_table(board)
        .to_frame()
        .equals(pl.DataFrame({"dataset": ["x", "y"], "NB": [0.1, 0.3], "TAN": [0.2, 0.4]}))
    )
    assert win_draw_loss_table(board).to_frame()["TAN"].to_list() == ["2/0/0", ""]


def test_records_are_bold_where_the_sign_test_is_significant():
    values = np.column_stack([np.full(6, 0.1), np.full(6, 0.2), [0.05, 0.2, 0.2, 0.2, 0.2, 0.2]])
    table = win_draw_loss_table(Scoreboard(values, ["a", "b", "c"]), tolerance=Tolerance(absolute=0.01))
    assert [(cell.text, cell.best) for cell in table.rows[0][1]] == [
        ("", False),
        ("6/0/0", True),
        ("5/0/1", False),
    ]
    assert "draws: 0.01" in table.title
