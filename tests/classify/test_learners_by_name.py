"""Learners given by name, from the one register; searches over settings of learners that were not named."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import bayleaf as bl
from bayleaf.learn.register import learners, option_words

RNG = np.random.default_rng(0)
X = RNG.integers(0, 3, (60, 4)).astype(str)
Y = (X[:, 0] == X[:, 1]).astype(int)


@pytest.mark.parametrize("kind", ["structure", "parameters", "discretizer", "selector"])
def test_every_learner_of_the_register_is_known_by_its_name(kind):
    for word, learner in option_words(kind).items():
        for text in (learner.__name__, learner.__name__.lower(), f" {learner.__name__}() "):
            assert type(getattr(bl.BayesNetClassifier(**{kind: text}), kind)) is learner, word


def test_a_name_is_the_learner_itself():
    named = bl.BayesNetClassifier("KDB(k=1)", "laplace").fit(X, Y)
    given = bl.BayesNetClassifier(bl.KDB(k=1), bl.Laplace()).fit(X, Y)
    assert repr(named) == repr(given)
    np.testing.assert_array_equal(named.predict_proba(X), given.predict_proba(X))
    assert repr(clone(named)) == repr(given)
    assert repr(bl.BayesNetClassifier().set_params(structure="kdb(k=1)", parameters="Laplace")) == repr(given)
    assert repr(bl.classifier("kdb(k=1)")) == repr(bl.classifier("KDB", k=1))
    assert str(bl.classifier("KDB(k=1)").published_method) == "KDB(k=1)"
    assert bl.cite("KDB(k=3)") == bl.cite("KDB")


def test_settings_of_learners_that_were_not_named():
    clf = bl.BayesNetClassifier().set_params(structure__shrunk=False, discretizer__bins=4)
    assert (repr(clf.structure), repr(clf.discretizer)) == ("TAN()", "AdaptiveQuantiles(bins=4)")
    assert (
        repr(bl.BayesNetClassifier().set_params(structure__root="x0").structure)
        == "TAN(root='x0', shrunk=True)"
    )
    assert repr(bl.BayesNetClassifier("fkdb").set_params(structure__k=1).structure) == "FKDB(k=1)"
    assert repr(bl.BayesNetClassifier().set_params(structure="kdb", structure__k=1).structure) == "KDB(k=1)"


def test_averaged_classifiers_take_texts_and_settings_of_their_default():
    named = bl.AveragedClassifier("aode(min_count=2)").fit(X, Y)
    given = bl.AveragedClassifier(bl.AODE(min_count=2)).fit(X, Y)
    assert repr(clone(named)) == repr(clone(given))
    np.testing.assert_array_equal(named.predict_proba(X), given.predict_proba(X))
    assert repr(bl.AveragedClassifier().set_params(structures__min_count=2).structures) == "AODE(min_count=2)"
    assert repr(bl.AveragedClassifier().set_params(structures="a2de").structures) == "A2DE()"
    model = bl.AveragedClassifier().set_params(estimator__parameters="laplace")
    assert repr(model.estimator) == "BayesNetClassifier(parameters=Laplace())"
    assert (
        repr(bl.BaggedClassifier().set_params(estimator__structure="nb").estimator.structure)
        == "NaiveBayes()"
    )
    with pytest.raises(
        ValueError, match="AODE has no setting 'k'; ESKDB has it: name one, as in structures='ESKDB'"
    ):
        bl.AveragedClassifier().set_params(structures__k=2)
    with pytest.raises(
        ValueError, match=r"'aoed' is not a learner for the setting 'structures'\. Did you mean 'aode'"
    ):
        bl.AveragedClassifier("aoed").fit(X, Y)


def test_grids_over_settings_and_names():
    grid = {"structure__k": [1, 2], "parameters__ess": [1.0, 5.0]}
    found = GridSearchCV(bl.BayesNetClassifier("kdb", "dirichlet", n_jobs=1), grid, cv=2).fit(X, Y)
    assert set(found.best_params_) == set(grid)
    assert isinstance(found.best_estimator_.structure, bl.KDB)
    over_names = GridSearchCV(
        bl.BayesNetClassifier(n_jobs=1), {"structure": ["naive-bayes", "tan"]}, cv=2
    ).fit(X, Y)
    assert len(over_names.cv_results_["params"]) == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bl.BayesNetClassifier("kbd").fit(X, Y), "'kbd' is not a learner for .* mean 'kdb'"),
        (lambda: bl.BayesNetClassifier("KDB(k=3").fit(X, Y), r"'KDB\(k=3' is not a learner for the setting"),
        (lambda: bl.BayesNetClassifier("laplace").fit(X, Y), "methods of papers are built by bl.classifier"),
        (lambda: bl.BayesNetClassifier("kdb(depth=3)").fit(X, Y), "KDB has no setting 'depth'; its settings: k"),
        (lambda: bl.BayesNetClassifier().set_params(structure__tabu=1), "'tabu'; HillClimbing has it: name one"),
        (lambda: bl.BayesNetClassifier().set_params(structure__k=3), "no setting 'k'; .*KDB.* have it: name"),
        (lambda: bl.BayesNetClassifier(bl.TAN()).set_params(structure__k=3), "TAN has no setting 'k'"),
        (lambda: bl.BayesNetClassifier().set_params(parameters__ess=3), "no setting 'ess'; Dirichlet"),
        (lambda: bl.BayesNetClassifier("kbd").set_params(structure__k=1), "'kbd' is not a learner"),
        (lambda: bl.BayesNetClassifier().set_params(selector__mood=1), "No learner is set for 'selector': name one"),
        (lambda: bl.classifier("KDB(depth=3)"), "'KDB' has no setting 'depth'"),
    ],
)  # fmt: skip
def test_what_names_no_learner_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_register_has_learners_of_every_kind():
    assert all(learners(kind) for kind in ("structure", "parameters", "discretizer", "selector"))
