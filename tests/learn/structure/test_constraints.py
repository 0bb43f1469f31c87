"""Required and forbidden arcs: every learner that takes them obeys them, and says what cannot be."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.graph import tier_arcs
from bayleaf.learn.structure.structure_learner import ArcConstraints
from bayleaf.learn.structure.tan import heaviest_forest

NAMES = ("a", "b", "c", "d")
LEARNERS = {
    "TAN": bl.TAN(),
    "FAN": bl.FAN(threshold=0.0),
    "KDB": bl.KDB(k=2),
    "FKDB": bl.FKDB(k=2),
    "OrderBased": bl.OrderBased(),
    "OrderBased k=2": bl.OrderBased(k=2, refine=True, score=bl.ClassificationRate()),
    "SuperParent": bl.SuperParent(),
    "GreedyTree": bl.GreedyTree(),
    "HillClimbing": bl.HillClimbing(start="naive"),
    "Exact": bl.Exact(augmented=True),
}


def a_table(seed: int = 0, rows: int = 80) -> Table:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (rows, 5))
    codes[:, 1] = np.where(rng.random(rows) < 0.8, codes[:, 0], codes[:, 1])
    codes[:, 3] = np.where(rng.random(rows) < 0.7, codes[:, 2] ^ codes[:, 4], codes[:, 3])
    variables = tuple(Variable(name, ("0", "1")) for name in (*NAMES, "class"))
    return Table.from_codes(variables, codes, target=4)


@pytest.mark.parametrize("name", LEARNERS)
def test_constraints_are_obeyed(name: str):
    table, rng = a_table(), np.random.default_rng(0)
    learner = LEARNERS[name]
    free = learner.learn(table, rng)
    banned = [arc for arc in free.arcs if not {"class", "d"} & {*arc}][:1] or [("a", "b")]
    constrained = clone(learner).set_params(forbidden=banned, required=[("d", "c")])
    found = constrained.learn(table, rng)
    assert ("d", "c") in found.arcs
    assert not {*banned} & {*found.arcs}


@pytest.mark.parametrize("name", LEARNERS)
def test_tiers_let_no_arc_lead_back(name: str):
    table = a_table(3)
    learner = LEARNERS[name]
    tiers = tier_arcs([["d"], ["c", "b"], ["a"]])
    found = clone(learner).set_params(forbidden=tiers).learn(table, np.random.default_rng(0))
    assert not {*tiers} & {*found.arcs}


@pytest.mark.parametrize("name", ["FAN", "KDB", "OrderBased", "SuperParent", "GreedyTree"])
def test_contradictions_are_named(name: str):
    table, rng, learner = a_table(), np.random.default_rng(0), LEARNERS[name]

    def refused(**arcs) -> str:
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            clone(learner).set_params(**arcs).learn(table, rng)
        return str(caught.value)

    assert "is both required and forbidden" in refused(required=[("a", "b")], forbidden=[("a", "b")])
    assert "touches the class 'class'" in refused(required=[("a", "class")])
    assert "names 'z', which the data lacks" in refused(forbidden=[("a", "z")])
    cycle = refused(required=[("a", "b"), ("b", "c"), ("c", "a")])
    assert "The required arcs form a cycle through" in cycle
    many = refused(required=[("a", "d"), ("b", "d"), ("c", "d")])
    assert "'d' has 3 required parents; here a feature can have" in many


def test_the_order_changes_as_little_as_possible():
    constraints = ArcConstraints(NAMES, required=((3, 0),), forbidden=((1, 2),))
    assert constraints.arranged([0, 1, 2, 3]) == [2, 1, 3, 0]
    assert ArcConstraints(NAMES).arranged([2, 0, 3, 1]) == [2, 0, 3, 1]
    both = ArcConstraints(NAMES, forbidden=((0, 1), (1, 0)))
    assert both.arranged([0, 1, 2, 3]) == [0, 1, 2, 3]


def _is_forest(parents) -> bool:
    for node in range(len(parents)):
        seen = set()
        while node is not None and node not in seen:
            seen.add(node)
            node = parents[node]
        if node is not None:
            return False
    return True


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=5))
def test_the_forest_is_the_heaviest_that_obeys(seed, banned):
    rng = np.random.default_rng(seed)
    weights = rng.random((4, 4))
    weights = (weights + weights.T) / 2
    threshold = np.full((4, 4), 0.3)
    required = tuple((int(p), int(c)) for p, c in [rng.permutation(4)[:2]])
    forbidden = tuple({(p, c) for p, c in banned if p != c} - {*required})
    constraints = ArcConstraints(NAMES, required, forbidden)
    found = heaviest_forest(weights, threshold, rng.random(4), None, constraints)

    def fine(parents) -> bool:
        arcs = {(parent, child) for child, parent in enumerate(parents) if parent is not None}
        heavy = all(weights[arc] > 0.3 for arc in arcs - {*required})
        return heavy and {*required} <= arcs and not {*forbidden} & arcs and _is_forest(parents)

    def weight(parents) -> float:
        return sum(weights[parent, child] for child, parent in enumerate(parents) if parent is not None)

    options = [[None, *(p for p in range(4) if p != child)] for child in range(4)]
    best = max(weight(parents) for parents in product(*options) if fine(parents))
    assert fine(found)
    assert weight(found) == pytest.approx(best)


def test_a_root_of_a_forest_has_no_required_parent():
    with pytest.raises(ValueError, match="'b' is the root: it cannot have a required parent"):
        bl.FAN(root="b", required=[("a", "b")]).learn(a_table(), np.random.default_rng(0))
    found = bl.FAN(threshold=0.0, root="b", forbidden=[("b", "d")]).learn(a_table(), np.random.default_rng(0))
    assert found.parents("b") == ("class",)


def test_tiers_have_one_place_for_each_name():
    with pytest.raises(ValueError, match="'a' is in the tiers twice"):
        tier_arcs([["a"], ["b", "a"]])


def test_a_long_cycle_is_told_in_few_words():
    nodes = [f"n{k}" for k in range(2000)]
    arcs = [*pairwise(nodes), (nodes[-1], nodes[0])]
    with pytest.raises(ValueError, match=r"The arcs form a cycle: n.*\(1,988 more nodes\)") as caught:
        bl.DAG(nodes, arcs)
    assert len(str(caught.value)) < 300
