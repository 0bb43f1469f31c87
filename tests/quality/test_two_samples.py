"""Tests of two samples of counts, against all ways to deal the rows and rows that are dealt out at random."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact, multivariate_hypergeom

from bayleaf.quality import two_samples as tests


def dealt(values, first, rng, times):
    """Deal rows with these values out to two samples: counts of both, by value."""
    return multivariate_hypergeom.rvs(values, first, size=times, random_state=rng)


def test_mean_and_variance_are_those_of_all_ways_to_deal_the_rows(monkeypatch):
    # What the statistic is compared with: caught where its p-value is looked up.
    caught = []
    monkeypatch.setattr(tests, "LEAST_EXPECTED", 0.0)
    monkeypatch.setattr(tests.chi2, "sf", lambda value, freedom: caught.append((value, freedom)) or 0.5)
    values = np.array([0, 0, 0, 1, 1, 2, 2])
    for chosen in combinations(range(7), 3):
        first = np.bincount(values[list(chosen)], minlength=3).astype(float)
        tests.same_shares(first, np.bincount(values, minlength=3) - first)
    scaled, freedom = np.array(caught).T
    assert len(set(freedom.round(9))) == 1  # the same margins, the same distribution
    assert scaled.mean() == pytest.approx(freedom[0])
    assert scaled.var() == pytest.approx(2 * freedom[0])


@pytest.mark.parametrize("values", [[300, 200, 100], [1000, 30, 5, 5, 1, 1, 1, 1], [5] * 60])
@pytest.mark.parametrize("rows", [40, 200])
def test_few_p_values_are_small_if_nothing_has_changed(values, rows):
    rng = np.random.default_rng(0)
    values = np.array(values)
    samples = dealt(values, values.sum() - min(rows, values.sum() // 2), rng, 2000).astype(float)
    p = [tests.same_shares(first, values - first) for first in samples]
    p = np.array([1.0 if each is None else each for each in p])
    assert (p < 0.05).mean() < 0.065
    assert (p < 0.005).mean() < 0.011


def test_strata_are_compared_one_by_one():
    # The values are as frequent in both samples; given the stratum they are exchanged.
    before, after = np.array([[50.0, 10.0], [10.0, 50.0]]), np.array([[10.0, 50.0], [50.0, 10.0]])
    assert tests.same_shares(before.sum(axis=0), after.sum(axis=0)) == pytest.approx(1.0)
    assert tests.same_shares(before, after) < 1e-9
    # Other shares of the strata are no change of what is in them.
    assert tests.same_shares(before, before * [[4.0], [1.0]]) == pytest.approx(1.0)


def test_a_sample_without_rows_or_values_tells_nothing():
    assert tests.same_shares(np.array([5.0, 5.0]), np.zeros(2)) is None
    assert tests.same_shares(np.array([5.0, 0.0]), np.array([9.0, 0.0])) is None
    assert tests.same_shares(np.array([[5.0, 5.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [5.0, 5.0]])) is None


def test_a_value_that_stands_for_rare_ones_is_pooled_with_them():
    before, after = np.array([100.0, 8.0, 0.0]), np.array([100.0, 0.0, 8.0])
    assert tests.same_shares(before, after) < 0.01
    assert tests.same_shares(
        np.array([100.0, 2, 2, 2, 2, 0]), np.array([100.0, 0, 0, 0, 0, 8]), last_is_rare=True
    ) == (pytest.approx(1.0))


def test_shares_are_compared_as_fisher_does():
    two_by_two = [[3, 97], [14, 86]]
    assert tests.higher_share(3, 100, 14, 100) == pytest.approx(fisher_exact(two_by_two, "less").pvalue)
    assert tests.same_share(3, 100, 14, 100) == pytest.approx(2 * fisher_exact(two_by_two, "less").pvalue)
    assert tests.same_share(100, 100, 50, 50) is None


def test_the_chance_of_new_values_is_that_of_dealt_rows():
    rng = np.random.default_rng(1)
    values = np.array([500, 40, 3, 2, 2, 1, 1, 1, 1, 1])
    second = values - dealt(values, 400, rng, 4000)
    only_there = (second == values).sum(axis=1).mean()
    _, expected, _ = tests.new_values((values - second[0]).astype(float), second[0].astype(float))
    assert expected == pytest.approx(only_there, rel=0.05)
    # One value of many rows is surprising, one of one row is not.
    assert tests.new_values(np.array([500.0, 1, 1, 0]), np.array([100.0, 0, 0, 1]))[2] > 0.2
    assert tests.new_values(np.array([500.0, 1, 1, 0]), np.array([100.0, 0, 0, 20]))[2] < 0.5
    assert tests.new_values(np.array([500.0, 50, 0]), np.array([100.0, 10, 20]))[2] < 1e-9
    assert tests.new_values(np.array([500.0, 50]), np.array([100.0, 10]))[2] is None


def test_means_of_skewed_numbers_are_compared_without_false_alarms():
    rng = np.random.default_rng(2)

    def shape(values):
        return values.mean(), values.std(), ((values - values.mean()) ** 3).mean() / values.std() ** 3

    p = []
    for _ in range(3000):
        old, new = rng.beta(0.1, 2.0, 1000), rng.beta(0.1, 2.0, 60)
        p.append(tests.higher_mean(shape(old), 1000, shape(new), 60))
    assert (np.array(p) < 0.05).mean() < 0.06
    assert (np.array(p) < 0.005).mean() < 0.01
    assert tests.higher_mean((1.0, 0.0, 0.0), 50, (1.0, 0.0, 0.0), 50) == 1.0


def test_both_sides_of_a_mean_count():
    up, down = (tests.different_mean((0.0, 1.0, 0.5), 80, (sign * 0.3, 1.0, 0.5), 60) for sign in (1, -1))
    assert up == pytest.approx(2 * tests.higher_mean((0.0, 1.0, 0.5), 80, (0.3, 1.0, 0.5), 60))
    assert down == pytest.approx(2 * tests.higher_mean((0.0, 1.0, -0.5), 80, (0.3, 1.0, -0.5), 60))
    assert tests.different_mean((0.0, 1.0, 0.0), 80, (0.0, 1.0, 0.0), 60) == 1.0


def test_a_dependence_that_is_lost_is_noticed_and_a_chosen_one_raises_few_alarms():
    """Of 15 columns that have nothing to do with the values, the one that seems to tell most is chosen."""
    rng = np.random.default_rng(4)

    def tables(parents, values):
        return [np.histogram2d(parent, values, bins=[range(5), range(4)])[0] for parent in parents]

    p = []
    for _ in range(300):
        old, new = (
            tables(rng.integers(0, 4, (15, 300)), rng.integers(0, 3, 300)),
            rng.integers(0, 4, (2, 500)),
        )
        best = max(old, key=lambda table: chi2_contingency(table + 1e-9).statistic)
        p.append(tests.less_told(best, tables(new[:1], new[1] % 3)[0], 15))
    assert (np.array(p) * 15 < 0.05).mean() < 0.05
    told = np.array([[60.0, 20, 20], [20, 60, 20]])
    assert tests.less_told(told, told, 15) > 0.5
    assert tests.less_told(told, told.mean(axis=0, keepdims=True).repeat(2, axis=0), 15) < 1e-3
    assert tests.less_told(told, np.array([[90.0, 5, 5], [5, 90, 5]])) > 0.9  # more is told than before
    assert tests.less_told(told, np.zeros((2, 3))) is None
    assert tests.less_told(told[:1], told[:1]) is None


def test_rows_below_a_quantile_of_other_rows_are_counted_without_a_distribution():
    rng = np.random.default_rng(3)
    p = []
    for _ in range(2000):
        old, new = np.sort(rng.random(100)), rng.random(200)
        p.append(tests.more_below(100, 0.05, int((new < old[5]).sum()), 200))
    assert 0.03 < (np.array(p) < 0.05).mean() < 0.06


def test_holm_by_hand():
    assert tests.holm([0.04, 0.01, 0.5]) == [pytest.approx(0.08), pytest.approx(0.03), 0.5]
    assert tests.holm([]) == []
