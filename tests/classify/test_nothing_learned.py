"""A model that knows no more than the class frequencies says so."""

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.classify.record import NothingLearnedWarning, Quality, nothing_learned
from bayleaf.page.assemble import page_data
from reference.counted import counted


def noise(rows=300, seed=0):
    """Categories that say nothing about the class."""
    rng = np.random.default_rng(seed)
    X = pl.DataFrame({name: rng.choice(["a", "b"], rows) for name in ("u", "v", "w")})
    return X, pl.Series("ill", rng.choice(["no", "yes"], rows, p=[0.7, 0.3]))


@pytest.mark.parametrize(
    "model",
    [
        bl.BayesNetClassifier(bl.NaiveBayes(), discretizer=bl.MDLP()),
        bl.BayesNetClassifier(bl.HillClimbing(bl.BIC(), "empty")),
        bl.BaggedClassifier(counted(), n_estimators=2, random_state=0),
    ],
    ids=["uncut numbers", "no arcs", "ensemble"],
)
def test_a_model_without_a_feature_that_tells_warns_once(model):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    with pytest.warns(
        NothingLearnedWarning, match="no feature is informative about 'class', so each row gets"
    ) as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert page_data(model)["nothing"] == str(caught[0].message)
    np.testing.assert_allclose(model.predict_proba(X).std(axis=0), 0, atol=1e-12)


def test_a_model_of_noise_says_so_once_it_is_cross_validated():
    X, y = noise()
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.MaximumLikelihood()).fit(X, y)
    assert nothing_learned(model) is None
    with pytest.warns(
        NothingLearnedWarning, match="Cross-validated in 5 folds, the model is no better than the"
    ):
        model.cross_validate(X, y, cv=5)
    assert "(always 'no': 0." in nothing_learned(model)
    assert page_data(model)["nothing"] == nothing_learned(model)


def test_rows_given_to_the_page_count_there():
    X, y = noise()
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Shrinkage()).fit(X, y)
    other, truth = noise(seed=1)
    assert page_data(model, other, truth)["nothing"].startswith(
        "On the rows given, the model is no better than"
    )


def test_a_model_that_has_learned_something_says_nothing():
    X, y = noise()
    X = X.with_columns(told=y)
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Shrinkage()).fit(X, y)
    model.cross_validate(X, y, cv=5)
    assert nothing_learned(model) is None
    assert page_data(model)["nothing"] is None


def quality(accuracy, log_loss):
    measures = [{"name": "Accuracy", "value": accuracy}, {"name": "Log-loss", "value": log_loss}]
    return Quality(10, 5, ("no", "yes"), measures, [[5, 1], [2, 2]], [], {}, [])


@pytest.mark.parametrize(
    ("accuracy", "log_loss", "by_costs", "better"),
    [
        (0.7, 0.9, False, True),
        (0.6, 0.6, False, True),
        (0.6, 0.7, False, False),
        (0.7, 0.9, True, False),
        (0.1, 0.6, True, True),
    ],
)
def test_one_of_two_measures_must_beat_the_frequencies(accuracy, log_loss, by_costs, better):
    # Of ten rows six have one class: its share is .6, and the entropy .673.
    assert (quality(accuracy, log_loss).shortfall(by_costs=by_costs) is None) == better


def test_weighted_classes_are_not_judged_by_frequencies():
    X, y = noise()
    model = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Shrinkage(), class_weight="balanced").fit(X, y)
    model.cross_validate(X, y, cv=5)
    assert nothing_learned(model) is None
