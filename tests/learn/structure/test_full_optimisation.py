"""The search that trains the parameters of every candidate, against one that fits every neighbour from scratch."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.parameters import ConditionalLikelihood, MaximumLikelihood, Subsampled
from bayleaf.learn.scores import ClassificationRate, ConditionalLogLikelihood
from bayleaf.learn.search import evaluator_at
from bayleaf.learn.structure import HillClimbing
from reference.climbing import slow_climb, small_rows

ARITIES = [2, 3, 2, 2]


def make_table(seed, rows=40):
    variables = tuple(Variable(f"v{j}", tuple(range(arity))) for j, arity in enumerate(ARITIES))
    return Table.from_codes(variables, small_rows(np.random.default_rng(seed), rows, ARITIES), target=3)


def fitted(table, dag, learner):
    """The classifier of a known graph."""
    frame = pd.DataFrame(np.array(table.codes, dtype=int), columns=list(table.names)).astype("category")
    structure = bl.FixedStructure(list(dag.arcs))
    model = bl.BayesNetClassifier(structure, learner).fit(frame[["v0", "v1", "v2"]], frame["v3"].astype(int))
    return model.predict_proba(frame[["v0", "v1", "v2"]]), frame["v3"].astype(int).to_numpy()


def conditional_log_likelihood(table, dag, learner):
    posterior, truth = fitted(table, dag, learner)
    return float(np.log(posterior[np.arange(len(truth)), truth]).sum())


LEARNERS = [
    ConditionalLikelihood(max_iter=4, stopping="converged"),
    Subsampled(ConditionalLikelihood(max_iter=4, stopping="converged"), rows=15),
]


@pytest.mark.parametrize(
    ("learner", "seed"), [(LEARNERS[0], 0), (LEARNERS[1], 1)], ids=["all rows", "a sample"]
)
def test_the_search_equals_one_that_trains_every_neighbour(learner, seed):
    table = make_table(seed)
    score = ConditionalLogLikelihood(learner)
    found = HillClimbing(score, max_parents=2).learn(table, np.random.default_rng(0))

    @cache
    def value(dag):
        return conditional_log_likelihood(table, dag, learner)

    slow = slow_climb(DAG(table.names), value, max_parents=2, tolerance=1e-8)
    assert len(slow.arcs) > 0
    assert value(found) == pytest.approx(value(slow), abs=1e-6)


@pytest.mark.parametrize("learner", LEARNERS, ids=["all rows", "a sample"])
def test_accuracy_after_training_is_that_of_the_classifier(learner):
    table = make_table(2)
    dag = DAG(table.names, [("v3", "v0"), ("v3", "v1"), ("v0", "v1"), ("v2", "v3")])
    posterior, truth = fitted(table, dag, learner)
    searched = evaluator_at(ClassificationRate(learner), table, dag, np.random.default_rng(0)).value
    assert searched == pytest.approx((posterior.argmax(axis=1) == truth).mean())


def test_a_sample_of_all_rows_is_no_sample():
    table = make_table(3)
    dag = DAG(table.names, [("v3", "v0"), ("v3", "v1")])
    learner = ConditionalLikelihood(max_iter=5)
    for one, other in zip(Subsampled(learner, rows=40).fit(table, dag), learner.fit(table, dag), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_sample_starts_from_all_rows_and_climbs_its_own():
    table = make_table(4, rows=200)
    dag = DAG(table.names, [("v3", "v0"), ("v3", "v1"), ("v3", "v2")])
    still = Subsampled(ConditionalLikelihood(max_iter=0), rows=10).fit(table, dag)
    for one, other in zip(still, MaximumLikelihood().fit(table, dag), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    few, many = (
        conditional_log_likelihood(
            table, dag, Subsampled(ConditionalLikelihood(stopping="converged"), rows=rows)
        )
        for rows in (10, 200)
    )
    start = conditional_log_likelihood(table, dag, MaximumLikelihood())
    assert few < start < many  # ten rows are learned by heart; all rows gain


@pytest.mark.parametrize("unit", [1e-12, 1e6])
@pytest.mark.parametrize("score", [ConditionalLogLikelihood, ClassificationRate])
def test_the_size_of_weights_does_not_matter(score, unit):
    table = make_table(0)
    ones, others = (
        HillClimbing(score(LEARNERS[0]), max_parents=2).learn(
            replace(table, weights=np.full(table.n_rows, weight)), np.random.default_rng(0)
        )
        for weight in (1.0, unit)
    )
    assert len(ones.arcs) > 0
    assert others == ones
