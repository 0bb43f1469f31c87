"""The published method by whose name a classifier was built goes with it, as long as it is that method."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import bayleaf as bl


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"f{j}": rng.choice(["a", "b"], 60) for j in range(4)})
    return X, np.where((X["f0"] == "a") ^ (rng.random(60) < 0.1), "yes", "no")


@pytest.mark.parametrize("name", ["KDB(k=1)", "RTAN(n_estimators=3)"])
def test_fit_records_it_and_copies_keep_it(data, name, tmp_path):
    key, _, value = name.partition("(")[2].rstrip(")").partition("=")
    clf = bl.classifier(name.partition("(")[0], **{key: int(value)}, missing="drop")
    again = clone(pickle.loads(pickle.dumps(clf)))
    for each in (clf, again):
        each.fit(*data)
        method = each.training_.method
        assert (str(method), method.settings) == (name, {key: value})
        assert method.reference in {"Sahami 1996", "Ma & Shi 2004"}
        each.save(tmp_path / "m.json")
        assert bl.load(tmp_path / "m.json").training_ == each.training_


def test_settings_that_are_the_usual_ones_are_not_named():
    assert str(bl.classifier("kdb", k=2).published_method) == "KDB"
    assert str(bl.classifier("tan-omi-cr-cl").published_method) == "TAN-OMI-CR-CL"
    assert str(bl.classifier("fsANB-BDeu", ess=5.0, delta=3.0).published_method) == (
        "fsANB-BDeu(ess=5.0, delta=3.0)"
    )


def test_another_learner_is_another_method(data):
    clf = bl.classifier("KDB")
    assert clf.set_params(unknown="error", discretizer=bl.MDLP()).published_method is not None
    assert clf.set_params(structure__k=1).fit(*data).training_.method is None
    assert clf.set_params(structure__k=2).fit(*data).training_.method.name == "KDB"
    assert bl.classifier("RTAN").set_params(vote="majority").published_method is None
    assert bl.BayesNetClassifier().fit(*data).training_.method is None


def test_a_search_over_settings_names_what_it_found(data):
    search = GridSearchCV(bl.classifier("KDB", k=1), {"structure__k": [1]}, cv=2).fit(*data)
    assert str(search.best_estimator_.training_.method) == "KDB(k=1)"
    search = GridSearchCV(bl.classifier("KDB", k=1), {"structure__k": [0]}, cv=2).fit(*data)
    assert search.best_estimator_.training_.method is None
