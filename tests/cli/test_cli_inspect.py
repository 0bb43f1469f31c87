"""bayleaf inspect, and --types."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bayleaf
from bayleaf.cli.options import types_of

Run = Callable[..., Any]


def shown(outcome: Any) -> str:
    assert outcome.code == 0, outcome.err
    return " ".join(outcome.out.split())


def test_the_table_is_that_of_the_library(files: Path, run: Run, table: pl.DataFrame) -> None:
    text = shown(run("inspect", files / "people.csv", "--target", "status"))
    schema = bayleaf.BayesNetClassifier().inspect(table.drop("status"), table["status"])
    assert "120 rows, 4 columns, and the class status" in text
    for line in schema.lines():
        assert line.column in text
        first_cut = ",".join(line.states.split(",")[:2])  # lines are broken after some of them
        assert first_cut in text  # as `fit` makes them without a method
        assert line.gaps in text
        assert line.note in text


def test_without_a_target_every_column_is_a_feature(files: Path, run: Run) -> None:
    outcome = run("inspect", files / "people.csv", "--drop", "town")
    text = shown(outcome)
    assert "status category 2 categories: sick, well" in text
    assert "town" not in text
    assert "left out as asked: town" in outcome.err
    assert "without --target, what depends on the class is not shown" in outcome.err


def test_types_count_in_inspect_and_fit(tmp_path: Path, run: Run) -> None:
    data, model = tmp_path / "t.csv", tmp_path / "m.json"
    rows = {"code": [7, 8, 9, 7] * 10, "age": [1.5, 2.5, 3.5, 4.5] * 10, "y": ["a", "a", "b", "b"] * 10}
    pl.DataFrame(rows).write_csv(data)
    (tmp_path / "types.txt").write_text("# what columns are\ncode: category\n\nage: identifier\n")
    for given in ("code=category,age=identifier", tmp_path / "types.txt"):
        text = shown(run("inspect", data, "-t", "y", "--types", given))
        assert "code category 3 categories: 7, 8, 9" in text
        assert "age identifier left out" in text
        shown(run("fit", data, "-t", "y", "--types", given, "-o", model))
        loaded = bayleaf.load(model)
        assert loaded.column_types == {"code": "category", "age": "identifier"}
        assert loaded.network_.nodes == ("code", "y")


def test_a_file_of_types_may_be_json(tmp_path: Path) -> None:
    path = tmp_path / "types.json"
    path.write_text(json.dumps({"a: b": "category", "c": "text-number"}))
    assert types_of([str(path)]) == {"a: b": "category", "c": "text-number"}


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ("cod=category", "has no column 'cod'. Did you mean 'code'?"),
        ("code=label", "'label' is not a column type; the types are category, number, date, text, identif"),
        ("=category", "Types are written column=type, such as zip=category. Got '=category'."),
        ("nowhere.txt", "'nowhere.txt' is neither."),
        ("y=category", "'y' is the class, which is always categories: leave it out of --types."),
    ],
)
def test_wrong_types_are_refused(tmp_path: Path, run: Run, types: str, message: str) -> None:
    data = tmp_path / "t.csv"
    pl.DataFrame({"code": [7, 8, 9, 7], "y": ["a", "a", "b", "b"]}).write_csv(data)
    for words in (["inspect"], ["fit", "-o", tmp_path / "m.json"]):
        outcome = run(*words, data, "-t", "y", "--types", types)
        assert outcome.code == 2
        assert message in " ".join(outcome.err.split())
    assert not (tmp_path / "m.json").exists()


def test_a_damaged_file_of_types_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "types.json"
    path.write_text("{")
    with pytest.raises(ValueError, match="is not JSON"):
        types_of([str(path)])
