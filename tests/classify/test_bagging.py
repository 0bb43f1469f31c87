"""Samples of an ensemble: drawn as scikit-learn's bagging draws them, and settings refused in a sentence."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

import bayleaf as bl
from reference.counted import counted

IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize(
    "settings",
    [{"max_samples": 1.0}, {"max_samples": 40}, {"max_samples": 0.5, "bootstrap": False}],
    ids=str,
)
def test_rows_are_those_that_scikit_learn_draws(settings):
    theirs = BaggingClassifier(GaussianNB(), 4, random_state=7, **settings).fit(*IRIS)
    ours = bl.BaggedClassifier(counted(), n_estimators=4, random_state=7, **settings)
    table = counted().learn_table(*IRIS)
    for (_, rows), drawn in zip(ours._samples(table), theirs.estimators_samples_, strict=True):
        assert rows.tolist() == sorted(drawn.tolist())


def test_without_a_number_each_sample_has_as_many_rows_as_there_are():
    plain = bl.BayesNetClassifier(bl.TAN(), bl.Dirichlet())
    ensemble = bl.BaggedClassifier(plain, n_estimators=3, random_state=0).fit(*IRIS)
    assert [member.training_.rows for member in ensemble.estimators_] == [150] * 3
    few = bl.BaggedClassifier(plain, n_estimators=2, max_samples=0.1, random_state=0)
    assert [member.training_.rows for member in few.fit(*IRIS).estimators_] == [15] * 2
    # A share is one of the weight, where there are weights.
    weights = np.full(150, 2.0)
    assert [member.training_.rows for member in few.fit(*IRIS, sample_weight=weights).estimators_] == [30] * 2


def test_copies_of_a_row_are_its_weight_where_tables_are_tuned():
    ensemble = bl.BaggedClassifier(n_estimators=2, random_state=0).fit(*IRIS)
    for member in ensemble.estimators_:
        assert member.training_.rows < member.training_.weight == 150


def test_rows_are_drawn_in_proportion_to_their_weights():
    weights = np.where(IRIS[1] == 2, 1.0, 1e-9)
    ensemble = bl.BaggedClassifier(counted(), n_estimators=2, random_state=0).fit(
        *IRIS, sample_weight=weights
    )
    for member in ensemble.estimators_:
        assert member.training_.class_weights == (0.0, 0.0, 150.0)
    assert (ensemble.predict(IRIS[0]) == 2).all()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"n_estimators": 0},
            r"'n_estimators' parameter of BaggedClassifier must be an int in the range \[1, inf\)",
        ),
        (
            {"max_samples": 0},
            r"'max_samples' parameter of BaggedClassifier must be an int in the range \[1, inf\)",
        ),
        ({"max_samples": 1.5}, r"'max_samples' parameter .* must be a float in the range \(0, 1\]"),
        ({"max_samples": "all"}, "'max_samples' parameter of BaggedClassifier must be an int"),
        ({"bootstrap": "yes"}, "'bootstrap' parameter of BaggedClassifier must be a bool"),
        (
            {"max_samples": 151, "bootstrap": False},
            "Samples of 151 rows cannot be drawn from 150 rows without drawing a row twice",
        ),
    ],
    ids=str,
)
def test_wrong_settings_are_refused(settings, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        bl.BaggedClassifier(**settings).fit(*IRIS)


def test_a_fit_that_fails_leaves_the_ensemble_as_it_was():
    ensemble = bl.BaggedClassifier(counted(), n_estimators=2, random_state=0).fit(*IRIS)
    before = ensemble.predict_proba(IRIS[0])
    ensemble.set_params(estimator=bl.BayesNetClassifier(bl.TAN(root="nothing")))
    with pytest.raises(ValueError, match="nothing"):
        ensemble.fit(*IRIS)
    assert (ensemble.predict_proba(IRIS[0]) == before).all()


def test_members_have_random_states_of_their_own_and_the_estimator_keeps_its_own():
    estimator = bl.BayesNetClassifier(bl.OrderBased("random"), random_state=1)
    ensemble = bl.BaggedClassifier(estimator, n_estimators=3, random_state=0).fit(*IRIS)
    assert len({member.random_state for member in ensemble.estimators_}) == 3
    assert estimator.random_state == 1
    assert (clone(ensemble).fit(*IRIS).predict_proba(IRIS[0]) == ensemble.predict_proba(IRIS[0])).all()


def test_settings_of_the_members_can_be_searched_over():
    grid = {"estimator__structure__k": [0, 1], "vote": ["majority", "average"]}
    ensemble = bl.BaggedClassifier(
        bl.BayesNetClassifier(bl.KDB(), bl.Dirichlet(), bl.MDLP()), n_estimators=2, random_state=0
    )
    search = GridSearchCV(ensemble, grid, cv=2).fit(*IRIS)
    assert set(search.best_params_) == set(grid)
