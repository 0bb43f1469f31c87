"""bayleaf fit --forbid, --require, --tiers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayleaf

Run = Callable[..., Any]
Refused = Callable[..., str]


@pytest.mark.parametrize("method", ["default", "TAN", "KDB", "FAN", "SuperParent", "TAN-OMI-CR-ML"])
def test_the_network_obeys(files: Path, run: Run, method: str) -> None:
    arguments = ["--set", "structure=SuperParent()"] if method == "SuperParent" else ["-m", method]
    if method == "FAN":
        arguments = ["--set", "structure=FAN()"]
    call = ("fit", files / "people.csv", "-t", "status", "-o", files / "m.json", *arguments)
    constraints = ("--forbid", "age->dose", "--require", "town->age", "--tiers", "town < age, dose, smoker")
    outcome = run(*call, *constraints)
    assert outcome.code == 0, outcome
    arcs = bayleaf.load(files / "m.json").network_.arcs
    assert ("town", "age") in arcs
    assert ("age", "dose") not in arcs
    assert not [arc for arc in arcs if arc[1] == "town" and arc[0] != "status"]


def test_what_cannot_be(files: Path, refused: Refused) -> None:
    call = ("fit", files / "people.csv", "-t", "status", "-o", files / "m.json")
    for arguments, message in [
        (["--forbid", "a-b"], "--forbid takes arcs such as 'a->b'. Got 'a-b'."),
        (["--tiers", "age"], "--tiers takes names in tiers, such as"),
        (
            ["-m", "NB", "--forbid", "age->dose"],
            "NaiveBayes takes no constraints on its arcs; those that do: Exact,",
        ),
        (["-m", "AODE", "--forbid", "age->dose"], "The ensemble takes no constraints on its arcs"),
        (["--forbid", "age->dosis"], "names 'dosis', which the data lacks. Did you mean 'dose'?"),
    ]:
        assert message in refused(*call, *arguments)
    assert not (files / "m.json").exists()
