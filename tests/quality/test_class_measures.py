"""Measures by class, those with intervals, and what the class frequencies alone would reach."""

import math
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.dummy import DummyClassifier
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    matthews_corrcoef,
    roc_auc_score,
)
from sklearn.naive_bayes import GaussianNB

from bayleaf.benchmark import CrossValidation, Results, evaluate
from bayleaf.quality import (
    MEASURES,
    Outcome,
    balanced_accuracy,
    brier,
    brier_skill,
    class_frequencies,
    class_table,
    macro_f1,
    matthews_correlation,
    measures_with_intervals,
    pr_auc,
)
from bayleaf.quality.intervals import Ranking, counted_figures, wilson_interval
from bayleaf.quality.measures import class_f1, confusion_matrix, resolve_measures
from bayleaf.quality.outcome import fit_and_predict


@st.composite
def outcomes(draw):
    rows, classes = draw(st.integers(1, 25)), draw(st.integers(2, 4))
    raw = draw(arrays(np.int64, (rows, classes), elements=st.integers(0, 3))) + 1e-9  # many ties
    truth = draw(arrays(np.int64, rows, elements=st.integers(0, classes - 1)))
    return Outcome.of(truth, np.arange(classes), raw / raw.sum(axis=1, keepdims=True))


@given(outcomes())
def test_measures_by_class_agree_with_scikit_learn(outcome):
    truth, predicted = outcome.truth, outcome.predicted
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes that only predictions have
        assert balanced_accuracy(outcome) == pytest.approx(balanced_accuracy_score(truth, predicted))
        assert macro_f1(outcome) == pytest.approx(f1_score(truth, predicted, average="macro"))
        assert matthews_correlation(outcome) == pytest.approx(matthews_corrcoef(truth, predicted))
    areas = [
        average_precision_score(truth == k, outcome.probabilities[:, k])
        for k in range(len(outcome.labels))
        if 0 < (truth == k).sum() < len(truth)
    ]
    assert pr_auc(outcome) == pytest.approx(np.mean(areas) if areas else math.nan, nan_ok=True)


@given(outcomes(), st.integers(0, 2**32 - 1))
def test_areas_of_resampled_rows_are_those_of_scikit_learn(outcome, seed):
    counts = np.random.default_rng(seed).multinomial(
        outcome.truth.size, [1 / outcome.truth.size] * outcome.truth.size
    )
    is_class, score = outcome.truth == 0, outcome.probabilities[:, 0]
    areas = Ranking.of(is_class, score).areas(counts)
    if 0 < counts[is_class].sum() < counts.sum():
        assert areas[0] == pytest.approx(roc_auc_score(is_class, score, sample_weight=counts))
        assert areas[1] == pytest.approx(average_precision_score(is_class, score, sample_weight=counts))
    else:
        assert math.isnan(areas[0])


@given(outcomes())
def test_figures_of_counts_matrices_are_those_of_the_rows(outcome):
    matrix = confusion_matrix(outcome).astype(float)
    found = counted_figures(np.diag(matrix)[None], matrix.sum(axis=1)[None], matrix.sum(axis=0)[None])
    assert found["Balanced accuracy"][0] == pytest.approx(balanced_accuracy(outcome))
    assert found["Macro F1"][0] == pytest.approx(macro_f1(outcome))
    assert found["MCC"][0] == pytest.approx(matthews_correlation(outcome))


def test_class_frequencies_are_those_of_the_training_rows():
    X, y = np.arange(6.0)[:, None], np.array(["a", "a", "a", "b", "b", "z"])
    outcome = fit_and_predict(GaussianNB(), X, y, [0, 1, 2, 3, 3], [4, 5])
    known = class_frequencies(outcome)
    assert known.labels == ("a", "b", "z")
    assert known.probabilities[0].tolist() == [0.6, 0.4, 0.0]
    assert known.predicted.tolist() == [0, 0]
    dummy = fit_and_predict(DummyClassifier(strategy="prior"), X, y, [0, 1, 2, 3, 3], [4, 5])
    assert brier(known) == pytest.approx(brier(dummy))
    assert brier_skill(dummy) == pytest.approx(0.0)
    without = Outcome.of([0, 0, 1], [0, 1], predicted=[1, 1, 1])
    assert class_frequencies(without).probabilities[0] == pytest.approx([2 / 3, 1 / 3])


