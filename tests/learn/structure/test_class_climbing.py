"""Hill-climbing with class-focused scores, against searches that refit every model in exact fractions."""

import math
from dataclasses import replace

import numpy as np
import pytest

from all_dags import all_dags
from bayleaf._util.progress import Steps
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.scores import (
    CMDL,
    ClassificationRate,
    ConditionalLogLikelihood,
    CrossValidatedLogLoss,
    CrossValidatedRisk,
    HoldoutRisk,
)
from bayleaf.learn.search import evaluator_at
from bayleaf.learn.search.evaluators import ClassMoveEvaluator
from bayleaf.learn.search.moves import Rules
from bayleaf.learn.search.samples import holdout, table_folds
from bayleaf.learn.structure import GreedyTree, HillClimbing
from bayleaf.learn.structure.hill_climbing import climb
from reference.climbing import neighbours, slow_climb, small_rows
from reference.risk import conditional_log_likelihood, dimension, held_out_losses

SCORES = [
    ClassificationRate(),
    CrossValidatedRisk(folds=4),
    HoldoutRisk(),
    HoldoutRisk(fixed=False),
    ConditionalLogLikelihood(),
    CMDL(),
    CrossValidatedLogLoss(folds=5),
    CrossValidatedRisk(folds=3, loss=[[0, 1], [5, 0]]),
]


def make_table(seed: int, rows: int = 48, arities: tuple[int, ...] = (2, 3, 2, 2)) -> Table:
    codes = small_rows(np.random.default_rng(seed), rows, list(arities))
    variables = tuple(Variable(f"v{j}", tuple(map(str, range(r)))) for j, r in enumerate(arities))
    return Table.from_codes(variables, codes, target=len(arities) - 1)


def learn(learner, table, seed=0):
    return learner.learn(table, np.random.default_rng(seed))


def begin(table, start):
    last = table.names[-1]
    return DAG(table.names, [] if start == "empty" else [(last, name) for name in table.names[:-1]])


@pytest.mark.parametrize("start", ["naive", "empty"])
@pytest.mark.parametrize("seed", range(3))
def test_risk_minimisation_equals_a_search_that_refits_every_fold(start, seed):
    table = make_table(seed)
    rows, arities = table.codes.tolist(), table.arities.tolist()
    fold = table_folds(table, 4, np.random.default_rng(seed), "").tolist()
    slow = slow_climb(
        begin(table, start), lambda dag: -sum(held_out_losses(rows, fold, dag.parent_indices, arities))
    )
    assert learn(HillClimbing(CrossValidatedRisk(folds=4), start), table, seed) == slow


@pytest.mark.parametrize("seed", range(2))
def test_holdout_risk_equals_a_search_that_refits(seed):
    table = make_table(seed)
    rows, arities = table.codes.tolist(), table.arities.tolist()
    fold = holdout(table, 0.25, np.random.default_rng(seed)).tolist()
    slow = slow_climb(
        begin(table, "naive"),
        lambda dag: -sum(held_out_losses(rows, fold, dag.parent_indices, arities)),
        reversals=False,
    )
    assert learn(HillClimbing(HoldoutRisk(), "naive", reversals=False), table, seed) == slow


@pytest.mark.parametrize("seed", range(2))
def test_risk_under_a_cost_matrix_equals_a_search_that_refits(seed):
    table = make_table(seed)
    rows, arities = table.codes.tolist(), table.arities.tolist()
    cost = [[0, 1], [5, 0]]
    fold = table_folds(table, 3, np.random.default_rng(seed), "").tolist()
    slow = slow_climb(
        begin(table, "naive"),
        lambda dag: -sum(held_out_losses(rows, fold, dag.parent_indices, arities, cost)),
    )
    assert learn(HillClimbing(CrossValidatedRisk(folds=3, loss=cost), "naive"), table, seed) == slow


