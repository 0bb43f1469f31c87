"""Where decisions have costs, their mean cost is among the figures, beside that of the class frequencies."""

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import bayleaf as bl
from bayleaf.benchmark import CrossValidation, evaluate
from bayleaf.classify.record import NothingLearnedWarning, Quality
from bayleaf.page.assemble import page_data
from bayleaf.quality import Outcome
from bayleaf.quality.cross_validation import out_of_fold, predicted_outcome
from bayleaf.quality.measures import expected_calibration_error, mean_cost, mean_cost_by
from bayleaf.quality.outcome import class_frequencies
from bayleaf.quality.quality_record import quality_of

SEVERE = {"sick": {"well": 20.0}}
COSTS = [[0.0, 20.0], [1.0, 0.0]]
TWO_FOLDS = CrossValidation(2, stratified=True)


def patients(seed=0, rows=600):
    rng = np.random.default_rng(seed)
    sick = rng.random(rows) < 0.1
    X = pl.DataFrame({"fever": rng.random(rows) < np.where(sick, 0.7, 0.1), "age": rng.normal(50, 15, rows)})
    return X, np.where(sick, "sick", "well")


def paid(truth, decided):
    return np.mean([0 if t == d else 20 if t == "sick" else 1 for t, d in zip(truth, decided, strict=True)])


def test_mean_cost_of_rows_and_of_frequencies():
    outcome = Outcome.of(
        ["a", "b", "b", "z"],
        classes=["a", "b"],
        probabilities=[[0.9, 0.1], [0.4, 0.6], [0.7, 0.3], [0.5, 0.5]],
        predicted=["b", "b", "a", "a"],
        prior=[6, 4],
        costs=[[0, 3], [10, 0]],
    )
    assert mean_cost(outcome) == pytest.approx((3 + 0 + 10) / 3)  # of class z nobody knows what it costs
    alone = class_frequencies(outcome)
    assert alone.predicted.tolist() == [1, 1, 1, 1]  # .4 * 10 > .6 * 3
    assert mean_cost(alone) == pytest.approx(1.0)
    plain = Outcome.of(["a", "b"], classes=["a", "b"], predicted=["a", "a"], prior=[6, 4])
    assert np.isnan(mean_cost(plain))
    assert class_frequencies(plain).predicted.tolist() == [0, 0]
    assert mean_cost_by([[0, 3], [10, 0]])(plain) == pytest.approx(5.0)


def test_calibration_is_that_of_the_most_probable_class():
    chances, truth = [[0.3, 0.7]] * 10, ["a"] * 3 + ["b"] * 7
    careful = Outcome.of(truth, ["a", "b"], chances, predicted=["a"] * 10, costs=[[0, 9], [1, 0]])
    assert expected_calibration_error(careful) == pytest.approx(0.0)
    assert expected_calibration_error(
        Outcome.of(truth, ["a", "b"], chances, predicted=["a"] * 10)
    ) == pytest.approx(0.4)


@pytest.mark.parametrize(
    "model",
    [
        bl.BayesNetClassifier(loss=SEVERE),
        bl.NetworkPool(cycles=0, seeds=1, loss=SEVERE),
        bl.AveragedClassifier(estimator=bl.BayesNetClassifier(loss=SEVERE)),
        bl.BaggedClassifier(bl.BayesNetClassifier(loss=SEVERE), 3, "majority", random_state=0),
    ],
    ids=["one network", "pool", "averaged", "votes"],
)
def test_every_model_is_measured_by_its_costs(model):
    (X, y), (new, truth) = patients(), patients(1)
    model.fit(X, y)
    quality = quality_of(predicted_outcome(model, new, truth), np.zeros(len(truth), dtype=np.int64))
    line = {each["name"]: each for each in quality.measures}["Mean cost"]
    assert line["value"] == pytest.approx(paid(truth, model.predict(new)))
    assert line["low"] < line["value"] < line["high"]
    assert line["baseline"] == pytest.approx((truth == "well").mean())  # deciding for sick costs 1
    assert quality.value("Accuracy") == pytest.approx((model.predict(new) == truth).mean())
    assert quality.costs == COSTS


