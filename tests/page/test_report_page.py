import dataclasses
import json
import re
import warnings
from importlib.metadata import version

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import balanced_accuracy_score, confusion_matrix

import bayleaf as bl
from bayleaf.cli.options import build, read_method
from bayleaf.page import write_report
from bayleaf.page.assemble import SCRIPTS, STYLES, page_data, safe_json
from bayleaf.page.learned import how_learned, search_data
from bayleaf.page.shown_rows import classifier_examples
from bayleaf.quality import Outcome, measures_with_intervals
from bayleaf.quality.quality_record import accuracy_by_missing, class_curves
from reference.counted import counted


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"f{j}": rng.choice(list("abc"), 400) for j in range(5)})
    X["number"] = rng.normal(size=400)
    y = pd.Series(np.where((X["f0"] == "a") ^ (X["number"] > 0.3), "yes", "no"), name="answer")
    return X.mask(rng.random(X.shape) < 0.05), y


@pytest.fixture(scope="module")
def clf(data):
    return bl.BayesNetClassifier().fit(data[0][:300], data[1][:300])


def read_data_block(path):
    text = path.read_text()
    block = re.search(
        r'<script type="application/json" id="model-data">(.*?)</script>', text, flags=re.DOTALL
    )
    return json.loads(block.group(1))


def test_one_file_that_refers_to_nothing_else(clf, data, tmp_path):
    clf.report(data[0][300:], data[1][300:], tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert text.startswith("<!doctype html>")
    assert not re.search(r"""(src|href)\s*=\s*["'](?!#)""", text)
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in text


def test_forty_nodes_stay_below_one_and_a_half_megabytes(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"f{j}": rng.choice([f"state {k}" for k in range(8)], 3000) for j in range(39)})
    y = rng.choice(["a", "b", "c"], 3000)
    bl.BayesNetClassifier().fit(X, y).report(X, y, tmp_path / "r.html")
    assert (tmp_path / "r.html").stat().st_size < 1_500_000


def test_every_part_of_the_page_is_used_and_short():
    from importlib.resources import files

    folder = files("bayleaf.page") / "assets"
    assert {part.name for part in folder.iterdir()} == {*SCRIPTS, *STYLES, "index.html"}
    for part in folder.iterdir():
        assert len(part.read_text().splitlines()) < 400


def test_scripts_come_after_what_they_import():
    from importlib.resources import files

    for position, name in enumerate(SCRIPTS):
        source = (files("bayleaf.page") / "assets" / name).read_text()
        for imported in re.findall(r'from "\./(\w+\.js)"', source):
            assert SCRIPTS.index(imported) < position, f"{name} imports {imported}"


def test_scripts_export_each_name_once():
    from importlib.resources import files

    names = []
    for name in SCRIPTS:
        source = (files("bayleaf.page") / "assets" / name).read_text()
        names += re.findall(r"^export (?:function\*?|const|class) (\w+)", source, flags=re.MULTILINE)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("text", ["</script>", "<!--", "\u2028\u2029", "&amp;", "\x00\x1f", "é🌿", "]]>"])
def test_json_in_the_page_survives_and_ends_nothing(text):
    written = safe_json({"name": text})
    assert not set(written) & set("<>&\u2028\u2029")
    assert written.isascii()
    assert json.loads(written)["name"] == text


def test_json_has_no_nan():
    assert safe_json([float("nan"), float("-inf"), 1.5]) == "[null,null,1.5]"


def test_tables_and_rows_reach_the_page_exactly(clf, data, tmp_path):
    import base64

    path = tmp_path / "r.html"
    write_report(clf, path, data[0], data[1])
    block = read_data_block(path)
    numbers = np.frombuffer(base64.b64decode(block["tables"]), dtype="<f8")
    assert numbers.tolist() == [p for table in clf.network_.tables for p in table.ravel().tolist()]
    codes = np.frombuffer(base64.b64decode(block["examples"]["codes"]), dtype="<i4").reshape(
        -1, len(block["nodes"])
    )
    table = clf.encode(data[0])
    expected = np.where(table.codes == table.missing_code, -1, table.codes.astype(int))
    rows = np.array(block["examples"]["rows"]) - 1
    assert (codes[:, :-1] == expected[rows]).all()
    assert (codes[:, -1] == -1).all()


def test_rows_predicted_wrongly_are_among_the_examples():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.choice(["a", "b"], 5000)})
    y = np.where(rng.random(5000) < 0.02, "odd", np.where(X["x"] == "a", "left", "right"))
    clf = bl.BayesNetClassifier().fit(X, y)
    examples = page_data(clf, X, y)["examples"]
    assert len(examples["rows"]) <= 400
    assert examples["right"].count(0) == (clf.predict(X) != y).sum()


