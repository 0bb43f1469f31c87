"""Where decisions have costs, every command that decides says so."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bayleaf

Run = Callable[..., Any]


@pytest.fixture
def costly(files: Path, run: Run) -> Path:
    path = files / "costly.json"
    given = ("--target", "status", "--set", "loss=[[0, 12.5], [1, 0]]", "-o", path)
    assert run("fit", files / "people.csv", *given).code == 0
    return path


def test_explain_says_that_costs_decide(costly: Path, files: Path, run: Run, table: pl.DataFrame) -> None:
    rows = table.drop("status")
    classifier = bayleaf.load(costly)
    explanation = classifier.explain(rows)
    row = int((explanation.log_odds < 0).argmax())  # the evidence speaks against the decision
    assert explanation.target[row] == "sick"
    shown = run("explain", costly, files / "people.csv", "--row", row + 1).out
    share = classifier.predict_proba(rows)[row]
    sentence = f"minimises expected cost: sick costs {share[1]:.3g}, well {12.5 * share[0]:.3g}."
    assert sentence in shown
    assert sentence in str(classifier.explain(rows[[row]]))


def test_show_lists_the_costs(costly: Path, run: Run) -> None:
    shown = " ".join(run("show", costly).out.split())
    assert (
        "Decides by smallest expected cost (loss): sick predicted as well: 12.5, well predicted as sick: 1"
        in shown
    )


@pytest.mark.parametrize("method", ["TAN", "RTAN(n_estimators=3)"])
def test_predict_notes_that_costs_decide(files: Path, run: Run, method: str) -> None:
    path = files / "m.json"
    fitted = run(
        "fit",
        files / "people.csv",
        "-t",
        "status",
        "-m",
        method,
        "--set",
        "loss=[[0, 12], [1, 0]]",
        "-o",
        path,
    )
    assert fitted.code == 0, fitted.err
    outcome = run("predict", path, files / "people.csv")
    assert "Note: the model has costs (loss): predictions minimise expected cost" in outcome.err
    assert outcome.out.startswith("prediction,")


def test_without_costs_nothing_is_said_of_them(model: Path, files: Path, run: Run) -> None:
    outcomes = [run(*call) for call in (("show", model), ("explain", model, files / "people.csv"))]
    outcomes.append(run("predict", model, files / "people.csv"))
    assert not any("expected cost" in outcome.out + outcome.err for outcome in outcomes)