def test_cross_validation_keeps_the_costs_and_says_them(tmp_path):
    X, y = patients()
    clf = bl.BayesNetClassifier(loss=SEVERE).fit(X, y)
    quality = clf.cross_validate(X, y, cv=3)
    outcome = out_of_fold(clf, X, y, CrossValidation(3, stratified=True))
    assert quality.value("Mean cost") == pytest.approx(paid(y, np.array(outcome.labels)[outcome.predicted]))
    clf.save(tmp_path / "m.json")
    kept = bl.load(tmp_path / "m.json").training_.cross_validated
    assert kept.costs == quality.costs == COSTS
    assert "sick predicted as well: 20" in page_data(clf)["quality"]["source"]
    older = quality.to_dict()
    del older["costs"]
    assert Quality.from_dict(older).costs is None


def test_a_quality_by_other_costs_is_not_shown_as_one_of_now():
    X, y = patients()
    clf = bl.BayesNetClassifier(loss=SEVERE).fit(X, y)
    clf.cross_validate(X, y, cv=3)
    assert page_data(clf)["quality"]["notes"] == []
    told = clf._repr_html_().partition("Cross-validated in 3 folds")[2]
    assert "mean cost" in told
    clf.set_params(loss=None)
    assert "costs (loss) were changed since" in page_data(clf)["quality"]["notes"][0]
    told = clf._repr_html_().partition("Cross-validated in 3 folds")[2]
    assert "log-loss" in told
    assert "mean cost" not in told
    assert "accuracy" not in told


def test_a_model_whose_decisions_save_nothing_is_told_by_its_costs():
    measures = [
        {"name": "Accuracy", "value": 0.9},
        {"name": "Mean cost", "value": 0.8, "baseline": 0.7},
        {"name": "Log-loss", "value": 0.9},
    ]
    bad = Quality(10, 5, ("no", "yes"), measures, [[5, 1], [2, 2]], [], {}, [], [[0, 1], [5, 0]])
    assert "mean cost 0.800 (always the cheapest: 0.700), log-loss 0.900" in bad.shortfall()
    measures[1]["value"] = 0.6
    assert bad.shortfall() is None
    assert bad.shortfall(by_costs=True) is not None  # costs of then, which tell nothing of now


def test_noise_is_told_whatever_it_costs():
    X, _ = patients()
    y = np.random.default_rng(3).choice(["sick", "well"], X.height, p=[0.1, 0.9])
    with pytest.warns(NothingLearnedWarning, match=r"mean cost 0\.\d+ \(theirs 0\.\d+\), accuracy"):
        bl.BayesNetClassifier(loss=SEVERE).fit(X, y)


def test_methods_are_compared_by_one_cost():
    X, y = patients()
    careful = bl.BayesNetClassifier(loss=SEVERE)
    methods = {
        "plain": bl.BayesNetClassifier(),
        "careful": careful,
        "searched": GridSearchCV(careful, {"identifiers": ["drop"]}, cv=2),
        "steps": make_pipeline(FunctionTransformer(), careful),
        "forest": RandomForestClassifier(5, random_state=0),
    }
    own = evaluate(methods, {"p": (X, y)}, TWO_FOLDS, ["mean_cost"])
    assert np.isnan(own.values("mean_cost", "p", "plain")).all()
    assert np.isnan(own.values("mean_cost", "p", "forest")).all()
    of_careful = own.values("mean_cost", "p", "careful")
    for name in ("searched", "steps"):
        assert own.values("mean_cost", "p", name).tolist() == of_careful.tolist()
    same = evaluate(methods, {"p": (X, y)}, TWO_FOLDS, [mean_cost_by(SEVERE)])
    assert same.values("mean_cost", "p", "careful") == pytest.approx(of_careful)
    assert same.values("mean_cost", "p", "plain").mean() > of_careful.mean() + 0.1
