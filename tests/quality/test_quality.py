"""The summary of a cross-validation that a model keeps."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, brier_score_loss, confusion_matrix, log_loss
from sklearn.model_selection import StratifiedKFold

import bayleaf as bl
from bayleaf.benchmark import CrossValidation
from bayleaf.classify.record import Quality
from bayleaf.quality import out_of_fold
from bayleaf.quality.intervals import wilson_interval
from reference.counted import counted


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"f{j}": rng.choice(list("abc"), 300) for j in range(5)})
    y = pd.Series(np.where((X["f0"] == "a") ^ (rng.random(300) < 0.2), "yes", "no"), name="answer")
    return X.mask(rng.random(X.shape) < 0.1), y


def by_hand(clf, X, y, folds):
    """Fit and predict fold by fold, the plain way."""
    seed = int(np.random.SeedSequence((0, 0)).generate_state(1)[0])
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    probabilities = np.zeros((len(y), 2))
    for train, test in splitter.split(X, y):
        model = bl.BayesNetClassifier(**clf.get_params(deep=False)).fit(X.iloc[train], y.iloc[train])
        probabilities[test] = model.predict_proba(X.iloc[test])
    return probabilities


def test_the_summary_is_that_of_models_fitted_fold_by_fold(data):
    X, y = data
    clf = counted().fit(X, y)
    found = clf.cross_validate(X, y, cv=4)
    probabilities = by_hand(clf, X, y, 4)
    predicted = clf.classes_[probabilities.argmax(axis=1)]
    assert found.value("Accuracy") == pytest.approx(accuracy_score(y, predicted))
    assert found.value("Log-loss") == pytest.approx(log_loss(y, probabilities))
    assert found.value("Brier score") == pytest.approx(2 * brier_score_loss(y == "yes", probabilities[:, 1]))
    assert found.confusion == confusion_matrix(y, predicted).tolist()
    groups = X.isna().sum(axis=1)
    for group in found.missing:
        rows = (groups >= group["from"]) & (groups <= group["to"])
        assert group["rows"] == rows.sum()
        assert group["accuracy"] == pytest.approx((predicted == y)[rows].mean())


def test_accuracy_has_wilsons_interval():
    from statsmodels.stats.proportion import proportion_confint

    for right, rows in ((0, 7), (7, 7), (93, 100), (1, 2)):
        expected = proportion_confint(right, rows, method="wilson")
        assert wilson_interval(right / rows, rows) == pytest.approx(expected)


def test_the_model_stays_as_it_is_and_fitting_again_forgets(data):
    X, y = data
    clf = counted().fit(X, y)
    before = clf.predict_proba(X)
    assert clf.cross_validate(X, y, cv=3) is clf.training_.cross_validated
    assert (clf.predict_proba(X) == before).all()
    assert clf.fit(X, y).training_.cross_validated is None


def test_the_number_of_jobs_does_not_matter(data):
    clf = counted(n_jobs=1).fit(*data)
    assert clf.cross_validate(*data, cv=3, n_jobs=2) == clf.cross_validate(*data, cv=3)


@pytest.mark.parametrize(
    "clf", [counted(), bl.BaggedClassifier(counted(), 3, random_state=0)], ids=["one", "ensemble"]
)
def test_a_model_file_keeps_it(data, tmp_path, clf):
    clf.fit(*data)
    found = clf.cross_validate(*data, cv=3)
    clf.save(tmp_path / "m.json")
    kept = bl.load(tmp_path / "m.json").training_.cross_validated
    assert kept.to_dict() == found.to_dict()
    assert (kept.rows, kept.folds, kept.confusion) == (300, 3, found.confusion)


def test_it_is_compact():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    y = rng.choice(list("abcdefghijklmnopqrst"), 4000)
    found = bl.classifier("NB").fit(X, y).cross_validate(X, y, cv=2)
    text = json.dumps(found.to_dict(), indent=1)
    assert len(text) < 100_000
    assert text.count("\n") < 600
    assert Quality.from_dict(json.loads(text)).to_dict() == found.to_dict()


def test_curves_survive_being_text(data):
    found = counted().fit(*data).cross_validate(*data, cv=3)
    again = Quality.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again == found


def test_decisions_are_those_of_the_classifier(data):
    X, y = data
    eager = counted(loss=[[0, 1], [100, 0]]).fit(X, y)  # a missed "yes" costs much
    plain = counted().fit(X, y)
    missed = [clf.cross_validate(X, y, cv=3).confusion[1][0] for clf in (eager, plain)]
    assert missed[0] < missed[1] / 4


def test_classes_too_rare_for_every_fold_are_judged_too(data):
    X, y = data
    y = y.mask(np.arange(300) < 2, "rare")
    found = counted().fit(X, y).cross_validate(X, y, cv=5)
    assert found.classes == ("no", "rare", "yes")
    assert sum(map(sum, found.confusion)) == 300


def test_rows_come_back_in_the_order_of_the_data(data):
    X, y = data
    outcome = out_of_fold(counted(), X, y, CrossValidation(3, stratified=True))
    assert [outcome.labels[k] for k in outcome.truth] == y.tolist()
    assert outcome.probabilities == pytest.approx(by_hand(counted(), X, y, 3))


@pytest.mark.parametrize(
    ("rows", "folds", "message"),
    [
        (100, 5, "needs the rows that fit has seen: it saw 300 rows. Got 100"),
        (300, 299, "too few rows for 299 folds: the largest class has"),
        (300, 1, "at least 2 folds"),
    ],
)
def test_wrong_use_is_refused(data, rows, folds, message):
    clf = counted().fit(*data)
    with pytest.raises(ValueError, match=message):
        clf.cross_validate(data[0][:rows], data[1][:rows], cv=folds)
    assert clf.training_.cross_validated is None


def test_dropped_rows_are_no_contradiction(data):
    clf = counted(missing="drop").fit(*data)
    assert clf.training_.rows < 300
    assert clf.cross_validate(*data, cv=3).rows == 300


def test_a_measure_that_is_not_there_is_named(data):
    found = counted().fit(*data).cross_validate(*data, cv=2)
    with pytest.raises(ValueError, match="no measure 'F1'; there are Accuracy, Log-loss"):
        found.value("F1")
