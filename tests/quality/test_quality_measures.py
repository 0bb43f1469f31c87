import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayleaf.quality import (
    EPSILON,
    MEASURES,
    Measure,
    Outcome,
    accuracy,
    auc,
    brier,
    conditional_log_likelihood,
    expected_calibration_error,
    log_loss,
    zero_one_loss,
)
from bayleaf.quality.measures import CALIBRATION_BINS, resolve_measures
from reference.benchmark import slow_auc, slow_calibration_error


@st.composite
def outcomes(draw):
    rows, classes = draw(st.integers(1, 25)), draw(st.integers(2, 4))
    # Small whole numbers make many ties.
    raw = draw(arrays(np.int64, (rows, classes), elements=st.integers(0, 3))) + 1e-9
    truth = draw(arrays(np.int64, rows, elements=st.integers(0, classes - 1)))
    return Outcome.of(truth, np.arange(classes), raw / raw.sum(axis=1, keepdims=True))


@given(outcomes())
def test_measures_agree_with_loops(outcome):
    rows = range(outcome.truth.size)
    wrong = sum(outcome.predicted[i] != outcome.truth[i] for i in rows) / len(rows)
    assert zero_one_loss(outcome) == pytest.approx(wrong)
    assert accuracy(outcome) == pytest.approx(1 - wrong)
    own = [outcome.probabilities[i, outcome.truth[i]] for i in rows]
    assert log_loss(outcome) == pytest.approx(-sum(math.log(max(p, EPSILON)) for p in own) / len(rows))
    squares = sum(
        (outcome.probabilities[i, c] - (c == outcome.truth[i])) ** 2
        for i in rows
        for c in range(len(outcome.labels))
    )
    assert brier(outcome) == pytest.approx(squares / len(rows))
    assert auc(outcome) == pytest.approx(slow_auc(outcome.truth, outcome.probabilities), nan_ok=True)
    slow = slow_calibration_error(outcome.truth, outcome.probabilities, CALIBRATION_BINS)
    assert expected_calibration_error(outcome) == pytest.approx(slow)


def test_predicted_class_is_the_first_of_the_most_probable():
    outcome = Outcome.of(["b", "a"], ["a", "b", "c"], [[0.4, 0.4, 0.2], [0.1, 0.1, 0.8]])
    assert outcome.predicted.tolist() == [0, 2]
    assert zero_one_loss(outcome) == 1.0


def test_a_class_that_training_rows_lack_has_probability_zero():
    outcome = Outcome.of(["a", "z"], ["a", "b"], [[0.9, 0.1], [0.5, 0.5]])
    assert outcome.labels == ("a", "b", "z")
    assert outcome.probabilities[:, 2].tolist() == [0.0, 0.0]
    assert conditional_log_likelihood(outcome)[1] == pytest.approx(math.log(EPSILON))
    assert brier(outcome) == pytest.approx((0.01 + 0.01 + 0.25 + 0.25 + 1.0) / 2)


def test_impossible_true_class_costs_a_finite_amount():
    outcome = Outcome.of([1], [0, 1], [[1.0, 0.0]])
    assert log_loss(outcome) == pytest.approx(-math.log(1e-15))


def test_auc_skips_classes_the_test_rows_lack():
    three = Outcome.of([0, 1], [0, 1, 2], [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]])
    assert auc(three) == 1.0
    assert math.isnan(auc(Outcome.of([1, 1], [0, 1], [[0.5, 0.5], [0.2, 0.8]])))


def test_binary_auc_does_not_depend_on_which_class_is_positive():
    rng = np.random.default_rng(0)
    p = rng.random(50)
    truth = rng.integers(0, 2, 50)
    one = Outcome.of(truth, [0, 1], np.column_stack([1 - p, p]))
    other = Outcome.of(1 - truth, [0, 1], np.column_stack([p, 1 - p]))
    assert auc(one) == pytest.approx(auc(other))


def test_classifiers_without_probabilities_get_errors_only():
    outcome = Outcome.of(["a", "b"], ["a", "b"], predicted=["a", "a"])
    values = {measure.name: measure(outcome) for measure in MEASURES}
    assert values["zero_one_loss"] == 0.5
    assert all(math.isnan(values[name]) for name in ("log_loss", "brier", "auc", "ece", "fit_seconds"))


def test_perfect_and_honest_probabilities_have_no_calibration_error():
    rng = np.random.default_rng(1)
    p = np.repeat([0.55, 0.75, 0.95], 20000)
    truth = (rng.random(p.size) >= p).astype(int)
    outcome = Outcome.of(truth, [0, 1], np.column_stack([p, 1 - p]))
    assert expected_calibration_error(outcome) < 0.01


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Outcome.of([0], [0, 1], [[0.5, float("nan")]]), "NaN or infinite values in 1 of 1 rows"),
        (lambda: Outcome.of([0], [0, 1], [[0.2, 0.3, 0.5]]), r"shape \(1, 2\). Got \(1, 3\)"),
        (lambda: Outcome.of([0], [0, 1]), "Pass the probabilities or the predicted classes"),
        (lambda: resolve_measures(["acuracy"]), "no measure 'acuracy'. Known here: accuracy, auc"),
        (lambda: resolve_measures(["auc", "auc"]), "one or more different names"),
        (lambda: resolve_measures([]), "one or more different names"),
    ],
)
def test_errors_say_what_is_wrong(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_own_measures_stand_beside_named_ones():
    always = Measure("always", lambda outcome: 7, higher_is_better=True)
    chosen = resolve_measures(["auc", always])
    assert [measure.name for measure in chosen] == ["auc", "always"]
    assert chosen[1](Outcome.of([0], [0, 1], [[1.0, 0.0]])) == 7.0


def test_the_decision_is_the_models_own():
    """Ties by votes, thresholds and costs: zero-one loss is that of predict, whatever is most probable."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import FixedThresholdClassifier

    import bayleaf as bl
    from bayleaf.quality.outcome import fit_and_predict

    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (200, 4)).astype(float), np.where(rng.random(200) < 0.65, "yes", "no")
    train, test = np.arange(100), np.arange(100, 200)
    models = [
        bl.classifier("RTAN", random_state=0),
        bl.BayesNetClassifier(loss=[[0, 1], [9, 0]]),
        FixedThresholdClassifier(LogisticRegression(), threshold=0.8),
    ]
    for model in models:
        fitted = model.fit(X[train], y[train])
        wrong = float(np.mean(fitted.predict(X[test]) != y[test]))
        outcome = fit_and_predict(model, X, y, train, test)
        assert zero_one_loss(outcome) == pytest.approx(wrong)
    most_probable = Outcome.of(outcome_truth := y[test], fitted.classes_, fitted.predict_proba(X[test]))
    assert zero_one_loss(most_probable) != pytest.approx(wrong)
    assert len(outcome_truth) == 100