def test_quality_agrees_with_scikit_learn(clf, data):
    X, y = data[0][300:], data[1][300:]
    quality = page_data(clf, X, y)["quality"]
    assert quality["confusion"] == confusion_matrix(y, clf.predict(X), labels=clf.classes_).tolist()
    values = {each["name"]: each for each in quality["measures"]}
    assert values["Accuracy"]["value"] == pytest.approx(clf.score(X, y))
    assert values["Accuracy"]["low"] < values["Accuracy"]["value"] < values["Accuracy"]["high"]
    assert values["Accuracy"]["baseline"] == pytest.approx((y == pd.Series(data[1][:300]).mode()[0]).mean())
    assert values["Balanced accuracy"]["value"] == pytest.approx(balanced_accuracy_score(y, clf.predict(X)))
    assert sum(group["rows"] for group in quality["missing"]) == len(y)
    assert sum(each["rows"] for each in quality["reliability"]["bins"]) == len(y)
    for curve in quality["curves"]:
        assert curve["roc"][0] == [0.0, 0.0]
        assert curve["roc"][-1] == [1.0, 1.0]


def test_cross_validation_judges_rows_by_models_that_have_not_seen_them():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"f{j}": rng.choice(list("abcdefgh"), 150) for j in range(6)})
    y = rng.choice(["no", "yes"], 150)  # nothing to learn, much to remember
    clf = bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet()).fit(X, y)
    accuracies = [
        next(each["value"] for each in page_data(clf, X, y, cv=cv)["quality"]["measures"]) for cv in (None, 5)
    ]
    assert accuracies[0] > 0.85
    assert accuracies[1] < 0.65


def test_classes_without_rows_have_no_curve():
    outcome = Outcome.of(["a", "a"], classes=["a", "b"], probabilities=[[0.9, 0.1], [0.6, 0.4]])
    assert class_curves(outcome) == []
    assert not {"AUC", "PR-AUC", "Brier skill"} & {each["name"] for each in measures_with_intervals(outcome)}


def test_rows_are_grouped_by_their_missing_features():
    outcome = Outcome.of([0, 0, 1, 1], classes=[0, 1], predicted=[0, 1, 1, 1])
    groups = accuracy_by_missing(outcome, np.array([0, 1, 2, 1]))
    assert [(g["from"], g["rows"], g["accuracy"]) for g in groups] == [(0, 1, 1.0), (1, 2, 0.5), (2, 1, 1.0)]


def test_how_learned_tells_method_settings_data_and_how_to_repeat(data):
    clf = bl.classifier("TAN", missing="drop").fit(*data)
    learned = how_learned(clf)
    assert learned["method"] == "TAN"
    assert learned["references"][0] == ["method: TAN", "Friedman, Geiger & Goldszmidt 1997"]
    assert any("Machine Learning" in text for _, text in learned["references"])
    assert ["Training rows", f"{int(clf.training_.rows):,}"] in learned["data"]
    assert learned["command"] is None  # it was learned in Python
    assert "bl.BayesNetClassifier(" in learned["python"]
    scope = {}
    code = next(line for line in learned["python"].splitlines() if line.startswith("clf = "))
    exec(f"import bayleaf as bl\n{code}", scope)
    assert repr(scope["clf"]) == repr(clf)


def test_a_method_is_named_only_where_all_of_it_agrees(data):
    clf = bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet()).fit(*data)
    learned = how_learned(clf)
    assert learned["method"] is None
    assert learned["structure"] == "TAN"
    assert not any(what.startswith("method") for what, _ in learned["references"])
    other = bl.classifier("TAN", parameters=bl.Dirichlet()).fit(*data)
    assert how_learned(other)["method"] is None
    rooted = bl.classifier("TAN", structure__root="f1").fit(*data)
    assert how_learned(rooted)["method"] is None
    cut = bl.classifier("TAN", discretizer=bl.Quantiles()).fit(*data)
    assert how_learned(cut)["method"] == "TAN"


def test_every_registered_method_is_named():
    for method in bl.methods():
        assert str(bl.classifier(method.name).published_method) == method.name
        assert bl.classifier(method.name.lower()).published_method.name == method.name


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (bl.classifier("KDB", k=3), "KDB(k=3)"),
        (bl.classifier("KDB-FD", k=1, min_count=20), "KDB-FD(k=1, min_count=20)"),
        (bl.classifier("RTAN", n_estimators=4, vote="majority"), "RTAN(n_estimators=4, vote='majority')"),
        (bl.BayesNetClassifier(bl.KDB(3), bl.Dirichlet(7.0)), None),
    ],
    ids=repr,
)
def test_settings_of_a_method_are_named_too(made, name):
    if name is None:
        assert made.published_method is None
        return
    assert str(made.published_method) == name
    assert repr(build(read_method(name))) == repr(made)