@pytest.mark.parametrize(
    ("score", "price"), [(ConditionalLogLikelihood(), 0.0), (CMDL(), 0.5 * math.log(48))]
)
@pytest.mark.parametrize("seed", range(2))
def test_conditional_likelihood_equals_a_search_that_refits(score, price, seed):
    table = make_table(seed)
    rows, arities = table.codes.tolist(), table.arities.tolist()

    def value(dag):
        parents = dag.parent_indices
        return conditional_log_likelihood(rows, parents, arities) - price * dimension(parents, arities)

    slow = slow_climb(begin(table, "empty"), value, max_parents=2, tolerance=1e-7)
    found = learn(HillClimbing(score, "empty", max_parents=2), table)
    assert value(found) == pytest.approx(value(slow))


# With other rows at every step even a move that changes nothing may look better: there skipping is a rule of its own.
@pytest.mark.parametrize("score", [s for s in SCORES if getattr(s, "fixed", True)], ids=repr)
@pytest.mark.parametrize("start", ["naive", "empty"])
def test_moves_that_the_class_does_not_notice_can_be_skipped(score, start):
    for seed in range(4):
        table = make_table(seed, rows=90, arities=(2, 3, 2, 2, 2, 2))
        rules = Rules.read(
            table, required=None, forbidden=None, max_parents=3, reversals=True, max_cells=2**20
        )
        graph = rules.start_graph(table, start)
        found = []
        for skip in (True, False):
            evaluator = ClassMoveEvaluator(score, table, np.random.default_rng(seed), skip=skip)
            found.append(climb(graph, evaluator, rules, Steps("")).graph.dag(table.names))
        assert found[0] == found[1]


@pytest.mark.parametrize("score", [s for s in SCORES if getattr(s, "fixed", True)], ids=repr)
def test_no_graph_one_arc_away_is_better(score):
    table = make_table(5)
    found = learn(HillClimbing(score, "naive"), table)
    evaluator = evaluator_at(score, table, DAG(table.names), np.random.default_rng(0))
    values = {}
    for families in all_dags(4):
        evaluator.commit(dict(enumerate(families)))
        values[families] = evaluator.value
    own = values[found.parent_indices]
    assert own >= max(values[dag.parent_indices] for _, dag in neighbours(found))
    wide = learn(HillClimbing(score, "naive", tabu=8, restarts=4), table)
    assert own <= values[wide.parent_indices] <= max(values.values())


@pytest.mark.parametrize("score", SCORES, ids=repr)
def test_the_number_of_threads_changes_nothing(score):
    table = make_table(1, rows=300, arities=(2, 3, 2, 4, 2, 2))
    found = {learn(HillClimbing(score, "naive"), replace(table, n_jobs=n)) for n in (1, 2, 3)}
    assert len(found) == 1


def test_weights_count_like_copies_of_rows():
    table = make_table(2, rows=60)
    copies = np.random.default_rng(0).integers(1, 4, size=60)
    weighted = replace(table, weights=copies.astype(float))
    doubled = table.take(np.repeat(np.arange(60), copies))
    for score in (ConditionalLogLikelihood(), CMDL(), ClassificationRate()):
        assert learn(HillClimbing(score, max_parents=2), weighted) == learn(
            HillClimbing(score, max_parents=2), doubled
        )


def test_a_fresh_holdout_draws_other_rows_and_ends():
    table = make_table(3, rows=200, arities=(2, 3, 2, 2, 2, 2))
    found = {learn(HillClimbing(HoldoutRisk(fixed=False), "naive"), table, seed) for seed in range(6)}
    assert len(found) > 1
    assert all(set(dag.nodes) == set(table.names) for dag in found)


