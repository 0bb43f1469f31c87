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


@pytest.mark.parametrize("selector", [bl.MMPC, SelectKBest(), 3])
def test_selectors_that_are_none(frame, selector):
    with pytest.raises(
        TypeError, match=r"with a method 'select', such as bayleaf\.MMPC\(\)\. Got"
    ) as refusal:
        bl.BayesNetClassifier(selector=selector).fit(frame[["a", "b"]], frame["status"])
    assert ("in a Pipeline" in str(refusal.value)) == isinstance(selector, SelectKBest)


@pytest.fixture
def rain():
    names = ("rain", "wet")
    variables = [bl.data.Variable(name, ("no", "yes")) for name in names]
    return bl.BayesNet(variables, bl.DAG(names, [("rain", "wet")]), [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]])


def test_a_network_says_which_values_are_no_states(rain):
    sentence = (
        r"^Column 'wet' has 1 value that is not a state of the network \('very'\); treated as missing\.$"
    )
    with pytest.warns(UserWarning, match=sentence):
        found = rain.log_likelihood([["yes", "very"]])
    assert np.isclose(found[0], np.log(0.2))
    with pytest.warns(UserWarning, match=r"has 2 values that are not states of the network \('a', 'b'\)"):
        rain.log_likelihood([["yes", "a"], ["no", "b"]])


def test_files_of_networks_and_of_models_name_their_readers(rain, frame, tmp_path):
    rain.save(tmp_path / "network.json")
    with pytest.raises(
        ValueError, match=r"holds a network, not a fitted classifier: read it with .*load_network"
    ):
        bl.load(tmp_path / "network.json")
    bl.BayesNetClassifier().fit(frame[["a", "b"]], frame["status"]).save(tmp_path / "model.json")
    with pytest.raises(
        ValueError, match=r"holds a fitted classifier, not a network: read it with bayleaf\.load\."
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
        TypeError, match=r"HillClimbing cannot maximise .*(bayleaf\.BIC\(\) or|pass an object, BIC)"
    ):
        bl.BayesNetClassifier(bl.HillClimbing(score)).fit(frame[["a", "b"]], frame["status"])


@pytest.mark.parametrize("vote", [None, "majority", "average"])
def test_rows_in_place_of_probabilities(frame, vote):
    X, y = frame[["a", "b"]], frame["status"]
    clf = (bl.BayesNetClassifier() if vote is None else bl.BaggedClassifier(n_estimators=2, vote=vote)).fit(
        X, y
    )
    for wrong in (X, frame[["b"]], frame[["b", "b"]].to_numpy(), X.to_numpy().tolist()):
        with pytest.raises(
            ValueError,
            match=r"^decide takes probabilities .*, 2 in each row; .* For rows of data use predict\.$",
        ):
            clf.decide(wrong)
    probabilities = clf.predict_proba(X)
    assert clf.decide(probabilities.tolist()).tolist() == clf.predict(X).tolist()


def test_weights_that_are_a_word(frame):
    with pytest.raises(TypeError, match=r"sample_weight is the text 'balanced': pass one weight per row;"):
        bl.BayesNetClassifier().fit(frame[["a"]], frame["status"], sample_weight="balanced")


@pytest.mark.parametrize("estimator", [bl.BayesNetClassifier(), bl.BaggedClassifier(), bl.MMPC()])
def test_the_name_of_the_class_in_place_of_its_column(frame, estimator):
    with pytest.raises(
        TypeError, match=r"y is the text 'status': pass the column itself, such as df\['status'\]"
    ):
        estimator.fit(frame, "status")


def test_questions_that_a_network_cannot_answer(rain):
    with pytest.raises(
        TypeError, match=r"A node is given by its name, a string; got \['rain', 'wet'\] \(list\)"
    ):
        rain.posterior(["rain", "wet"], {"wet": "yes"})
    with pytest.raises(
        TypeError, match="'evidence' parameter of posterior must be an instance of Mapping or None"
    ):
        rain.posterior("rain", "wet")
    with pytest.raises(TypeError, match="'n' parameter of sample must be an int in the range"):
        rain.sample("3")
    with pytest.raises(ValueError, match="'n' parameter of sample must be an int in the range"):
        rain.sample(-1)


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_a_sample_without_rows_has_the_types_of_one_with_rows(rain, backend):
    none, some = rain.sample(0, backend=backend), rain.sample(3, backend=backend)
    assert len(none) == 0
    if backend == "pandas":
        assert none.dtypes.equals(some.dtypes)
    else:
        assert none.schema == some.schema


@pytest.mark.parametrize("read", [bl.load, bl.load_network, bl.read_bif])
def test_files_that_there_are_not(read, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"^There is no file '.*nope\.json'\.$"):
        read(tmp_path / "nope.json")


@pytest.mark.parametrize("name", ["explain", "sufficient_reason", "network_"])
def test_what_only_single_networks_have(frame, name):
    ensemble = bl.classifier("RTAN", n_estimators=2).fit(frame[["a", "b"]], frame["status"])
    for asked in (ensemble, bl.BaggedClassifier(), bl.BaggedClassifier):
        assert not hasattr(asked, name)
        with pytest.raises(
            AttributeError, match=rf"^BaggedClassifier has no '{name}': .* as in estimators_\[0\]\.{name};"
        ):
            getattr(asked, name)
    assert hasattr(ensemble.estimators_[0], name)
