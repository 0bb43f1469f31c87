"""Greedy equivalence search over minimal class-focused graphs, against classes written out graph by graph."""

from functools import cache

import numpy as np
import pytest

import bayleaf as bl
from all_dags import all_dags
from bayleaf.data import Table
from bayleaf.graph import DAG
from bayleaf.graph.equivalence import Pattern, are_equivalent
from bayleaf.learn.structure.mcdag import with_an_edge_less, with_an_edge_more
from reference.equivalence import classes, is_class_focused, one_arc_less, one_arc_more
from reference.scored_networks import random_table

TARGET = 3


@cache
def every_class():
    """All classes of equivalent DAGs over three features and the class."""
    return classes([tuple(map(tuple, dag)) for dag in all_dags(4)])


def class_focused_classes():
    return [some for some in every_class() if any(is_class_focused(dag, TARGET) for dag in some)]


def number_of(dag):
    return next(number for number, some in enumerate(every_class()) if are_equivalent(some[0], dag))


def test_patterns_stand_for_whole_classes():
    for some in every_class():
        patterns = [Pattern(dag) for dag in some]
        arcs, edges = patterns[0].arcs, patterns[0].edges
        assert all((other.arcs, other.edges) == (arcs, edges) for other in patterns)
        joined = [{(p, child) for child, family in enumerate(dag) for p in family} for dag in some]
        assert arcs == set.intersection(*joined)
        assert patterns[0].extension() in some
        roots = {node for dag in some for node, family in enumerate(dag) if not family}
        assert all(patterns[0].rooted(root) in some for root in range(4))
        assert all(patterns[0].rooted(root)[root] == () for root in roots)


def test_a_pattern_that_no_graph_has_is_found_out():
    square = Pattern([(), (0,), (1,), (0, 2)])
    square.into, square.out = [set() for _ in range(4)], [set() for _ in range(4)]
    square.beside = [{1, 3}, {0, 2}, {1, 3}, {0, 2}]
    assert square.extension() is None


@pytest.mark.parametrize(
    ("neighbours", "changed"), [(with_an_edge_more, one_arc_more), (with_an_edge_less, one_arc_less)]
)
def test_neighbours_are_those_of_all_graphs_of_the_class(neighbours, changed):
    inside = {number_of(some[0]) for some in class_focused_classes()}
    for some in class_focused_classes():
        expected = {number_of(other) for dag in some for other in changed(dag)} & inside
        start = next(dag for dag in some if is_class_focused(dag, TARGET))
        found = list(neighbours(start, TARGET))
        assert all(is_class_focused(dag, TARGET) for dag in found)
        assert sorted(number_of(dag) for dag in found) == sorted(expected)


def likelihood(table, dag):
    """Conditional log-likelihood of the classes by maximum-likelihood tables."""
    graph = DAG.from_parents(table.names, dag)
    network = bl.BayesNet(table.variables, graph, bl.MaximumLikelihood().fit(table, graph), table.names[-1])
    joint = network.log_joint(table.codes, TARGET)
    own = joint[np.arange(table.n_rows), table.codes[:, TARGET]]
    return float((own - np.logaddexp.reduce(joint, axis=1)).sum())


def slow_search(table):
    """Value of the best class at the end, every class scored by one MC-DAG of its own."""
    now, here = ((),) * 4, likelihood(table, ((),) * 4)
    for changed, least in ((one_arc_more, 1e-9), (one_arc_less, 0.0)):
        while True:
            some = every_class()[number_of(now)]
            numbers = {number_of(other) for dag in some for other in changed(dag)}
            focused = [[dag for dag in every_class()[k] if is_class_focused(dag, TARGET)] for k in numbers]
            values = [(likelihood(table, dags[0]), dags[0]) for dags in focused if dags]
            best, dag = max(values, default=(-np.inf, now))
            if best - here < least:
                break
            now, here = dag, best
    return here


@pytest.mark.parametrize("seed", range(3))
def test_the_search_ends_as_high_as_the_slow_one(seed):
    table = random_table(np.random.default_rng(seed), 4, 60, target=TARGET)
    found = bl.MCGES().learn(table, np.random.default_rng(0))
    assert is_class_focused(found.parent_indices, TARGET)
    # Graphs of one class differ in what replaces zeros.
    assert likelihood(table, found.parent_indices) == pytest.approx(slow_search(table), abs=0.01)


def test_most_parents_price_and_bad_input():
    table = random_table(np.random.default_rng(0), 5, 80, target=4)
    rng = np.random.default_rng(0)
    free = bl.MCGES().search(table, rng)
    assert set(free.trace.replay().arcs) == set(free.dag.arcs)
    assert max(map(len, free.dag.parent_indices)) > 2
    assert max(map(len, bl.MCGES(max_parents=2).learn(table, rng).parent_indices)) == 2
    assert bl.MCGES(price=1e6).learn(table, rng).arcs == ()
    with pytest.raises(ValueError, match="'max_parents' parameter of MCGES"):
        bl.MCGES(max_parents=0).learn(table, rng)
    with pytest.raises(ValueError, match="'price' parameter of MCGES"):
        bl.MCGES(price=-1.0).learn(table, rng)
    nowhere = np.array(table.codes, dtype=np.int64)
    nowhere[:, 0] = -1
    with pytest.raises(ValueError, match="MCGES leaves out rows with missing values, and every row has one"):
        bl.MCGES().learn(Table.from_codes(table.variables, nowhere, target=4), rng)


def test_by_name_it_searches_classes_or_graphs():
    assert isinstance(bl.classifier("MC-DAG", max_parents=2).structure, bl.MCGES)
    assert isinstance(bl.classifier("MC-DAG-HC", price=1.0).structure, bl.MCDAG)
