"""What a classifier keeps, and what it forgets: names of methods, names of columns, samples of an ensemble."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.data import IdentifierWarning
from bayleaf.learn.search import evaluator_at

X, y = load_iris(return_X_y=True, as_frame=True)


def test_a_loaded_model_knows_its_method_and_so_does_a_new_fit(tmp_path):
    bl.classifier("KDB", k=3).fit(X, y).save(tmp_path / "m.json")
    loaded = bl.load(tmp_path / "m.json")
    assert str(loaded.published_method) == "KDB(k=3)"
    assert str(clone(loaded).fit(X, y).training_.method) == "KDB(k=3)"


def test_the_method_does_not_depend_on_how_estimators_are_printed():
    named = bl.classifier("KDB", k=3)
    with sklearn.config_context(print_changed_only=False):
        assert str(named.published_method) == "KDB(k=3)"


def test_settings_that_a_short_text_would_hide_make_another_method():
    arcs = [(f"x{i}", f"x{i + 1}") for i in range(80)]
    named = bl.BayesNetClassifier(bl.HillClimbing(required=arcs))
    named.name_method(bl.classifier("NB").published_method)
    assert named.published_method is not None
    named.set_params(structure=bl.HillClimbing(required=[*arcs[:40], ("x0", "x77"), *arcs[41:]]))
    assert named.published_method is None


def test_names_of_columns_are_forgotten_by_a_fit_without():
    bagged = bl.BaggedClassifier(n_estimators=2, random_state=0).fit(X, y)
    assert hasattr(bagged, "feature_names_in_")
    assert not hasattr(bagged.fit(X.to_numpy(), y), "feature_names_in_")


@pytest.mark.filterwarnings("ignore:sample_weight makes 150 rows count as 1")
def test_members_that_learn_from_hardly_any_row_are_a_warning():
    bagged = bl.BaggedClassifier(n_estimators=2, max_samples=0.5, random_state=0)
    with pytest.warns(UserWarning, match=r"Each member learns from 1 row of 150: max_samples is a share"):
        bagged.fit(X, y, sample_weight=np.full(150, 1 / 150))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"random_state": np.random.default_rng(0)},
            "The 'random_state' parameter of BaggedClassifier must be",
        ),
        ({"estimator": bl.TAN()}, r"must be a BayesNetClassifier, such as .* Got TAN\(\) instead\."),
    ],
)
def test_settings_of_an_ensemble(settings, message):
    with pytest.raises(TypeError, match=message):
        bl.BaggedClassifier(**settings).fit(X, y)


def test_an_evaluator_of_a_derived_score_is_asked():
    class Mine(bl.ClassificationRate):
        def evaluator(self, table, dag, rng):
            return evaluator_at(bl.ConditionalLogLikelihood(), table, dag, rng)

    table = bl.BayesNetClassifier().learn_table(X, y)
    dag, rng = bl.NaiveBayes().learn(table, None), np.random.default_rng(0)
    assert evaluator_at(Mine(), table, dag, rng).value < 0  # a log-likelihood, not a share of rows


def test_a_learner_whose_search_is_a_setting():
    class Mine:
        search = "breadth first"

        def learn(self, table, rng):
            return bl.NaiveBayes().learn(table, rng)

    assert bl.BayesNetClassifier(Mine()).fit(X, y).network_.n_parameters > 0


@pytest.mark.parametrize(
    "model",
    [
        bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace(), selector=bl.BayesFactorSelector(0.5)),
        bl.BayesNetClassifier(bl.HiddenNaiveBayes(), bl.Laplace(), selector=bl.BayesFactorSelector(0.5)),
        bl.AveragedClassifier(bl.AODE(), bl.BayesNetClassifier(selector=bl.BayesFactorSelector(0.5))),
        bl.BaggedClassifier(bl.BayesNetClassifier(selector=bl.BayesFactorSelector(0.5)), 2, random_state=0),
        bl.NetworkPool(cycles=0, seeds=1),
    ],
    ids=lambda model: type(model).__name__,
)
def test_encoded_rows_are_answered_as_the_rows_themselves(model):
    rng = np.random.default_rng(0)
    noisy = X.assign(noise=rng.integers(0, 2, 150), name=[f"flower {k}" for k in range(150)])
    with pytest.warns(IdentifierWarning, match="'name' is left out"):
        model.fit(noisy, y)
    if hasattr(model, "network_"):
        assert "noise" not in model.network_.nodes
    rows = model.encode(noisy)
    assert rows.names == ("sepal length (cm)", *X.columns[1:], "noise", "name")
    names = ["predict", "predict_proba", "predict_log_proba"]
    if not isinstance(getattr(model, "structure", None), bl.HiddenNaiveBayes):
        names += ["log_evidence", "importance", "typicality"]
    for name in names:
        if hasattr(model, name):
            found, expected = (getattr(model, name)(each) for each in (rows, noisy))
            assert np.array_equal(found, expected), name
    if hasattr(model, "explain"):
        found, expected = (model.explain(each) for each in (rows, noisy))
        np.testing.assert_array_equal(found.evidence, expected.evidence)
        assert (found.features, found.values) == (expected.features, expected.values)
    if hasattr(model, "sufficient_reason") and "log_evidence" in names:
        one = model.encode(noisy.iloc[[60]])
        assert model.sufficient_reason(one) == model.sufficient_reason(noisy.iloc[[60]])
        assert len(model.value_of_information(one)) == 0
