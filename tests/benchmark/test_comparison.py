import io

import numpy as np
import pytest
from rich.console import Console
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from bayleaf.benchmark import (
    BonferroniDunnTest,
    CrossValidation,
    NemenyiTest,
    Scoreboard,
    compare,
    corrected_t_test,
    evaluate,
    signed_rank_test,
)


def board_of(gap, rows=20, methods=("A", "B", "C"), seed=0):
    noise = np.random.default_rng(seed).random((rows, len(methods)))
    return Scoreboard(noise + gap * np.arange(len(methods)), methods, measure="zero-one loss")


def test_clear_differences_are_reported():
    comparison = compare(board_of(gap=1.0))
    assert isinstance(comparison.post_hoc, NemenyiTest)
    assert comparison.differs
    assert "The methods differ" in str(comparison)
    assert "A (1.00) is better than C (3.00), p < 0.001" in str(comparison)


def test_noise_is_called_noise():
    comparison = compare(board_of(gap=0.0))
    assert not comparison.differs
    assert "No difference between the methods is shown" in str(comparison)
    assert "prove nothing" in str(comparison)


def test_a_control_is_compared_with_all_others():
    comparison = compare(board_of(gap=1.0), control="B")
    assert isinstance(comparison.post_hoc, BonferroniDunnTest)
    assert comparison.post_hoc.verdict("A") == "better"
    assert comparison.post_hoc.verdict("C") == "worse"


def test_two_methods_get_the_signed_rank_test():
    board = board_of(gap=0.4, methods=("A", "B"))
    comparison = compare(board)
    assert comparison.friedman is None
    expected = signed_rank_test(board.column("A"), board.column("B"))
    assert comparison.pairs["A against B"] == expected
    assert comparison.differs == (expected.p_value <= 0.05)


def test_one_data_set_gets_corrected_tests_over_its_folds():
    methods = {"NB": GaussianNB(), "tree": DecisionTreeClassifier(), "majority": DummyClassifier()}
    protocol = CrossValidation(5, repeats=3)
    results = evaluate(methods, {"iris": load_iris(return_X_y=True)}, protocol)
    comparison = compare(results, "accuracy", control="NB")
    own, other = (results.values("accuracy", "iris", name) for name in ("NB", "tree"))
    assert comparison.pairs["NB against tree"] == corrected_t_test(own, other, test_share=1 / 4)
    assert comparison.pairs["NB against majority"].p_value < 0.001
    assert "one data set says nothing about others" in str(comparison)


def test_few_and_left_out_data_sets_are_mentioned():
    few = compare(board_of(gap=1.0, rows=4))
    assert "4 data sets are few" in str(few)
    board = Scoreboard(np.random.default_rng(0).random((12, 3)), "ABC", left_out=["adult"])
    assert "left out, since not complete for all methods: adult" in str(compare(board))
    assert "few" not in str(compare(board))


def test_markdown_and_terminal_hold_the_same_findings():
    comparison = compare(board_of(gap=1.0))
    assert "| W/D/L" in comparison.to_markdown()
    file = io.StringIO()
    Console(file=file, width=120).print(comparison)
    assert "Nemenyi: critical difference" in file.getvalue()
    assert "20/0/0" in file.getvalue()


def test_errors_say_what_is_wrong():
    with pytest.raises(ValueError, match=r"at least 2 methods\. Got A"):
        compare(board_of(gap=1.0).select(["A"]))
    with pytest.raises(ValueError, match="no method 'Z'"):
        compare(board_of(gap=1.0), control="Z")
