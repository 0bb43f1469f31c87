import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "word": rng.choice(["ä", "b", "<c>"], 80),
            "flag": rng.choice([True, False], 80),
            "number": rng.normal(size=80),
            "count": rng.integers(0, 4, 80),
        }
    )
    y = np.where(frame["number"] + frame["flag"] > 0.5, "yes", "no")
    return frame, y


LEARNERS = [
    {},
    {"structure": bl.TAN(root="word", forbidden=[("word", "flag")]), "parameters": bl.Laplace()},
    {"structure": bl.FixedStructure(bl.DAG(["class", "word"], [("class", "word")])), "missing": "impute"},
    {"discretizer": bl.Cuts({"number": [0.0], "count": [1, 2]}), "parameters": bl.MaximumLikelihood(0.01)},
    {"categorical_features": ["count"], "unknown": "error", "random_state": 3},
]


@pytest.mark.parametrize("settings", LEARNERS, ids=str)
def test_a_loaded_model_predicts_the_same_bits(data, settings, tmp_path):
    X, y = data
    clf = bl.BayesNetClassifier(**settings).fit(X, y)
    clf.save(tmp_path / "m.bayleaf.json")
    loaded = bl.load(tmp_path / "m.bayleaf.json")
    gaps = X.where(np.random.default_rng(1).random(X.shape) > 0.2).astype({"count": float})
    assert (loaded.predict_proba(X) == clf.predict_proba(X)).all()
    assert (loaded.predict_proba(gaps) == clf.predict_proba(gaps)).all()
    assert loaded.classes_.dtype == clf.classes_.dtype
    assert repr(loaded.get_params()) == repr(clf.get_params())
    assert loaded.schema_ == clf.schema_
    assert (loaded.fit(X, y).predict_proba(X) == clf.predict_proba(X)).all()


@pytest.mark.parametrize("labels", [[0, 1], [True, False], [1.0, 2.0], ["a", "ß"]], ids=str)
def test_class_labels_come_back(labels, tmp_path):
    X = np.random.default_rng(0).random((30, 2))
    clf = bl.BayesNetClassifier().fit(X, np.array(labels)[np.arange(30) % 2])
    clf.save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    assert loaded.classes_.tolist() == sorted(labels)
    assert not hasattr(loaded, "feature_names_in_")
    assert (loaded.predict(X) == clf.predict(X)).all()


