import copy
import pickle
from dataclasses import FrozenInstanceError
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf.graph import DAG
from reference.graphs import descendants, is_acyclic, random_parents, topological_orders

NAMES = ("a", "b", "c", "d")


def named(parents):
    return DAG.from_parents([f"n{node}" for node in range(len(parents))], parents)


@pytest.fixture
def diamond():
    return DAG(NAMES, [("c", "d"), ("b", "d"), ("a", "c"), ("a", "b")])


def test_views(diamond):
    assert diamond.nodes == NAMES
    assert diamond.arcs == (("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"))
    assert diamond.parent_indices == ((), (0,), (0,), (1, 2))
    assert diamond.child_indices == ((1, 2), (3,), (3,), ())
    assert diamond.index("c") == 2
    assert diamond.parents("d") == diamond.children("a") == ("b", "c")
    assert diamond.ancestors("d") == ("a", "b", "c")
    assert diamond.descendants("a") == ("b", "c", "d")
    assert diamond.markov_blanket("b") == ("a", "c", "d")
    assert diamond.topological_order() == NAMES
    assert diamond.moral_graph() == {frozenset(pair) for pair in [*diamond.arcs, ("b", "c")]}


def test_no_nodes_and_no_arcs():
    assert DAG([]).arcs == DAG([]).topological_order() == ()
    assert DAG([]).adjacency.shape == DAG([]).moral_matrix.shape == (0, 0)
    assert DAG([]).cpdag().nodes == ()
    assert DAG([]).has_treewidth_at_most(0)
    assert DAG(["a", "b"]).arcs == ()


@settings(deadline=None)
@given(random_parents(max_nodes=6))
def test_relations_follow_from_the_parents(parents):
    dag = named(parents)
    n = len(parents)
    assert dag.parent_indices == parents
    assert set(dag.arcs) == {(f"n{p}", f"n{c}") for c in range(n) for p in parents[c]}
    assert dag.arcs == tuple(sorted(dag.arcs, key=lambda arc: (dag.index(arc[1]), dag.index(arc[0]))))
    for node, name in enumerate(dag.nodes):
        below = descendants(parents, node)
        assert dag.descendants(name) == tuple(f"n{other}" for other in sorted(below))
        above = [other for other in range(n) if node in descendants(parents, other)]
        assert dag.ancestors(name) == tuple(f"n{other}" for other in above)
        assert dag.parents(name) == tuple(f"n{other}" for other in parents[node])
        assert dag.children(name) == tuple(f"n{c}" for c in range(n) if node in parents[c])
    families = [{node, *family} for node, family in enumerate(parents)]
    married = {frozenset(pair) for family in families for pair in combinations(family, 2)}
    assert dag.moral_graph() == {frozenset(f"n{node}" for node in pair) for pair in married}
    assert {frozenset(pair) for pair in np.argwhere(dag.moral_matrix).tolist()} == married
    assert {tuple(arc) for arc in np.argwhere(dag.adjacency).tolist()} == {
        (p, c) for c in range(n) for p in parents[c]
    }
    for node, name in enumerate(dag.nodes):
        blanket = {other for pair in married if node in pair for other in pair} - {node}
        assert dag.markov_blanket(name) == tuple(f"n{other}" for other in sorted(blanket))


@settings(deadline=None)
@given(random_parents(max_nodes=6))
def test_topological_order_is_the_lexicographically_first(parents):
    assert named(parents).topological_indices == next(topological_orders(parents))


@settings(deadline=None)
@given(st.integers(1, 5), st.data())
def test_exactly_the_cyclic_graphs_are_refused(n, data):
    possible = [(f"n{a}", f"n{b}") for a in range(n) for b in range(n) if a != b]
    arcs = data.draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    nodes = [f"n{node}" for node in range(n)]
    parents = tuple(tuple(int(a[1:]) for a, b in arcs if b == node) for node in nodes)
    if is_acyclic(parents):
        assert set(DAG(nodes, arcs).arcs) == set(arcs)
        return
    with pytest.raises(ValueError, match=r"^The arcs form a cycle: n.*\.$") as caught:
        DAG(nodes, arcs)
    cycle = str(caught.value).removeprefix("The arcs form a cycle: ").removesuffix(".").split(" -> ")
    assert cycle[0] == cycle[-1] == min(cycle)
    assert len(set(cycle)) == len(cycle) - 1 >= 2
    assert set(pairwise(cycle)) <= set(arcs)
    with pytest.raises(ValueError, match=r"^The arcs form a cycle: "):
        DAG.from_parents(nodes, parents)


