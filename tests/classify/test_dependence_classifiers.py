"""Classifiers whose structure is KDB or FKDB, with and without functional dependencies, through the estimator."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import bayleaf as bl
from reference.counted import counted
from reference.learner_checks import check_learners

LEARNERS = {
    "KDB": bl.KDB(),
    "FKDB": bl.FKDB(),
    "KDB-FD": bl.KDB(functional_dependencies=True, min_count=5),
    "FKDB-FD": bl.FKDB(functional_dependencies=True, min_count=5),
}


@pytest.fixture
def data():
    """Rows full of dependencies: columns are functions of a hidden word, two of them noisy."""
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 5, 300)
    X = pd.DataFrame(
        {
            "word": np.array(["a", "a", "b", "c", "c"])[hidden],
            "flag": np.array([True, False, False, True, True])[hidden],
            "digit": np.array([1, 1, 2, 2, 3])[hidden],
            "noisy": (hidden + rng.integers(0, 2, 300)) % 3,
            "other": np.where(rng.random(300) < 0.8, hidden % 2, rng.integers(0, 2, 300)),
        }
    )
    y = np.where(rng.random(300) < 0.8, hidden > 1, rng.random(300) < 0.5)
    return X, np.where(y, "yes", "no")


def fitted(name, data, **settings):
    X, y = data
    clf = bl.BayesNetClassifier(
        LEARNERS[name], bl.Laplace(), categorical_features=["digit", "noisy", "other"], **settings
    )
    return clf.fit(X, y)


@pytest.mark.parametrize("name", LEARNERS)
def test_checks_of_scikit_learn(name):
    check_learners(counted(LEARNERS[name]))


@pytest.mark.parametrize("name", LEARNERS)
def test_posteriors_are_posteriors(data, name):
    clf = fitted(name, data)
    posterior = clf.predict_proba(data[0])
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(clf.predict_log_proba(data[0])), posterior)
    assert clf.score(*data) > 0.8


@pytest.mark.parametrize("name", LEARNERS)
def test_weights_count_like_equal_rows(data, name):
    X, y = data
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = clone(fitted(name, data)).fit(X, y, sample_weight=weights)
    repeated = clone(fitted(name, data)).fit(X.iloc[rows], y[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.parametrize("name", LEARNERS)
def test_the_order_of_the_columns_does_not_matter(data, name):
    X, y = data
    clf = fitted(name, data)
    other = clone(clf).fit(X[X.columns[::-1]], y)
    np.testing.assert_allclose(clf.predict_proba(X), other.predict_proba(X[X.columns[::-1]]))


@pytest.mark.parametrize("name", LEARNERS)
def test_model_files_and_pickles_predict_the_same_bits(data, name, tmp_path):
    X, y = data
    clf = fitted(name, data)
    clf.save(tmp_path / "m.bayleaf.json")
    loaded = bl.load(tmp_path / "m.bayleaf.json")
    gaps = X.mask(np.random.default_rng(1).random(X.shape) < 0.2)
    strange = X.apply(lambda column: np.random.default_rng(2).permutation(column))
    for rows in (X, gaps, strange):
        expected = clf.predict_proba(rows)
        assert (loaded.predict_proba(rows) == expected).all()
        assert (pickle.loads(pickle.dumps(clf)).predict_proba(rows) == expected).all()
    if name.endswith("FD"):
        assert list(loaded.functional_dependencies_) == list(clf.functional_dependencies_)
        loaded.save(tmp_path / "again.bayleaf.json")
        assert (tmp_path / "again.bayleaf.json").read_text() == (tmp_path / "m.bayleaf.json").read_text()
    assert (loaded.fit(X, y).predict_proba(X) == clf.predict_proba(X)).all()


def test_a_model_too_large_for_a_file_is_refused_in_a_sentence(data, tmp_path, monkeypatch):
    clf = fitted("KDB-FD", data)
    monkeypatch.setattr("bayleaf.network.instance.MAX_FAMILY_CELLS", 10)
    with pytest.raises(ValueError, match=r"too large for a model file.*Pickle it instead"):
        clf.save(tmp_path / "m.bayleaf.json")
    assert not list(tmp_path.iterdir())


def test_dependencies_are_listed_by_name_and_label(data):
    found = fitted("KDB-FD", data).functional_dependencies_
    assert ("word", "b", "flag", False) in {each[:4] for each in found}
    assert {"word", "digit"} <= set(found.to_frame("pandas")["column"])


def test_only_learners_that_look_for_dependencies_list_them(data):
    clf = fitted("KDB", data)
    assert not hasattr(clf, "functional_dependencies_")
    with pytest.raises(AttributeError, match=r"KDB\(\) does not look for functional dependencies"):
        clf.functional_dependencies_  # noqa: B018
    refitted = fitted("KDB-FD", data).set_params(structure=bl.TAN()).fit(*data)
    assert not hasattr(refitted, "functional_dependencies_")


def test_dependencies_change_predictions(data):
    with_them = fitted("KDB-FD", data).predict_proba(data[0])
    without = fitted("KDB", data).predict_proba(data[0])
    assert np.abs(with_them - without).max() > 1e-3


@pytest.mark.parametrize("name", ["KDB-FD", "FKDB-FD"])
def test_explanations_add_up(data, name):
    X, _ = data
    clf = fitted(name, data)
    rows = X.mask(np.random.default_rng(3).random(X.shape) < 0.1).iloc[:12]
    explanation = clf.explain(rows)
    np.testing.assert_allclose(explanation.total, explanation.log_odds, atol=1e-10)
    np.testing.assert_allclose(explanation.probability, clf.predict_proba(rows).max(axis=1))


def test_k_is_a_parameter_to_search_over(data):
    X, y = data
    clf = bl.BayesNetClassifier(bl.KDB(), categorical_features=["digit", "noisy", "other"])
    search = GridSearchCV(clf, {"structure__k": [0, 1, 2]}, cv=2).fit(X, y)
    assert search.best_params_["structure__k"] in (0, 1, 2)


@pytest.mark.parametrize("name", ["KDB", "FKDB", "KDB-FD", "FKDB-FD", "FKDB-plain", "RTAN"])
def test_registry_names_take_their_settings(name):
    if name == "RTAN":
        clf = bl.classifier(name, n_estimators=3, vote="average", missing="impute", random_state=1)
        assert (clf.n_estimators, clf.vote, clf.estimator.missing) == (3, "average", "impute")
        with pytest.raises(
            ValueError, match=r"'RTAN' has no setting 'k'; it has n_estimators, vote, .*missing"
        ):
            bl.classifier(name, k=3)
        return
    clf = bl.classifier(name, k=3, missing="impute")
    assert clf.structure.k == 3
    assert clf.structure.functional_dependencies == (name in ("FKDB", "KDB-FD", "FKDB-FD"))
    assert isinstance(clf.parameters, bl.Laplace)


def frame(library, missing):
    rng = np.random.default_rng(5)
    words = rng.choice(["x", "y", "z"], 120).astype(object)
    numbers = rng.normal(size=120)
    words[rng.random(120) < missing] = None
    numbers[rng.random(120) < missing] = np.nan
    y = np.where((words == "x") | (np.nan_to_num(numbers) > 0.7), "yes", "no")
    return library({"word": words.tolist(), "number": numbers, "flag": rng.random(120) < 0.5}), y


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("missing", ["available", "impute", "drop"])
def test_bagging_takes_frames_with_strings_and_gaps(library, vote, missing):
    X, y = frame(library, 0.1)
    rtan = bl.classifier("RTAN", vote=vote, missing=missing, random_state=0).fit(X, y)
    assert rtan.score(X, y) > 0.8
    posterior = rtan.predict_proba(X)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0)
    if vote == "majority":
        np.testing.assert_allclose(posterior * 10, np.round(posterior * 10))
    else:
        mean = np.mean([member.predict_proba(X) for member in rtan.estimators_], axis=0)
        np.testing.assert_allclose(posterior, mean)
    assert rtan.feature_names_in_.tolist() == ["word", "number", "flag"]
    assert rtan.n_parameters_ == sum(member.n_parameters_ for member in rtan.estimators_)


def test_votes_are_those_of_the_members():
    X, y = frame(pd.DataFrame, 0.0)
    rtan = bl.classifier("RTAN", n_estimators=7, vote="majority", random_state=3).fit(X, y)
    votes = np.mean([member.predict(X) == "yes" for member in rtan.estimators_], axis=0)
    np.testing.assert_allclose(rtan.predict_proba(X)[:, 1], votes)
    assert len({tuple(member.network_.tables[0].ravel()) for member in rtan.estimators_}) > 1
    again = bl.classifier("RTAN", n_estimators=7, vote="majority", random_state=3).fit(X, y)
    assert (again.predict_proba(X) == rtan.predict_proba(X)).all()


def test_a_tied_vote_goes_to_the_more_frequent_class():
    X, y = frame(pd.DataFrame, 0.0)
    labels = np.where(y == "yes", 1, 0)  # the first class in sorted order is the rarer one
    assert (labels == 0).sum() < (labels == 1).sum()
    rtan = bl.classifier("RTAN", n_estimators=2, vote="majority", random_state=1).fit(X, labels)
    tied = rtan.predict_proba(X)[:, 0] == 0.5
    assert tied.any()
    assert (rtan.predict(X)[tied] == 1).all()


def test_probabilities_are_averaged_unless_votes_are_asked_for():
    X, y = frame(pd.DataFrame, 0.0)
    for ensemble in (bl.classifier("RTAN", random_state=3), bl.BaggedClassifier(counted(), random_state=3)):
        ensemble.fit(X, y)
        mean = sum(member.predict_proba(X) for member in ensemble.estimators_) / 10
        np.testing.assert_allclose(ensemble.predict_proba(X), mean, rtol=1e-12)
        assert (ensemble.predict(X) == ensemble.classes_[mean.argmax(axis=1)]).all()


@pytest.mark.parametrize("vote", ["majority", "average"])
def test_costs_of_mistakes_reach_the_decision_of_an_ensemble(vote):
    X, y = frame(pd.DataFrame, 0.0)
    noisy = np.where(np.random.default_rng(0).random(120) < 0.3, "yes", y)
    dear = [[0.0, 1.0], [20.0, 0.0]]  # a missed "yes" is dear
    members = {"n_estimators": 5, "vote": vote, "random_state": 0}
    plain = bl.classifier("RTAN", **members).fit(X, noisy)
    careful = bl.classifier("RTAN", **members, loss=dear).fit(X, noisy)
    assert (careful.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()
    assert (careful.predict(X) == careful.decide(careful.predict_proba(X))).all()


def test_bagging_respects_a_selector_and_weights():
    class FirstOnly:
        def select(self, table, rng):
            return [0]

    X, y = frame(pd.DataFrame, 0.1)
    estimator = counted(selector=FirstOnly())
    rtan = bl.BaggedClassifier(estimator, random_state=0).fit(X, y, sample_weight=np.arange(120))
    assert {member.network_.nodes for member in rtan.estimators_} == {("word", "class")}
    assert rtan.predict(X).shape == (120,)
    with pytest.raises(ValueError, match="'vote' parameter of BaggedClassifier must be a str among"):
        bl.BaggedClassifier(vote="loud").fit(X, y)


@pytest.mark.parametrize("vote", ["majority", "average"])
@pytest.mark.parametrize("structure", [bl.TAN(), bl.KDB(functional_dependencies=True, min_count=5)], ids=str)
def test_a_saved_ensemble_predicts_the_same_bits(data, vote, structure, tmp_path):
    X, y = data
    gaps = X.mask(np.random.default_rng(1).random(X.shape) < 0.2)
    member = bl.BayesNetClassifier(structure, bl.Laplace(), categorical_features=["digit", "noisy", "other"])
    ensemble = bl.BaggedClassifier(member, 3, vote, random_state=0).fit(X, y)
    ensemble.save(tmp_path / "m.bayleaf.json")
    loaded = bl.load(tmp_path / "m.bayleaf.json")
    for rows in (X, gaps):
        expected = ensemble.predict_proba(rows)
        assert (loaded.predict_proba(rows) == expected).all()
        assert (loaded.predict(rows) == ensemble.predict(rows)).all()
        assert (pickle.loads(pickle.dumps(ensemble)).predict_proba(rows) == expected).all()
    assert repr(loaded) == repr(ensemble)
    assert loaded.n_parameters_ == ensemble.n_parameters_
    assert (loaded.fit(X, y).predict_proba(X) == ensemble.predict_proba(X)).all()


# As for scikit-learn's own bagging: rows are drawn in proportion to the weights, not repeated.
DRAWN = "check_sample_weight_equivalence_on_dense_data"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_check_estimator_of_the_ensemble():
    bagged = bl.BaggedClassifier(counted(), 3, "majority")
    expected = get_tags(bagged).expected_failed_checks
    assert "bagging draws rows" in expected[DRAWN]
    results = check_estimator(bagged, on_fail="raise", expected_failed_checks=expected)
    assert sum(result["status"] == "passed" for result in results) > 50


def test_checks_of_the_other_vote():
    # Weights of classes are a setting of the members: scikit-learn has no such check for the ensemble.
    without = frozenset({DRAWN, "check_class_weight_classifiers"})
    check_learners(bl.BaggedClassifier(counted(), 3, "average"), but=without)