def test_warnings_name_what_to_be_careful_about():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"x": rng.choice(["a", "b"], 200), "constant": ["same"] * 200, "empty": [None] * 199 + ["z"]}
    )
    y = ["common"] * 195 + ["rare"] * 5
    clf = bl.BayesNetClassifier().fit(X, y)
    text = "\n".join(how_learned(clf)["warnings"])
    assert "Few training rows for rare (5)" in text
    assert "single state" in text
    assert "More than half the values are missing: empty" in text
    assert "without a training row" in text


def test_a_bare_network_has_a_page_too(tmp_path):
    net = bl.BayesNet([bl.data.Variable("a", ("0", "1"))], bl.DAG(["a"]), [[0.5, 0.5]])
    write_report(net, tmp_path / "r.html", net.sample(5, random_state=0))
    block = read_data_block(tmp_path / "r.html")
    assert block["target"] is None
    assert len(block["examples"]["rows"]) == 5
    assert block["quality"] is None


def test_a_network_with_a_class_is_judged_by_its_own_column(tmp_path):
    a, b = bl.data.Variable("a", ("0", "1")), bl.data.Variable("b", ("0", "1"))
    net = bl.BayesNet([a, b], bl.DAG(["a", "b"], [("b", "a")]), [[[0.9, 0.1], [0.1, 0.9]], [0.5, 0.5]], "b")
    quality = page_data(net, net.sample(500, random_state=0))["quality"]
    assert quality["measures"][0]["value"] == pytest.approx(0.9, abs=0.05)


def test_a_row_that_cannot_be_is_judged_by_the_prior(tmp_path):
    a, b = bl.data.Variable("a", ("0", "1", "2")), bl.data.Variable("b", ("0", "1"))
    tables = [[[0.9, 0.1, 0.0], [0.1, 0.9, 0.0]], [0.3, 0.7]]
    net = bl.BayesNet([a, b], bl.DAG(["a", "b"], [("b", "a")]), tables, "b")
    rows = pd.DataFrame({"a": ["0", "2", "1"], "b": ["0", "1", "1"]})
    write_report(net, tmp_path / "r.html", rows)
    quality = read_data_block(tmp_path / "r.html")["quality"]
    assert quality["confusion"] == [[1, 0], [0, 2]]  # nothing else is known of the second row than the prior
    likely = [0.27 / 0.34, 0.7, 0.63 / 0.66]
    assert quality["measures"][1]["value"] == pytest.approx(-np.log(likely).mean())


def test_states_of_high_number_reach_the_page(tmp_path):
    import base64

    many = bl.data.Variable("many", tuple(map(str, range(40_001))))
    net = bl.BayesNet([many], bl.DAG(["many"]), [np.full(40_001, 1 / 40_001)])
    write_report(net, tmp_path / "r.html", pd.DataFrame({"many": ["7", "40000", None]}))
    text = read_data_block(tmp_path / "r.html")["examples"]["codes"]
    assert np.frombuffer(base64.b64decode(text), dtype="<i4").tolist() == [7, 40_000, -1]


def test_unknown_categories_are_noted_on_the_page(clf, data):
    X = data[0][300:].assign(f0="never seen")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        notes = page_data(clf, X, data[1][300:])["quality"]["notes"]
    assert any("never seen" in note for note in notes)


def test_wrong_use_is_refused_in_a_sentence(clf, data, tmp_path):
    with pytest.raises(
        TypeError, match="needs a fitted classifier of bayleaf, such as BayesNetClassifier, or a BayesNet"
    ):
        write_report(type("Unfitted", (), {})(), tmp_path / "r.html")
    with pytest.raises(ValueError, match="pass X as well"):
        write_report(clf, tmp_path / "r.html", cv=5)
    with pytest.raises(ValueError, match="Cross-validation needs a classifier"):
        write_report(clf.network_, tmp_path / "r.html", cv=5)
    with pytest.raises(FileNotFoundError, match="the folder"):
        write_report(clf, tmp_path / "no" / "r.html")
    with pytest.raises(ValueError, match="inconsistent numbers"):
        write_report(clf, tmp_path / "r.html", data[0], data[1][:5])


def test_the_search_reaches_the_page(clf, data):
    search = page_data(clf)["learned"]["search"]
    trace = clf.training_.search
    assert [step for step, _, _ in search["steps"]] == [str(step).replace("->", "→") for step in trace.steps]
    assert search["steps"][-1][1] == trace.score
    assert page_data(bl.classifier("NB").fit(*data))["learned"]["search"] is None
    assert page_data(clf.network_)["learned"]["search"] is None


