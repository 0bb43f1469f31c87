"""bayleaf learn."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bayleaf as bl

Run = Callable[..., Any]
Refused = Callable[..., str]


def test_a_network_is_learned_and_can_be_asked(files: Path, run: Run, table: pl.DataFrame) -> None:
    outcome = run("learn", files / "people.csv", "-o", files / "net.json", "--drop", "town")
    assert outcome.code == 0, outcome
    net = bl.load_network(files / "net.json")
    assert set(net.nodes) == set(table.columns) - {"town"}
    assert f"{len(net.nodes)} nodes, {len(net.arcs)} arcs" in outcome.out
    assert run("ask", files / "net.json", "status", "--given", "dose=2.5").code == 0


def test_strengths_are_shown_and_written(files: Path, run: Run) -> None:
    arguments = ["--bootstrap", 5, "--strengths", files / "s.csv", "--plot", files / "net.svg"]
    arguments += ["--structure", "HillClimbing(score=BIC())"]
    outcome = run(
        "learn", files / "people.csv", "-o", files / "net.bif", *arguments, "--discretizer", "quantiles"
    )
    assert outcome.code == 0, outcome
    assert "Arcs found again in bootstrap samples" in outcome.out
    assert pl.read_csv(files / "s.csv").columns == ["parent", "child", "strength", "direction"]
    assert (files / "net.bif").exists()
    assert (files / "net.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-o", "net.csv"], "Cannot tell the format of"),
        (["-o", "n.json", "--structure", "Oracle()"], "'Oracle()' is not a learner"),
        (["-o", "n.json", "--structure", "TAN()"], "needs a class"),
        (["-o", "n.json", "--strengths", "s.csv"], "--strengths needs --bootstrap"),
        (["-o", "n.json", "--plot", "n.png"], "'n.png' must end in .svg"),
        (["-o", "n.json", "--discretizer", "knife"], "'knife' is not a discretiser"),
        (["-o", "n.json", "--discretizer", "mdlp"], "MDLP cuts numbers by a class"),
        (["-o", "n.json", "--drop", "tonw"], "Did you mean 'town'?"),
        (["-o", "n.json", "--missing", "auto"], "'missing' parameter"),
    ],
)
def test_what_cannot_be_learned(
    files: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.chdir(files)
    assert sentence in refused("learn", "people.csv", *arguments)
    assert not (files / "n.json").exists()