@pytest.fixture(scope="module")
def kept(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("kept") / "m.bayleaf.json"
    bl.BayesNetClassifier().fit(*data).save(path)
    return path


@pytest.fixture
def saved(kept, tmp_path):
    return Path(shutil.copy(kept, tmp_path))


def test_the_file_is_readable_json(saved):
    document = json.loads(saved.read_text())
    assert (document["format"], document["version"]) == ("bayleaf", 1)
    assert [feature["name"] for feature in document["features"]] == ["word", "flag", "number", "count"]


def test_members_keep_their_records(data, tmp_path):
    ensemble = bl.BaggedClassifier(n_estimators=2, random_state=0).fit(*data)
    ensemble.save(tmp_path / "bag.json")
    for found, member in zip(bl.load(tmp_path / "bag.json").estimators_, ensemble.estimators_, strict=True):
        assert found.training_ == member.training_
        assert found.out_of_sample_ == member.out_of_sample_ is not None


@pytest.mark.parametrize("make", [bl.BayesNetClassifier, bl.BaggedClassifier, bl.AveragedClassifier])
def test_a_variable_is_written_once(data, make, tmp_path):
    make().fit(*data).save(tmp_path / "m.json")
    assert (tmp_path / "m.json").read_text().count('"<c>"') == 1  # a state of one variable


def test_a_name_with_gz_packs_and_content_decides_on_reading(saved, data, tmp_path):
    first = bl.load(saved)
    packed = tmp_path / "m.json.gz"
    first.save(packed)
    assert gzip.decompress(packed.read_bytes()) == saved.read_bytes()
    plain_under_gz, packed_under_json = tmp_path / "old.json.gz", tmp_path / "renamed.json"
    plain_under_gz.write_bytes(saved.read_bytes())
    packed_under_json.write_bytes(packed.read_bytes())
    expected = first.predict_proba(data[0])
    for path in (packed, plain_under_gz, packed_under_json):
        np.testing.assert_array_equal(bl.load(path).predict_proba(data[0]), expected)


def test_a_packed_file_has_the_same_bytes_each_time(saved, tmp_path):
    contents = []
    for name in ("a.json.gz", "b.json.gz"):
        bl.load(saved).save(tmp_path / name)
        contents.append((tmp_path / name).read_bytes())
    assert contents[0] == contents[1]


def test_a_packed_ensemble_and_a_packed_network_come_back(data, tmp_path):
    ensemble = bl.BaggedClassifier(n_estimators=2, random_state=0).fit(*data)
    ensemble.save(tmp_path / "e.json.gz")
    np.testing.assert_array_equal(
        bl.load(tmp_path / "e.json.gz").predict_proba(data[0]), ensemble.predict_proba(data[0])
    )
    network = ensemble.estimators_[0].network_
    network.save(tmp_path / "n.json.gz")
    assert (tmp_path / "n.json.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert bl.load_network(tmp_path / "n.json.gz").arcs == network.arcs


@pytest.mark.parametrize("keep", [3, 40, -9])
def test_truncated_and_packed(saved, tmp_path, keep):
    path = tmp_path / "m.json.gz"
    path.write_bytes(gzip.compress(saved.read_bytes())[:keep])
    with pytest.raises(ValueError, match=r"m\.json\.gz' is truncated or damaged: .*[^.]\.$"):
        bl.load(path)


def test_truncated(saved):
    saved.write_text(saved.read_text()[:-300])
    with pytest.raises(ValueError, match=r"m.bayleaf.json' is truncated or damaged"):
        bl.load(saved)


def test_foreign(saved):
    for text in ('{"a": 1}', "[1]", "hello", '{"format": "other", "version": 1}'):
        saved.write_text(text)
        with pytest.raises(ValueError, match="is not a bayleaf file"):
            bl.load(saved)


def test_binary(saved):
    saved.write_bytes(b"\x80\x04\x95\xff\xfe")
    with pytest.raises(ValueError, match="is not a bayleaf file: it is not text"):
        bl.load(saved)


def test_newer_version(saved):
    document = json.loads(saved.read_text())
    saved.write_text(json.dumps({**document, "version": 99}))
    with pytest.raises(ValueError, match=r"newer bayleaf .format version 99.*upgrade bayleaf"):
        bl.load(saved)


def test_no_version(saved):
    saved.write_text('{"format": "bayleaf"}')
    with pytest.raises(ValueError, match="damaged: it has no version number"):
        bl.load(saved)


@pytest.mark.parametrize("part", ["settings", "classes", "features", "network", "target"])
def test_incomplete(saved, part):
    document = json.loads(saved.read_text())
    del document[part]
    saved.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=f"damaged: its content is incomplete .'{part}'"):
        bl.load(saved)


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        bl.load(tmp_path / "none.json")


def test_a_failed_save_leaves_the_old_file(data, saved, monkeypatch):
    before = saved.read_bytes()
    clf = bl.BayesNetClassifier().fit(*data)
    monkeypatch.setattr(json, "dump", lambda *args, **kwargs: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        clf.save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_folder_that_does_not_exist(data, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"the folder '.*nowhere' does not exist"):
        bl.BayesNetClassifier().fit(*data).save(tmp_path / "nowhere" / "m.json")


class Shuffled:
    """A learner that bayleaf does not know."""

    def learn(self, table, rng):
        return bl.NaiveBayes().learn(table, rng)


def test_foreign_learners_are_described_but_not_restored(data, tmp_path):
    X, y = data
    clf = bl.BayesNetClassifier(structure=Shuffled()).fit(X, y)
    with pytest.warns(UserWarning, match="A model file cannot hold structure=<.*Shuffled"):
        clf.save(tmp_path / "m.json")
    with pytest.warns(
        UserWarning, match=r"structure=<.*Shuffled.*which a model file cannot hold; predictions are"
    ):
        loaded = bl.load(tmp_path / "m.json")
    assert (loaded.predict_proba(X) == clf.predict_proba(X)).all()
    assert loaded.structure is None


def test_an_unknown_learner_is_refused(saved):
    document = json.loads(saved.read_text())
    document["settings"]["structure"] = {"learner": "os.system", "parameters": {}}
    saved.write_text(json.dumps(document))
    with pytest.raises(
        ValueError, match=r"m.bayleaf.json' cannot be read: .*does not know the learner 'os.system'"
    ):
        bl.load(saved)


def test_a_class_of_the_same_name_is_not_restored_as_ours(data, tmp_path):
    class TAN(bl.TAN):
        pass

    X, y = data
    with pytest.warns(UserWarning, match=r"A model file cannot hold structure=TAN\(\)"):
        bl.BayesNetClassifier(structure=TAN()).fit(X, y).save(tmp_path / "m.json")
    with pytest.warns(UserWarning, match=r"structure=TAN\(\), which a model file cannot hold"):
        assert bl.load(tmp_path / "m.json").structure is None


@pytest.mark.parametrize("name", ["Table", "Schema", "Variable", "DAG"])
def test_only_learners_are_restored(saved, name):
    document = json.loads(saved.read_text())
    document["settings"]["structure"] = {"learner": name, "parameters": {}}
    saved.write_text(json.dumps(document))
    with pytest.raises(
        ValueError, match=rf"m.bayleaf.json' cannot be read: .*does not know the learner '{name}'"
    ):
        bl.load(saved)


def test_a_damaged_network_names_the_file(saved):
    document = json.loads(saved.read_text())
    document["features"][0]["states"] = ["b", "b", "b"]
    saved.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=r"bayleaf.json' is damaged: 'word' has .* 'b' twice"):
        bl.load(saved)


def test_lone_surrogates_come_back(tmp_path):
    X = [["\udcff"], ["b"]] * 5
    clf = bl.BayesNetClassifier().fit(np.array(X, dtype=object), ["no", "yes"] * 5)
    clf.save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    assert loaded.schema_.features[0].states == clf.schema_.features[0].states
    assert "\udcff" in loaded.schema_.features[0].states


@pytest.mark.parametrize("structure", [None, bl.HillClimbing(), bl.KDB(2), bl.NaiveBayes()], ids=repr)
def test_the_search_comes_back(data, structure, tmp_path):
    clf = bl.BayesNetClassifier(structure).fit(*data)
    clf.save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    assert loaded.training_ == clf.training_
    assert (clf.training_.search is None) == isinstance(structure, bl.NaiveBayes)
    if clf.training_.search is not None:
        assert loaded.training_.search.replay().arcs == clf.network_.arcs


def test_files_from_before_searches_were_kept_load(saved, data):
    document = json.loads(saved.read_text())
    del document["training"]["search"]
    saved.write_text(json.dumps(document))
    loaded = bl.load(saved)
    assert loaded.training_.search is None
    assert loaded.training_.rows == len(data[0])


def test_what_a_newer_version_adds_to_the_record_is_passed_over(saved):
    document = json.loads(saved.read_text())
    document["training"]["weather"] = "rain"
    saved.write_text(json.dumps(document))
    assert not hasattr(bl.load(saved).training_, "weather")


def test_a_search_of_very_many_steps_stays_small(tmp_path):
    steps = tuple(bl.learn.search.SearchStep((), (), float(k)) for k in range(50_000))
    trace = bl.learn.search.SearchTrace(("a",), "steps", (), 0.0, steps).shortened()
    assert len(json.dumps(trace.to_dict(), indent=1)) < 100_000
    assert trace.left_out == 49_000