def test_class_with_parents_is_reached():
    """A deterministic rule of two coins: the class becomes their child, or they become its children together."""
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(200, 3))
    codes[:, 2] = codes[:, 0] ^ codes[:, 1]
    table = Table.from_codes(tuple(Variable(n, ("0", "1")) for n in "abc"), codes, target=2)
    found = learn(HillClimbing(CrossValidatedRisk(), "empty", tabu=3), table)
    assert set(found.markov_blanket("c")) == {"a", "b"}


def test_large_tables_are_left_out():
    table = make_table(0, rows=60, arities=(8, 8, 8, 2))
    found = learn(HillClimbing(ConditionalLogLikelihood(), "naive", max_cells=16), table)
    assert max(map(len, found.parent_indices)) <= 1


@pytest.mark.parametrize(
    ("score", "sentence"),
    [
        (CrossValidatedRisk(folds=49), "49 folds need at least 49 rows, and the table has 48"),
        (CrossValidatedRisk(folds=1), "'folds' parameter of CrossValidatedRisk must be an int"),
        (CrossValidatedRisk(loss=[[0, 0], [0, 0]]), "is all zero"),
        (CrossValidatedRisk(loss=[[0, 1, 2]]), "must be a matrix with one row per class"),
        (CrossValidatedRisk(loss=[[1], [2]]), "costs the same for every decision"),
        (HoldoutRisk(loss=[[1, 0], [0, 1]]), "'loss' parameter of HoldoutRisk rewards a mistake"),
        (HoldoutRisk(fraction=0.0), "'fraction' parameter of HoldoutRisk"),
        (HoldoutRisk(loss=[[0, float("nan")], [1, 0]]), "not finite"),
    ],
)
def test_bad_scores_are_refused_with_a_sentence(score, sentence):
    with pytest.raises(ValueError, match=sentence):
        learn(HillClimbing(score), make_table(0))


def test_class_focused_scores_need_a_class():
    table = replace(make_table(0), target=None)
    with pytest.raises(ValueError, match="CrossValidatedRisk needs a class"):
        learn(HillClimbing(CrossValidatedRisk()), table)


@pytest.mark.parametrize("score", [CrossValidatedRisk, HoldoutRisk, ConditionalLogLikelihood])
def test_the_class_of_a_score_is_no_score(score):
    with pytest.raises(TypeError, match=rf"maximise the class {score.__name__}: pass an object"):
        learn(HillClimbing(score), make_table(0))


def test_fixed_is_yes_or_no():
    with pytest.raises(
        TypeError, match=r"'fixed' parameter of HoldoutRisk must be a bool\. Got 'no' instead"
    ):
        learn(HillClimbing(HoldoutRisk(fixed="no")), make_table(0))


def test_a_holdout_leaves_rows_to_learn_from():
    table = make_table(0, rows=4)
    assert (holdout(table, 0.999, np.random.default_rng(0)) == 0).sum() == 3
    with pytest.raises(ValueError, match="A hold-out needs at least 2 rows"):
        holdout(table.take(np.array([0])), 0.5, np.random.default_rng(0))


def test_parameters_are_never_paid_for():
    """Rows that weigh less than one make log N negative: parameters cost nothing then, and earn nothing."""
    table = replace(make_table(4), weights=np.full(48, 1e-3))
    graph = begin(table, "naive")
    values = [
        evaluator_at(score, table, graph, np.random.default_rng(0)).value
        for score in (CMDL(), ConditionalLogLikelihood())
    ]
    assert values[0] == values[1]


class OwnScore:
    """A class-focused score of a user, with an evaluator of its own."""

    def evaluator(self, table, dag, rng):
        return evaluator_at(ClassificationRate(), table, dag, rng)


@pytest.mark.parametrize(
    "learner", [lambda score: HillClimbing(score, "naive"), lambda score: GreedyTree(1, score)]
)
def test_a_score_may_bring_its_own_evaluator(learner):
    table = make_table(6, rows=90, arities=(2, 3, 2, 2, 2))
    assert learn(learner(OwnScore()), table) == learn(learner(ClassificationRate()), table)
