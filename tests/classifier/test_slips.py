"""Slips of the pen in calls: what is said in answer, or that something is said at all."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.feature_selection import SelectKBest

import bayleaf as bl


@pytest.fixture
def frame():
    return pd.DataFrame({"a": ["u", "v"] * 10, "b": [1, 2, 3, 4] * 5, "status": ["ill", "well"] * 10})


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_class_column_left_in_the_table_is_a_warning(frame, library):
    rows = library(frame.to_dict("list"))
    with pytest.warns(
        UserWarning, match="X has a column 'status', the name of y: if it is the class.*Leave it out"
    ):
        clf = bl.BayesNetClassifier().fit(rows, rows["status"])
    assert clf.schema_.target.name == "class"
    with pytest.warns(UserWarning, match="X has a column 'status', the name of y"):
        bl.MMPC().fit(rows, rows["status"])


def test_other_names_of_the_class_are_no_warning(frame):
    y = frame["status"]
    assert bl.BayesNetClassifier().fit(frame[["a", "b"]], y).schema_.target.name == "status"
    # Without a name of its own y may meet a feature that happens to be called so.
    table = frame[["a"]].rename(columns={"a": "class"})
    assert bl.BayesNetClassifier().fit(table, y.to_numpy()).schema_.target.name == "class_"


@pytest.mark.parametrize("selector", ["MMPC", bl.MMPC, SelectKBest()])
def test_selectors_that_are_none(frame, selector):
    with pytest.raises(
        TypeError, match=r"with a method 'select', such as bayleaf\.MMPC\(\)\. Got"
    ) as refusal:
        bl.BayesNetClassifier(selector=selector).fit(frame[["a", "b"]], frame["status"])
    assert ("in a Pipeline" in str(refusal.value)) == isinstance(selector, SelectKBest)


@pytest.fixture
def rain():
    names = ("rain", "wet")
    variables = [bl.Variable(name, ("no", "yes")) for name in names]
    return bl.BayesNet(variables, bl.DAG(names, [("rain", "wet")]), [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])


def test_a_network_says_which_values_are_no_states(rain):
    sentence = r"^Column 'wet' has 1 value that is no state of the network \('very'\); treated as missing\.$"
    with pytest.warns(UserWarning, match=sentence):
        found = rain.log_likelihood([["yes", "very"]])
    assert np.isclose(found[0], np.log(0.2))
    with pytest.warns(UserWarning, match=r"has 2 values that are no states of the network \('a', 'b'\)"):
        rain.log_likelihood([["yes", "a"], ["no", "b"]])


def test_files_of_networks_and_of_models_name_their_readers(rain, frame, tmp_path):
    rain.save(tmp_path / "network.json")
    with pytest.raises(
        ValueError, match=r"holds a network, not a fitted classifier: read it by .*load_network"
    ):
        bl.load(tmp_path / "network.json")
    bl.BayesNetClassifier().fit(frame[["a", "b"]], frame["status"]).save(tmp_path / "model.json")
    with pytest.raises(
        ValueError, match=r"holds a fitted classifier, not a network: read it by bayleaf\.load\."
    ):
        bl.load_network(tmp_path / "model.json")


@pytest.mark.parametrize("learner", [bl.Exact, bl.HillClimbing, bl.TAN])
@pytest.mark.parametrize("what", ["required", "forbidden"])
def test_arcs_to_features_that_the_selector_left_out(frame, learner, what):
    rows = frame.assign(noise=["x", "x", "y", "y"] * 5)[["a", "noise"]]
    clf = bl.BayesNetClassifier(
        learner(**{what: [("noise", "a")]}), selector=bl.BayesFactorSelector(ess=1.0, delta=0.5)
    )
    sentence = (
        rf"The {what} arc 'noise' -> 'a' names 'noise', which BayesFactorSelector\(.* has left out: drop"
    )
    with pytest.raises(ValueError, match=sentence):
        clf.fit(rows, frame["status"])


@pytest.mark.parametrize("score", ["bic", 3, bl.BIC])
def test_scores_that_are_none(frame, score):
    with pytest.raises(
        TypeError, match=r"HillClimbing cannot climb .*(bayleaf\.BIC\(\) or|make an object of it, BIC)"
    ):
        bl.BayesNetClassifier(bl.HillClimbing(score)).fit(frame[["a", "b"]], frame["status"])
