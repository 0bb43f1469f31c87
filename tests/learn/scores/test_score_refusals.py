"""What class-focused scores refuse, and the sentences they say."""

import re

import numpy as np
import pytest

from bayleaf.graph import DAG
from bayleaf.learn.parameters import ConditionalLikelihood, Dirichlet, Laplace, MaximumLikelihood, Subsampled
from bayleaf.learn.scores import (
    CMDL,
    ClassificationRate,
    ConditionalLogLikelihood,
    CrossValidatedLogLoss,
    CrossValidatedRisk,
    HoldoutRisk,
    Prequential,
    RowLoss,
)
from bayleaf.learn.search import evaluator_at
from bayleaf.learn.search.log_joint import LogJointEvaluator
from reference.tree_problems import make_table


def test_bad_input_gets_a_sentence():
    table = make_table([(0, 1, 3), (1, 0, 2), (1, 1, 0)], [2, 2, 4], 2)
    graph = DAG.from_parents(table.names, [(2,), (2,), ()])
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="4 folds need at least 4 rows, and the table has 3"):
        evaluator_at(CrossValidatedRisk(), table, graph, rng)
    with pytest.raises(
        ValueError, match="'folds' parameter of CrossValidatedLogLoss must be an int in the range"
    ):
        evaluator_at(CrossValidatedLogLoss(folds=1), table, graph, rng)
    with pytest.raises(ValueError, match="all zero"):
        evaluator_at(CrossValidatedRisk(folds=2, loss=np.zeros((4, 4))), table, graph, rng)
    with pytest.raises(ValueError, match=re.escape("one row per class (4)")):
        evaluator_at(CrossValidatedRisk(folds=2, loss=np.ones((3, 3))), table, graph, rng)
    with pytest.raises(ValueError, match="not finite"):
        evaluator_at(HoldoutRisk(loss=np.full((4, 4), np.nan)), table, graph, rng)
    with pytest.raises(ValueError, match="one unseen value vetoes a class"):
        evaluator_at(ClassificationRate(MaximumLikelihood(epsilon=0.0)), table, graph, rng)
    with pytest.raises(ValueError, match="needs a class"):
        evaluator_at(ClassificationRate(), make_table([(0,)], [2], None), DAG(["v0"]), rng)
    with pytest.raises(ValueError, match="class of every row"):
        evaluator_at(ClassificationRate(), make_table([(None,)], [2], 0), DAG(["v0"]), rng)
    many = make_table([(0,) * 9], [60] * 9, 8)
    evaluator = evaluator_at(ClassificationRate(), many, DAG.from_parents(many.names, [(8,)] * 8 + [()]), rng)
    with pytest.raises(ValueError, match="more than 2,147,483,648: use fewer parents"):
        evaluator.scores(0, [tuple(range(1, 9))])


@pytest.mark.parametrize("states", [2, 300], ids=["uint8", "uint16"])
@pytest.mark.parametrize("score", [ClassificationRate, ConditionalLogLikelihood])
@pytest.mark.parametrize("learner", [MaximumLikelihood(), ConditionalLikelihood()], ids=repr)
def test_a_missing_class_is_refused_however_parameters_are_fitted(learner, score, states):
    table = make_table([(0, 0), (1, 1), (1, None)], [states, 2], 1)
    graph = DAG.from_parents(table.names, [(1,), ()])
    with pytest.raises(ValueError, match="A class-focused score needs the class of every row"):
        evaluator_at(score(learner), table, graph, np.random.default_rng(0))


EVERY_SCORE = [
    ClassificationRate(),
    ClassificationRate(ConditionalLikelihood()),
    ConditionalLogLikelihood(),
    CMDL(),
    CrossValidatedRisk(folds=2),
    CrossValidatedLogLoss(folds=2),
    HoldoutRisk(),
    HoldoutRisk(fixed=False),
    Prequential(),
]


@pytest.mark.parametrize("score", EVERY_SCORE, ids=repr)
@pytest.mark.parametrize(
    ("rows", "weights", "sentence"),
    [
        ([], None, "needs rows to predict: the table has none"),
        ([(0, 1), (1, 0)] * 4, [0.0] * 8, "needs rows that count: every weight is zero"),
        ([(0, 1), (1, None)] * 4, None, "needs the class of every row"),
    ],
    ids=["no rows", "no weight", "missing class"],
)
def test_tables_without_anything_to_predict_are_refused(score, rows, weights, sentence):
    table = make_table(rows, [2, 2], 1, weights)
    with pytest.raises(ValueError, match=f"A class-focused score {sentence}"):
        evaluator_at(score, table, DAG(table.names), np.random.default_rng(0))