def test_equality_hash_and_repr(diamond):
    same = DAG(list(NAMES), reversed(diamond.arcs))
    assert same == diamond
    assert hash(same) == hash(diamond)
    assert DAG(NAMES, [*diamond.arcs, ("a", "b")]) == diamond
    assert DAG.from_parents(NAMES, [[], [0], np.array([0]), (2, 1)]) == diamond
    assert diamond != DAG(NAMES)
    assert DAG(["a", "b"]) != DAG(["b", "a"])
    assert diamond != "diamond"
    assert eval(repr(diamond)) == diamond
    large = DAG([f"n{node}" for node in range(100)], [("n0", "n1")])
    assert repr(large) == "<DAG nodes=100 arcs=1>"


def test_pickle_and_copy_leave_the_caches_out(diamond):
    plain = pickle.dumps(diamond)
    assert diamond.moral_matrix.any()
    assert pickle.dumps(diamond) == plain
    for twin in (pickle.loads(plain), copy.copy(diamond), copy.deepcopy(diamond)):
        assert twin == diamond
        assert twin.topological_indices == diamond.topological_indices
        assert not twin.adjacency.flags.writeable


def test_nothing_can_be_changed(diamond):
    with pytest.raises(FrozenInstanceError):
        diamond.nodes = ("x",)
    with pytest.raises(FrozenInstanceError):
        del diamond.parent_indices
    for matrix in (diamond.adjacency, diamond.moral_matrix):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 0] = True


def test_numpy_names_become_plain_strings():
    dag = DAG(np.array(["a", "b"]), [np.array(["a", "b"])])
    assert repr(dag) == "DAG(['a', 'b'], [('a', 'b')])"
    assert all(type(name) is str for name in dag.nodes)


def test_changed_copies(diamond):
    assert diamond.add(("a", "d")).parents("d") == ("a", "b", "c")
    assert diamond.remove(("a", "b")).arcs == (("a", "c"), ("b", "d"), ("c", "d"))
    assert diamond.reverse(("a", "b")).arcs == (("b", "a"), ("a", "c"), ("b", "d"), ("c", "d"))
    assert diamond.remove(["c", "d"]) == DAG(NAMES, [("a", "b"), ("a", "c"), ("b", "d")])
    assert diamond.subgraph({"d", "b", "a"}) == DAG(["a", "b", "d"], [("a", "b"), ("b", "d")])
    assert diamond.subgraph([]) == DAG([])
    assert diamond.relabel({"a": "d", "d": "a"}).arcs == (("d", "b"), ("d", "c"), ("b", "a"), ("c", "a"))
    assert len(diamond.arcs) == 4


@settings(deadline=None)
@given(random_parents(min_nodes=2, max_nodes=6), st.data())
def test_changes_undo_each_other(parents, data):
    dag = named(parents)
    if dag.arcs:
        arc = data.draw(st.sampled_from(dag.arcs))
        assert dag.remove(arc).add(arc) == dag
    kept = data.draw(st.sets(st.sampled_from(dag.nodes)))
    part = dag.subgraph(kept)
    assert part.nodes == tuple(name for name in dag.nodes if name in kept)
    assert part.arcs == tuple(arc for arc in dag.arcs if set(arc) <= kept)


