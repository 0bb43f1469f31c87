"""What rows that were held out in fit say about a model."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from scipy.stats import skew
from sklearn.metrics import log_loss

import bayleaf as bl
from bayleaf.classify.record import NothingLearnedWarning, TrainingRecord, nothing_learned
from bayleaf.learn.tuning.held_out import OutOfSample
from bayleaf.page.assemble import page_data


def rows(seed, size=240, noise=0.2):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (size, 4)).astype(str)
    y = np.where((X[:, 0] == X[:, 1]) ^ (rng.random(size) < noise), "yes", "no")
    return X, y


def judged(log_p, truth, weights=None):
    totals = np.bincount(truth, weights, minlength=log_p.shape[1])
    return OutOfSample.of(np.exp(log_p), truth, totals / totals.sum(), weights)


def test_figures_are_means_over_the_rows_by_their_weights():
    rng = np.random.default_rng(0)
    log_p = np.log(rng.dirichlet([1, 1, 1], 50))
    truth, weights = rng.integers(0, 3, 50), rng.integers(1, 4, 50).astype(float)
    found = judged(log_p, truth, weights)
    assert found.log_loss == pytest.approx(log_loss(truth, np.exp(log_p), sample_weight=weights))
    assert found.accuracy == pytest.approx(np.average(log_p.argmax(axis=1) == truth, weights=weights))
    wanted = np.eye(3)[truth]
    errors = ((np.exp(log_p) - wanted) ** 2).sum(axis=1)
    assert found.brier == pytest.approx(np.average(errors, weights=weights))
    shares = np.average(wanted, axis=0, weights=weights)
    assert found.frequencies_accuracy == pytest.approx(shares.max())
    assert found.frequencies_log_loss == pytest.approx(-(shares * np.log(shares)).sum())
    assert found.frequencies_brier == pytest.approx(1 - (shares**2).sum())
    assert found.rows == 50
    copies = np.repeat(np.arange(50), weights.astype(int))
    gains = log_p[copies, truth[copies]] - np.log(shares)[truth[copies]]
    assert found.frequencies_log_loss - found.log_loss == pytest.approx(gains.mean())
    alone = judged(log_p, truth)
    shares = np.log(np.bincount(truth) / 50)
    gains = log_p[np.arange(50), truth] - shares[truth]
    assert alone.gain_error == pytest.approx(gains.std() / np.sqrt(50))
    losses, entropies = -log_p[np.arange(50), truth], -(np.exp(log_p) * log_p).sum(axis=1)
    assert alone.expected_log_loss == pytest.approx(entropies.mean())
    assert alone.loss_shape == pytest.approx((losses.std(), skew(losses)))
    assert alone.surprise_shape == pytest.approx(((losses - entropies).std(), skew(losses - entropies)))
    assert alone.entropy_shape == pytest.approx((entropies.std(), skew(entropies)))
    chances = np.exp(log_p)
    assert np.array(alone.chances) == pytest.approx(
        np.array([chances.mean(axis=0), chances.std(axis=0), skew(chances)]).T
    )
    assert alone.surprising == np.mean(np.exp(-losses) < 0.025)
    assert OutOfSample.from_dict(json.loads(json.dumps(asdict(alone)))) == alone


def test_decisions_are_judged_by_their_costs():
    rng = np.random.default_rng(0)
    probabilities, truth = rng.dirichlet([1, 1, 1], 50), rng.integers(0, 3, 50)
    weights, prior = rng.integers(1, 4, 50).astype(float), np.array([0.5, 0.3, 0.2])
    costs = np.array([[0.0, 1, 5], [2, 0, 1], [9, 1, 0]])
    found = OutOfSample.of(probabilities, truth, prior, weights, costs)
    expected = [[sum(row[c] * costs[c, k] for c in range(3)) for k in range(3)] for row in probabilities]
    decided = np.argmin(expected, axis=1)
    alone = int(np.argmin(prior @ costs))
    assert found.cost == pytest.approx(np.average(costs[truth, decided], weights=weights))
    assert found.accuracy == pytest.approx(np.average(decided == truth, weights=weights))
    assert found.frequencies_cost == pytest.approx(np.average(costs[truth, alone], weights=weights))
    assert found.frequencies_accuracy == pytest.approx(np.average(truth == alone, weights=weights))
    plain = OutOfSample.of(probabilities, truth, prior, weights)
    assert (plain.costs, plain.cost, plain.frequencies_cost) == (None, None, None)
    assert plain.accuracy != found.accuracy
    assert (plain.log_loss, plain.brier, plain.gain_error) == (found.log_loss, found.brier, found.gain_error)
    assert OutOfSample.from_dict(asdict(plain)) == plain
    assert OutOfSample.from_dict(json.loads(json.dumps(asdict(found)))) == found


SEVERE = {"yes": {"no": 8.0}}


@pytest.mark.parametrize(
    "model",
    [
        bl.BayesNetClassifier(loss=SEVERE),
        bl.NetworkPool(cycles=0, seeds=1, loss=SEVERE),
        bl.NetworkPool(cycles=0, seeds=5, loss=SEVERE),
    ],
    ids=["one network", "pool", "pool of five seeds"],
)
def test_a_fit_with_costs_says_what_its_decisions_cost(model):
    X, y = rows(0)
    found = model.fit(X, y).out_of_sample_
    new, truth = rows(1, size=2000)
    decided, probable = model.predict(new), model.classes_[model.predict_proba(new).argmax(axis=1)]
    cost = np.mean(np.where(decided == truth, 0.0, np.where(truth == "yes", 8.0, 1.0)))
    assert found.cost == pytest.approx(cost, abs=0.25)
    assert found.accuracy == pytest.approx((decided == truth).mean(), abs=0.08)
    assert (probable == truth).mean() > found.accuracy + 0.1  # which is not what it decides for
    assert found.frequencies_cost == pytest.approx((y == "no").mean())
    assert f"mean cost {found.cost:.3f}, accuracy {found.accuracy:.3f}" in str(found)
    assert f"mean cost {found.cost:.3f}, accuracy {found.accuracy:.3f}" in repr(model)


def test_costs_that_are_set_after_fit_were_not_measured(tmp_path):
    clf = bl.BayesNetClassifier(loss=SEVERE).fit(*rows(0))
    before = clf.out_of_sample_
    clf.save(tmp_path / "m.json")
    for loss in (None, {"yes": {"no": 2.0}}):
        clf.set_params(loss=loss)
        now = clf.out_of_sample_
        assert np.isnan(now.accuracy)
        assert now.cost is None
        assert now.log_loss == before.log_loss
        assert repr(clf).endswith(f"# held out in fit: log-loss {before.log_loss:.3f}")
        assert "loss was changed after fit, and its decisions were not measured" in clf._repr_html_()
        page = page_data(clf)["held_out"]
        assert [each["name"] for each in page["measures"]] == ["Log-loss", "Brier score"]
        assert "changed after fit" in page["note"]
    clf.set_params(loss=[[0, 1], [8, 0]])  # the same costs
    assert clf.out_of_sample_ == bl.load(tmp_path / "m.json").out_of_sample_ == before
    page = page_data(clf)["held_out"]
    assert [each["name"] for each in page["measures"]] == ["Accuracy", "Mean cost", "Log-loss", "Brier score"]
    assert page["note"] == "Costs of decisions: no predicted as yes: 1, yes predicted as no: 8."


def test_a_model_with_nonsense_for_costs_is_shown_without_figures():
    clf = bl.BayesNetClassifier().fit(*rows(0))
    clf.loss = "nonsense"
    assert "accuracy" not in repr(clf)
    assert "out_of_sample_" in dir(clf)
    with pytest.raises(ValueError, match="must be a matrix of numbers"):
        clf.predict(rows(0)[0])
    assert "Held out" not in clf._repr_html_()


def test_a_class_that_no_row_has_is_no_trouble():
    found = judged(np.log(np.full((4, 3), 1 / 3)), np.array([0, 0, 2, 2]))
    assert found.frequencies_log_loss == pytest.approx(np.log(2))
    assert np.isfinite([found.log_loss, found.brier, found.frequencies_brier]).all()


def test_it_is_near_what_new_rows_say_and_far_from_what_known_rows_say():
    X, y = rows(0)
    clf = bl.BayesNetClassifier().fit(X, y)
    new, truth = rows(1, size=2000)
    known, later = (log_loss(b, clf.predict_proba(a)) for a, b in ((X, y), (new, truth)))
    found = clf.out_of_sample_
    assert found.rows == 240
    assert abs(found.log_loss - later) < 0.1
    assert known < later
    assert abs(found.accuracy - clf.score(new, truth)) < 0.08


@pytest.mark.parametrize("ending", ["json", "json.gz"])
def test_model_files_keep_it_and_old_ones_load_without(tmp_path, ending):
    clf = bl.BayesNetClassifier().fit(*rows(0))
    clf.save(tmp_path / f"m.{ending}")
    again = bl.load(tmp_path / f"m.{ending}")
    assert again.out_of_sample_ == clf.out_of_sample_
    old = clf.training_.to_dict()
    del old["out_of_sample"]
    assert TrainingRecord.from_dict(old).out_of_sample is None


def test_it_is_shown():
    clf = bl.BayesNetClassifier().fit(*rows(0))
    line = f"held out in fit: log-loss {clf.out_of_sample_.log_loss:.3f}, accuracy {clf.out_of_sample_.accuracy:.3f}"
    assert repr(clf) == f"BayesNetClassifier()  # {line}"
    for html in (clf._repr_html_(), clf._repr_mimebundle_()["text/html"]):
        assert "Held out in fit" in html
        assert str(clf.out_of_sample_) in html
    page = page_data(clf)["held_out"]
    assert [each["value"] for each in page["measures"]] == [
        clf.out_of_sample_.accuracy,
        clf.out_of_sample_.log_loss,
        clf.out_of_sample_.brier,
    ]
    plain = bl.BayesNetClassifier(parameters=bl.Shrinkage()).fit(*rows(0))
    assert plain.out_of_sample_ is None
    assert repr(plain) == "BayesNetClassifier(parameters=Shrinkage())"
    assert "Held out" not in plain._repr_html_()
    assert page_data(plain)["held_out"] is None


def test_noise_is_told_by_the_fit_itself():
    X, y = rows(0, noise=0.5)[0], np.random.default_rng(1).choice(["no", "yes"], 240, p=[0.7, 0.3])
    with pytest.warns(
        NothingLearnedWarning, match="By 240 rows held out in fit, the model is not clearly better"
    ) as caught:
        clf = bl.BayesNetClassifier().fit(X, y)
    assert len(caught) == 1
    assert page_data(clf)["nothing"] == str(caught[0].message)
    assert nothing_learned(bl.BayesNetClassifier().fit(*rows(0))) is None
