from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from all_dags import all_dags
from bayleaf.graph import DAG
from bayleaf.graph.parents import d_connected
from reference.graphs import (
    Parents,
    independences,
    powerset,
    random_parents,
    separated_by_moralisation,
    separated_by_trails,
)


@st.composite
def questions(draw) -> tuple[Parents, set[int], set[int], set[int]]:
    parents = draw(random_parents(max_nodes=7))
    roles = draw(st.lists(st.sampled_from("xyz-"), min_size=len(parents), max_size=len(parents)))
    x, y, z = ({node for node, role in enumerate(roles) if role == name} for name in "xyz")
    return parents, x, y, z


def named(parents: Parents) -> DAG:
    return DAG.from_parents([f"n{node}" for node in range(len(parents))], parents)


@settings(deadline=None)
@given(questions())
def test_separation_of_sets_matches_both_definitions(question):
    parents, x, y, z = question
    dag = named(parents)
    answer = dag.d_separated(*({dag.nodes[node] for node in side} for side in (x, y, z)))
    assert answer == separated_by_moralisation(parents, x, y, z)
    if len(parents) <= 5:
        assert answer == separated_by_trails(parents, x, y, z)


def test_separation_in_all_dags_on_four_nodes():
    for parents in all_dags(4):
        found = {
            (x, y, z)
            for x, y in combinations(range(4), 2)
            for z in powerset(node for node in range(4) if node not in (x, y))
            if y not in d_connected(parents, [x], set(z))
        }
        assert found == independences(parents)


@settings(deadline=None)
@given(random_parents(min_nodes=2))
def test_markov_blanket_separates_from_the_rest_and_is_minimal(parents):
    dag = named(parents)
    for node in dag.nodes:
        blanket = set(dag.markov_blanket(node))
        rest = set(dag.nodes) - blanket - {node}
        assert dag.d_separated(node, rest, blanket)
        for member in blanket:
            assert not dag.d_separated(node, member, blanket - {member})


def test_names_and_sets_of_names():
    dag = DAG(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("d", "c")])
    assert not dag.d_separated("a", "c")
    assert dag.d_separated("a", "c", "b")
    assert dag.d_separated({"a", "b"}, ["d"])
    assert not dag.d_separated("a", "d", given={"c"})
    assert dag.d_separated("a", [])


def test_a_long_chain_is_no_problem():
    names = [f"n{node}" for node in range(3000)]
    dag = DAG(names, pairwise(names))
    assert not dag.d_separated("n0", "n2999")
    assert dag.d_separated("n0", "n2999", "n1500")


@pytest.mark.parametrize(
    ("x", "y", "z", "message"),
    [
        ("a", ["b", "a"], (), r"^x and y must not overlap; both have 'a'\.$"),
        ("a", "b", "a", r"^x and given must not overlap; both have 'a'\.$"),
        ("a", ["b", "c"], ["c", "b"], r"^y and given must not overlap; both have 'b', 'c'\.$"),
        ("a", "z", (), r"^Unknown node 'z'; the nodes are 'a', 'b', 'c'\.$"),
    ],
)
def test_wrong_questions(x, y, z, message):
    with pytest.raises(ValueError, match=message):
        DAG(["a", "b", "c"]).d_separated(x, y, z)
