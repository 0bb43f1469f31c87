"""Model files of format 1 are read as they were meant, by this bayleaf and by every later one.

From the first release on, old files are kept: a change of the format gets a number and a folder of its own, and the
files here stay as they were written (see `files_of_format_1/make_files.py`).
"""

import gzip
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bayleaf as bl

FOLDER = Path(__file__).parent / "files_of_format_1"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
ANSWERS = EXPECTED["answers"]
ROWS = pl.DataFrame(EXPECTED["rows"])
KINDS = {"averaged": "AveragedClassifier", "bagged": "BaggedClassifier", "pool": "NetworkPool"}


def load(name):
    return bl.load(FOLDER / f"{name}.bayleaf.json.gz")


def test_every_file_is_asked_for():
    files = {path.name.partition(".")[0] for path in FOLDER.glob("*.gz")}
    assert files == {*ANSWERS, "network"}
    for path in FOLDER.glob("*.gz"):
        assert json.loads(gzip.decompress(path.read_bytes()))["version"] == 1


@pytest.mark.parametrize("name", ANSWERS)
def test_a_model_answers_the_same_bits_and_so_does_its_copy(name, tmp_path):
    model = load(name)
    assert type(model).__name__ == KINDS.get(name, "BayesNetClassifier")
    model.save(tmp_path / "again.json")
    for each in (model, bl.load(tmp_path / "again.json")):
        np.testing.assert_array_equal(each.predict_proba(ROWS), np.array(ANSWERS[name]["predict_proba"]))
        assert each.predict(ROWS).tolist() == ANSWERS[name]["predict"]
        assert each.training_.rows == 60
        assert each.get_params(deep=False).keys() == type(each)().get_params(deep=False).keys()


def test_settings_and_dependencies_come_back():
    model = load("one_network")
    assert model.loss == {"yes": {"no": 3}}
    with pytest.raises(ValueError, match="never seen"):
        model.predict(ROWS.with_columns(pl.lit("never seen").alias("month")))
    found = load("instance_network")
    assert repr(found.structure) == "FKDB(functional_dependencies=True, min_count=3)"
    assert len(found.functional_dependencies_) > 0


def test_a_model_goes_on_learning_from_batches():
    rows, labels = EXPECTED["more"]
    model = load("partial_fit").partial_fit(pl.DataFrame(rows), labels)
    np.testing.assert_array_equal(model.predict_proba(ROWS), np.array(ANSWERS["partial_fit"]["after_more"]))


def test_a_network_answers_the_same():
    network = bl.load_network(FOLDER / "network.json.gz")
    given, posterior = ANSWERS["one_network"]["posterior"]
    found = network.posterior("class", given)
    assert {str(state): p for state, p in found.items()} == pytest.approx(posterior, rel=1e-14)
