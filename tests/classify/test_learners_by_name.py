"""Learners given by name, from the one register; searches over settings of learners that were not named."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import bayleaf as bl
from bayleaf.cli.options import build, read_method
from bayleaf.learn.register import learners, option_words, settings_of

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


def test_learners_inside_learners_are_named_and_set():
    found = climbing().set_params(structure__score="bdeu", structure__score__ess=3).structure
    assert repr(found) == repr(bl.HillClimbing(bl.BDeu(ess=3)))
    assert repr(climbing(bl.BDeu()).set_params(structure__score__ess=3).structure) == repr(found)


def test_the_command_line_sets_what_python_sets():
    for text in ("structure__root=x0", "structure__shrunk=false", "parameters=Dirichlet", "missing=drop"):
        given = settings_of([text])
        expected = bl.BayesNetClassifier().set_params(**given)
        assert repr(build(read_method("default"), settings=given)) == repr(expected)
    both = {"parameters": "dirichlet", "parameters__ess": 5}
    assert (
        bl.classifier("TAN", **both).parameters.ess
        == build(read_method("TAN"), settings=both).parameters.ess
        == 5
    )
    assert bl.classifier("RTAN", parameters="dirichlet", parameters__ess=2).estimator.parameters.ess == 2
    for wrong in ({"structure__k": 3}, {"parameters__ess": 3}, {"structure__scor": 3}):
        with pytest.raises(ValueError, match="has no setting") as python:
            bl.BayesNetClassifier().set_params(**wrong)
        with pytest.raises(ValueError, match="has no setting") as command:
            build(read_method("default"), settings=wrong)
        assert str(python.value) == str(command.value)


def test_grids_over_settings_and_names():
    grid = {"structure__k": [1, 2], "parameters__ess": [1.0, 5.0]}
    found = GridSearchCV(bl.BayesNetClassifier("kdb", "dirichlet", n_jobs=1), grid, cv=2).fit(X, Y)
    assert set(found.best_params_) == set(grid)
    assert isinstance(found.best_estimator_.structure, bl.KDB)
    over_names = GridSearchCV(
        bl.BayesNetClassifier(n_jobs=1), {"structure": ["naive-bayes", "tan"]}, cv=2
    ).fit(X, Y)
    assert len(over_names.cv_results_["params"]) == 2


def climbing(score=None):
    return bl.BayesNetClassifier(bl.HillClimbing(score))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bl.BayesNetClassifier("kbd").fit(X, Y), "'kbd' is not a learner for .* mean 'kdb'"),
        (lambda: bl.BayesNetClassifier("KDB(k=3").fit(X, Y), r"The brackets of 'KDB\(k=3' do not match"),
        (lambda: bl.BayesNetClassifier("KDB)k=3(").fit(X, Y), "do not match"),
        (lambda: bl.classifier("KDB(k=3"), "do not match"),
        (lambda: bl.BayesNetClassifier("TAN(k=3)").fit(X, Y), "TAN has no setting 'k'; .*KDB.* have it: name one"),
        (lambda: climbing().set_params(structure__scor=3), "'scor'; its settings: score,.* mean"),
        (lambda: climbing().set_params(structure__score__ess=3), "no learner in 'structure__score'.* 'ess'"),
        (lambda: climbing().set_params(structure__score__ess=3), "one, as in structure__score='BDeu?'"),
        (lambda: climbing(bl.BIC()).set_params(structure__score__ess=3), "BIC has no .*'ess'; BDe, BDeu have it"),
        (lambda: climbing().set_params(structure__max_parents__ess=3), "no learner in 'structure__max_parents'"),
        (lambda: bl.classifier("TAN", structure__k=3), "TAN has no setting 'k'; "),
        (lambda: bl.classifier("TAN", missing__k=3), "'TAN' has no setting 'missing__k'; it has "),
        (lambda: bl.BayesNetClassifier("laplace").fit(X, Y), "methods of papers are built by bl.classifier"),
        (lambda: bl.BayesNetClassifier("kdb(depth=3)").fit(X, Y), "KDB has no setting 'depth'; its settings: k"),
        (lambda: bl.BayesNetClassifier().set_params(structure__tabu=1), "'tabu'; HillClimbing has it: name one"),
        (lambda: bl.BayesNetClassifier().set_params(structure__k=3), "no setting 'k'; .*KDB.* have it: name"),
        (lambda: bl.BayesNetClassifier(bl.TAN()).set_params(structure__k=3), "TAN has no setting 'k'"),
        (lambda: bl.BayesNetClassifier().set_params(parameters__ess=3), "no setting 'ess'; Dirichlet"),
        (lambda: bl.BayesNetClassifier("kbd").set_params(structure__k=1), "'kbd' is not a learner"),
        (lambda: bl.BayesNetClassifier().set_params(selector__mood=1), "no learner in 'selector' .*: name one"),
        (lambda: bl.classifier("KDB(depth=3)"), "'KDB' has no setting 'depth'"),
        (lambda: bl.BayesNetClassifier("KDB(k=1, k=2)").fit(X, Y), "^The setting 'k' is given twice: give it once"),
        (lambda: bl.classifier("KDB(k=1, k=2)"), "^The setting 'k' is given twice: give it once"),
        (lambda: settings_of(["k=1", "k = 2"]), "^The setting 'k' is given twice: give it once"),
        (lambda: bl.BayesNetClassifier("KDB(3)").fit(X, Y), r"^A setting is written key=value, .* Got 'KDB\(3\)'\.$"),
        (lambda: bl.BayesNetClassifier("KDB(k=1)(k=2)").fit(X, Y), r"such as k=3\. Got 'KDB\(k=1\)\(k=2\)'\.$"),
        (lambda: bl.BayesNetClassifier("kbd(3)").fit(X, Y), r"^'kbd\(3\)' is not a learner for .* mean 'kdb'"),
    ],
)  # fmt: skip
def test_what_names_no_learner_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_the_register_has_learners_of_every_kind():
    assert all(learners(kind) for kind in ("structure", "parameters", "discretizer", "selector"))