def test_brier_skill_of_one_class_is_undefined():
    assert math.isnan(brier_skill(Outcome.of([0, 0], [0, 1], [[0.9, 0.1], [0.8, 0.2]])))


def test_measures_by_name_and_the_usual_ones_unchanged(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat(["no", "yes"], 20)
    usual = [measure.name for measure in MEASURES]
    assert "mcc" not in usual
    path = tmp_path / "r.csv"
    names = ["accuracy", "mcc", "balanced_accuracy", "f1(yes)"]
    results = evaluate(
        {"NB": GaussianNB()}, {"toy": (X, y)}, CrossValidation(folds=2), measures=names, out=path
    )
    assert [measure.name for measure in Results.read(path).measures] == names
    assert Results.read(path).summary("f1(yes)").title == "F1 of yes"
    assert np.isfinite(results.values("mcc", "toy", "NB")).all()
    with pytest.raises(
        ValueError, match=r"There is no measure 'f2'. Known here: accuracy, auc, balanced_acc"
    ):
        resolve_measures(["f2"])


def test_f1_of_one_class_by_its_spelling():
    outcome = Outcome.of([1, 2, 2], [1, 2, 3], predicted=[1, 1, 2])
    assert class_f1(outcome, "1") == pytest.approx(2 / 3)
    assert math.isnan(class_f1(outcome, "3"))
    assert math.isnan(class_f1(outcome, "other"))


def test_intervals_hold_the_value_and_are_those_of_the_mean():
    rng = np.random.default_rng(1)
    confident = rng.uniform(0.3, 0.99, 4000)
    truth = (rng.random(4000) < confident).astype(int)
    outcome = Outcome.of(truth, [0, 1], np.column_stack([1 - confident, confident]))
    lines = {line["name"]: line for line in measures_with_intervals(outcome)}
    for name, line in lines.items():
        if name != "Calibration error":
            assert line["low"] < line["value"] < line["high"], name
    losses = -np.log(np.where(truth == 1, confident, 1 - confident))
    half = 1.96 * losses.std() / np.sqrt(4000)
    assert lines["Log-loss"]["low"] == pytest.approx(losses.mean() - half, abs=0.1 * half)
    assert lines["Log-loss"]["high"] == pytest.approx(losses.mean() + half, abs=0.1 * half)
    assert lines["AUC"]["baseline"] == 0.5
    assert lines["MCC"]["baseline"] == 0.0
    assert lines["Brier skill"]["baseline"] == pytest.approx(0.0)
    assert lines["Accuracy"]["baseline"] == pytest.approx(max(truth.mean(), 1 - truth.mean()))


def test_too_many_rows_and_classes_for_areas_have_no_interval_of_them(monkeypatch):
    monkeypatch.setattr("bayleaf.quality.intervals.MOST_RANKED", 1000)
    outcome = Outcome.of([0, 1] * 10, [0, 1], [[0.7, 0.3]] * 20)
    lines = {line["name"]: line for line in measures_with_intervals(outcome)}
    assert "low" not in lines["AUC"]
    assert "low" in lines["MCC"]


def test_the_table_of_classes_has_wilson_intervals():
    outcome = Outcome.of(list("aaabbc"), list("abcd"), predicted=list("aabbba"))
    table = class_table(outcome)
    assert table["class"].to_list() == ["a", "b", "c", "d"]
    assert table["rows"].to_list() == [3, 2, 1, 0]
    assert table["predicted"].to_list() == [3, 3, 0, 0]
    a = table.row(0, named=True)
    assert (a["precision"], a["recall"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert (a["recall_low"], a["recall_high"]) == pytest.approx(wilson_interval(2 / 3, 3))
    share = wilson_interval(2 / 4, 4)  # hits among the rows that are or are called 'a'
    assert (a["f1_low"], a["f1_high"]) == pytest.approx([2 * s / (1 + s) for s in share])
    c, d = table.row(2, named=True), table.row(3, named=True)
    assert (c["precision"], c["recall"], c["f1"]) == (None, 0.0, 0.0)
    assert d["f1"] is None
    assert table.schema["precision"] == pl.Float64
