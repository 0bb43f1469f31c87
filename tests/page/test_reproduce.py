"""What the page prints to reproduce a model does reproduce it: both are run, and the models compared."""

import shlex
import warnings

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import bayleaf as bl
from bayleaf.cli.app import app
from bayleaf.page.learned import command_line, python_lines
from bayleaf.page.page_text import learner
from reference.counted import counted


def bayleaf_command(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result


def run_command(line):
    assert line.startswith("bayleaf fit data.csv ")
    bayleaf_command(*shlex.split(line)[1:])
    return bl.load("model.bayleaf.json")


def run_python(code):
    scope = {}
    exec(code, scope)
    return scope["clf"]


def assert_same(first, again):
    assert first.schema_ == again.schema_
    assert first.classes_.tolist() == again.classes_.tolist()
    networks = [[m.network_ for m in getattr(model, "estimators_", [model])] for model in (first, again)]
    for one, other in zip(*networks, strict=True):
        assert one.arcs == other.arcs
        assert all((a == b).all() for a, b in zip(one.tables, other.tables, strict=True))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def people(rows=90):
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "code": rng.integers(1, 5, rows),
            "junk": np.arange(rows),
            'size, "cm"': rng.integers(1, 4, rows),
            "town": rng.choice(["Bath", "Ely", "NA", "?"], rows),
            "dose": rng.normal(size=rows).round(3),
            "ward": rng.choice(["01", "1", "10"], rows),
            "cls": rng.choice(["a", "b"], rows),
        }
    )


OPTIONS = {
    "plain": ("--method", "NB"),
    "categories and dropped columns": ("--categorical", "code", "--drop", "junk", "--method", "NB"),
    "names with commas": ("--categorical", 'code,"size, ""cm"""', "--drop", "junk", "--method", "NB"),
    "a dropped name with a comma": ("--drop", 'junk,"size, ""cm"""', "--method", "NB"),
    "own spellings of missing": ("--missing-values", "?,Ely", "--drop", "junk,dose", "--missing", "impute"),
    "unknown values and a seed": ("--set", "unknown=error", "--seed", "3", "--method", "KDB(k=2)"),
    "categories with leading zeros": ("--categorical", "ward,code", "--method", "NB"),
    "all as categories": ("--categorical", "all", "--drop", "junk,dose", "--method", "NB"),
    "ensemble": ("--categorical", "code", "--method", "RTAN(n_estimators=3)", "--seed", "5"),
}


@pytest.mark.filterwarnings("ignore:Column 'junk' is left out")
@pytest.mark.parametrize(
    ("options", "delimiter"),
    [*((name, None) for name in OPTIONS), ("plain", "~"), ("names with commas", "~")],
)
def test_a_model_of_the_command_line_is_made_again(folder, options, delimiter):
    people().to_csv(folder / "data.csv", index=False, sep=delimiter or ",")
    given = () if delimiter is None else ("--delimiter", delimiter)
    bayleaf_command("fit", "data.csv", "-t", "cls", *OPTIONS[options], *given, "-o", "first.json")
    first = bl.load(folder / "first.json")
    assert_same(first, run_command(command_line(first)))
    assert_same(first, run_python(python_lines(first)))


def with_default_of_old(clf):
    """A model whose structure was the default of an earlier version."""
    clf.structure_ = bl.TAN()
    return clf


def test_a_default_of_an_earlier_version_is_named(folder):
    data = people().drop(columns="junk")
    data.to_csv("data.csv", index=False)
    X, y = data.drop(columns="cls"), data["cls"]
    today = bl.BayesNetClassifier().fit(X, y)
    assert "clf = bl.BayesNetClassifier(" in python_lines(today)
    assert "structure=" not in python_lines(today)
    old = with_default_of_old(bl.BayesNetClassifier().fit(X, y))
    assert "structure=bl.TAN()" in python_lines(old)
    assert repr(learner(old, "structure")) == "TAN()"
    assert_same(bl.BayesNetClassifier(bl.TAN()).fit(X, y), run_python(python_lines(old)))
    bagged = with_default_of_old(bl.BaggedClassifier(n_estimators=2, random_state=0).fit(X, y))
    assert "bl.BaggedClassifier(estimator=bl.BayesNetClassifier(structure=bl.TAN()" in python_lines(bagged)


