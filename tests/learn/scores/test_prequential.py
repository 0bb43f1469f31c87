"""Prequential scores against predictions made row by row from the rows before."""

import math

import numpy as np
import pytest

from all_dags import all_dags
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.parameters import Dirichlet, Laplace, MaximumLikelihood
from bayleaf.learn.scores import Prequential
from bayleaf.learn.search import evaluator_at
from bayleaf.learn.structure import HillClimbing
from reference.climbing import small_rows
from reference.discriminative import joint

ESTIMATES = {"laplace": Laplace(), "dirichlet": Dirichlet(), "ml": MaximumLikelihood()}


def make_table(seed, weights=None):
    arities = [2, 3, 2, 3]
    codes = small_rows(np.random.default_rng(seed), 25, arities)
    variables = tuple(Variable(f"v{j}", tuple(map(str, range(r)))) for j, r in enumerate(arities))
    return Table.from_codes(variables, codes, weights, target=3)


def slow_value(table, parents, estimate):
    rows = [list(map(int, row)) for row in table.codes]
    weights = [1] * len(rows) if table.weights is None else table.weights.tolist()
    total = 0.0
    for m, row in enumerate(rows):
        products = joint(rows[:m], weights[:m], table.arities.tolist(), 3, parents, row, estimate)
        total += weights[m] * math.log(products[row[3]] / sum(products))
    return total


@pytest.mark.parametrize("estimate", ESTIMATES)
@pytest.mark.parametrize("weighted", [False, True])
def test_every_row_is_predicted_from_the_rows_before(estimate, weighted):
    rng = np.random.default_rng(1)
    graphs = list(all_dags(4))
    for seed in range(3):
        weights = rng.integers(1, 4, size=25).astype(float) if weighted else None
        table = make_table(seed, weights)
        for k in rng.integers(len(graphs), size=4):
            dag = DAG.from_parents(table.names, graphs[k])
            value = evaluator_at(Prequential(parameters=ESTIMATES[estimate]), table, dag, rng).value
            assert value == pytest.approx(slow_value(table, graphs[k], estimate), abs=1e-6)


def test_exchanged_families_equal_a_fresh_start():
    table, rng = make_table(4), np.random.default_rng(0)
    evaluator = evaluator_at(Prequential(), table, DAG(table.names), rng)
    for families in list(all_dags(4))[::60]:
        evaluator.commit(dict(enumerate(families)))
        fresh = evaluator_at(Prequential(), table, DAG.from_parents(table.names, families), rng)
        assert evaluator.value == fresh.value


def test_many_rows_are_predicted_block_by_block():
    rng = np.random.default_rng(3)
    codes = np.column_stack([rng.integers(0, 3, 9000), rng.integers(0, 2, 9000)])
    variables = (Variable("x", ("0", "1", "2")), Variable("c", ("0", "1")))
    table = Table.from_codes(variables, codes, target=1)
    classes, cells, expected = np.ones(2), np.ones((2, 3)), 0.0
    for x, c in codes.tolist():
        joint = classes * cells[:, x] / cells.sum(axis=1)
        expected += math.log(joint[c] / joint.sum())
        classes[c] += 1
        cells[c, x] += 1
    evaluator = evaluator_at(Prequential(), table, DAG(table.names, [("c", "x")]), rng)
    assert evaluator.value == pytest.approx(expected, abs=1e-6)
    alone, both = evaluator.scores(0, [(), (1,)])
    assert both == evaluator.value
    assert evaluator.change_scores([{0: ()}]).tolist() == [alone]


def test_it_can_be_climbed_and_shuffled():
    table = make_table(5)
    plain = HillClimbing(Prequential(), "naive").learn(table, np.random.default_rng(0))
    shuffled = HillClimbing(Prequential(shuffle=True), "naive").learn(table, np.random.default_rng(0))
    assert plain.nodes == shuffled.nodes == table.names
