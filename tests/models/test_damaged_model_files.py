"""Whatever is wrong with a model file is said in one sentence with its name, when it is read and not later."""

import gzip
import json
import math

import numpy as np
import pytest

import bayleaf as bl
from bayleaf._util import whole_files


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.choice(["a", "b", "c"], (60, 3))
    clf = bl.BayesNetClassifier(bl.HillClimbing(), bl.Dirichlet(), loss=[[0, 1], [5, 0]]).fit(
        X, X[:, 0] == "a"
    )
    clf.cross_validate(X, X[:, 0] == "a", 2)
    path = tmp_path_factory.mktemp("models") / "m.json"
    clf.save(path)
    return path.read_text()


def damage(document, place, value):
    *path, last = place
    damaged = part = json.loads(document)
    for step in path:
        part = part[step]
    part[last] = value
    return damaged


WRONG = [
    (["training", "missing"], 1e308),
    (["training", "missing"], {"x0": "many"}),
    (["training", "table_read"], math.nan),
    (["training", "log_likelihood"], [1, 2, 3]),
    (["training", "weight"], {}),
    (["training", "rows"], True),
    (["training", "search", "start_score"], {}),
    (["training", "search", "nodes", 0], {}),
    (["training", "cross_validated", "measures"], {}),
    (["training", "class_weights"], "ab"),
    (["features", 0, "n_missing"], [1]),
    (["features", 0, "n_missing"], -1),
    (["features", 0, "n_missing"], 10**400),
    (["features", 0, "dtype"], "text"),
    (["classes", "dtype"], "1 2 3"),
    (["classes", "dtype"], 3),
    (["features", 0, "note"], 3),
    (["settings", "structure"], {}),
    (["settings", "structure"], {"list": [], "tuple": []}),
    (["settings", "loss"], {"list": [1, 2, 3]}),
    (["settings", "loss"], "cheap"),
    (["network", "tables", 0], 10**400),
]


@pytest.mark.parametrize(("place", "value"), WRONG, ids=str)
def test_wrong_content_is_refused_when_it_is_read(document, tmp_path, place, value):
    path = tmp_path / "m.json"
    path.write_text(json.dumps(damage(document, place, value)))
    with pytest.raises(ValueError, match=r"m.json' is damaged: "):
        bl.load(path)


def test_an_impossible_number_of_missing_values_is_refused(document, tmp_path):
    path = tmp_path / "m.json"
    path.write_text(json.dumps(damage(document, ["features", 0, "n_missing"], -1)))
    with pytest.raises(ValueError, match=r"The column '.*' says an impossible number of missing values"):
        bl.load(path)


MEMBERS = bl.BayesNetClassifier(parameters=bl.Laplace())
MODELS = {
    "one": bl.BayesNetClassifier(bl.HillClimbing(), bl.Dirichlet()),
    "ensemble": bl.BaggedClassifier(MEMBERS, n_estimators=2),
    "averaged": bl.AveragedClassifier(bl.AODE(), MEMBERS),
    "pool": bl.NetworkPool(cycles=0),
}


@pytest.mark.parametrize(
    ("kind", "place", "named"),
    [
        ("one", ["settings", "mood"], "the setting 'mood' of BayesNetClassifier"),
        ("one", ["settings", "structure", "parameters", "mood"], "the setting 'mood' of HillClimbing"),
        ("one", ["settings", "structure", "learner"], "the learner 'blue'"),
        ("ensemble", ["ensemble", "settings", "mood"], "the setting 'mood' of BaggedClassifier"),
        ("ensemble", ["settings", "mood"], "the setting 'mood' of BayesNetClassifier"),
        ("ensemble", ["settings", "parameters", "parameters", "mood"], "the setting 'mood' of Laplace"),
        ("averaged", ["averaged", "settings", "mood"], "the setting 'mood' of AveragedClassifier"),
        (
            "averaged",
            ["averaged", "settings", "structures", "parameters", "mood"],
            "the setting 'mood' of AODE",
        ),
        ("averaged", ["averaged", "settings", "structures", "learner"], "the learner 'blue'"),
        ("averaged", ["settings", "mood"], "the setting 'mood' of BayesNetClassifier"),
        ("pool", ["settings", "mood"], "the setting 'mood' of NetworkPool"),
    ],
    ids=str,
)
def test_what_this_version_does_not_have_is_named_and_no_damage(tmp_path, kind, place, named):
    path = tmp_path / "m.json"
    MODELS[kind].fit([["a", "u"], ["a", "v"], ["b", "v"]] * 10, ["no", "no", "yes"] * 10).save(path)
    path.write_text(json.dumps(damage(path.read_text(), place, "blue")))
    with pytest.raises(
        ValueError, match=rf"m.json' cannot be read: this version .* know {named}; it was written by"
    ):
        bl.load(path)


