"""Methods that are several networks, or whose parents depend on the row, through the command line."""

import json
import re

import polars as pl


def write_rows(path):
    words, digits = ["a", "b", "c", "a"] * 30, [1, 2, 3, 1] * 30
    answers = ["yes", "no", "no", "yes"] * 29 + ["no", "yes", "no", "yes"]
    pl.DataFrame({"word": words, "digit": digits, "answer": answers}).write_csv(path)


def test_an_ensemble_predicts_and_is_not_shown_as_one(run, tmp_path):
    data, model, predictions = tmp_path / "d.csv", tmp_path / "m.bayleaf.json", tmp_path / "p.csv"
    write_rows(data)
    assert run("fit", data, "-t", "answer", "-m", "RTAN", "-o", model).code == 0
    assert run("predict", model, data, "-o", predictions).code == 0
    assert pl.read_csv(predictions).height == 120
    shown = " ".join(run("show", model).out.split())
    assert "Networks 10, which 'bayleaf report' shows Learned by RTAN Made 20" in shown
    assert "From 120 rows, " in shown
    nodes = ["show", model, "--node", "answer"]
    for command in (nodes, ["explain", model, data], ["convert", model, tmp_path / "n.bif"]):
        outcome = run(*command)
        assert outcome.code == 2
        assert "an ensemble of 10 networks: it can predict" in " ".join(outcome.err.split())


def test_an_ensemble_has_a_page(run, tmp_path):
    data, model, page = tmp_path / "d.csv", tmp_path / "m.bayleaf.json", tmp_path / "r.html"
    write_rows(data)
    fitted = run("fit", data, "-t", "answer", "-m", "RTAN(n_estimators=4)", "--cv", 3, "-o", model)
    assert fitted.code == 0, fitted.err
    assert run("report", model, "-o", page).code == 0
    block = json.loads(
        re.search(r'id="model-data">(.*?)</script>', page.read_text(), flags=re.DOTALL).group(1)
    )
    assert len(block["ensemble"]["members"]) == 4
    assert block["quality"]["folds"] == 3
    assert "--method 'RTAN(n_estimators=4)' --cv 3" in block["learned"]["command"]


def test_parents_that_depend_on_the_row_survive_the_model_file(run, tmp_path):
    data, model, predictions = tmp_path / "d.csv", tmp_path / "m.bayleaf.json", tmp_path / "p.csv"
    write_rows(data)
    fitted = run("fit", data, "-t", "answer", "-m", "KDB-FD", "-o", model, "--set", "min_count=20")
    assert fitted.code == 0, fitted.err
    assert run("predict", model, data, "-o", predictions).code == 0
    assert pl.read_csv(predictions).height == 120
    assert run("explain", model, data).code == 0
    assert run("show", model).code == 0
