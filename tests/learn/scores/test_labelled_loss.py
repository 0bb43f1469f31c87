"""Costs in a DataFrame are read by their labels."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.scores import CrossValidatedRisk, HoldoutRisk
from bayleaf.learn.search import evaluator_at
from bayleaf.network.decisions import cost_matrix

LABELS = ["high", "low", "middle"]
COSTS = np.array([[0.0, 7.0, 2.0], [3.0, 0.0, 1.0], [5.0, 4.0, 0.0]])


@given(st.permutations(range(3)), st.permutations(range(3)))
def test_labels_decide_whatever_the_order(rows, columns):
    shuffled = COSTS[np.ix_(rows, columns)]
    index, names = [LABELS[i] for i in rows], [LABELS[j] for j in columns]
    in_pandas = pd.DataFrame(shuffled, index=index, columns=names)
    in_polars = pl.DataFrame({"truth": index, **dict(zip(names, shuffled.T, strict=True))})
    for frame in (in_pandas, in_polars, in_polars.to_pandas()):
        np.testing.assert_array_equal(cost_matrix(frame, LABELS, "score"), COSTS)


def test_names_may_be_the_text_of_numbers_and_truth_values():
    costs = pl.DataFrame({"truth": [2, 1], "2": [0, 1], "1": [5, 0]})
    np.testing.assert_array_equal(cost_matrix(costs, [1, 2], "score"), [[0, 1], [5, 0]])
    costs = pd.DataFrame([[0, 5], [1, 0]], index=[True, False], columns=["True", "False"])
    np.testing.assert_array_equal(cost_matrix(costs, [False, True], "score"), [[0, 1], [5, 0]])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(COSTS),
        pl.DataFrame(COSTS),
        pl.DataFrame(COSTS, schema=LABELS),
        pd.DataFrame(COSTS, LABELS),
    ],
    ids=["pandas", "polars", "columns in order", "rows in order"],
)
@pytest.mark.parametrize("labels", [LABELS, [1, 2, 3], [0, 1, 2]], ids=str)
def test_without_labels_costs_are_in_the_order_of_the_classes(frame, labels):
    if labels is LABELS or "high" not in [*frame.columns, *getattr(frame, "index", ())]:
        np.testing.assert_array_equal(cost_matrix(frame, labels, "score"), COSTS)
    else:
        with pytest.raises(ValueError, match=r"labelled \['high', 'low', 'middle'\], but the classes are"):
            cost_matrix(frame, labels, "score")


def test_counting_labels_are_labels_where_the_classes_are_the_same_numbers_as_text():
    labels = sorted(str(number) for number in range(12))
    costs = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    read = cost_matrix(pd.DataFrame(costs), labels, "score")
    np.testing.assert_array_equal(read, [[abs(int(a) - int(b)) for b in labels] for a in labels])


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (
            pd.DataFrame(COSTS, columns=["a", "b", "c"]),
            r"columns labelled \['a', 'b', 'c'\], but the classes are",
        ),
        (pd.DataFrame(COSTS, index=["low", "low", "high"]), "rows labelled .*'low', 'low'"),
        (
            pl.DataFrame(COSTS, schema=LABELS[::-1]),
            "labelled columns in another order .* and rows without labels",
        ),
        (
            pd.DataFrame(COSTS, index=LABELS[::-1]),
            "labelled rows in another order .* and columns without labels",
        ),
        (pd.DataFrame(COSTS, columns=["low", "low", "high"]), "columns of the same name"),
        (pd.DataFrame([["x"] * 3] * 3), "must be a matrix of numbers"),
        (pd.DataFrame(COSTS[:2]), "one row per class"),
    ],
)
def test_other_labels_are_refused(frame, sentence):
    with pytest.raises(ValueError, match=f"'loss' parameter of score .*{sentence}"):
        cost_matrix(frame, LABELS, "score")


def test_decisions_of_their_own_keep_their_columns():
    frame = pd.DataFrame([[9, 8], [0, 1], [2, 0]], index=["middle", "low", "high"], columns=["treat", "wait"])
    np.testing.assert_array_equal(cost_matrix(frame, LABELS, "score"), [[2, 0], [0, 1], [9, 8]])


@pytest.mark.parametrize("score", [CrossValidatedRisk(folds=2), HoldoutRisk()], ids=str)
def test_scores_read_labels(score):
    variables = (Variable("x", ("0", "1")), Variable("class", ("no", "yes")))
    table = Table.from_codes(variables, [[0, 0], [1, 1], [1, 0], [0, 0], [0, 1]] * 8, target=1)
    frame = pd.DataFrame([[0, 9], [1, 0]], index=["yes", "no"], columns=["yes", "no"])
    values = [
        evaluator_at(score.set_params(loss=loss), table, DAG(table.names), np.random.default_rng(0)).value
        for loss in (frame, [[0, 1], [9, 0]])
    ]
    assert values[0] == values[1] != 0


def test_the_classifier_reads_labels():
    X, y = [["a"], ["a"], ["a"], ["b"]], ["no", "no", "yes", "no"]
    frame = pd.DataFrame([[0, 9], [1, 0]], index=["yes", "no"], columns=["yes", "no"])
    assert bl.BayesNetClassifier(loss=frame).fit(X, y).predict([["a"]]).tolist() == ["yes"]