@pytest.mark.parametrize("members", [[], {}, "ab"], ids=str)
def test_an_ensemble_without_members_is_refused(tmp_path, members):
    X, y = [["a", "u"], ["b", "v"]] * 10, ["no", "yes"] * 10
    path = tmp_path / "m.json"
    bl.BaggedClassifier(bl.BayesNetClassifier("tan", "laplace"), n_estimators=2).fit(X, y).save(path)
    path.write_text(json.dumps(damage(path.read_text(), ["ensemble", "members"], members)))
    with pytest.raises(ValueError, match=r"m.json' is damaged: the ensemble has no members"):
        bl.load(path)


def test_a_parent_listed_twice_is_refused(document, tmp_path):
    parents = json.loads(document)["network"]["parents"]
    child = next(name for name, each in parents.items() if each)
    path = tmp_path / "m.json"
    path.write_text(json.dumps(damage(document, ["network", "parents", child], parents[child] * 2)))
    with pytest.raises(ValueError, match=f"m.json' is damaged: a parent of '{child}' is listed twice"):
        bl.load(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"format"', '"version": 1, "format"', "the key 'version' is there twice"),
        ('"rows": 60', '"rows": ' + "6" * 5000, "Exceeds the limit"),
    ],
)
def test_what_json_lets_pass_is_refused(document, tmp_path, old, new, message):
    path = tmp_path / "m.json"
    path.write_text(document.replace(old, new, 1))
    with pytest.raises(ValueError, match=f"m.json' is truncated or damaged: {message}"):
        bl.load(path)


def test_a_small_file_may_not_unpack_to_a_huge_one(tmp_path, monkeypatch):
    monkeypatch.setattr(whole_files, "MOST_TEXT", 2**20)
    path = tmp_path / "m.json.gz"
    path.write_bytes(gzip.compress(b" " * (2**20 + 1)))
    with pytest.raises(ValueError, match=r"too large for a bayleaf file: it unpacks to more than 1\.0 MiB"):
        bl.load(path)


def test_a_doubled_state_among_very_many_is_found_at_once():
    states = (*map(str, range(100_000)), "7")
    with pytest.raises(ValueError, match="'x' has the state '7' twice"):
        bl.data.Variable("x", states)


@pytest.mark.parametrize("prior", [[1.0], [0.5, 0.6], [-1, 2], [math.nan, 1]])
def test_the_class_shares_of_an_ensemble_are_checked(tmp_path, prior):
    path = tmp_path / "m.json"
    bl.BaggedClassifier(n_estimators=2).fit([["a"], ["b"], ["a"], ["b"]], [0, 1, 0, 1]).save(path)
    path.write_text(json.dumps(damage(path.read_text(), ["ensemble", "prior"], prior)))
    with pytest.raises(ValueError, match=r"m.json' is damaged: the shares of the classes"):
        bl.load(path)


def test_a_long_text_in_a_file_does_not_make_a_long_message(document, tmp_path):
    path = tmp_path / "m.json"
    path.write_text(json.dumps(damage(document, ["network", "tables", 0], "x" * 100_000)))
    with pytest.raises(ValueError, match=r"m.json' is damaged: .*xxx \.\.\. xxx") as caught:
        bl.load(path)
    assert len(str(caught.value)) < 1010


@pytest.mark.parametrize("wrong", [-1.0, 0.0, math.nan, math.inf, None], ids=str)
def test_weights_of_members_are_positive_numbers(wrong, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.choice(["a", "b", "c"], (60, 3))
    path = tmp_path / "m.json"
    bl.AveragedClassifier().fit(X, X[:, 0] == "a").save(path)
    document = path.read_text()
    weights = json.loads(document)["averaged"]["weights"]
    weights[1:2] = [] if wrong is None else [wrong]
    path.write_text(json.dumps(damage(document, ["averaged", "weights"], weights)))
    with pytest.raises(ValueError, match="is damaged: the weights or levels are not those of the members"):
        bl.load(path)
