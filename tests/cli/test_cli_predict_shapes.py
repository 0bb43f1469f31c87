"""bayleaf predict in a pipe, and what its result holds besides classes and probabilities."""

import io
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayleaf
from bayleaf._util.whole_files import DataFileError
from bayleaf.tables import read_data

Run = Callable[..., Any]
Refused = Callable[..., str]


@pytest.mark.parametrize("kind", ["csv", "parquet", "arff"])
def test_standard_input_is_read_whatever_its_format(files: Path, model: Path, run: Run, kind: str) -> None:
    expected = run("predict", model, files / "people.csv").out
    done = run("predict", model, "-", given=(files / f"people.{kind}").read_bytes())
    assert done.code == 0, done.err
    assert done.out == expected


def test_an_empty_standard_input_is_named(model: Path, run: Run) -> None:
    done = run("predict", model, "-", given=b"")
    assert (done.code, done.err) == (2, "Error: 'standard input' is empty.\n")


def test_columns_are_carried_over_as_they_are_written(
    files: Path, model: Path, run: Run, refused: Refused, table: pl.DataFrame
) -> None:
    ids = [f"{number:04d}" for number in range(table.height)]
    table.with_columns(id=pl.Series(ids), prediction=pl.lit("x")).write_csv(files / "ids.csv")
    outcome = run("predict", model, files / "ids.csv", "--keep", "id,age")
    assert "ignored 2 columns that the model does not use: status, prediction." in outcome.err
    found = pl.read_csv(StringIO(outcome.out), schema_overrides={"id": pl.String})
    assert found.columns == ["id", "age", "prediction", "P(sick)", "P(well)"]
    assert found["id"].to_list() == ids
    assert found["age"].to_list() == table["age"].to_list()
    assert "has no column 'ident'" in refused("predict", model, files / "ids.csv", "--keep", "ident")
    assert "The result has a column 'prediction' of its own" in refused(
        "predict", model, files / "ids.csv", "--keep", "prediction"
    )


def test_the_most_probable_classes(files: Path, model: Path, run: Run) -> None:
    full = pl.read_csv(StringIO(run("predict", model, files / "people.csv").out))
    found = pl.read_csv(StringIO(run("predict", model, files / "people.csv", "--top", "5").out))
    assert found.columns == ["prediction", "class_1", "P_1", "class_2", "P_2"]
    assert found["class_1"].to_list() == full["prediction"].to_list()
    np.testing.assert_array_equal(found["P_1"], full.select("P(sick)", "P(well)").max_horizontal())
    one = pl.read_csv(StringIO(run("predict", model, files / "people.csv", "--top", "1").out))
    assert one.columns == ["prediction", "class_1", "P_1"]


def test_thresholds(files: Path, model: Path, run: Run, refused: Refused) -> None:
    data = files / "people.csv"
    full = pl.read_csv(StringIO(run("predict", model, data).out))
    sure = pl.read_csv(StringIO(run("predict", model, data, "--threshold", "0.9").out))
    best = full.select("P(sick)", "P(well)").max_horizontal()
    assert sure["prediction"].is_null().to_list() == (best < 0.9).to_list()
    assert sure.filter(best >= 0.9).equals(full.filter(best >= 0.9))
    careful = pl.read_csv(StringIO(run("predict", model, data, "--threshold", "sick=0.1").out))
    assert (careful["prediction"] == "sick").to_list() == (full["P(sick)"] >= 0.1).to_list()
    strict = pl.read_csv(StringIO(run("predict", model, data, "--threshold", "sick=0.95").out))
    assert (strict["prediction"] == "sick").to_list() == (full["P(sick)"] >= 0.95).to_list()
    for wrong in ("1.5", "much", "sick=-1"):
        assert "--threshold is a probability from 0 to 1" in refused(
            "predict", model, data, "--threshold", wrong
        )
    assert "'ill' is not a class of the model" in refused("predict", model, data, "--threshold", "ill=0.2")


def test_reasons_are_the_strongest_evidence(files: Path, model: Path, run: Run, table: pl.DataFrame) -> None:
    outcome = run("predict", model, files / "people.csv", "--explain")
    found = pl.read_csv(StringIO(outcome.out))
    explanation = bayleaf.load(model).explain(table.drop("status"))
    for row in (0, 5, 17):
        strongest = int(np.abs(explanation.evidence[row]).argmax())
        weight = explanation.evidence[row, strongest]
        text = found["reasons"][row]
        assert text.startswith(f"{explanation.target[row]} against {explanation.against[row]}: ")
        first = text.split(": ", 1)[1].split("; ")[0]
        assert first.startswith(f"{explanation.features[strongest]} = ")
        assert first.endswith(f"({weight:+.2f})")


