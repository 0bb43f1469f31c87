"""bayleaf predict: the probabilities of the Python API, from every format, and clear refusals."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayleaf
from bayleaf.data import TableReader

Run = Callable[..., Any]
Refused = Callable[..., str]


def probabilities(frame: pl.DataFrame) -> np.ndarray:
    return frame.select("P(sick)", "P(well)").to_numpy()


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "arff"])
def test_every_format_gives_the_probabilities_of_the_python_api(
    files: Path, model: Path, run: Run, table: pl.DataFrame, kind: str
) -> None:
    output = files / "p.csv"
    outcome = run("predict", model, files / f"people.{kind}", "-o", output)
    assert outcome.code == 0, outcome
    assert "ignored 1 column that the model does not use: status." in outcome.err
    assert "Wrote" in outcome.out
    found = pl.read_csv(output)
    features = table.drop("status")
    expected = bayleaf.BayesNetClassifier().fit(features, table["status"])
    assert found.columns == ["prediction", "P(sick)", "P(well)"]
    np.testing.assert_array_equal(probabilities(found), expected.predict_proba(features))
    assert found["prediction"].to_list() == expected.predict(features).tolist()


@pytest.mark.parametrize("kind", ["tsv", "parquet", "arff"])
def test_every_format_fits_the_same_model(files: Path, model: Path, run: Run, kind: str) -> None:
    other = files / "other.json"
    assert run("fit", files / f"people.{kind}", "-t", "status", "-o", other).code == 0
    assert json.loads(other.read_text()) == json.loads(model.read_text())


def test_standard_output(files: Path, model: Path, run: Run) -> None:
    run("predict", model, files / "people.csv", "-o", files / "p.csv")
    for arguments in ([], ["-o", "-"]):
        assert run("predict", model, files / "people.csv", *arguments).out == (files / "p.csv").read_text()


@pytest.mark.parametrize("name", ["p.tsv", "p.parquet", "p.csv.gz"])
def test_output_formats(files: Path, model: Path, run: Run, name: str) -> None:
    from bayleaf.tables import read_data

    run("predict", model, files / "people.csv", "-o", files / "p.csv")
    assert run("predict", model, files / "people.csv", "-o", files / name).code == 0
    assert read_data(files / name).equals(read_data(files / "p.csv"))


def test_columns_are_found_by_name(files: Path, model: Path, run: Run, table: pl.DataFrame) -> None:
    first = run("predict", model, files / "people.csv").out
    table.select(reversed(table.columns)).with_columns(note=pl.lit("x")).write_csv(files / "turned.csv")
    outcome = run("predict", model, files / "turned.csv")
    assert outcome.out == first
    assert "ignored 2 columns that the model does not use: status, note." in outcome.err
    table.drop("status").write_csv(files / "bare.csv")
    outcome = run("predict", model, files / "bare.csv")
    assert (outcome.out, outcome.err) == (first, "")


def test_missing_columns_are_named(
    files: Path, model: Path, run: Run, refused: Refused, table: pl.DataFrame
) -> None:
    table.drop("age").write_csv(files / "less.csv")
    assert refused("predict", model, files / "less.csv").endswith(
        "lacks 1 column of the model: 'age'. To take it as missing in every row: --absent-missing."
    )
    table.rename({"smoker": "smokes"}).write_csv(files / "renamed.csv")
    message = refused("predict", model, files / "renamed.csv")
    assert message.endswith("lacks 1 column of the model: 'smoker'. Did you mean 'smokes'?")
    # What the model uses already is no misspelling of another column.
    table.drop("smoker").rename({"dose": "smoke"}).with_columns(dose=1.0).write_csv(files / "less.csv")
    assert refused("predict", model, files / "less.csv").endswith("Did you mean 'smoke'?")
    similar = table.rename({"town": "size 1", "dose": "size 2"})
    similar.write_csv(files / "similar.csv")
    assert run("fit", files / "similar.csv", "-t", "status", "-o", files / "s.json").code == 0
    similar.drop("size 1").write_csv(files / "less.csv")
    message = refused("predict", files / "s.json", files / "less.csv")
    assert "lacks 1 column of the model: 'size 1'. To take it" in message
    table.drop("age", "town").write_csv(files / "less.csv")
    assert refused("predict", model, files / "less.csv").endswith(
        "lacks 2 columns of the model: 'age', 'town'. To take them as missing in every row: --absent-missing."
    )


def test_other_types_are_refused(files: Path, model: Path, refused: Refused, table: pl.DataFrame) -> None:
    table.with_columns(age=pl.lit("old")).write_csv(files / "other.csv")
    message = refused("predict", model, files / "other.csv")
    assert "Column 'age' holds numbers in the model, but 'old' in row 1 of" in message
    table.with_columns(smoker=pl.lit("maybe")).write_csv(files / "other.csv")
    assert "Column 'smoker' held boolean values in fit and holds string values now" in refused(
        "predict", model, files / "other.csv"
    )
    table.with_columns(town=pl.lit(3)).write_parquet(files / "other.parquet")
    assert "Column 'town' held string values in fit and holds integer values now" in refused(
        "predict", model, files / "other.parquet"
    )


def test_text_that_looks_like_numbers_stays_text(tmp_path: Path, run: Run) -> None:
    rows = [("007", "a"), ("7", "b"), ("x", "a"), ("007", "a"), ("7", "b")] * 4
    pl.DataFrame(rows, schema=["code", "c"], orient="row").write_csv(tmp_path / "d.csv")
    assert run("fit", tmp_path / "d.csv", "-t", "c", "-m", "NB", "-o", tmp_path / "m.json").code == 0
    (tmp_path / "new.csv").write_text("code\n007\n7\n")
    outcome = run("predict", tmp_path / "m.json", tmp_path / "new.csv")
    assert outcome.err == ""
    assert pl.read_csv(StringIO(outcome.out))["prediction"].to_list() == ["a", "b"]


def test_unknown_categories_and_empty_columns_are_missing_values(
    files: Path, model: Path, run: Run, table: pl.DataFrame
) -> None:
    one = table[:1].drop("status")
    one.with_columns(town=pl.lit("York"), age=pl.lit(None)).write_csv(files / "one.csv")
    outcome = run("predict", model, files / "one.csv")
    assert outcome.code == 0, outcome
    assert outcome.err.splitlines()[0] == (
        "Warning: Column 'town' has 1 value that was not seen in fit ('York'); treated as missing (the setting "
        "unknown=error refuses them)."
    )
    found = pl.read_csv(StringIO(outcome.out))
    unknown = one.with_columns(
        pl.lit(None, dtype=pl.String).alias("town"), pl.lit(None, dtype=pl.Int64).alias("age")
    )
    np.testing.assert_array_equal(probabilities(found), bayleaf.load(model).predict_proba(unknown))


def test_bad_model_files(files: Path, model: Path, refused: Refused) -> None:
    data, bad = files / "people.csv", files / "bad.json"
    assert refused("predict", files / "none.json", data) == f"There is no file '{files / 'none.json'}'."
    assert "is a folder, not a bayleaf file" in refused("predict", files, data)
    bad.write_bytes(b"\x80\x81\xff")
    assert "is not a bayleaf file: it is not text." in refused("predict", bad, data)
    bad.write_text(model.read_text()[:-200])
    assert "is truncated or damaged" in refused("predict", bad, data)
    bad.write_text('{"format": "something else", "version": 1}')
    assert "is not a bayleaf file; its format says 'something else'." in refused("predict", bad, data)
    assert "is not a bayleaf file: give a model or a network that bayleaf saved." in refused(
        "predict", data, data
    )
    document = json.loads(model.read_text())
    bad.write_text(json.dumps({**document, "version": 999}))
    assert "was written by a newer bayleaf (format version 999" in refused("predict", bad, data)
    del document["network"]["tables"]
    bad.write_text(json.dumps(document))
    assert "is damaged: its content is incomplete" in refused("predict", bad, data)
    bad.write_text("[]")
    assert "is not a bayleaf file" in refused("predict", bad, data)


def test_bad_data_files(files: Path, model: Path, refused: Refused) -> None:
    bad = files / "bad.csv"
    for text, message in [
        ("", "is empty."),
        ("age,dose,town,smoker\n", "has a header but no rows."),
        ("age,dose\n1\n", "line 2 has 1 field separated by a comma; the header has 2."),
    ]:
        bad.write_text(text)
        assert refused("predict", model, bad).endswith(message)
    assert "There is no file" in refused("predict", model, files / "none.csv")


def test_bad_places_leave_nothing_behind(files: Path, model: Path, refused: Refused) -> None:
    data = files / "people.csv"
    (files / "folder.csv").mkdir()
    before = sorted(files.rglob("*"))
    content = model.read_bytes(), data.read_bytes()
    assert "does not exist." in refused("predict", model, data, "-o", files / "no" / "p.csv")
    assert "it is a folder." in refused("predict", model, data, "-o", files / "folder.csv")
    assert "Cannot tell the format of" in refused("predict", model, data, "-o", files / "p.xlsx")
    assert "is the input" in refused("predict", model, data, "-o", data)
    assert "is the input" in refused("predict", model, data, "-o", model)
    assert sorted(files.rglob("*")) == before
    assert (model.read_bytes(), data.read_bytes()) == content


def test_a_model_of_an_unnamed_array(tmp_path: Path, run: Run) -> None:
    X = np.array([[0.0], [1.0]] * 10)
    classifier = bayleaf.BayesNetClassifier().fit(X, np.array(["a", "b"] * 10))
    classifier.save(tmp_path / "m.json")
    pl.DataFrame({"x0": [0.0, 1.0]}).write_csv(tmp_path / "new.csv")
    outcome = run("predict", tmp_path / "m.json", tmp_path / "new.csv")
    assert outcome.err == ""
    assert pl.read_csv(StringIO(outcome.out))["prediction"].to_list() == ["a", "b"]


def test_rows_are_encoded_once(files: Path, model: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    encode = TableReader.encode

    def counted(self, X, **options):
        calls.append(len(X))
        return encode(self, X, **options)

    monkeypatch.setattr(TableReader, "encode", counted)
    assert run("predict", model, files / "people.csv", "-o", files / "p.csv").code == 0
    assert len(calls) == 1


def test_columns_that_the_table_lacks_can_count_as_missing(
    files: Path, run: Run, refused: Callable[..., str], table: pl.DataFrame
) -> None:
    model = files / "m.json"
    run("fit", files / "people.csv", "-t", "status", "-o", model)
    table.drop("age").write_csv(files / "less.csv")
    table.with_columns(age=pl.lit(None)).write_csv(files / "empty.csv")
    expected = run("predict", model, files / "empty.csv").out
    assert run("predict", model, files / "less.csv", "--absent-missing").out == expected
    assert "age" in run("explain", model, files / "less.csv", "--absent-missing", "--all").out
    assert (
        run("report", model, "--data", files / "less.csv", "--absent-missing", "-o", files / "r.html").code
        == 0
    )
    run("fit", files / "people.csv", "-t", "status", "-o", model, "--set", "absent_columns=missing")
    assert run("predict", model, files / "less.csv").out == expected
    pl.DataFrame({"z": [1, 2]}).write_csv(files / "other.csv")
    message = refused("predict", model, files / "other.csv")
    assert message.endswith("has none of the columns of the model; it has z.")


FORMULAS = ["=1+2", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "＝1+2"]
HARMLESS = ["-5", "+1.5e3", "-.5", "a=b", "(-5)", "'quoted", ""]


def test_texts_that_a_spreadsheet_would_compute(tmp_path: Path, run: Run) -> None:
    cells = [*FORMULAS, *HARMLESS]
    table = pl.DataFrame(
        {
            "x": ["a", "b"] * 12,
            "=note": cells * 2,
            "'=note": ["plain"] * 24,
            "n": [-3] * 24,
            "y": ["=yes", "-1x"] * 12,
        }
    )
    table.write_csv(tmp_path / "t.csv")
    model = tmp_path / "m.json"
    assert run("fit", tmp_path / "t.csv", "-t", "y", "--drop", "=note,'=note,n", "-o", model).code == 0
    words = ("predict", model, tmp_path / "t.csv", "--keep", "=note,'=note,n", "-o", tmp_path / "p.csv")
    assert run(*words, "--spreadsheet", "--top", 2).code == 0
    found = pl.read_csv(tmp_path / "p.csv", infer_schema=False).fill_null("")
    assert found.columns == ["''=note", "'=note", "n", "prediction", "class_1", "P_1", "class_2", "P_2"]
    assert found["''=note"].to_list() == [*(f"'{cell}" for cell in FORMULAS), *HARMLESS] * 2
    assert found["n"].to_list() == ["-3"] * 24
    for name in ("prediction", "class_1", "class_2"):
        assert set(found[name]) == {"'=yes", "'-1x"}
    assert run(*words).code == 0  # as they are, where nobody asks
    plain = pl.read_csv(tmp_path / "p.csv", infer_schema=False).fill_null("")
    assert plain["=note"].to_list() == cells * 2
    assert set(plain["prediction"]) == {"=yes", "-1x"}
    refused = run(*words[:-1], tmp_path / "p.parquet", "--spreadsheet")
    assert (refused.code, refused.err) == (
        2,
        "Error: --spreadsheet is about text files: give --out a name that ends in .csv or .tsv.\n",
    )


def test_intervals_are_those_of_the_python_api(
    files: Path, model: Path, run: Run, table: pl.DataFrame
) -> None:
    outcome = run("predict", model, files / "people.csv", "--interval")
    assert outcome.code == 0, outcome
    found = pl.read_csv(StringIO(outcome.out))
    assert found.columns[3:] == ["low(sick)", "high(sick)", "low(well)", "high(well)"]
    limits = bayleaf.load(model).predict_interval(table.drop("status"))
    np.testing.assert_array_equal(found.select(found.columns[3:]).to_numpy(), limits.reshape(-1, 4))
    best = pl.read_csv(StringIO(run("predict", model, files / "people.csv", "--interval", "--top", "1").out))
    assert best.columns == ["prediction", "class_1", "P_1", "low_1", "high_1"]
    chosen = np.where(best["class_1"] == "sick", 0, 1)
    np.testing.assert_array_equal(
        best.select("low_1", "high_1").to_numpy(), limits[np.arange(len(chosen)), chosen]
    )


def test_a_pool_has_no_intervals(
    files: Path, tmp_path: Path, table: pl.DataFrame, run: Run, refused: Refused
) -> None:
    path = tmp_path / "pool.json"
    bayleaf.NetworkPool(cycles=0).fit(table.drop("status"), table["status"]).save(path)
    said = refused("predict", path, files / "people.csv", "--interval")
    assert "--interval is for a model of one network" in said
