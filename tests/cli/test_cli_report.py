"""``bayleaf report`` from files to a page."""

import json
import re
import shutil
from pathlib import Path

import polars as pl
import pytest

import bayleaf
from cli.conftest import call, people


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    people(120).write_csv(folder / "train.csv")
    people(60).write_csv(folder / "test.csv")
    call("fit", folder / "train.csv", "--target", "status", "--method", "TAN", "-o", folder / "m.json")
    return folder


@pytest.fixture
def files(fitted, tmp_path):
    return Path(shutil.copytree(fitted, tmp_path, dirs_exist_ok=True))


def page_data(path):
    block = re.search(r'id="model-data">(.*?)</script>', path.read_text(), flags=re.DOTALL)
    return json.loads(block.group(1))


def test_a_model_and_test_rows_become_a_page(files, run):
    result = run("report", files / "m.json", "--data", files / "test.csv", "-o", files / "r.html")
    assert result.code == 0, result.err
    data = page_data(files / "r.html")
    assert data["title"] == "Predicting status"
    assert data["quality"]["rows"] == 60
    assert data["learned"]["method"] == "TAN"


def test_a_model_alone_is_enough(files, run):
    assert run("report", files / "m.json", "-o", files / "r.html", "--title", "Who is sick?").code == 0
    data = page_data(files / "r.html")
    assert data["title"] == "Who is sick?"
    assert data["quality"] is None


def test_training_rows_are_judged_by_cross_validation(files, run):
    result = run("report", files / "m.json", "-d", files / "train.csv", "--cv", 3, "-o", files / "r.html")
    assert result.code == 0, result.err
    assert "Cross-validated on the training data, 3 folds" in page_data(files / "r.html")["quality"]["source"]


def test_a_model_keeps_its_cross_validation(files, run):
    fit = ("fit", files / "train.csv", "-t", "status", "-m", "TAN", "-o", files / "m.json")
    fitted = run(*fit, "--cv", 4, "--jobs", 2)
    assert "Cross-validated 4 folds: accuracy 0." in " ".join(fitted.out.split())
    assert run("report", files / "m.json", "-o", files / "stored.html").code == 0
    asked = run("report", files / "m.json", "-d", files / "train.csv", "--cv", 4, "-o", files / "asked.html")
    assert asked.code == 0, asked.err
    stored, asked = (page_data(files / f"{name}.html") for name in ("stored", "asked"))
    of_rows = {"focus", "groups", "thresholds", "weak"}  # which only the rows themselves tell
    assert of_rows <= set(asked["quality"])
    assert stored["quality"] == {name: part for name, part in asked["quality"].items() if name not in of_rows}
    assert stored["examples"] is None
    assert stored["quality"]["rows"] == 120


def test_test_rows_count_more_than_a_stored_cross_validation(files, run):
    run("fit", files / "train.csv", "-t", "status", "-m", "TAN", "--cv", 3, "-o", files / "m.json")
    run("report", files / "m.json", "--data", files / "test.csv", "-o", files / "r.html")
    assert page_data(files / "r.html")["quality"]["source"] == "Measured on 60 rows."


def test_too_many_folds_are_refused(files, run):
    result = run("fit", files / "train.csv", "-t", "status", "--cv", 500, "-o", files / "new.json")
    assert result.code == 2
    assert "too few rows for 500 folds: the largest class has" in result.err
    assert not (files / "new.json").exists()


def test_cross_validation_needs_rows(files, run):
    result = run("report", files / "m.json", "--cv", 3, "-o", files / "r.html")
    assert result.code != 0
    assert "--cv needs the training rows" in result.err


def test_rows_without_a_class_are_left_out_and_said_so(files, run):
    frame = pl.read_csv(files / "test.csv")
    frame = frame.with_columns(status=pl.when(pl.int_range(pl.len()) > 9).then(pl.col("status")))
    frame.write_csv(files / "holes.csv")
    result = run("report", files / "m.json", "--data", files / "holes.csv", "-o", files / "r.html")
    assert "left out 10 rows without a class" in result.err
    data = page_data(files / "r.html")
    assert data["quality"]["rows"] == 50
    assert data["examples"]["rows"] == list(range(11, 61))  # the numbers that the rows have in the table


