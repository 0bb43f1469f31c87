"""What columns mean: checked, kept in model files, shown on the page, read from JSON and YAML."""

import json

import pytest
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf._util.whole_files import DataFileError
from bayleaf.data.schema import Meaning
from bayleaf.page.assemble import page_data
from bayleaf.tables.table_files import read_meaning

SAID = {
    "title": "Which iris is it?",
    "labels": {"x0": "Sepal length", "class": "Species"},
    "units": {"x0": "cm"},
    "descriptions": {"x0": "From the base to the tip."},
    "states": {"class": {0: "setosa", 1: "versicolor"}},
}


@pytest.fixture(scope="module")
def clf():
    return bl.BayesNetClassifier().fit(*load_iris(return_X_y=True))


def test_the_page_and_the_model_file_have_it(clf, tmp_path):
    clf.report(path=tmp_path / "page.html", **SAID)
    clf.save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    assert loaded.meaning_ == clf.meaning_ == Meaning.of(**SAID)
    data = page_data(loaded)
    node, target = data["nodes"][0], data["nodes"][-1]
    assert data["title"] == "Which iris is it?"
    assert (node["name"], node["column"], node["unit"]) == ("Sepal length", "x0", "cm")
    assert node["description"] == "From the base to the tip."
    assert node["range"] == [4.3, 7.9]
    assert target["states"] == ["setosa", "versicolor", "2"]
    assert data["nodes"][1]["column"] is None
    assert clf.fit(*load_iris(return_X_y=True)).meaning_ == Meaning()


def test_what_is_said_later_counts_more():
    first = Meaning.of(title="A", labels={"a": "old", "b": "kept"})
    both = first.joined(Meaning.of(labels={"a": "new"}, units={"a": "kg"}))
    assert both == Meaning.of(title="A", labels={"a": "new", "b": "kept"}, units={"a": "kg"})


@pytest.mark.parametrize(
    ("said", "error", "message"),
    [
        ({"labels": {"x9": "?"}}, ValueError, "labels name 'x9', which is not a column of the model"),
        ({"states": {"class": {"9": "?"}}}, ValueError, "'class' has no state '9'; it has 0, 1, 2"),
        ({"units": ["cm"]}, TypeError, "units must be a dict. Got list"),
        ({"labels": {"x0": 3}}, TypeError, "labels must map 'x0' to a text. Got 3"),
    ],
)
def test_what_cannot_be_meant_is_refused(clf, said, error, message):
    with pytest.raises(error, match=message):
        clf.describe(**said)
    assert "x9" not in clf.meaning_.labels


def test_files_of_both_kinds(tmp_path):
    (tmp_path / "m.json").write_text(json.dumps({"labels": {"a": "A"}}))
    (tmp_path / "m.yaml").write_text("labels:\n  a: A\n")
    assert read_meaning(tmp_path / "m.json") == Meaning.of(labels={"a": "A"})
    pytest.importorskip("yaml")
    assert read_meaning(tmp_path / "m.yaml") == Meaning.of(labels={"a": "A"})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("m.json", "{", "is not JSON"),
        ("m.json", "[]", "must hold names and values"),
        ("m.json", '{"label": {}}', "has no part 'label'; it has title, labels, units, descriptions, states"),
        ("m.yml", "a: [", "is not YAML|needs PyYAML"),
    ],
)
def test_files_that_are_none_are_refused(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataFileError, match=message):
        read_meaning(tmp_path / name)
    with pytest.raises(DataFileError, match="cannot be read"):
        read_meaning(tmp_path / "absent.json")