def test_a_gap_in_the_search_is_told(clf):
    short = clf.training_.search.shortened(3)
    assert short.left_out == len(clf.training_.search.steps) - 3
    data = search_data(dataclasses.replace(clf.training_, search=short))
    assert data["gap"] == {"after": 2, "steps": short.left_out}


def test_the_versions_of_learning_are_told_from_those_of_the_page(clf, tmp_path):
    clf.save(tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    document["training"]["learned_with"] = {"bayleaf": "0.0.1", "Python": "3.1"}
    (tmp_path / "older.json").write_text(json.dumps(document))
    document["training"].pop("learned_with")
    (tmp_path / "unknown.json").write_text(json.dumps(document))
    shown = {
        name: dict(how_learned(bl.load(tmp_path / f"{name}.json"))["versions"])
        for name in ("m", "older", "unknown")
    }
    assert shown["m"]["Learned with"] == shown["m"]["Page written with"]
    assert shown["older"]["Learned with"] == "bayleaf 0.0.1, Python 3.1"
    assert shown["unknown"]["Learned with"] == "not recorded"
    assert f"bayleaf {version('bayleaf')}" in shown["older"]["Page written with"]
    assert dict(how_learned(clf.network_)["versions"])["Learned with"] == "not recorded"


def test_rows_of_a_class_that_the_model_does_not_know_are_named(clf, data):
    y = data[1].copy()
    y[:3] = "perhaps"
    assert not any("does not know" in note for note in page_data(clf, *data)["quality"]["notes"])
    sentence = "3 rows have a class that the model does not know (perhaps): they count as misclassified."
    with pytest.warns(UserWarning, match=re.escape(sentence)) as caught:
        notes = page_data(clf, data[0], y)["quality"]["notes"]
    assert sentence in notes
    assert len(caught) == 1
    y[1:3] = "no"
    with pytest.warns(UserWarning, match=r"^1 row has a class that .*: it counts as misclassified\.$"):
        page_data(clf, data[0], y)


@pytest.mark.parametrize("labels", [str.upper, lambda label: int(label == "yes")])
@pytest.mark.parametrize("cv", [None, 3])
def test_labels_that_are_no_classes_of_the_model_are_refused(clf, data, labels, cv, tmp_path):
    X, y = data
    other = np.array([labels(label) for label in y])
    with pytest.raises(ValueError, match=r"^y has none of the classes of the model: .* are 'no', 'yes'\.$"):
        clf.report(X, other, tmp_path / "r.html", cv=cv)
    assert not (tmp_path / "r.html").exists()
    with pytest.raises(ValueError, match="y has none of the classes of the model"):
        clf.cross_validate(X[:300], other[:300], cv=3)


def test_a_file_name_in_place_of_rows_is_refused(clf, tmp_path):
    for path in ("r.html", tmp_path / "r.html"):
        with pytest.raises(
            TypeError, match=r"X must be rows of data. Got the text '.*r.html'; .* pass path="
        ):
            clf.report(path)


def test_rows_keep_their_numbers_and_groups_count_all_of_them():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True, as_frame=True)
    clf = bl.BayesNetClassifier().fit(X[::2], y[::2])
    data = page_data(clf, X[1::2], y[1::2])
    rows = data["examples"]
    assert rows["total"] == 75
    for node, name in enumerate(clf.network_.nodes[:-1]):
        assert rows["numbers"][str(node)] == X[name][1::2].tolist()
    predicted = clf.predict_proba(X[1::2])
    assert rows["predicted"] == predicted.argmax(axis=1).tolist()
    assert rows["confidence"] == pytest.approx(predicted.max(axis=1), rel=1e-5)
    quality = data["quality"]
    assert {group["node"] for group in quality["groups"]} == {0, 1, 2, 3}
    for group in quality["groups"]:
        assert sum(counts[0] for counts in group["counts"]) == 75
        assert sum(counts[1] for counts in group["counts"]) == (clf.predict(X[1::2]) == y[1::2]).sum()
    assert [line["class"] for line in quality["thresholds"]] == [0, 1, 2]
    assert quality["thresholds"][1]["hits"][0] == 25


def test_notes_hold_warnings_for_users_only(monkeypatch):
    model = counted(bl.NaiveBayes()).fit([["a"], ["b"]] * 5, [0, 1] * 5)
    encode = model.encode

    def warned(rows):
        warnings.warn("odd rows", UserWarning, stacklevel=1)
        warnings.warn("a library has plans", DeprecationWarning, stacklevel=1)
        return encode(rows)

    monkeypatch.setattr(model, "encode", warned)
    assert classifier_examples(model, [["a"]], None, None).notes == ["odd rows"]
