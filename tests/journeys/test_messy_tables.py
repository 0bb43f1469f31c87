"""Whole jobs with messy tables, as a new user would do them on the command line: no option is needed but the target.

Each table is inspected, fitted, measured, asked, and scored in a database; what it should say is asserted, and no
number may become hundreds of categories.
"""

import warnings

import polars as pl
import pytest
from typer.testing import CliRunner

import bayleaf as bl
from bayleaf.cli.app import app
from reference.messy_tables import MessyTable, messy_tables, written
from reference.sql_answers import PRESENT, check

TABLES = {table.file: table for table in messy_tables()}


def call(*words: object) -> tuple[int, str]:
    """Run a command; return its exit code, and all that it said on one line."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        result = CliRunner(env={"COLUMNS": "500", "TERM": "dumb"}).invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, " ".join(result.output.split())


@pytest.fixture(params=list(TABLES))
def table(request) -> MessyTable:
    return TABLES[request.param]


def test_a_whole_job(table, tmp_path):
    path, model_file = written(table, tmp_path), tmp_path / "m.bayleaf.json"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = CliRunner(env={"COLUMNS": "500", "TERM": "dumb"}).invoke(
            app, ["fit", str(path), "-t", table.target, "-o", str(model_file), *table.words]
        )
    assert result.exit_code == 0, result.output
    said = " ".join(
        [*result.output.split(), *(word for each in caught for word in str(each.message).split())]
    )
    for sentence in table.said:
        assert sentence in said, said
    model = bl.load(model_file)
    assert max(variable.arity for variable in model.schema_.features) <= 40
    assert model.out_of_sample_.accuracy >= table.least
    code, answer = call("inspect", path, "-t", table.target, *table.words)
    assert code == 0, answer
    code, answer = call("ask", model_file, "--given", table.given)
    assert code == 0, answer
    assert all(str(label) in answer for label in model.classes_)
    code, answer = call("evaluate", model_file, path, *table.words)
    assert code == 0, answer
    code, answer = call("explain", model_file, path, "--row", 3, *table.words)
    assert code == 0, answer
    assert "e+0" not in answer
    code, answer = call("predict", model_file, path, "-o", tmp_path / "out.csv", *table.words)
    assert code == 0, answer
    predicted = pl.read_csv(tmp_path / "out.csv")["prediction"]
    assert predicted.n_unique() == len(model.classes_)


def test_words_of_complaints_are_features_on_request(tmp_path):
    table = TABLES["complaints.csv"]
    path, model_file = written(table, tmp_path), tmp_path / "m.bayleaf.json"
    code, said = call("fit", path, "-t", table.target, "-o", model_file, "--types", "remarks=text")
    assert code == 0, said
    assert "left out" not in said
    model = bl.load(model_file)
    assert model.out_of_sample_.accuracy > 0.75
    code, said = call("explain", model_file, path, "--row", 1)
    assert "remarks: " in said
    assert "present" in said


def test_a_wrong_target_and_a_lost_header_are_named(tmp_path):
    loans, iris = (written(TABLES[name], tmp_path) for name in ("loans.csv.gz", "iris.data.csv"))
    code, said = call("fit", loans, "-t", "loan_id", "-o", tmp_path / "m.json")
    assert code == 2
    assert "looks like an identifier, not like a class" in said
    code, said = call("fit", loans, "-t", "amount", "-o", tmp_path / "m.json")
    assert code == 2
    assert "--bins 4" in said
    assert call("fit", loans, "-t", "amount", "--bins", 4, "-o", tmp_path / "m.json")[0] == 0
    code, said = call("fit", iris, "-t", "species", "-o", tmp_path / "m.json")
    assert code == 2
    assert "--no-header" in said


def test_queries_score_percents_and_name_texts_that_they_cannot_read(tmp_path):
    for file, text in (
        ("loans.csv.gz", r"'\S+ (%|\$)' \(decimal point.*which SQLite"),
        ("shop.csv", "'31.01.2024'"),
    ):
        table = TABLES[file]
        path, model_file = written(table, tmp_path), tmp_path / "m.bayleaf.json"
        assert call("fit", path, "-t", table.target, "-o", model_file)[0] == 0
        with pytest.raises(ValueError, match=f"was read from texts such as {text}"):
            bl.load(model_file).to_sql("rows", "sqlite")
    if "duckdb" in PRESENT:
        call("fit", written(TABLES["loans.csv.gz"], tmp_path), "-t", "paid", "-o", model_file)
        rows = pl.DataFrame({"int_rate": ["12.5%", None, "25 %"], "amount": ["$1,234", "$20,000", None]})
        rows = rows.with_columns(loan_id=pl.lit("LC1"))
        check(bl.load(model_file), rows, "duckdb")


def test_there_are_nine_and_one_has_a_byte_order_mark(tmp_path):
    assert len(TABLES) == 9
    assert written(TABLES["shop.csv"], tmp_path).read_bytes().startswith(b"\xef\xbb\xbf")
