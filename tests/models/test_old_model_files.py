"""Files that bayleaf 0.1 wrote are read as they were meant: the same bits, in every later version.

`old_files/make_files.py` made them; `old_files/expected.json` says what each model predicted in the process that had
fitted it.
"""

import gzip
import json
import warnings
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bayleaf as bl

FOLDER = Path(__file__).parent / "old_files"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
MODELS = [name for name, item in EXPECTED.items() if item["reader"] == "load"]
NETWORKS = [name for name, item in EXPECTED.items() if item["reader"] != "load"]
REFUSING = [name for name in MODELS if EXPECTED[name]["refuses_unknown"]]


def load(name):
    said = EXPECTED[name]["warns"]
    with nullcontext() if said is None else pytest.warns(UserWarning, match=said):
        return bl.load(FOLDER / name)


def rows_of(item):
    """Return the rows as a polars frame, or as an array where columns have no names."""
    if item["columns"] is not None:
        return pl.DataFrame(item["rows"], schema=item["columns"], orient="row", infer_schema_length=None)
    texts = any(isinstance(value, str) for row in item["rows"] for value in row)
    return np.array(item["rows"], dtype=object if texts else float)


def assert_same_answers(model, name):
    item = EXPECTED[name]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Column .* not seen in fit")
        probabilities, decisions = model.predict_proba(rows_of(item)), model.predict(rows_of(item))
    np.testing.assert_array_equal(probabilities, np.array(item["predict_proba"]))
    np.testing.assert_array_equal(decisions, np.array(item["predict"]))
    assert [type(label) for label in decisions.tolist()] == [type(label) for label in item["predict"]]


def members(model):
    return getattr(model, "estimators_", [model])


def test_every_file_is_asked_for():
    files = {path.name for path in FOLDER.iterdir() if path.name.endswith((".json", ".json.gz", ".bif"))}
    assert files - {"expected.json"} == set(EXPECTED)


@pytest.mark.parametrize("name", MODELS)
def test_an_old_model_predicts_the_same_bits(name):
    model = load(name)
    assert type(model).__name__ == EXPECTED[name]["kind"]
    assert_same_answers(model, name)


@pytest.mark.parametrize("name", MODELS)
def test_an_old_model_saved_again_predicts_the_same_bits(name, tmp_path):
    load(name).save(tmp_path / name)
    again = bl.load(tmp_path / name)
    assert_same_answers(again, name)
    assert repr(again.training_) == repr(load(name).training_)


@pytest.mark.parametrize("name", MODELS)
def test_an_old_model_can_be_looked_at(name):
    model, item = load(name), EXPECTED[name]
    assert repr(model).startswith(item["kind"])
    assert [[list(arc) for arc in each.network_.arcs] for each in members(model)] == item["arcs"]
    assert all(repr(each.network_).startswith("<BayesNet") for each in members(model))
    assert model.n_parameters_ == item["n_parameters"]
    assert model.classes_.tolist() == item["classes"]
    assert [type(label) for label in model.classes_.tolist()] == [type(label) for label in item["classes"]]
    names = getattr(model, "feature_names_in_", None)
    assert (None if names is None else list(names)) == item["columns"]


@pytest.mark.parametrize("name", MODELS)
def test_an_old_model_tells_what_it_was_fitted_to(name):
    model, record = load(name), EXPECTED[name]["training"]
    found = model.training_
    assert repr(found).startswith("<TrainingRecord rows=")
    for key in ("rows", "weight", "missing", "log_likelihood", "table_read"):
        assert getattr(found, key) == record[key], key
    assert list(found.class_weights) == record["class_weights"]
    assert found.learned_with["bayleaf"].startswith("0.1")
    assert (None if found.search is None else len(found.search.steps)) == record["steps"]
    if found.search is not None:
        assert set(found.search.replay().arcs) == set(model.network_.arcs)
    if record["cross_validated"] is None:
        assert found.cross_validated is None
    else:
        values = {measure: found.cross_validated.value(measure) for measure in record["cross_validated"]}
        assert values == record["cross_validated"]


@pytest.mark.parametrize(
    ("name", "then", "today"),
    [
        ("name_rtan.bayleaf.json", "RTAN", "RTAN(vote='majority')"),
        ("fkdb_integers.bayleaf.json", "FKDB", "FKDB-plain"),
        ("fkdb_dependencies.bayleaf.json", "FKDB-FD", "FKDB"),
        ("fkdb_dependencies.bayleaf.json", "FKDB", "FKDB"),
        ("name_mc_dag.bayleaf.json", "MC-DAG", "MC-DAG-HC"),
    ],
)
def test_an_old_name_that_means_another_method_today_is_told_apart(name, then, today, tmp_path):
    document = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    document["training"]["method"] = {"name": then, "settings": {}, "reference": "a paper"}
    document["training"]["command"] = ["--method", then]
    (tmp_path / name).write_text(json.dumps(document), encoding="utf-8")
    model = bl.load(tmp_path / name)
    assert str(model.training_.method) == str(model.published_method) == today
    # The command would learn another model today.
    assert model.training_.command == (("--method", then) if then == today else None)
    assert_same_answers(model, name)


@pytest.mark.parametrize("name", REFUSING)
def test_an_old_model_still_refuses_categories_it_does_not_know(name):
    item = EXPECTED[name]
    frame = rows_of(item)
    column = next(name for name, dtype in frame.schema.items() if dtype == pl.String)
    with pytest.raises(ValueError, match="never seen"):
        load(name).predict(frame.with_columns(pl.lit("never seen").alias(column)))


@pytest.mark.parametrize("name", NETWORKS)
def test_an_old_network_has_the_same_tables_and_answers(name, tmp_path):
    item = EXPECTED[name]
    read = getattr(bl, item["reader"])
    network = read(FOLDER / name)
    again = tmp_path / name
    network.save(again) if item["reader"] == "load_network" else network.to_bif(again)
    for each in (network, read(again)):
        assert repr(each).startswith("<BayesNet")
        assert [list(arc) for arc in each.arcs] == item["arcs"][0]
        assert each.n_parameters == item["n_parameters"]
        for table, kept in zip(each.tables, item["tables"], strict=True):
            np.testing.assert_array_equal(table, np.array(kept))
        answers = [list(each.posterior(item["asks"], given).values()) for given in item["evidence"]]
        # The order in which variables are summed out may differ.
        np.testing.assert_allclose(answers, item["posteriors"], rtol=1e-14)


def test_the_files_are_of_the_first_format_and_some_are_packed():
    packed = [name for name in MODELS if name.endswith(".gz")]
    assert len(packed) == 2
    for name in MODELS:
        content = (FOLDER / name).read_bytes()
        document = json.loads(gzip.decompress(content) if name in packed else content)
        assert (document["format"], document["version"]) == ("bayleaf", 1)
