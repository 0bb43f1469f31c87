"""Hill-climbing with decomposable scores, against exhaustive and from-scratch references."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from all_dags import all_dags
from bayleaf._native import _core
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.scores import AIC, K2, MDL, BDe, BDeu, LogLikelihood
from bayleaf.learn.search.evaluators import FamilyMoveEvaluator
from bayleaf.learn.search.moves import Kind, Rules, SearchGraph
from bayleaf.learn.structure.exact import Exact
from bayleaf.learn.structure.hill_climbing import HillClimbing
from bayleaf.network import BayesNet
from reference.climbing import neighbours, slow_climb, small_rows

SCORES = [MDL(), AIC(), K2(), BDeu(1.0), BDeu(10.0)]


def make_table(seed: int, rows: int = 120, arities: tuple[int, ...] = (2, 3, 2, 2)) -> Table:
    codes = small_rows(np.random.default_rng(seed), rows, list(arities))
    variables = tuple(Variable(f"v{j}", tuple(map(str, range(r)))) for j, r in enumerate(arities))
    return Table.from_codes(variables, codes, target=len(arities) - 1)


def gain(score, table):
    """A whole-graph value from direct family scores, larger is better."""
    family = cache(lambda node, parents: score.family(table, node, parents))
    return lambda dag: float(sum(family(i, pa) for i, pa in enumerate(dag.parent_indices)))


def learn(learner, table, seed=0):
    return learner.learn(table, np.random.default_rng(seed))


def any_rules(table, **changes):
    given = {"required": None, "forbidden": None, "max_parents": None, "reversals": True, "max_cells": 2**40}
    return Rules.read(table, **{**given, **changes})


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), steps=st.integers(1, 30))
def test_the_graph_of_a_search_stays_acyclic_and_knows_its_ancestors(seed, steps):
    table = make_table(0, arities=(2,) * 6)
    rules, rng = any_rules(table), np.random.default_rng(seed)
    graph = SearchGraph([()] * 6)
    for _ in range(steps):
        moves = list(rules.neighbourhood(graph).moves())
        graph.apply(moves[rng.integers(len(moves))])
        dag = graph.dag(table.names)  # refuses cycles
        for j, name in enumerate(table.names):
            found = [table.names[i] for i in np.flatnonzero(graph.ancestors[:, j])]
            assert found == list(dag.ancestors(name))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), reversals=st.booleans())
def test_the_neighbourhood_is_every_legal_change_of_one_arc(seed, reversals):
    rng = np.random.default_rng(seed)
    families = list(all_dags(4))[rng.integers(543)]
    table = make_table(0)
    dag = DAG.from_parents(table.names, families)
    moves = any_rules(table, reversals=reversals).neighbourhood(SearchGraph(families)).moves()
    expected = [place for place, _ in neighbours(dag, reversals=reversals)]
    assert [(int(move.kind), move.child, move.parent) for move in moves] == expected


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), levels=st.integers(1, 5))
def test_the_best_move_is_the_first_of_the_best(seed, levels):
    """Few different gains make many ties."""
    rng = np.random.default_rng(seed)
    table = make_table(0)
    graph = SearchGraph(list(all_dags(4))[rng.integers(543)])
    moves = any_rules(table).neighbourhood(graph)
    toggles = rng.integers(-levels, levels, size=(4, 4)).astype(float)

    def gain_of(move):
        other = toggles[move.child, move.parent] if move.kind is Kind.REVERSE else 0.0
        return toggles[move.parent, move.child] + other

    listed = moves.moves()  # in tie-breaking order
    assert [move.rank for move in listed] == sorted(move.rank for move in listed)
    expected = max(listed, key=gain_of)
    found = _core.best_move(toggles, moves.legal, 1e-9)
    assert found == (int(expected.kind), expected.parent, expected.child, gain_of(expected))
    near = _core.best_move(toggles, moves.legal, 2.5)  # whatever is within the tolerance is a tie
    first = next(move for move in listed if gain_of(move) >= gain_of(expected) - 2.5)
    assert near[:3] == (int(first.kind), first.parent, first.child)


def test_no_legal_move_is_no_move():
    assert _core.best_move(np.zeros((2, 2)), np.zeros((3, 2, 2), dtype=bool), 0.0) is None


@pytest.mark.parametrize("score", SCORES, ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_no_graph_one_arc_away_is_better(score, seed):
    table = make_table(seed)
    value = gain(score, table)
    found = learn(HillClimbing(score), table)
    values = {
        dag.parent_indices: value(dag) for dag in (DAG.from_parents(table.names, f) for f in all_dags(4))
    }
    assert len(values) == 543
    best_near = max(values[dag.parent_indices] for _, dag in neighbours(found))
    assert values[found.parent_indices] >= best_near - 1e-9
    assert values[found.parent_indices] <= max(values.values()) + 1e-9
    many = learn(HillClimbing(score, tabu=10, restarts=10), table)
    assert values[many.parent_indices] == pytest.approx(max(values.values()))


@pytest.mark.parametrize("start", ["empty", "naive"])
@pytest.mark.parametrize("max_parents", [None, 1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_the_path_equals_a_climb_that_scores_every_neighbour_from_scratch(start, max_parents, seed):
    table = make_table(seed, rows=200, arities=(2, 3, 2, 2, 3))
    score = BDeu(1.0)
    begin = DAG(table.names, [] if start == "empty" else [(table.names[4], x) for x in table.names[:4]])
    slow = slow_climb(begin, gain(score, table), max_parents=max_parents, tolerance=1e-8)
    assert learn(HillClimbing(score, start, max_parents), table) == slow


@pytest.mark.parametrize("seed", range(3))
def test_gains_kept_up_to_date_equal_gains_computed_anew(seed):
    table = make_table(seed, arities=(2, 3, 2, 4, 2, 2))
    rules, rng = any_rules(table), np.random.default_rng(seed)
    evaluator, graph = FamilyMoveEvaluator(K2(), table, rules), SearchGraph([()] * 6)
    evaluator.begin(graph)
    for _ in range(15):
        moves = list(rules.neighbourhood(graph).moves())
        move = moves[rng.integers(len(moves))]
        graph.apply(move)
        evaluator.after(graph, move)
    fresh = FamilyMoveEvaluator(K2(), table, rules)
    fresh.begin(graph)
    np.testing.assert_allclose(evaluator.toggles, fresh.toggles)
    for move in rules.neighbourhood(graph).moves():
        after = graph.copy()
        after.apply(move)
        value = gain(K2(), table)
        expected = value(after.dag(table.names)) - value(graph.dag(table.names))
        p, c = move.parent, move.child
        found = evaluator.toggles[p, c] + (evaluator.toggles[c, p] if move.kind is Kind.REVERSE else 0.0)
        assert found == pytest.approx(expected)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), max_parents=st.integers(1, 3), tabu=st.integers(0, 3))
def test_constraints_hold(seed, max_parents, tabu):
    table = make_table(seed, arities=(2, 3, 2, 2, 2))
    rng = np.random.default_rng(seed)
    order = rng.permutation(table.names)
    required = [(order[0], order[1])]
    forbidden = [(order[2], order[3]), (order[3], order[2])]
    learner = HillClimbing(
        LogLikelihood(),
        max_parents=max_parents,
        required=required,
        forbidden=forbidden,
        tabu=tabu,
        restarts=1,
    )
    found = learn(learner, table)
    assert set(required) <= set(found.arcs)
    assert not set(forbidden) & set(found.arcs)
    assert max(map(len, found.parent_indices)) <= max_parents


def test_a_search_without_reversals_never_reverses():
    table = make_table(3)
    slow = slow_climb(DAG(table.names), gain(BDeu(1.0), table), reversals=False, tolerance=1e-8)
    assert learn(HillClimbing(BDeu(1.0), reversals=False), table) == slow


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), tabu=st.integers(1, 12))
def test_tabu_and_restarts_never_end_lower(seed, tabu):
    table = make_table(seed, rows=80, arities=(2, 3, 2, 2, 3, 2))
    value = gain(BDeu(1.0), table)
    plain = value(learn(HillClimbing(BDeu(1.0)), table))
    assert value(learn(HillClimbing(BDeu(1.0), tabu=tabu), table)) >= plain - 1e-9
    assert value(learn(HillClimbing(BDeu(1.0), restarts=2), table)) >= plain - 1e-9


class FamilyByFamily:
    """A decomposable score that offers nothing but the scores of families."""

    def __init__(self, score):
        self.score = score

    def families(self, table, families):
        return self.score.families(table, families)


@pytest.mark.parametrize("score", [*SCORES, BDe(kappa=0.1)], ids=repr)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    weighted=st.booleans(),
    holes=st.booleans(),
    max_parents=st.sampled_from([None, 1, 2]),
    tabu=st.sampled_from([0, 4]),
)
def test_counting_all_candidates_at_once_changes_nothing(score, seed, weighted, holes, max_parents, tabu):
    rng = np.random.default_rng(seed)
    arities = (2, 3, 2, 9, 2, 4)
    codes = small_rows(rng, 150, list(arities))
    if holes:
        codes[rng.random(codes.shape) < 0.05] = -1
    variables = tuple(Variable(f"v{j}", tuple(map(str, range(r)))) for j, r in enumerate(arities))
    weights = rng.random(150) + 0.5 if weighted else None
    table = Table.from_codes(variables, codes, weights, target=5)
    order = rng.permutation(table.names).tolist()
    settings_ = {
        "max_parents": max_parents,
        "tabu": tabu,
        "restarts": 1,
        "required": [(order[0], order[1])],
        "forbidden": [(order[2], order[3])],
    }
    fast = learn(HillClimbing(score, **settings_), table, seed)
    assert fast == learn(HillClimbing(FamilyByFamily(score), **settings_), table, seed)


def test_tabu_search_leaves_a_summit_and_stops():
    """On a plateau without end, the search makes as many moves as it may and returns where it first stood."""

    class Flat:
        def value(self, table, dag):
            return 0.0

    table = make_table(0)
    assert learn(HillClimbing(Flat(), tabu=7), table).arcs == ()


def test_the_result_depends_on_nothing_but_the_data():
    table = make_table(1, rows=300, arities=(2, 3, 2, 2, 3, 2))
    found = {learn(HillClimbing(BDeu(1.0), tabu=2), table, seed) for seed in range(3)}
    assert len(found) == 1


def test_a_known_graph_is_a_start():
    table = make_table(2)
    best = learn(HillClimbing(MDL(), tabu=10, restarts=5), table)
    assert learn(HillClimbing(MDL(), start=best), table) == best
    assert learn(HillClimbing(MDL(), start=list(best.arcs)), table) == best


class CountArcs:
    """A score of whole graphs: as near to three arcs as possible."""

    def value(self, table, dag):
        return -abs(len(dag.arcs) - 3)


def test_any_function_of_a_graph_can_be_climbed():
    assert len(learn(HillClimbing(CountArcs()), make_table(0)).arcs) == 3


def test_one_variable_and_one_row():
    table = Table.from_codes((Variable("x", ("a", "b")),), [[0]], target=0)
    assert learn(HillClimbing(BDeu(1.0)), table).arcs == ()
    assert learn(HillClimbing(BDeu(1.0), start="naive", tabu=2, restarts=2), table).arcs == ()


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (
            {"required": [("v0", "v1")], "forbidden": [("v0", "v1")]},
            "'v0' -> 'v1' is both required and forbidden",
        ),
        (
            {"required": [("v0", "v1"), ("v1", "v0")]},
            r"^No graph has all required arcs\. The arcs form a cycle: v0 -> v1 -> v0\.$",
        ),
        ({"required": [("v0", "v0")]}, "is a loop"),
        ({"forbidden": [("v0", "age")]}, "names 'age', which the data lacks; it has 'v0', 'v1'"),
        ({"required": [("v0", "v1 ")]}, r"names 'v1 ', which the data lacks\. Did you mean 'v1'\?$"),
        ({"required": [("v0", "v2"), ("v1", "v2")], "max_parents": 1}, "'v2' has 2 required parents"),
        ({"start": [("v0", "v1"), ("v1", "v0")]}, "form a cycle: v0 -> v1 -> v0"),
        ({"start": [("v0", "age")]}, r"nodes that the data lacks: \['age'\]"),
        ({"start": DAG(["v0", "z"])}, r"nodes that the data lacks: \['z'\]"),
        ({"start": "nb"}, "start must be 'empty', 'naive'"),
        (
            {"start": "naive", "forbidden": [("v3", "v0")]},
            "start graph has the arc 'v3' -> 'v0', which is forbidden",
        ),
        ({"start": [("v0", "v2"), ("v1", "v2")], "max_parents": 1}, "start graph gives 'v2' 2 parents"),
        ({"start": [("v1", "v2"), ("v2", "v0")], "required": [("v0", "v1")]}, "'v0' -> 'v1' closes a cycle"),
        (
            {"max_parents": 0},
            r"'max_parents' parameter of HillClimbing must be an int in the range \[1, inf\)",
        ),
        ({"tabu": -1}, "'tabu' parameter of HillClimbing"),
        ({"restarts": -1}, "'restarts' parameter of HillClimbing"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(learner, sentence):
    with pytest.raises(ValueError, match=sentence):
        learn(HillClimbing(**learner), make_table(0))


def test_a_score_without_methods_is_refused():
    with pytest.raises(TypeError, match="cannot maximise 3"):
        learn(HillClimbing(3), make_table(0))
    for kind in (BDeu, K2, CountArcs):
        name = kind.__name__
        with pytest.raises(TypeError, match=rf"maximise the class {name}: pass an object, {name}\(\)"):
            learn(HillClimbing(kind), make_table(0))


@pytest.mark.parametrize("value", [None, float("nan"), "high"])
def test_a_score_that_returns_no_number_is_refused(value):
    score = CountArcs()
    score.value = lambda table, dag: value
    with pytest.raises(ValueError, match=r"CountArcs\.value must return a number, .* Got (None|nan|'high')"):
        learn(HillClimbing(score), make_table(0))


@pytest.mark.parametrize("kind", [str, object(), 3.5])
def test_a_prior_network_that_is_none_is_refused(kind):
    with pytest.raises(TypeError, match="'prior' parameter of BDe must be an instance of BayesNet or"):
        learn(HillClimbing(BDe(kind)), make_table(0))


def test_a_prior_network_that_rules_the_data_out_is_told():
    a, b = Variable("a", ("0", "1")), Variable("b", ("0", "1"))
    certain = BayesNet([a, b], DAG(["a", "b"]), [[1.0, 0.0], [0.5, 0.5]])
    table = Table.from_codes((a, b), [[0, 0], [1, 1], [0, 1]])
    with pytest.raises(ValueError, match="whose score is -inf: a prior network must not give"):
        learn(HillClimbing(BDe(certain)), table)
    assert learn(HillClimbing(BDe(certain)), table.take(np.array([0, 2]))).arcs == ()


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_required_arcs_reverse_a_start_whatever_the_order_of_columns(order):
    """Start a -> b -> c, required b -> a and c -> a: without a -> b there is no cycle, in any order."""
    names = [("a", "b", "c")[k] for k in order]
    table = Table.from_codes(tuple(Variable(name, ("0", "1")) for name in names), [[0, 0, 0], [1, 1, 1]])
    learner = HillClimbing(start=[("a", "b"), ("b", "c")], required=[("b", "a"), ("c", "a")])
    assert {("b", "a"), ("c", "a")} <= set(learn(learner, table).arcs)


def test_naive_start_needs_a_class():
    table = Table.from_codes((Variable("x", ("a", "b")),), [[0]])
    with pytest.raises(ValueError, match="needs a class"):
        learn(HillClimbing(start="naive"), table)


@pytest.mark.parametrize("learner", [HillClimbing, Exact])
@pytest.mark.parametrize("name", ["required", "forbidden"])
def test_arcs_that_are_no_pairs_get_a_sentence(learner, name):
    table = make_table(0)
    with pytest.raises(
        TypeError, match=f"The {name} arcs must be a list of .parent, child. pairs. Got 3 instead"
    ):
        learn(learner(**{name: 3}), table)
    used_up = (arc for arc in [("v0", "v1")])
    with pytest.raises(TypeError, match=f"The {name} arcs must be a list .* Got <generator"):
        learn(learner(**{name: used_up}), table)
    for arc in (("a", "b", "c"), "ab", 3, (1, 2)):
        with pytest.raises(ValueError, match=f"The {name} arcs must be pairs of names .parent, child.; got"):
            learn(learner(**{name: [arc]}), table)


def test_a_start_that_is_no_graph_gets_a_sentence():
    table = make_table(0)
    with pytest.raises(TypeError, match=r"arcs of the start graph must be a list of .* pairs. Got 3 instead"):
        learn(HillClimbing(start=3), table)
    with pytest.raises(
        ValueError, match=r"arcs of the start graph must be pairs of names .*; got \('a', 'b', 'c'\)"
    ):
        learn(HillClimbing(start=[("a", "b", "c")]), table)
