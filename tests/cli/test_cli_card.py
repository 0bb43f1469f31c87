"""bayleaf card: from a file, with figures on rows of a table and by group."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

Run = Callable[..., Any]
Refused = Callable[..., str]


def test_a_card_with_groups(files: Path, run: Run, refused: Refused) -> None:
    model, card = files / "m.json", files / "card.md"
    assert run("fit", files / "people.csv", "-t", "status", "--drop", "town", "-o", model).code == 0
    plain = run("card", model, "-o", card)
    assert plain.code == 0, plain.err
    assert "Wrote" in plain.out
    assert "On " in card.read_text()
    grouped = run("card", model, "-o", card, "--data", files / "people.csv", "--by", "town,smoker")
    assert grouped.code == 0, grouped.err
    text = card.read_text()
    rows = pl.read_csv(files / "people.csv")
    assert f"| Bath | {rows.filter(pl.col('town') == 'Bath').height} |" in text
    assert "By smoker" in text
    assert "--by needs rows" in refused("card", model, "-o", card, "--by", "town")
    assert "Did you mean 'town'" in refused(
        "card", model, "-o", card, "--data", files / "people.csv", "--by", "twon"
    )


def test_a_card_says_of_training_rows_and_of_rows_without_a_class_what_they_are(
    files: Path, run: Run
) -> None:
    model, card, people = files / "m.json", files / "card.md", files / "people.csv"
    assert run("fit", people, "-t", "status", "-o", model).code == 0
    measured = run("card", model, "-o", card, "--data", people)
    assert measured.code == 0
    assert "used to fit: the figures are optimistic" in " ".join(measured.err.split())
    assert "used to fit: the figures are optimistic" in card.read_text()
    pl.read_csv(people).drop("status").write_csv(files / "unlabelled.csv")
    refused = run("card", model, "-o", card, "--data", files / "unlabelled.csv")
    assert refused.code == 2
    said = " ".join(refused.err.split())
    assert said.count("has no column 'status'") == 1
    assert "the page" not in said