@pytest.mark.parametrize(
    ("nodes", "arcs", "message"),
    [
        (["a", "b", "a"], [], r"^Node names must be unique; 'a' occurs 2 times\.$"),
        (["a", "b"], [("a", "z")], r"^Unknown node 'z' in the arc a -> z; the nodes are 'a', 'b'\.$"),
        (["a", "b"], [(0, "b")], r"^Unknown node 0 in the arc 0 -> b; the nodes are 'a', 'b'\.$"),
        ([], [("a", "b")], r"^Unknown node 'a' in the arc a -> b; the nodes are none\.$"),
        (["a", "b"], [("b", "b")], r"^The arc b -> b is a self loop; an arc joins two different nodes\.$"),
        (["a", "b"], ["ab"], r"^An arc is a pair of node names \(parent, child\); got 'ab'\.$"),
        (
            ["a", "b"],
            [("a", "b", "a")],
            r"^An arc is a pair of node names \(parent, child\); got \('a', 'b', 'a'\)\.$",
        ),
        (["a", "b"], [3], r"^An arc is a pair of node names \(parent, child\); got 3\.$"),
        (["a", "b"], [("a", "b"), ("b", "a")], r"^The arcs form a cycle: a -> b -> a\.$"),
        (
            NAMES,
            [("d", "b"), ("b", "c"), ("c", "d"), ("b", "a")],
            r"^The arcs form a cycle: b -> c -> d -> b\.$",
        ),
    ],
)
def test_wrong_graphs(nodes, arcs, message):
    with pytest.raises(ValueError, match=message):
        DAG(nodes, arcs)


def test_long_lists_of_names_are_cut():
    nodes = [f"n{node}" for node in range(20)]
    with pytest.raises(ValueError, match=r"the nodes are 'n0', .*'n7', \.\.\. \(20 in all\)\.$"):
        DAG(nodes).parents("z")


def test_wrong_names():
    with pytest.raises(TypeError, match=r"^Node names must be strings; got 1 \(int\)\.$"):
        DAG(["a", 1])
    with pytest.raises(TypeError, match=r"^Pass the nodes as a list of names; got the string 'age'\.$"):
        DAG("age")
    with pytest.raises(TypeError, match=r"^A node is given by its name, a string; got 0 \(int\)\.$"):
        DAG(["a"]).parents(0)
    with pytest.raises(ValueError, match=r"^Unknown node 'z'; the nodes are 'a'\.$"):
        DAG(["a"]).markov_blanket("z")
    with pytest.raises(ValueError, match=r"^Unknown node 'z'; the nodes are 'a'\.$"):
        DAG(["a"]).subgraph(["a", "z"])
    with pytest.raises(
        ValueError, match=r"^Unknown node 'Statsu'; the nodes are 'age', 'status'\. Did you mean 'status'\?$"
    ):
        DAG(["age", "status"]).parents("Statsu")


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ([[], [0]], r"^There must be one parent set per node; got 2 for 3 nodes\.$"),
        ([[], [3], []], r"^Node 'b' has the parent index 3; indices run from 0 to 2\.$"),
        ([[], [], [-1]], r"^Node 'c' has the parent index -1; indices run from 0 to 2\.$"),
        ([[], [1], []], r"^The arc b -> b is a self loop; an arc joins two different nodes\.$"),
        ([[2], [0], [1]], r"^The arcs form a cycle: a -> b -> c -> a\.$"),
    ],
)
def test_wrong_parent_indices(parents, message):
    with pytest.raises(ValueError, match=message):
        DAG.from_parents(["a", "b", "c"], parents)


def test_parent_indices_are_integers():
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        DAG.from_parents(["a", "b"], [[], [0.0]])


def test_wrong_changes(diamond):
    with pytest.raises(ValueError, match=r"^The arc a -> b already exists; it cannot be added\.$"):
        diamond.add(("a", "b"))
    with pytest.raises(ValueError, match=r"^The arcs form a cycle: a -> b -> d -> a\.$"):
        diamond.add(("d", "a"))
    with pytest.raises(ValueError, match=r"^There is no arc b -> a; it cannot be removed\.$"):
        diamond.remove(("b", "a"))
    with pytest.raises(ValueError, match=r"^There is no arc a -> d; it cannot be reversed\.$"):
        diamond.reverse(("a", "d"))
    with pytest.raises(ValueError, match=r"^Unknown node 'z' in the arc a -> z; "):
        diamond.reverse(("a", "z"))
    with pytest.raises(ValueError, match=r"^Unknown node 'y', 'z'; the nodes are 'a', 'b', 'c', 'd'\.$"):
        diamond.relabel({"y": "a", "z": "b"})
    with pytest.raises(ValueError, match=r"^Node names must be unique; 'b' occurs 2 times\.$"):
        diamond.relabel({"a": "b"})