def test_predicted_rows_need_weight():
    table = make_table([(0, 1), (1, 0)], [2, 2], 1, [0.0, 1.0])
    fold = np.array([0, 255], dtype=np.uint8)
    with pytest.raises(ValueError, match="every row it would predict has weight zero"):
        LogJointEvaluator(table, DAG(table.names), MaximumLikelihood(), RowLoss("error"), fold=fold)


@pytest.mark.parametrize(
    "loss", ["abc", [[0, 1], [1]], [[0, "x"], [1, 0]], lambda truth, decision: "much", lambda truth: 1.0]
)
def test_a_loss_that_is_no_matrix_of_numbers_gets_a_sentence(loss):
    table = make_table([(0, 1), (1, 0)] * 4, [2, 2], 1)
    with pytest.raises(
        ValueError, match="'loss' parameter of CrossValidatedRisk must be a matrix of numbers"
    ):
        evaluator_at(CrossValidatedRisk(loss=loss), table, DAG(table.names), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        (ClassificationRate(MaximumLikelihood), "cannot fit <class .*MaximumLikelihood.*must be a parameter"),
        (ConditionalLogLikelihood(Laplace), "cannot fit <class .*Laplace.*must be a parameter learner"),
        (CrossValidatedRisk(parameters=Laplace), "cannot count with <class .*Laplace"),
        (
            CMDL(ConditionalLikelihood()),
            r"cannot count with ConditionalLikelihood\(\): use MaximumLikelihood",
        ),
        (
            ClassificationRate(MaximumLikelihood("x")),
            "'epsilon' parameter of MaximumLikelihood must be a float",
        ),
        (CMDL(MaximumLikelihood(1)), r"'epsilon' parameter of MaximumLikelihood must be .*\[0, 1\). Got 1"),
        (
            CrossValidatedRisk(parameters=Dirichlet(0)),
            "'ess' parameter of Dirichlet must be a float .* Got 0",
        ),
        (ClassificationRate(Dirichlet(-1)), "'ess' parameter of Dirichlet must be a float in the range"),
        (ClassificationRate(Dirichlet(np.inf)), "'ess' parameter of Dirichlet must be .* Got inf"),
        (ClassificationRate(Dirichlet("a")), "'ess' parameter of Dirichlet must be a float .* Got 'a'"),
        (ClassificationRate(Dirichlet(np.nan)), "'ess' parameter of Dirichlet must be .* Got nan"),
        (
            ConditionalLogLikelihood(ConditionalLikelihood(start=Laplace)),
            "'start' parameter of ConditionalLikelihood must be a parameter learner",
        ),
        (
            ConditionalLogLikelihood(Subsampled(Laplace())),
            "'learner' parameter of Subsampled must be an instance of ConditionalLikelihood",
        ),
        (HoldoutRisk(fixed="no"), "'fixed' parameter of HoldoutRisk must be a bool. Got 'no'"),
    ],
    ids=repr,
)
def test_parameters_of_a_score_are_checked_before_it_counts(score, sentence):
    table = make_table([(0, 1), (1, 0)] * 4, [2, 2], 1)
    with pytest.raises((TypeError, ValueError), match=sentence):
        evaluator_at(score, table, DAG(table.names), np.random.default_rng(0))


def test_a_penalty_beyond_whole_numbers_gets_a_sentence():
    arities = [4] * 14 + [2]
    rng = np.random.default_rng(1)
    table = make_table([tuple(int(rng.integers(a)) for a in arities) for _ in range(40)], arities, 14)
    large = [(*range(1, 14), 14)] + [()] * 14
    evaluator = evaluator_at(CMDL(), table, DAG.from_parents(table.names, large), rng)
    for ask in (lambda: evaluator.value, lambda: evaluator.scores(0, large[:1])):
        with pytest.raises(ValueError, match=r"penalty of this network, .*, is too large to compare"):
            ask()
    evaluator.commit({0: (14,)})
    assert np.isfinite(evaluator.value)


def test_parameters_that_cannot_be_fitted_get_a_sentence():
    table = make_table([(0, 1), (1, 0)] * 4, [2, 2], 1)
    for score in (ClassificationRate("x"), ConditionalLogLikelihood("x")):
        with pytest.raises(TypeError, match="cannot fit 'x': its 'parameters' must be a parameter learner"):
            evaluator_at(score, table, DAG(table.names), np.random.default_rng(0))
