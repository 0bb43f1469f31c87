"""TAN for the approximate conditional log-likelihood against all trees."""

import numpy as np
import pytest

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.learn.scores import ApproximateCLL
from bayleaf.learn.structure import TANaCLL
from reference.graphs import arborescences
from reference.scored_networks import random_table


@pytest.mark.parametrize("seed", range(4))
def test_equals_the_best_of_all_trees(seed):
    table = random_table(np.random.default_rng(seed), 5, 120, target=4)
    dag = TANaCLL().learn(table, np.random.default_rng(0))
    best = max(
        ApproximateCLL()
        .families(
            table, [(child, (4,) if parent is None else (parent, 4)) for child, parent in enumerate(tree)]
        )
        .sum()
        for tree in arborescences(4, np.ones((4, 4), dtype=bool))
    )
    assert ApproximateCLL().score(table, dag) == pytest.approx(best)
    assert all(len(parents) <= 2 for parents in dag.parent_indices)


def test_one_feature_and_none():
    c = Variable("c", ("0", "1"))
    table = Table.from_codes((Variable("x", ("0", "1")), c), [[0, 0], [1, 1]], target=1)
    assert TANaCLL().learn(table, np.random.default_rng(0)).arcs == (("c", "x"),)
    alone = Table.from_codes((c,), [[0], [1]], target=0)
    assert TANaCLL().learn(alone, np.random.default_rng(0)).arcs == ()


def test_finds_the_discriminative_pair():
    # Only the pair (x0, x2) tells the classes apart; x0 and x1 depend on each other much more.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    x0 = rng.integers(0, 2, 4000)
    x1 = np.where(rng.random(4000) < 0.9, x0, rng.integers(0, 2, 4000))
    x2 = np.where(rng.random(4000) < 0.4, np.where(y == 1, x0, 1 - x0), rng.integers(0, 2, 4000))
    X = np.stack([x0, x1, x2], axis=1)
    clf = bl.classifier("TAN-aCLL", categorical_features=[0, 1, 2]).fit(X, y)
    assert {"x0", "x2"} in [set(arc) for arc in clf.network_.arcs]
    assert clf.score(X, y) > 0.65
