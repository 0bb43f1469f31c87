"""Sums over batches of rows give the figures of all rows together."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf.quality import Outcome
from bayleaf.quality.intervals import FIGURES, measures_with_intervals
from bayleaf.quality.outcome import class_frequencies
from bayleaf.quality.quality_record import QualitySums, class_curves, reliability


def outcome_of(rng, rows, classes, unknown=False):
    """Probabilities that tell something of the class, some of them equal; some rows of a class that is not known."""
    truth = rng.integers(0, classes, rows)
    scores = rng.normal(size=(rows, classes)) + 1.5 * np.eye(classes)[truth]
    odds = np.exp(scores.round(1))
    labels = list("abcdef"[:classes])
    named = [labels[k] for k in truth]
    if unknown:
        named = ["zz" if k % 7 == 0 else "z" if k % 11 == 0 else name for k, name in enumerate(named)]
    prior = np.arange(1, classes + 1)
    return named, labels, odds / odds.sum(axis=1, keepdims=True), prior


def decided(named, labels, probabilities, prior, costs=None):
    if costs is None:
        return Outcome.of(named, labels, probabilities, prior=prior)
    chosen = np.array(labels)[(probabilities @ costs).argmin(axis=1)]
    return Outcome.of(named, labels, probabilities, chosen, prior, costs=costs)


def summed(named, labels, probabilities, prior, cuts, costs=None):
    sums = QualitySums(labels, prior, costs)
    ends = [0, *sorted(cuts), len(named)]
    for low, high in pairwise(ends):
        if low < high:
            sums.add(decided(named[low:high], labels, probabilities[low:high], prior, costs))
    return sums.quality()


@given(
    st.integers(0, 10**6),
    st.integers(2, 4),
    st.booleans(),
    st.lists(st.integers(0, 90), max_size=3),
    st.booleans(),
)
@settings(max_examples=20, deadline=None)
def test_figures_are_those_of_all_rows(seed, classes, unknown, cuts, has_costs):
    rng = np.random.default_rng(seed)
    given_ = outcome_of(rng, 90, classes, unknown)
    costs = rng.integers(1, 9, (classes, classes)) * (1.0 - np.eye(classes)) if has_costs else None
    whole = decided(*given_, costs)
    quality = summed(*given_, cuts, costs)
    assert quality.costs == (costs.tolist() if has_costs else None)
    assert quality.classes == tuple(whole.labels)
    found = {line["name"]: line for line in quality.measures}
    assert list(found) == [name for name in FIGURES if has_costs or name != "Mean cost"]
    for name in found:
        measure = FIGURES[name][0]
        area = name in ("AUC", "PR-AUC")  # probabilities that differ by less than 1 in 512 are one
        assert found[name]["value"] == pytest.approx(measure(whole), abs=0.02 if area else 1e-9), name
        baseline = measure(class_frequencies(whole))
        assert found[name]["baseline"] == pytest.approx(baseline, abs=1e-9), name
    expected = reliability(whole)["bins"]
    assert quality.reliability["bins"] == [pytest.approx(each) for each in expected]


def test_curves_are_those_of_all_rows():
    given_ = outcome_of(np.random.default_rng(2), 500, 3, unknown=True)
    named, labels, probabilities, prior = given_
    expected = class_curves(Outcome.of(named, labels, probabilities, prior=prior))
    found = summed(*given_, [100, 350]).curves
    assert [each["class"] for each in found] == [0, 1, 2]  # one that is not known has no probability
    for curve, other in zip(found, expected, strict=False):
        assert curve["share"] == other["share"]
        for area in ("auc", "ap"):
            assert curve[area] == pytest.approx(other[area], abs=0.005)
        for name in ("roc", "pr"):
            x, y = np.array(curve[name]).T
            assert (x[0], x[-1]) == (0.0, 1.0)
            across = np.linspace(0.05, 1, 20)
            other_x, other_y = np.array(other[name]).T
            difference = np.interp(across, x, y) - np.interp(across, other_x, other_y)
            assert np.abs(difference).mean() < 0.02


def test_intervals_are_those_of_the_bootstrap_on_many_rows():
    given_ = outcome_of(np.random.default_rng(1), 4000, 3)
    costs = np.array([[0.0, 1, 5], [2, 0, 1], [9, 1, 0]])
    whole = measures_with_intervals(decided(*given_, costs))
    for found, expected in zip(summed(*given_, [1000, 1001], costs).measures, whole, strict=True):
        assert found["value"] == pytest.approx(expected["value"], abs=1e-3)
        if "low" in found:
            width = expected["high"] - expected["low"]
            for end in ("low", "high"):
                assert found[end] == pytest.approx(expected[end], abs=0.1 * width), found["name"]


def test_one_class_only():
    quality = summed(["a"] * 5, ["a", "b"], np.tile([0.8, 0.2], (5, 1)), None, [2])
    assert quality.value("Accuracy") == 1.0
    assert "AUC" not in [line["name"] for line in quality.measures]