def test_what_stood_in_is_known_after_loading(folder):
    X, y = people().drop(columns=["cls", "junk"]), people()["cls"]
    for fitted in (
        bl.BayesNetClassifier().fit(X, y),
        bl.BaggedClassifier(n_estimators=2, random_state=0).fit(X, y),
    ):
        fitted.save("m.json")
        loaded = bl.load("m.json")
        assert repr(learner(loaded, "structure")) == "TAN(shrunk=True)"
        assert repr(learner(loaded, "parameters")) == "TunedTables()"
    with_default_of_old(fitted.estimators_[0]).save("old.json")
    assert "structure=TAN() by default" in bayleaf_command("show", "old.json").output


@pytest.mark.filterwarnings("ignore:Column 'dose' of 'data.csv' is taken as text")
@pytest.mark.parametrize(
    ("given", "delimiter"),
    [((), ";"), ((), "~"), (("--decimal", "comma"), "~"), (("--categorical", "dose"), ";")],
)
def test_a_model_of_a_table_with_decimal_commas_is_made_again(folder, given, delimiter):
    people().to_csv(folder / "data.csv", index=False, sep=delimiter, decimal=",")
    read = ("--delimiter", delimiter, *given, "--method", "NB")
    bayleaf_command("fit", "data.csv", "-t", "cls", "--drop", "junk", *read, "-o", "first.json")
    first = bl.load(folder / "first.json")
    if given[:1] == ("--decimal",):
        assert "--decimal comma" in command_line(first)
        assert "decimal='comma'" in python_lines(first)
    assert_same(first, run_command(command_line(first)))
    assert_same(first, run_python(python_lines(first)))


def frame(rows=90):
    rng = np.random.default_rng(4)
    X = pd.DataFrame({f"column {j}": rng.choice(["KDB(", "x,y", "z"], rows) for j in range(35)})
    X["level"] = pd.Categorical(rng.integers(0, 4, rows))
    X["dose"] = rng.normal(size=rows)
    return X, pd.Series(rng.choice(["no", "yes"], rows), name="answers" * 40)


SETTINGS = {
    "categories by type": {},
    "many names": {"structure": bl.NaiveBayes(), "categorical_features": [f"column {j}" for j in range(35)]},
    "names like learners": {"structure": bl.TAN(root="KDB(1)")},
    "a matrix of costs": {"loss": np.array([[0.0, 2.0], [1.0, 0.0]])},
    "a graph": {"structure": bl.FixedStructure([(f"column {j}", f"column {j + 1}") for j in range(34)])},
}


@pytest.mark.parametrize("kind", SETTINGS)
def test_a_model_of_python_is_made_again_from_a_file_with_more_columns(folder, kind):
    X, y = frame()
    if kind == "names like learners":
        X = X.rename(columns={"column 3": "KDB(1)"})
    if kind == "many names":
        X = X.drop(columns="level")
    fast = {} if kind == "categories by type" else {"parameters": bl.Dirichlet()}
    clf = bl.BayesNetClassifier(**fast, **SETTINGS[kind]).fit(X, y)
    pd.concat([X, pd.Series(range(len(y)), name="number of the row"), y], axis=1).to_csv(
        "data.csv", index=False
    )
    again = run_python(python_lines(clf))
    assert clf.network_.arcs == again.network_.arcs
    assert all((a == b).all() for a, b in zip(clf.network_.tables, again.network_.tables, strict=True))
    assert clf.predict(X).tolist() == again.predict(X).tolist()


def test_text_that_looks_like_something_else_stays_text(folder):
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"zip": rng.choice(["01", "1", "20"], 60), "flag": rng.choice(["true", "false"], 60)})
    X["town"] = rng.choice(["NA", "Ely"], 60)
    y = pd.Series(rng.choice(["0", "1"], 60), name="answer")
    clf = bl.BayesNetClassifier().fit(X, y)
    pd.concat([X, y], axis=1).to_csv("data.csv", index=False)
    assert_same(clf, run_python(python_lines(clf)))
    assert command_line(clf) is None


def test_what_cannot_be_repeated_is_said():
    X, y = frame()
    clf = counted(loss=lambda truth, said: float(truth != said))
    clf.fit(X, y, sample_weight=np.linspace(0.5, 2.0, len(y)))
    lines = python_lines(clf)
    assert "# Not repeated here: the rows had weights" in lines
    assert "# Not repeated here: loss has <function" in lines
    assert command_line(clf) is None
    compile(lines, "lines", "exec")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ensemble = bl.BaggedClassifier(counted(), n_estimators=2).fit(X, y)
    assert "no random_state was set" in python_lines(ensemble)


def test_names_too_long_for_a_page_are_not_cut_but_refused():
    clf = bl.BayesNetClassifier().fit(pd.DataFrame({"x" * 100_000: ["a", "b"] * 9}), ["p", "q"] * 9)
    assert python_lines(clf).startswith("# The lines would take 100,")
