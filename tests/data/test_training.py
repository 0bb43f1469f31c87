"""One way from training data to a table: the classifier, the ensembles and the selectors agree."""

import ast
import pathlib
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import cross_val_score

import bayleaf as bl
from bayleaf.data import Cuts, IdentifierWarning
from bayleaf.data.columns import take_rows
from reference.counted import counted

PACKAGE = pathlib.Path(bl.__file__).parent


def shifted(rows=200, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    return np.column_stack([y + rng.normal(0, 0.4, rows), rng.random(rows)]), y


@pytest.mark.parametrize("selector", [None, bl.MMPC(), bl.BayesFactorSelector()])
def test_cuts_know_the_columns_of_arrays_by_position(selector):
    X, y = shifted()
    fitted = bl.BayesNetClassifier(discretizer=Cuts({0: [0.5], 1: [0.5]}), selector=selector).fit(X, y)
    assert fitted.network_.nodes[:-1] == (("x0", "x1") if selector is None else ("x0",))
    with pytest.raises(
        ValueError, match=r"Cuts names column 7, but X has no such numeric column; it has colu"
    ):
        bl.BayesNetClassifier(discretizer=Cuts({0: [0.5], 1: [0.5], 7: [1]}), selector=selector).fit(X, y)


def test_all_columns_without_cuts_are_named():
    X, y = shifted()
    with pytest.raises(ValueError, match=r"Cuts has no cut points for columns 0, 1\. Add them to cuts"):
        bl.BayesNetClassifier(discretizer=Cuts({})).fit(X, y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(
    "learner",
    [bl.MMPC(), counted(), bl.BaggedClassifier(counted(), n_estimators=2, random_state=0)],
    ids=repr,
)
def test_rows_of_weight_zero_are_no_rows(learner, frame):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 120)
    word = np.where(rng.random(120) < 0.85, y, 1 - y).astype(str)
    # Eighty rows without weight, each with a word of its own: tests of so many categories would need more rows.
    words = [*word.tolist(), *(f"other {k}" for k in range(80))]
    numbers = [*(y + rng.normal(0, 0.5, 120)).tolist(), *rng.normal(0, 9, 80).tolist()]
    labels = np.array([*y.tolist(), *[0, 1] * 40])
    weights = np.r_[np.ones(120), np.zeros(80)]
    X = frame({"word": words, "number": numbers})
    with_them = learner.fit(X, labels, sample_weight=weights)
    seen = vars(with_them).copy()
    without = learner.fit(frame({"word": words[:120], "number": numbers[:120]}), y, np.ones(120))
    if isinstance(learner, bl.MMPC):
        assert seen["support_"].tolist() == without.get_support().tolist() == [True, True]
    else:
        assert seen["schema_"] == without.schema_


# Where warnings point


def caught_from(call):
    with warnings.catch_warnings(record=True, action="always") as caught:
        call()
    return caught


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("predict", "not seen in fit"),
        ("predict_proba", "not seen in fit"),
        ("score", "not seen in fit"),
        ("explain", "not seen in fit"),
        ("bagged", "not seen in fit"),
        ("log_likelihood", "not a state of the network"),
        ("empty", "has no values at all"),
        ("empty selector", "has no values at all"),
        ("name", "X has a column 'b', the name of y"),
        ("folds", "fewer than the 10 folds"),
        ("save", "A model file cannot hold"),
    ],
)
def test_warnings_name_the_line_of_the_caller(what, message, tmp_path):
    X = pd.DataFrame({"a": ["u", "v"] * 15, "b": ["x", "y", "y"] * 10})
    y = np.array(["no", "yes"] * 15)
    clf = counted(bl.NaiveBayes()).fit(X, y)
    bagged = bl.BaggedClassifier(counted(), n_estimators=2, random_state=0).fit(X, y)
    odd = X.assign(a="w")
    rare = np.array(["no"] * 27 + ["yes"] * 3)
    calls = {
        "predict": lambda: clf.predict(odd),
        "predict_proba": lambda: clf.predict_proba(odd),
        "score": lambda: clf.score(odd, y),
        "explain": lambda: clf.explain(odd),
        "bagged": lambda: bagged.predict(odd),
        "log_likelihood": lambda: clf.network_.log_likelihood(odd.assign(**{"class": y})),
        "empty": lambda: bl.BayesNetClassifier(bl.NaiveBayes()).fit(X.assign(b=None), y),
        "empty selector": lambda: bl.MMPC().fit(X.assign(b=None), y),
        "name": lambda: bl.BayesNetClassifier(bl.NaiveBayes()).fit(X, X["b"]),
        "folds": lambda: bl.BayesNetClassifier(bl.HillClimbing(bl.CrossValidatedRisk(folds=10))).fit(X, rare),
        "save": lambda: bl.BayesNetClassifier(Own()).fit(X, y).save(tmp_path / "model.json"),
    }
    caught = caught_from(calls[what])
    assert message in str(caught[0].message)
    assert {warning.filename for warning in caught} == {__file__}


class Own:
    """A structure learner that no model file knows."""

    def learn(self, table, rng):
        return bl.NaiveBayes().learn(table, rng)


# Nothing private of scikit-learn


def private_imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
            yield from (part for part in (node.module or "").split(".") if part.startswith("_"))
            yield from (alias.name for alias in node.names if alias.name.startswith("_"))


def test_only_public_functions_of_scikit_learn_are_used():
    users = [path for path in PACKAGE.rglob("*.py") if "sklearn" in path.read_text()]
    found = {path.name: list(private_imports(path)) for path in users}
    assert len(found) > 10
    assert {name: names for name, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "data",
    [
        [["a", 1], ["b", 2], ["c", 3]],
        np.array([["a", 1], ["b", 2], ["c", 3]], dtype=object),
        pd.DataFrame({"x": ["a", "b", "c"], "y": [1, 2, 3]}, index=[7, 7, 9]),
        pl.DataFrame({"x": ["a", "b", "c"], "y": [1, 2, 3]}),
        pa.table({"x": ["a", "b", "c"], "y": [1, 2, 3]}),
    ],
    ids=lambda data: type(data).__module__.split(".")[0],
)
def test_some_rows_of_anything(data):
    rows = take_rows(data, np.array([2, 0]))
    assert type(rows) is type(data)
    frame = rows.to_pandas() if isinstance(rows, pl.DataFrame | pa.Table) else pd.DataFrame(rows)
    assert frame.to_numpy().tolist() == [["c", 3], ["a", 1]]


@pytest.mark.parametrize("data", [["a", "b", "c"], pd.Series(list("abc"), [5, 6, 5]), pl.Series(list("abc"))])
def test_some_of_the_labels(data):
    labels = take_rows(data, np.array([2, 0]))
    assert type(labels) is type(data)
    assert list(labels) == ["c", "a"]


@pytest.mark.parametrize("way", ["cross_val_score", "cross_validate"])
def test_warnings_of_repeated_fits_point_at_the_caller(way):
    rows = [[f"patient {k}", str(k % 3)] for k in range(300)]
    labels = [str(k % 2) for k in range(300)]
    with pytest.warns(IdentifierWarning):
        model = bl.BayesNetClassifier().fit(rows, labels)
    with warnings.catch_warnings(record=True, action="always") as caught:
        if way == "cross_val_score":
            cross_val_score(bl.BayesNetClassifier(), rows, labels, cv=2)
        else:
            model.cross_validate(rows, labels, cv=2)
    assert caught
    assert {each.filename for each in caught} == {__file__}
