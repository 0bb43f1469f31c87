import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from bayleaf.benchmark import (
    Scoreboard,
    Tolerance,
    adjust_p_values,
    corrected_t_test,
    paired_t_test,
    sign_test,
    signed_rank_against,
    signed_rank_test,
    win_draw_loss,
)
from reference.benchmark import (
    bonferroni,
    closed_testing,
    simes,
    slow_corrected_t,
    slow_sign_test,
    slow_signed_rank,
)

values = st.floats(0.0, 1.0, allow_subnormal=False)
pairs = st.lists(st.tuples(values, values), min_size=2, max_size=12)


@given(st.integers(0, 30), st.integers(0, 30))
def test_sign_test_is_a_sum_of_binomial_chances(wins, losses):
    assert sign_test(wins, losses) == pytest.approx(slow_sign_test(wins, losses))


def test_signed_rank_test_agrees_with_all_signs():
    rng = np.random.default_rng(0)
    for _ in range(5):
        a, b = rng.normal(size=9) + 0.5, rng.normal(size=9)
        assert signed_rank_test(a, b).p_value == pytest.approx(slow_signed_rank(a - b))


def test_signed_rank_test_of_equal_values_is_not_significant():
    assert signed_rank_test([0.1, 0.2], [0.1, 0.2]).p_value == 1.0


@given(pairs, st.floats(0.01, 2.0))
def test_corrected_t_test_agrees_with_the_formula(numbers, share):
    a, b = np.round(np.array(numbers).T, 6)
    test = corrected_t_test(a, b, test_share=share)
    differences = np.round(a - b, 12)
    if np.all(differences == differences[0]):
        assert test.p_value in (0.0, 1.0)
        return
    statistic = slow_corrected_t(list(differences), share)
    assert test.statistic == pytest.approx(statistic, rel=1e-6, abs=1e-9)
    assert test.p_value == pytest.approx(2 * t.sf(abs(statistic), len(a) - 1), rel=1e-6, abs=1e-9)


def test_corrected_t_test_is_more_careful_than_the_plain_one():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.1, 1, 50), rng.normal(0, 1, 50)
    plain = paired_t_test(a, b, alternative="two-sided")
    corrected = corrected_t_test(a, b, test_share=1 / 4)
    assert abs(corrected.statistic) < abs(plain.statistic)
    # As the test part shrinks, the correction goes away.
    assert corrected_t_test(a, b, test_share=1e-12).p_value == pytest.approx(plain.p_value)


@pytest.mark.parametrize(("alternative", "p"), [("greater", 0.0), ("less", 1.0), ("two-sided", 0.0)])
def test_constant_differences(alternative, p):
    assert corrected_t_test([1.0, 1.0], [0.5, 0.5], test_share=0.5, alternative=alternative).p_value == p
    assert paired_t_test([1.0, 1.0], [0.5, 0.5], alternative=alternative).p_value == p
    assert paired_t_test([1.0, 1.0], [1.0, 1.0], alternative=alternative).p_value == 1.0


@given(pairs, st.floats(0, 0.3), st.floats(0, 0.3), st.booleans())
def test_win_draw_loss_counts_and_mirrors(numbers, absolute, relative, higher):
    a, b = np.array(numbers).T
    tolerance = Tolerance(absolute, relative)
    record = win_draw_loss(a, b, higher_is_better=higher, tolerance=tolerance)
    mirrored = win_draw_loss(b, a, higher_is_better=higher, tolerance=tolerance)
    assert (record.wins, record.draws, record.losses) == (mirrored.losses, mirrored.draws, mirrored.wins)
    wins = sum(
        (x > y) == higher and abs(x - y) > max(absolute, relative * min(x, y)) + 1e-12
        for x, y in zip(a, b, strict=True)
        if x != y
    )
    assert record.wins == wins
    assert record.wins + record.draws + record.losses == len(a)


@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=4))
def test_holm_and_hommel_are_closed_tests(p_values):
    named = {str(i): p for i, p in enumerate(p_values)}
    holm = list(adjust_p_values(named, method="holm").values())
    hommel = list(adjust_p_values(named, method="hommel").values())
    assert holm == pytest.approx(closed_testing(p_values, bonferroni))
    assert hommel == pytest.approx(closed_testing(p_values, simes))
    assert all(b <= a + 1e-12 for a, b in zip(holm, hommel, strict=True))


def test_adjusting_nothing_gives_nothing():
    assert adjust_p_values({}) == {}


def test_signed_rank_against_all_others():
    rng = np.random.default_rng(0)
    board = Scoreboard(rng.random((15, 3)) + np.array([0.0, 0.3, 0.0]), ["A", "B", "C"])
    test = signed_rank_against(board, "A", adjustment="hommel")
    raw = signed_rank_test(board.column("A"), board.column("B")).p_value
    assert test.p_values["B"] == raw
    assert test.adjusted == adjust_p_values(test.p_values, method="hommel")
    assert "p adjusted by hommel" in str(test)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: paired_t_test([1.0], [1.0, 2.0]), "equally many values"),
        (lambda: signed_rank_test([1.0, math.nan], [1.0, 2.0]), "must be finite"),
        (lambda: corrected_t_test([1.0, 2.0], [1.0, 2.0], test_share=0), "test_share must be positive"),
        (lambda: Tolerance(absolute=-1), "must not be negative"),
        (lambda: adjust_p_values({"a": 0.1}, method="fdr"), "must be 'holm' or 'hommel'. Got 'fdr'"),
    ],
)
def test_errors_say_what_is_wrong(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_p_values_to_adjust_have_names():
    with pytest.raises(
        TypeError, match=r"p_values must be a dict from names to p-values, such as .* Got a list\."
    ):
        adjust_p_values([0.01, 0.04], method="holm")
