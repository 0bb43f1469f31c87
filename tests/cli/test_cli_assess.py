"""bayleaf evaluate MODEL TABLE: a saved model on rows whose class is known."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import confusion_matrix, f1_score

import bayleaf

Run = Callable[..., Any]
Refused = Callable[..., str]


def test_figures_are_those_of_the_model_on_these_rows(
    files: Path, model: Path, run: Run, table: pl.DataFrame
) -> None:
    test = table[60:]
    test.write_csv(files / "test.csv")
    found = json.loads(run("evaluate", model, files / "test.csv", "--json").out)
    predicted = bayleaf.load(model).predict(test.drop("status"))
    truth = test["status"].to_numpy()
    assert found["rows"] == 60
    values = {line["name"]: line for line in found["measures"]}
    assert values["Accuracy"]["value"] == pytest.approx((truth == predicted).mean())
    assert values["Macro F1"]["value"] == pytest.approx(f1_score(truth, predicted, average="macro"))
    most = table["status"].mode()[0]  # of the training rows
    assert values["Accuracy"]["baseline"] == pytest.approx((truth == most).mean())
    assert found["confusion"]["counts"] == confusion_matrix(truth, predicted).tolist()
    assert [line["class"] for line in found["classes"]] == ["sick", "well"]
    shown = run("evaluate", model, files / "test.csv").out
    assert "Balanced accuracy" in shown
    assert f"{values['MCC']['value']:.3f}" in shown
    assert "true / predicted" in shown


def test_the_page_holds_these_rows(files: Path, model: Path, run: Run) -> None:
    page = files / "report.html"
    outcome = run("evaluate", model, files / "people.csv", "--out", page)
    assert "Wrote" in outcome.out
    text = page.read_text()
    assert '"by_class":[{"class":"sick"' in text
    assert "Measured on 120 rows." in text


def test_rows_without_a_class_and_classes_that_are_not_known(
    files: Path, model: Path, run: Run, refused: Refused, table: pl.DataFrame
) -> None:
    odd = table[:20].with_columns(status=pl.Series([None, "odd", *table["status"][2:20]]))
    odd.write_csv(files / "odd.csv")
    outcome = run("evaluate", model, files / "odd.csv", "--json")
    assert "left out 1 row without a class." in outcome.err
    assert "1 row has a class that the model does not know (odd)" in outcome.err
    assert json.loads(outcome.out)["confusion"]["classes"] == ["sick", "well", "odd"]
    table.drop("status").write_csv(files / "bare.csv")
    bare = run("evaluate", model, files / "bare.csv")
    assert bare.code == 2
    assert "Note" not in bare.err  # a page is not asked for
    assert bare.err.endswith(
        "bare.csv' has no column 'status', so there is nothing to measure the model by. 'bayleaf predict' says what "
        "the model thinks.\n"
    )
    table.rename({"status": "Status"}).write_csv(files / "renamed.csv")
    assert refused("evaluate", model, files / "renamed.csv").endswith(
        "measure the model by. Did you mean 'Status'?"
    )


def test_what_a_model_does_not_need_is_refused(files: Path, model: Path, refused: Refused) -> None:
    data = files / "people.csv"
    for arguments, message in [
        ([model], "A model is measured on one table: give MODEL and TABLE. Got 1 file."),
        ([model, data, data], "Got 3 files."),
        ([model, data, "--cv", "3"], "--cv is about methods that are fitted: a model is measured as it is."),
        ([model, data, "-t", "town"], "The model predicts 'status': it cannot be measured on 'town'."),
        (
            [data, "-t", "status", "--absent-missing"],
            "--absent-missing is about a model: give its file first.",
        ),
        ([data], "Say which column is the class: --target COLUMN."),
        ([model, data, "-o", model], "is the input"),
    ]:
        assert message in refused("evaluate", *arguments)


def test_many_classes_show_the_most_frequent_confusions(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    labels = [f"c{number:02d}" for number in rng.integers(0, 15, 300)]
    frame = pl.DataFrame({"x": rng.choice(list("abcdefgh"), 300), "c": labels})
    frame.write_csv(tmp_path / "many.csv")
    run("fit", tmp_path / "many.csv", "-t", "c", "-o", tmp_path / "m.json")
    shown = run("evaluate", tmp_path / "m.json", tmp_path / "many.csv").out
    assert "Most frequent confusions" in shown
    assert "true / predicted" not in shown


def test_rows_that_were_used_to_fit_are_called_so(
    files: Path, run: Run, refused: Refused, table: pl.DataFrame
) -> None:
    distinct = table.drop_nulls().unique(subset=["dose"], maintain_order=True)
    distinct[:40].write_csv(files / "train.csv")
    distinct[30:].write_csv(files / "mixed.csv")
    distinct[40:].write_csv(files / "new.csv")
    path = files / "m.json"
    run("fit", files / "train.csv", "--target", "status", "-o", path)
    rows = distinct.height - 30
    sentence = f"10 of these {rows} rows ({10 / rows:.0%}) were used to fit: the figures are optimistic."
    assert sentence in run("evaluate", path, files / "mixed.csv").out
    assert json.loads(run("evaluate", path, files / "mixed.csv", "--json").out)["caution"] == sentence
    page = files / "page.html"
    assert sentence in run("report", path, "--data", files / "mixed.csv", "-o", page).err
    assert sentence in page.read_text()
    assert "were used to fit" not in run("evaluate", path, files / "new.csv").out
    everything = run("evaluate", path, files / "train.csv").out
    assert "These rows were used to fit: the figures are optimistic." in everything
    assert "used to fit" not in run("report", path, "--data", files / "train.csv", "--cv", 3, "-o", page).err


@pytest.mark.parametrize("name", ["people.csv", "people.parquet"])
def test_large_tables_are_measured_as_they_are_read(
    files: Path, model: Path, run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    whole = run("evaluate", model, files / name, "--json")
    monkeypatch.setattr("bayleaf.tables.table_batches.PIECE_BYTES", 500)
    monkeypatch.setattr("bayleaf.streams.file_reader.BATCH_ROWS", 20)
    assert run("evaluate", model, files / name, "--json").out == whole.out
    monkeypatch.setattr("bayleaf.cli.evaluate.MOST_WHOLE", 50)
    found, expected = json.loads(run("evaluate", model, files / name, "--json").out), json.loads(whole.out)
    for each in (found, expected):
        for line in each["measures"]:
            line.pop("low"), line.pop("high")  # from sums, not drawn
            line["value"] = pytest.approx(line["value"], abs=0.01 if "AUC" in line["name"] else 1e-9)
            line["baseline"] = pytest.approx(line["baseline"], abs=1e-9)
    assert found == expected


def test_the_page_of_a_large_table_has_the_figures_of_all_rows_and_a_sample_of_them(
    files: Path, model: Path, run: Run, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = table.with_columns(status=pl.Series([None, *table["status"][1:118], "odd", "strange"]))
    folder = files / "parts"
    folder.mkdir()
    for number in range(4):
        odd[30 * number : 30 * number + 30].write_parquet(folder / f"{number}.parquet")
    whole, page = files / "whole.html", files / "page.html"
    run("evaluate", model, folder, "--out", whole)
    monkeypatch.setattr("bayleaf.cli.evaluate.MOST_WHOLE", 40)
    monkeypatch.setattr("bayleaf.streams.file_reader.BATCH_ROWS", 20)
    outcome = run("evaluate", model, folder, "--out", page)
    assert outcome.err.count("2 rows have a class that the model does not know") == 1
    found, expected = page_of(page), page_of(whole)
    assert found["quality"]["source"] == "Measured on 119 rows."
    assert "sample" not in expected["quality"]
    assert found["quality"]["sample"] == len(found["examples"]["rows"]) == 40
    assert found["examples"]["total"] == expected["examples"]["total"] == 119
    for name in ("classes", "confusion", "by_class"):
        assert found["quality"][name] == expected["quality"][name]
    assert [curve["class"] for curve in found["quality"]["curves"]] == [0, 1]
    known = dict(zip(expected["examples"]["rows"], expected["examples"]["truth"], strict=True))
    for row, truth in zip(found["examples"]["rows"], found["examples"]["truth"], strict=True):
        assert known[row] == truth
    assert sum(group["rows"] for group in found["quality"]["missing"]) == 40
    assert "2 rows have a class that the model does not know" in found["quality"]["notes"][-1]


def page_of(path: Path) -> Any:
    """Return what a page shows, as plain data."""
    text = path.read_text()
    return json.loads(text.split('id="model-data">')[1].split("</script>")[0])


def test_what_large_tables_lack_is_said_as_of_small_ones(
    files: Path,
    model: Path,
    run: Run,
    refused: Refused,
    table: pl.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bayleaf.tables.table_batches.PIECE_BYTES", 500)
    monkeypatch.setattr("bayleaf.cli.evaluate.MOST_WHOLE", 50)
    odd = table.with_columns(status=pl.Series([*table["status"][:118], None, "odd"]))
    odd.write_csv(files / "odd.csv")
    outcome = run("evaluate", model, files / "odd.csv", "--json")
    assert "left out 1 row without a class." in outcome.err
    assert "1 row has a class that the model does not know (odd)" in outcome.err
    assert json.loads(outcome.out)["confusion"]["classes"] == ["sick", "well", "odd"]
    for name, status, message in [
        ("bare.csv", pl.lit("x").alias("other"), "has no column 'status', so there is nothing to measure"),
        ("none.csv", pl.lit(None, dtype=pl.String).alias("status"), "'status' is missing in all rows of"),
        ("all.csv", pl.lit("odd").alias("status"), "odd"),
    ]:
        table.drop("status").with_columns(status).write_csv(files / name)
        assert message in refused("evaluate", model, files / name)


def test_a_part_without_classes_leaves_those_of_others_numbers(
    files: Path, run: Run, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbered = table.with_columns((pl.col("status") == "sick").cast(pl.Int64))
    numbered.write_csv(files / "numbered.csv")
    run("fit", files / "numbered.csv", "--target", "status", "--method", "NB", "-o", files / "m.json")
    later = pl.int_range(pl.len()) < 60
    numbered.with_columns(pl.when(later).then("status").alias("status")).write_csv(files / "half.csv")
    whole = run("evaluate", files / "m.json", files / "half.csv", "--json")
    assert whole.code == 0, whole.err
    monkeypatch.setattr("bayleaf.tables.table_batches.PIECE_BYTES", 500)
    assert run("evaluate", files / "m.json", files / "half.csv", "--json").out == whole.out


@pytest.mark.parametrize("most_whole", [50, 1000])
def test_rows_without_a_class_are_counted_where_a_row_is_named(
    files: Path,
    model: Path,
    refused: Refused,
    table: pl.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
    most_whole: int,
) -> None:
    monkeypatch.setattr("bayleaf.tables.table_batches.PIECE_BYTES", 500)
    monkeypatch.setattr("bayleaf.cli.evaluate.MOST_WHOLE", most_whole)
    ages = table["age"].cast(pl.String).to_list()
    ages[100] = "old"
    unlabelled = pl.int_range(pl.len()).is_in([3, 98, 99])
    odd = table.with_columns(age=pl.Series(ages), status=pl.when(~unlabelled).then("status"))
    odd.write_csv(files / "odd.csv")
    assert "'old' in row 101 of" in refused("evaluate", model, files / "odd.csv")


FIT = ("fit", "people.csv", "--target", "status", "--cv", "3", "--out", "again.json")
ASSESS = ("evaluate", "model.json", "people.csv", "--out", "report.html")
COMPARE = ("evaluate", "people.csv", "--target", "status", "--methods", "NB", "--cv", "2", "--repeats", "1")


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [(FIT, "False"), (ASSESS, "False"), (COMPARE, "True")],
    ids=["fit", "model", "methods"],
)
def test_one_model_is_assessed_without_the_benchmark(
    arguments: tuple[str, ...], loaded: str, files: Path, model: Path
) -> None:
    given = [str(model) if word == "model.json" else word for word in arguments]
    code = f"""
import atexit, sys
from bayleaf.cli import main
atexit.register(lambda: print("loaded:", "bayleaf.benchmark" in sys.modules))
sys.argv = ["bayleaf", *{given!r}]
main()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=files, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == f"loaded: {loaded}"
