import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2, f, norm

from bayleaf.benchmark import Scoreboard, average_ranks, bonferroni_dunn, friedman, nemenyi
from bayleaf.benchmark.result_tables import rank_rows
from reference.benchmark import slow_friedman, slow_ranks, slow_studentized_range

# Few different values, so that ties are common.
tables = st.tuples(st.integers(2, 8), st.integers(3, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.8]))
)


def board_of(values, **options):
    return Scoreboard(values, [f"m{i}" for i in range(np.shape(values)[1])], **options)


@given(tables, st.booleans())
def test_ranks_agree_with_counting(values, higher_is_better):
    fast = rank_rows(values, higher_is_better=higher_is_better)
    assert np.array_equal(fast, slow_ranks(values, higher_is_better))
    k = values.shape[1]
    assert np.allclose(fast.sum(axis=1), k * (k + 1) / 2)


@given(tables)
def test_reversing_the_direction_mirrors_the_ranks(values):
    k = values.shape[1]
    up, down = rank_rows(values, higher_is_better=True), rank_rows(values, higher_is_better=False)
    assert np.array_equal(up + down, np.full_like(up, k + 1))


@given(tables, st.randoms(use_true_random=False))
def test_order_of_methods_does_not_matter(values, random):
    order = list(range(values.shape[1]))
    random.shuffle(order)
    board = board_of(values)
    shuffled = board.select([f"m{i}" for i in order])
    assert average_ranks(shuffled) == pytest.approx(average_ranks(board))
    assert friedman(shuffled).statistic == pytest.approx(friedman(board).statistic)


@given(tables, st.booleans())
def test_friedman_agrees_with_the_textbook(values, correct_ties):
    test = friedman(board_of(values), correct_ties=correct_ties)
    ranks = slow_ranks(values, False)
    n, k = values.shape
    if all(len(set(row)) == 1 for row in ranks):
        assert test.statistic == 0.0
        assert test.p_value == test.f_p_value == 1.0
        return
    expected = slow_friedman(ranks, correct_ties)
    assert test.statistic == pytest.approx(expected, abs=1e-9)
    assert test.p_value == pytest.approx(chi2.sf(expected, k - 1), abs=1e-9)
    if expected < n * (k - 1) - 1e-6:
        ratio = (n - 1) * expected / (n * (k - 1) - expected)
        assert test.f_statistic == pytest.approx(ratio, abs=1e-9)
        assert test.f_p_value == pytest.approx(f.sf(ratio, k - 1, (k - 1) * (n - 1)), abs=1e-9)


def test_complete_agreement_gives_an_infinite_ratio():
    test = friedman(board_of(np.tile([1.0, 2.0, 3.0], (5, 1))))
    assert test.statistic == pytest.approx(10)
    assert test.f_statistic == math.inf
    assert test.f_p_value == 0.0


def test_differences_in_the_last_bits_are_ties():
    assert rank_rows([[0.1 + 0.2, 0.3, 0.5]], higher_is_better=False).tolist() == [[1.5, 1.5, 3.0]]


def test_nemenyi_p_values_agree_with_the_integral():
    rng = np.random.default_rng(0)
    test = nemenyi(board_of(rng.random((12, 4))))
    names = list(test.ranks)
    error = math.sqrt(4 * 5 / (6 * 12))
    for i in range(4):
        for j in range(i):
            q = abs(test.ranks[names[i]] - test.ranks[names[j]]) / error * math.sqrt(2)
            assert test.p_values[i, j] == pytest.approx(slow_studentized_range(q, 4), abs=1e-6)
    at_limit = slow_studentized_range(test.critical_difference / error * math.sqrt(2), 4)
    assert at_limit == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize(
    ("k", "nemenyi_q", "bonferroni_q"),
    [(2, 1.960, 1.960), (3, 2.343, 2.241), (4, 2.569, 2.394), (5, 2.728, 2.498), (10, 3.164, 2.773)],
)
def test_critical_values_are_those_of_demsars_table_5(k, nemenyi_q, bonferroni_q):
    board = board_of(np.random.default_rng(0).random((6, k)))
    error = math.sqrt(k * (k + 1) / 36)
    assert nemenyi(board).critical_difference / error == pytest.approx(nemenyi_q, abs=1e-3)
    assert bonferroni_dunn(board, "m0").critical_difference / error == pytest.approx(bonferroni_q, abs=1e-3)


def test_bonferroni_dunn_p_values():
    board = board_of(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [2.0, 1.0, 3.0], [1.0, 2.0, 3.0]]))
    test = bonferroni_dunn(board, "m0")
    z = (2.75 - 1.25) / math.sqrt(3 * 4 / 24)
    assert test.p_values["m2"] == pytest.approx(2 * 2 * norm.sf(z))
    assert test.verdict("m2") == "not distinguishable"
    assert "m0" not in test.p_values


def test_groups_are_maximal_and_hold_no_significant_pair():
    values = np.tile(np.arange(6, dtype=float), (15, 1))
    test = nemenyi(board_of(values))
    significant = {frozenset(pair[:2]) for pair in test.significant}
    for group in test.groups:
        assert not any(frozenset((a, b)) in significant for a in group for b in group)
    assert not any(set(a) < set(b) for a in test.groups for b in test.groups)
    covered = {frozenset((a, b)) for group in test.groups for a in group for b in group if a != b}
    everything = {frozenset((a, b)) for a in test.ranks for b in test.ranks if a != b}
    assert covered | significant == everything


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Scoreboard([[1.0, math.nan]], ["a", "b"], ["iris"]), "'b' has no finite value on 'iris'"),
        (lambda: Scoreboard([[1.0, 2.0]], ["a", "a"]), "Every method must have its own name"),
        (lambda: Scoreboard([[1.0, 2.0]], ["a"]), r"1 data sets by 1 methods. Got shape \(1, 2\)"),
        (lambda: friedman(board_of([[1.0, 2.0]])), "at least 2 data sets and 3 methods. Got 1 and 2"),
        (lambda: bonferroni_dunn(board_of(np.eye(3)), "x"), "no method 'x'. Known here: m0, m1, m2"),
        (lambda: board_of(np.eye(3)).select(datasets=["9"]), "no data set '9'"),
    ],
)
def test_errors_say_what_is_wrong(make, message):
    with pytest.raises(ValueError, match=message):
        make()