def test_tables_without_a_header_and_in_other_encodings(
    files: Path, model: Path, run: Run, refused: Refused, table: pl.DataFrame
) -> None:
    expected = run("predict", model, files / "people.csv").out
    table.drop("status").write_csv(files / "bare.csv", include_header=False)
    assert run("predict", model, files / "bare.csv", "--no-header").out == expected
    table.write_csv(files / "all.csv", include_header=False)
    assert refused("predict", model, files / "all.csv", "--no-header").endswith(
        "all.csv' has 5 columns and no header; the model takes 4, in this order: age, dose, town, smoker."
    )
    without = run("predict", model, files / "all.csv")
    assert without.code == 2
    assert "looks like a row, not like names of columns" in without.err
    assert "(--no-header)" in without.err
    fitted = run("fit", files / "all.csv", "--no-header", "-t", "column_5", "-o", files / "n.json")
    assert fitted.code == 0, fitted
    assert (
        "header=False"
        in run("report", files / "n.json", "-o", files / "r.html").out + (files / "r.html").read_text()
    )
    (files / "latin.csv").write_bytes("town;x\nÖland;1,5\nKöln;2\n".encode("latin-1"))
    found = read_data(files / "latin.csv", encoding="latin-1")
    assert found.rows() == [("Öland", 1.5), ("Köln", 2.0)]
    assert read_data(io.BytesIO("a\n1\n".encode("utf-16")), encoding="utf-16").rows() == [(1,)]


def test_refusals_of_the_ways_to_read(files: Path) -> None:
    with pytest.raises(DataFileError, match="There is no encoding 'klingon'; usual ones are utf-8"):
        read_data(files / "people.csv", encoding="klingon")
    with pytest.raises(DataFileError, match=r"is not ascii text: line 1 has the byte 0xc3\. Name another"):
        read_data(io.BytesIO("ö\n1\n".encode()), encoding="ascii")
    with pytest.raises(DataFileError, match="has no sheets: it is not an Excel file"):
        read_data(files / "people.csv", sheet="Sheet1")
    with pytest.raises(DataFileError, match="has names of its own for its columns"):
        read_data(files / "people.parquet", header=False)
    (files / "ragged.csv").write_text('1,"a"\n2\n')
    with pytest.raises(DataFileError, match="line 2 has 1 field separated by a comma; the first line has 2"):
        read_data(files / "ragged.csv", header=False)
    (files / "quoted.csv").write_text('1,"a"\n2,b\n')
    assert read_data(files / "quoted.csv", header=False).rows() == [(1, "a"), (2, "b")]


def test_sheets_are_read_where_the_reader_exists(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (files / "book.xlsx").write_bytes(b"PK\x03\x04")
    monkeypatch.setattr("bayleaf.tables.table_files.find_spec", lambda name: None)
    with pytest.raises(DataFileError, match="is an Excel file: install 'bayleaf\\[excel\\]'"):
        read_data(files / "book.xlsx")
    asked = []

    def reader(source: Any, **how: Any) -> pl.DataFrame:
        asked.append(how)
        return pl.DataFrame({"a": [1.5, None], "b": ["7", "?"], "c": ["07", " x "]})

    monkeypatch.setattr("bayleaf.tables.table_files.find_spec", lambda name: object())
    monkeypatch.setattr(pl, "read_excel", reader)
    assert read_data(files / "book.xlsx", sheet=2).rows() == [(1.5, 7, "07"), (None, None, "x")]
    assert asked[-1]["sheet_id"] == 2
    assert read_data(files / "book.xlsx", sheet="Q1", as_text=["b"], header=False).columns[0] == "column_1"
    assert asked[-1]["sheet_name"] == "Q1"

    def broken(source: Any, **how: Any) -> pl.DataFrame:
        raise RuntimeError("no such sheet")

    monkeypatch.setattr(pl, "read_excel", broken)
    with pytest.raises(DataFileError, match=r"Cannot read '.*book.xlsx': no such sheet\."):
        read_data(files / "book.xlsx")
