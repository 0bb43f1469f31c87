"""Batches are judged before they are counted: answers of ``partial_fit`` are no surer than earlier rows allow."""

import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.classify.record import NothingLearnedWarning
from bayleaf.network.member import TwoReadings

DATA = Path(os.environ.get("BAYLEAF_DATA", Path(__file__).parents[3] / "shared" / "data"))
CLASSES = ["no", "so", "yes"]


def copied(rows, seed, columns=10, told=0.15, gaps=0.0):
    """One feature that says little about the class, ten times over, and another that says nothing."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, rows, p=[0.6, 0.3, 0.1])
    x = np.where(rng.random(rows) < told, y, rng.integers(0, 3, rows))
    frame = pl.DataFrame({f"copy{j}": [f"v{k}" for k in x] for j in range(columns)})
    frame = frame.with_columns(noise=pl.Series([f"w{k}" for k in rng.integers(0, 4, rows)]))
    frame = frame.with_columns(
        pl.when(pl.Series(rng.random(rows) >= gaps)).then(pl.col(name)).alias(name) for name in frame.columns
    )
    return frame, np.array(CLASSES)[y]


def learn(model, X, y, batch=100, start=0, stop=None, classes=CLASSES):
    with warnings.catch_warnings(action="ignore", category=NothingLearnedWarning):
        for first in range(start, stop or len(y), batch):
            last = min(first + batch, stop or len(y))
            model.partial_fit(X[first:last], y[first:last], classes=classes)
    return model


def log_losses(probabilities, y, classes=CLASSES):
    return -np.log(np.maximum(probabilities[np.arange(len(y)), np.searchsorted(classes, y)], 1e-12))


def against_frequencies(model, X, y, classes=CLASSES, settled=500):
    """Mean log-loss of batches before they are learned, after some rows, over that of the class frequencies."""
    own, usual = [], []
    for start in range(0, len(y), 100):
        rows, truth = X[start : start + 100], y[start : start + 100]
        if start >= settled:
            own.append(log_losses(model.predict_proba(rows), truth, classes))
            counts = np.array([(y[:start] == label).sum() for label in classes]) + 0.5
            usual.append(log_losses(np.tile(counts / counts.sum(), (len(truth), 1)), truth, classes))
        learn(model, X, y, start=start, stop=min(start + 100, len(y)), classes=classes)
    return np.concatenate(own).mean() / np.concatenate(usual).mean()


@pytest.mark.parametrize("structure", [None, bl.NaiveBayes()], ids=["default", "naive Bayes"])
@pytest.mark.parametrize(("told", "gaps"), [(0.15, 0.0), (0.0, 0.0), (0.15, 0.3)])
def test_features_that_repeat_one_another_do_not_make_answers_worse_than_frequencies(structure, told, gaps):
    X, y = copied(1500, 0, told=told, gaps=gaps)
    assert against_frequencies(bl.BayesNetClassifier(structure), X, y) < 1.01
    if told and not gaps and structure is not None:  # which taking the counts as they are does
        assert against_frequencies(bl.BayesNetClassifier(structure, bl.Shrinkage()), X, y) > 1.1


def test_one_batch_is_judged_too():
    X, y = copied(2000, 1)
    later, truth = copied(2000, 2)
    usual = log_losses(np.tile([0.6, 0.3, 0.1], (2000, 1)), truth).mean()
    at_once = learn(bl.BayesNetClassifier(bl.NaiveBayes()), X, y, batch=2000)
    assert log_losses(at_once.predict_proba(later), truth).mean() < usual
    counted = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Shrinkage()).partial_fit(X, y, classes=CLASSES)
    assert log_losses(counted.predict_proba(later), truth).mean() > 1.1 * usual
    in_batches = learn(bl.BayesNetClassifier(bl.NaiveBayes()), X, y)
    np.testing.assert_allclose(at_once.predict_proba(later), in_batches.predict_proba(later), atol=0.05)


@pytest.mark.parametrize("name", ["bank", "abalone-rings", "spambase"])
def test_on_tables_where_counts_are_too_sure(name):
    """Sets on which counts taken as they are have a larger log-loss than the class frequencies, or nearly."""
    path = DATA / f"{name}.csv.gz"
    if not path.is_file():
        pytest.skip(f"the data sets are not here ({path}): set BAYLEAF_DATA")
    frame = pl.read_csv(path, null_values=[""], infer_schema_length=None).sample(1200, shuffle=True, seed=0)
    X, y = frame[:, :-1], np.array(frame[:, -1].cast(pl.String).to_list())
    with warnings.catch_warnings(action="ignore"):  # of columns as they are
        assert against_frequencies(bl.BayesNetClassifier(), X, y, np.unique(y)) < 1.01


def test_figures_are_of_what_was_said_before_each_batch():
    X, y = copied(600, 3, columns=2, told=0.7)
    model, said, counted = bl.BayesNetClassifier(), [], []
    learn(model, X, y, start=0, stop=100)
    first = model._online.caution.judged
    for start in range(100, 600, 100):
        said.append(log_losses(model.predict_proba(X[start : start + 100]), y[start : start + 100]))
        counted.append(np.full(100, start))
        learn(model, X, y, start=start, stop=start + 100)
    found = model.out_of_sample_
    sums = first.sums[1] + np.concatenate(said) @ np.concatenate(counted)
    assert found.rows == 600
    assert found.log_loss == pytest.approx(sums / (first.sums[0] + np.sum(counted)), rel=1e-9)
    assert 0 < found.gain_error < 0.05 < found.frequencies_log_loss - found.log_loss


@pytest.mark.parametrize("missing", ["auto", "available"])
@pytest.mark.parametrize("half_life", [None, 300.0])
def test_learning_goes_on_from_files_and_pickles(missing, half_life, tmp_path):
    X, y = copied(500, 4, gaps=0.1)
    model = bl.BayesNetClassifier(
        missing=missing, half_life=half_life, loss=[[0, 1, 1], [1, 0, 1], [9, 9, 0]]
    )
    learn(model, X, y, stop=300)
    model.save(tmp_path / "m.json")
    copies = bl.load(tmp_path / "m.json"), pickle.loads(pickle.dumps(model))
    for each in copies:
        np.testing.assert_array_equal(each.predict_proba(X), model.predict_proba(X))
    for each in (model, *copies):
        learn(each, X, y, start=300)
    for each in copies:
        np.testing.assert_array_equal(each.predict_proba(X), model.predict_proba(X))
        assert each.out_of_sample_ == model.out_of_sample_


def test_a_weight_counts_as_so_many_rows_and_their_order_does_not_count():
    X, y = copied(300, 5, columns=3, told=0.5)
    weights = np.random.default_rng(5).integers(0, 3, 100)
    rows = np.repeat(np.arange(200, 300), weights)
    weighed, repeated = (learn(bl.BayesNetClassifier(), X, y, batch=200, stop=200) for _ in "12")
    weighed.partial_fit(X[200:], y[200:], sample_weight=weights)
    repeated.partial_fit(X[rows[::-1]], y[rows[::-1]])
    np.testing.assert_allclose(weighed.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)
    orders = [np.random.default_rng(seed).permutation(300) for seed in (6, 7)]
    one, other = (learn(bl.BayesNetClassifier(), X[order], y[order], batch=300) for order in orders)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-9)


def test_named_tables_are_taken_as_they_are():
    X, y = copied(300, 7)
    named = learn(bl.BayesNetClassifier(parameters=bl.Shrinkage()), X, y)
    assert named._predictor is named.network_
    assert named.out_of_sample_ is None
    default = learn(bl.BayesNetClassifier(), X, y)
    assert isinstance(default._predictor, TwoReadings)
    for ours, theirs in zip(default.network_.tables[:-1], named.network_.tables[:-1], strict=True):
        np.testing.assert_array_equal(ours, theirs)  # every question but "which class" goes to the counts
    learn(default.set_params(parameters=bl.Shrinkage()), X, y, stop=100)
    assert default._predictor is default.network_
    # A structure for which fit tunes nothing has nothing weighed.
    mixed = learn(bl.BayesNetClassifier(bl.HiddenNaiveBayes()), X, y)
    assert not isinstance(mixed._predictor, TwoReadings)


def test_a_stream_that_tells_nothing_is_said_once(tmp_path):
    X, y = copied(1200, 8, told=0.0)
    model, told = bl.BayesNetClassifier(bl.NaiveBayes()), []
    for start in range(0, 1200, 100):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.partial_fit(X[start : start + 100], y[start : start + 100], classes=CLASSES)
        told += [(start, each) for each in caught if each.category is NothingLearnedWarning]
        if start == 700:
            model.save(tmp_path / "m.json")
            model = bl.load(tmp_path / "m.json")
    ((start, warning),) = told
    assert start == 400  # as soon as 500 rows were learned
    assert "rows held out in fit, the model is not clearly better than the class frequencies" in str(
        warning.message
    )


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_answers_with_gaps_add_up_and_begin_at_the_frequencies(gaps):
    X, y = copied(700, 9, columns=3, told=0.6, gaps=gaps)
    model = learn(bl.BayesNetClassifier(), X, y)
    rng = np.random.default_rng(9)
    asked = X[:60].with_columns(
        pl.when(pl.Series(rng.random(60) < rng.random(60))).then(pl.col(name)).alias(name)
        for name in X.columns
    )
    explanation = model.explain(asked)
    np.testing.assert_allclose(explanation.total, explanation.log_odds, atol=1e-9)
    np.testing.assert_allclose(explanation.probability, model.predict_proba(asked).max(axis=1), rtol=1e-9)
    score = model.scorer()
    for row, probabilities in zip(asked.to_dicts(), model.predict_proba(asked), strict=True):
        np.testing.assert_allclose(score(row), probabilities, rtol=1e-12)
    shares = [np.mean(y == label) for label in CLASSES]
    np.testing.assert_array_equal(model.predict_proba(X.clear(1))[0], shares)
    np.testing.assert_array_equal(model.scorer()({}), shares)


def test_evidence_of_a_missing_value_is_nothing():
    """What is normalised in the tables of complete rows must not be left in those of a single value."""
    X, y = copied(900, 10, columns=3, told=0.6)
    model = learn(bl.BayesNetClassifier(bl.NaiveBayes()), X, y)
    alone = model.predict_proba(X[:1].with_columns(pl.lit(None, pl.String).alias(n) for n in X.columns[1:]))
    caution, network = model._online.caution, model.network_
    of_value = network.tables[0][:, network.variables[0].states.index(X[0, 0])]
    share = 3 / 4  # is missing
    scores = np.log(network.tables[-1]) + (1 + share / 2) * caution.weights[:, 0].sum() * np.log(of_value)
    expected = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(alone[0], expected, rtol=1e-9)


def test_a_meaning_that_turns_does_not_turn_the_evidence():
    """What two features say together must not make up for what they say alone, with the sign reversed."""
    X, y = copied(900, 12, columns=3, told=0.9)
    turned = y.copy()
    turned[600:] = np.array(["yes", "no", "so"])[np.searchsorted(CLASSES, y[600:])]
    model = learn(bl.BayesNetClassifier(bl.TAN()), X, turned)
    before = learn(bl.BayesNetClassifier(bl.TAN()), X, turned, stop=600)
    assert (model._online.caution.weights >= 0).all()
    odds = [np.ptp(np.log(each.predict_proba(X)), axis=1).mean() for each in (before, model)]
    assert odds[1] < odds[0]


def test_who_forgets_rows_forgets_what_was_learned_from_them():
    X, y = copied(400, 13, columns=2, told=0.8)
    model = learn(bl.BayesNetClassifier(half_life=50.0), X, y)
    shares = 2.0 ** (-np.array([6, 4, 2, 0]))  # a batch of 100 rows is two half-lives
    caution = model._online.caution
    assert caution.by_gaps.sum() == pytest.approx(100 * shares.sum())
    turned = np.array(["yes", "no", "so"])[np.searchsorted(CLASSES, y)]
    odds = []
    for half_life in (50.0, None):
        model = learn(bl.BayesNetClassifier(half_life=half_life), X, y)
        learn(model, X, turned)
        odds.append(log_losses(model.predict_proba(X), turned).mean())
    assert odds[0] < odds[1] - 0.1


def test_odd_batches():
    X, y = copied(40, 11, columns=3)
    one_by_one = learn(bl.BayesNetClassifier(), X, y, batch=1)
    assert np.isfinite(one_by_one.predict_proba(X)).all()
    same = learn(bl.BayesNetClassifier(), X, np.full(40, "no"), batch=20)  # the other classes do not occur
    assert (same.predict_proba(X)[:, 0] > 0.9).all()
    nothing = X.with_columns(pl.lit(None, pl.String).alias(name) for name in X.columns)
    model = learn(bl.BayesNetClassifier(), X, y, batch=40)
    model.partial_fit(nothing, y, sample_weight=np.arange(40) == 3)
    model.partial_fit(nothing, y)
    assert np.isfinite(model.predict_proba(X)).all()
