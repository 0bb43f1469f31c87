import pickle
from collections import defaultdict
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from all_dags import all_dags
from bayleaf.graph import CPDAG, DAG
from bayleaf.graph.equivalence import are_equivalent, compelled_arcs, skeleton
from reference.graphs import independences, random_parents

NAMES = ("a", "b", "c", "d")


def equivalence_classes(n):
    classes = defaultdict(list)
    for parents in all_dags(n):
        classes[independences(parents)].append(parents)
    return list(classes.values())


@pytest.fixture(scope="module")
def classes_on_four_nodes():
    return equivalence_classes(4)


def test_equivalent_means_same_independences_in_all_dags_on_four_nodes(classes_on_four_nodes):
    representatives = [members[0] for members in classes_on_four_nodes]
    assert len(representatives) == 185
    for number, members in enumerate(classes_on_four_nodes):
        assert all(are_equivalent(members[0], member) for member in members)
        assert not any(are_equivalent(members[0], other) for other in representatives[number + 1 :])


def test_cpdag_is_what_the_class_agrees_on_in_all_dags_on_four_nodes(classes_on_four_nodes):
    for members in classes_on_four_nodes:
        dags = [DAG.from_parents(NAMES, parents) for parents in members]
        common = set.intersection(*(set(dag.arcs) for dag in dags))
        expected = CPDAG(NAMES, common, [arc for arc in dags[0].arcs if arc not in common])
        assert {dag.cpdag() for dag in dags} == {expected}
        assert all(dag.is_equivalent(dags[0]) for dag in dags)


def test_number_of_classes_on_five_nodes():
    patterns = {(frozenset(skeleton(p)), frozenset(compelled_arcs(p))) for p in all_dags(5)}
    assert len(patterns) == 8782


@settings(deadline=None)
@given(random_parents(max_nodes=8), st.data())
def test_covered_arc_reversal_keeps_the_class(parents, data):
    names = [f"n{node}" for node in range(len(parents))]
    dag = DAG.from_parents(names, parents)
    if not dag.arcs:
        return
    parent, child = data.draw(st.sampled_from(dag.arcs))
    is_covered = set(dag.parents(child)) - {parent} == set(dag.parents(parent))
    try:
        turned = dag.reverse((parent, child))
    except ValueError:
        assert not is_covered
        return
    assert dag.is_equivalent(turned) == is_covered == (dag.cpdag() == turned.cpdag())


@settings(deadline=None)
@given(random_parents(max_nodes=6), st.randoms(use_true_random=False))
def test_order_of_nodes_does_not_matter(parents, random):
    names = [f"n{node}" for node in range(len(parents))]
    dag = DAG.from_parents(names, parents)
    shuffled = DAG(random.sample(names, len(names)), dag.arcs)
    assert dag.is_equivalent(shuffled)
    assert dag.shd(shuffled) == 0
    assert dag.cpdag().shd(shuffled.cpdag()) == 0


def distance_by_pairs(dag, other):
    """Compare what each pair of nodes looks like, one by one."""
    pairs = [(a, b) for a in dag.nodes for b in dag.nodes if a < b]
    return sum(
        ((a, b) in dag.arcs, (b, a) in dag.arcs) != ((a, b) in other.arcs, (b, a) in other.arcs)
        for a, b in pairs
    )


@settings(deadline=None)
@given(random_parents(4, 4), random_parents(4, 4), random_parents(4, 4))
def test_distance_of_dags(first, second, third):
    a, b, c = (DAG.from_parents(NAMES, parents) for parents in (first, second, third))
    assert a.shd(b) == b.shd(a) == distance_by_pairs(a, b)
    assert (a.shd(b) == 0) == (a == b)
    assert a.shd(c) <= a.shd(b) + b.shd(c)
    assert (a.cpdag().shd(b.cpdag()) == 0) == a.is_equivalent(b)


def test_distance_counts_missing_added_and_reversed_arcs_once():
    dag = DAG(NAMES, [("a", "b"), ("b", "c")])
    assert (
        dag.shd(dag.add(("a", "d")))
        == dag.shd(dag.remove(("a", "b")))
        == dag.shd(dag.reverse(("b", "c")))
        == 1
    )
    pattern = CPDAG(NAMES, directed=[("a", "b")], undirected=[("b", "c")])
    assert pattern.shd(CPDAG(NAMES, directed=[("b", "a")], undirected=[("b", "c")])) == 1
    assert pattern.shd(CPDAG(NAMES, undirected=[("a", "b"), ("c", "b")])) == 1
    assert pattern.shd(CPDAG(NAMES, undirected=[("b", "c")])) == 1
    assert pattern.shd(CPDAG(NAMES, directed=[("d", "c"), ("c", "b")])) == 3


def test_cpdag_is_a_value():
    pattern = CPDAG(["b", "a", "c"], directed=[("a", "c"), ("b", "c")], undirected=[("a", "b")])
    assert pattern.directed == (("b", "c"), ("a", "c"))
    assert pattern.undirected == (("b", "a"),)
    assert pickle.loads(pickle.dumps(pattern)) == pattern
    assert eval(repr(pattern)) == pattern
    assert len({pattern, CPDAG(["b", "a", "c"], [("b", "c"), ("a", "c")], [("b", "a")])}) == 1
    assert pattern != CPDAG(["b", "a", "c"])
    with pytest.raises(FrozenInstanceError):
        pattern.nodes = ()


@pytest.mark.parametrize(
    ("directed", "undirected", "message"),
    [
        ([("a", "x")], [], r"^Unknown node 'x' in the arc a -> x; the nodes are 'a', 'b', 'c', 'd'\.$"),
        ([], [("a", "a")], r"^The arc a -> a is a self loop; an arc joins two different nodes\.$"),
        ([("a", "b")], [("b", "a")], r"^The nodes 'a' and 'b' are joined in two ways\.$"),
        ([("d", "b"), ("b", "d")], [], r"^The nodes 'b' and 'd' are joined in two ways\.$"),
    ],
)
def test_wrong_cpdags(directed, undirected, message):
    with pytest.raises(ValueError, match=message):
        CPDAG(NAMES, directed, undirected)


def test_only_like_graphs_are_compared():
    dag = DAG(["a", "b"], [("a", "b")])
    with pytest.raises(
        ValueError, match=r"^The two graphs must have the same nodes; only one of them has 'b', 'c'\.$"
    ):
        dag.shd(DAG(["a", "c"]))
    with pytest.raises(ValueError, match=r"only one of them has 'c'\.$"):
        dag.is_equivalent(DAG(["a", "b", "c"]))
    with pytest.raises(ValueError, match=r"only one of them has 'c'\.$"):
        dag.cpdag().shd(CPDAG(["a", "b", "c"]))
    with pytest.raises(TypeError, match=r"^A DAG is compared with a DAG; got an object of type CPDAG\.$"):
        dag.shd(dag.cpdag())
    with pytest.raises(TypeError, match=r"^A CPDAG is compared with a CPDAG; got an object of type DAG\.$"):
        dag.cpdag().shd(dag)
    with pytest.raises(TypeError, match=r"^A DAG is compared with a DAG; got an object of type list\.$"):
        dag.is_equivalent([("a", "b")])
