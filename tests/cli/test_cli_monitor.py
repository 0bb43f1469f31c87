"""bayleaf monitor MODEL TABLE: new rows against the training rows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import bayleaf
from bayleaf.cli.app import COMMANDS

Run = Callable[..., Any]
Refused = Callable[..., str]


def older(table: pl.DataFrame, years: int = 25) -> pl.DataFrame:
    return table.with_columns(pl.col("age") + years)


def test_no_alarm_is_exit_code_0_and_an_alarm_3(
    files: Path, model: Path, run: Run, table: pl.DataFrame
) -> None:
    calm = run("monitor", model, files / "people.csv")
    assert calm.code == 0
    assert "120 rows of" in calm.out
    assert "no sign that anything has changed" in calm.out
    older(table).write_csv(files / "older.csv")
    alarm = run("monitor", model, files / "older.csv")
    assert alarm.code == 3
    assert "column age" in alarm.out
    assert alarm.err == ""


def test_json_says_what_python_says(files: Path, model: Path, run: Run, table: pl.DataFrame) -> None:
    older(table).write_csv(files / "older.csv")
    outcome = run("monitor", model, files / "older.csv", "--json")
    found = json.loads(outcome.out)
    assert outcome.code == 3
    assert found["alarm"] is True
    said = bayleaf.load(model).drift(older(table).drop("status"), table["status"]).to_dict()
    assert found["lines"] == said["lines"]
    assert (found["rows"], found["labelled"], found["correction"]) == (120, 120, "Holm")


def test_labels_are_found_by_name_and_may_be_in_another_column(
    files: Path, model: Path, run: Run, refused: Refused, table: pl.DataFrame
) -> None:
    renamed = table.rename({"status": "truth"})
    renamed.write_csv(files / "truth.csv")
    assert json.loads(run("monitor", model, files / "truth.csv", "--json").out)["labelled"] == 0
    with_labels = run("monitor", model, files / "truth.csv", "--labels", "truth", "--json")
    assert json.loads(with_labels.out)["labelled"] == 120
    assert "has no column 'trth'. Did you mean 'truth'?" in refused(
        "monitor", model, files / "truth.csv", "--labels", "trth"
    )


def test_columns_that_are_lacking_and_levels_that_are_none(
    files: Path, model: Path, run: Run, refused: Refused, table: pl.DataFrame
) -> None:
    table.drop("town").write_csv(files / "less.csv")
    assert "lacks 1 column of the model: 'town'" in refused("monitor", model, files / "less.csv")
    outcome = run("monitor", model, files / "less.csv", "--absent-missing")
    assert outcome.code == 3
    assert "gaps town" in outcome.out
    assert "level" in refused("monitor", model, files / "people.csv", "--level", "2")
    table[:0].write_csv(files / "none.csv")
    assert "no rows" in refused("monitor", model, files / "none.csv")


def test_batches_of_a_file_add_up(files: Path, model: Path, run: Run, table: pl.DataFrame) -> None:
    rng = np.random.default_rng(0)
    many = table[rng.integers(0, 120, 120_000).tolist()]
    many.write_parquet(files / "many.parquet")
    found = json.loads(run("monitor", model, files / "many.parquet", "--json").out)
    assert found["rows"] == 120_000


def test_standard_input(files: Path, model: Path, run: Run) -> None:
    outcome = run("monitor", model, "-", given=(files / "people.csv").read_bytes())
    assert "120 rows of standard input" in outcome.out
    assert "monitor" in COMMANDS
