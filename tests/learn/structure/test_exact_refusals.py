"""What exact search refuses, and how it says so."""

import numpy as np
import pytest

from bayleaf.data import Table, Variable
from bayleaf.learn.scores import ApproximateCLL, BDeu
from bayleaf.learn.structure import Exact
from reference.scored_networks import random_table


def learn(table, **settings):
    return Exact(**settings).learn(table, np.random.default_rng(0))


def many(n):
    return Table.from_codes(
        tuple(Variable(f"v{j}", (0, 1), None, "integer") for j in range(n)), np.zeros((2, n), dtype=int)
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"required": [("v0", "v1")], "forbidden": [("v0", "v1")]},
            "'v0' -> 'v1' is forbidden, and it is required",
        ),
        ({"required": [("v0", "v1"), ("v1", "v0")]}, "No graph has all required arcs. The arcs form a cycle"),
        (
            {"required": [("v0", "v2"), ("v1", "v2")], "max_parents": 1},
            "'v2' must have 2 parents and may have",
        ),
        ({"forbidden": [("v3", "v0")], "augmented": True}, "the class is a parent of every feature"),
        ({"required": [("v0", "v3")], "augmented": True}, "would give the class a parent"),
        ({"augmented": True, "max_parents": 0}, "must have 1 parents and may have max_parents=0"),
        (
            {"required": [("v0", "nobody")]},
            r"names 'nobody', which the data lacks; it has 'v0', 'v1', 'v2', 'v3'\.$",
        ),
        (
            {"forbidden": [("v0", "v1 ")]},
            r"'v0' -> 'v1 ' names 'v1 ', which the data lacks\. Did you mean 'v1'\?$",
        ),
        ({"forbidden": [("v0", "v0")]}, "is a loop"),
        ({"max_parents": -1}, r"'max_parents' parameter of Exact must be an int in the range \[0, inf\)"),
    ],
)
def test_impossible_limits_are_refused(settings, message):
    table = random_table(np.random.default_rng(0), 4, 20, target=3)
    with pytest.raises(ValueError, match=message):
        learn(table, **settings)


def test_scores_that_are_no_difference_of_sums_are_refused():
    with pytest.raises(TypeError, match="cannot maximise ApproximateCLL: use BDeu"):
        learn(many(3), score=ApproximateCLL())
    with pytest.raises(TypeError, match=r"cannot maximise the class ApproximateCLL: use BDeu\(\), BIC"):
        learn(many(3), score=ApproximateCLL)
    with pytest.raises(TypeError, match=r"cannot maximise the class BDeu: pass an object, BDeu\(\)"):
        learn(many(3), score=BDeu)
    with pytest.raises(ValueError, match="needs a class"):
        learn(many(3), augmented=True)
