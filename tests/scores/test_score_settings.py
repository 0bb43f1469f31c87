"""What class-focused scores refuse: settings and tables that cannot be judged; and how they divide rows."""

import math

import numpy as np
import pytest

from bayleaf.graph import DAG
from bayleaf.parameters import ConditionalLikelihood, Dirichlet, Laplace, MaximumLikelihood, Subsampled
from bayleaf.scores import (
    CMDL,
    ClassificationRate,
    ConditionalLogLikelihood,
    CrossValidatedLogLoss,
    CrossValidatedRisk,
    HoldoutRisk,
    Prequential,
)
from bayleaf.scores.folds import stratified_folds
from bayleaf.scores.judgement import Judgement
from bayleaf.scores.log_joint import LogJointEvaluator
from bayleaf.table import Table, Variable


def make_table(rows, arities, target, weights=None):
    codes = [[-1 if value is None else value for value in row] for row in rows]
    variables = tuple(Variable(f"v{j}", tuple(range(arity))) for j, arity in enumerate(arities))
    codes = np.array(codes, dtype=np.int64).reshape(len(rows), len(arities))
    return Table.from_codes(variables, codes, None if weights is None else np.array(weights), target)


def test_folds_count_as_many_tables_as_there_are():
    """Two folds and a family of 2^24 cells: 3 x 2^24 are within the limit, 256 x 2^24 would not be."""
    rows = np.random.default_rng(0).integers(2, size=(20, 25)).tolist()
    table = make_table(rows, [2] * 25, 24)
    evaluator = CrossValidatedRisk(folds=2).evaluator(table, DAG(table.names), np.random.default_rng(0))
    assert -1 <= evaluator.scores(0, [(*range(1, 23), 24)])[0] <= 0
    wide = make_table([[0] * 10, [1] * 10] * 2, [60] * 10, 9)
    evaluator = CrossValidatedRisk(folds=2).evaluator(wide, DAG(wide.names), np.random.default_rng(0))
    with pytest.raises(ValueError, match="use fewer parents or fewer states"):
        evaluator.scores(0, [tuple(range(1, 10))])


@pytest.mark.parametrize("states", [2, 300], ids=["uint8", "uint16"])
@pytest.mark.parametrize("score", [ClassificationRate, ConditionalLogLikelihood])
@pytest.mark.parametrize("learner", [MaximumLikelihood(), ConditionalLikelihood()], ids=repr)
def test_a_missing_class_is_refused_however_parameters_are_fitted(learner, score, states):
    table = make_table([(0, 0), (1, 1), (1, None)], [states, 2], 1)
    graph = DAG.from_parents(table.names, [(1,), ()])
    with pytest.raises(ValueError, match="A class-focused score needs the class of every row"):
        score(learner).evaluator(table, graph, np.random.default_rng(0))


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
        ([], None, "needs rows to judge: the table has none"),
        ([(0, 1), (1, 0)] * 4, [0.0] * 8, "needs rows that count: every weight is zero"),
        ([(0, 1), (1, None)] * 4, None, "needs the class of every row"),
    ],
    ids=["no rows", "no weight", "missing class"],
)
def test_tables_without_anything_to_judge_are_refused(score, rows, weights, sentence):
    table = make_table(rows, [2, 2], 1, weights)
    with pytest.raises(ValueError, match=f"A class-focused score {sentence}"):
        score.evaluator(table, DAG(table.names), np.random.default_rng(0))


def test_judged_rows_need_weight():
    table = make_table([(0, 1), (1, 0)], [2, 2], 1, [0.0, 1.0])
    fold = np.array([0, 255], dtype=np.uint8)
    with pytest.raises(ValueError, match="every row it would judge has weight zero"):
        LogJointEvaluator(table, DAG(table.names), MaximumLikelihood(), Judgement("error"), fold=fold)


@pytest.mark.parametrize(
    "loss", ["abc", [[0, 1], [1]], [[0, "x"], [1, 0]], lambda truth, decision: "much", lambda truth: 1.0]
)
def test_a_loss_that_is_no_matrix_of_numbers_gets_a_sentence(loss):
    table = make_table([(0, 1), (1, 0)] * 4, [2, 2], 1)
    with pytest.raises(
        ValueError, match="'loss' parameter of CrossValidatedRisk must be a matrix of numbers"
    ):
        CrossValidatedRisk(loss=loss).evaluator(table, DAG(table.names), np.random.default_rng(0))


def test_parameters_that_cannot_be_fitted_get_a_sentence():
    table = make_table([(0, 1), (1, 0)] * 4, [2, 2], 1)
    for score in (ClassificationRate("x"), ConditionalLogLikelihood("x")):
        with pytest.raises(TypeError, match="cannot fit 'x': its 'parameters' must be a parameter learner"):
            score.evaluator(table, DAG(table.names), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (Dirichlet(ess=-1.0), "'ess' parameter of Dirichlet must be a float in the range"),
        (Dirichlet(ess=0), "'ess' parameter of Dirichlet must be a float in the range"),
        (Dirichlet(ess=math.nan), "'ess' parameter of Dirichlet must be a float in the range"),
        (MaximumLikelihood(epsilon="small"), "'epsilon' parameter of MaximumLikelihood must be a float"),
        (MaximumLikelihood, "its 'parameters' must be a parameter learner, such as MaximumLikelihood"),
        (ConditionalLikelihood, "its 'parameters' must be a parameter learner, such as MaximumLikelihood"),
        (ConditionalLikelihood(start=Laplace), "'start' parameter of ConditionalLikelihood must be"),
        (Subsampled(Laplace()), "'learner' parameter of Subsampled must be an instance of Conditional"),
    ],
)
def test_wrong_settings_of_parameters_are_refused_by_the_score(parameters, sentence):
    """They were once taken for imaginary rows, whatever they were."""
    table = make_table([(0, 1), (1, 0)] * 4, [2, 2], 1)
    with pytest.raises((TypeError, ValueError), match=sentence):
        ConditionalLogLikelihood(parameters).evaluator(table, DAG(table.names), np.random.default_rng(0))


def test_a_class_smaller_than_the_folds_is_told():
    table = make_table([(0,)] * 9 + [(1,)], [2], 0)
    with pytest.warns(UserWarning, match="class 1 has 1 rows, fewer than the 4 folds; it is missing from 3"):
        fold = stratified_folds(table, 4, np.random.default_rng(0), "Score")
    assert np.bincount(fold).tolist() == [3, 3, 2, 2]


def test_folds_are_stratified():
    table = make_table([(0,)] * 40 + [(1,)] * 20, [2], 0)
    fold = stratified_folds(table, 5, np.random.default_rng(3), "Score")
    assert np.bincount(fold[:40]).tolist() == [8] * 5
    assert np.bincount(fold[40:]).tolist() == [4] * 5