def test_rows_with_no_class_at_all_can_still_be_loaded(files, run):
    pl.read_csv(files / "test.csv").drop("status").write_csv(files / "new.csv")
    result = run("report", files / "m.json", "--data", files / "new.csv", "-o", files / "r.html")
    assert "will not say how good" in result.err
    data = page_data(files / "r.html")
    assert data["quality"] is None
    assert data["examples"]["rows"] == list(range(1, 61))


def test_a_network_file_has_a_page_too(files, run):
    run("convert", files / "m.json", files / "net.bif")
    assert run("report", files / "net.bif", "-o", files / "r.html").code == 0
    assert page_data(files / "r.html")["target"] is None


def test_the_model_is_not_overwritten(files, run):
    result = run("report", files / "m.json", "-o", files / "m.json")
    assert result.code != 0


@pytest.mark.parametrize(
    "made",
    [
        "--method NB --discretizer quantiles --missing impute --set parameters=Dirichlet",
        "--method ANB-BDeu --discretizer mdlp --missing impute",
        "--method ANB-BDeu --missing impute",
    ],
)
def test_the_command_on_the_page_makes_the_same_model_again(files, run, made):
    import shlex

    import bayleaf

    made = made.split()
    run("fit", files / "train.csv", "--target", "status", *made, "-o", files / "m.json")
    run("report", files / "m.json", "-o", files / "r.html")
    command = page_data(files / "r.html")["learned"]["command"]
    words = [
        {"data.csv": files / "train.csv", "model.bayleaf.json": files / "again.json"}.get(word, word)
        for word in shlex.split(command)
    ]
    assert run(*words[1:]).code == 0
    first, again = bayleaf.load(files / "m.json"), bayleaf.load(files / "again.json")
    assert ("--discretizer" in words) == ("--discretizer" in made)
    assert repr(first.discretizer) == repr(again.discretizer)
    assert first.network_.arcs == again.network_.arcs
    assert all((a == b).all() for a, b in zip(first.network_.tables, again.network_.tables, strict=True))


def test_a_category_of_a_million_characters_goes_from_the_file_to_the_page(files, run):
    import csv

    limit = csv.field_size_limit()
    long = "x" * 1_000_000
    rows = [f'"{long if k % 7 == 0 else "short"}",{"yes" if k % 2 else "no"}' for k in range(60)]
    (files / "long.csv").write_text("\n".join(["text,answer", *rows]))
    assert run("fit", files / "long.csv", "--target", "answer", "-o", files / "long.json").code == 0
    assert run("report", files / "long.json", "-o", files / "long.html").code == 0
    assert (files / "long.html").stat().st_size < 500_000
    assert csv.field_size_limit() == limit


def test_rows_with_labels_of_another_coding_are_refused(files, run, refused):
    rows = pl.read_csv(files / "test.csv")
    for name, status in (
        ("upper", pl.col("status").str.to_uppercase()),
        ("number", pl.col("status") == "sick"),
    ):
        rows.with_columns(status.alias("status")).write_csv(files / f"{name}.csv")
        sentence = refused(
            "report", files / "m.json", "--data", files / f"{name}.csv", "-o", files / "r.html"
        )
        assert re.search(
            r"y has none of the classes of the model: .* the model's are 'sick', 'well'\.$", sentence
        )
    assert not (files / "r.html").exists()
    some = pl.when(pl.int_range(pl.len()) < 2).then(pl.lit("unsure")).otherwise(pl.col("status"))
    rows.with_columns(some.alias("status")).write_csv(files / "some.csv")
    result = run("report", files / "m.json", "--data", files / "some.csv", "-o", files / "r.html")
    assert result.code == 0
    assert "2 rows have a class that the model does not know (unsure)" in " ".join(result.err.split())


def test_meaning_goes_from_its_file_into_the_model_and_the_page(files, run, refused):
    said, path, page = files / "meaning.json", files / "m.json", files / "page.html"
    said.write_text('{"labels": {"age": "Age at admission"}, "units": {"age": "years"}}')
    run("fit", files / "train.csv", "--target", "status", "--meaning", said, "-o", path)
    assert bayleaf.load(path).meaning_.units == {"age": "years"}
    assert "--meaning" not in bayleaf.load(path).training_.command
    said.write_text('{"title": "Who is sick?"}')
    run("report", path, "--meaning", said, "-o", page)
    assert "Age at admission" in page.read_text()
    assert '"title":"Who is sick?"' in page.read_text()
    said.write_text('{"labels": {"agee": "?"}}')
    assert "labels name 'agee'" in refused("report", path, "--meaning", said, "-o", page)
