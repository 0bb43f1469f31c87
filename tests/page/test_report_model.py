import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.page import shown_networks as strength
from bayleaf.page.drawing import layered_layout
from bayleaf.page.shown_networks import ColumnFacts, junction_entries, model_data
from reference.joint import conditional_information_bits, full_joint
from reference.random_networks import SHAPES, random_network


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([shape for shape in SHAPES if shape != "many states"]))
def test_arc_strength_is_the_conditional_information_of_the_joint(seed, shape):
    network = random_network(np.random.default_rng(seed), shape, n=5)
    joint = full_joint(network)
    for (parent, child), bits in strength.arc_strengths(network, entries=1).items():
        others = [k for k in network.dag.parent_indices[child] if k != parent]
        assert bits == pytest.approx(conditional_information_bits(joint, parent, child, others), abs=1e-7)
    if network.target is not None:
        target = network.dag.index(network.target)
        for node, bits in strength.class_information(network, entries=1).items():
            assert bits == pytest.approx(conditional_information_bits(joint, node, target, []), abs=1e-7)


def test_wide_networks_are_sampled_to_about_the_same_strength():
    network = random_network(np.random.default_rng(0), "two parents")
    exact = strength.arc_strengths(network, entries=1)
    sampled = strength.arc_strengths(network, entries=1e12)
    assert exact.keys() == sampled.keys()
    np.testing.assert_allclose(list(sampled.values()), list(exact.values()), atol=0.02)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(SHAPES), st.integers(2, 30))
def test_nodes_do_not_overlap_and_arcs_go_forward(seed, shape, n):
    network = random_network(np.random.default_rng(seed), shape, n=n)
    target = None if network.target is None else network.dag.index(network.target)
    layout = layered_layout(network.dag, target)
    for i in range(n):
        for j in range(i):
            across, down = np.abs(layout.centres[i] - layout.centres[j])
            assert across >= 173 or down >= 47
    along = 1 if layout.downwards else 0
    for child, parents in enumerate(network.dag.parent_indices):
        for parent in parents:
            places = [layout.centres[parent], *layout.bends.get((parent, child), []), layout.centres[child]]
            steps = np.diff([place[along] for place in places])
            assert (steps > 0).all()


def test_many_layers_move_together():
    def chain(n):
        return bl.DAG([f"x{i}" for i in range(n)], [(f"x{i}", f"x{i + 1}") for i in range(n - 1)])

    assert layered_layout(chain(3)).distance == 224
    deep = layered_layout(chain(30))
    assert deep.downwards
    assert deep.distance == np.diff(deep.centres[:, 1]).max() == 72


def test_a_class_with_many_children_stands_aside():
    names = [f"x{i}" for i in range(20)]
    dag = bl.DAG([*names, "class"], [("class", name) for name in names])
    layout = layered_layout(dag, 20)
    assert layout.hub == 20
    assert len(np.unique(layout.centres[:20, 0])) > 1  # not one long column


def test_the_drawing_needs_igraph(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "igraph", None)
    with pytest.raises(ImportError, match=r"pip install 'bayleaf\[report\]'"):
        layered_layout(bl.DAG(["a", "b"], [("a", "b")]))


def test_the_elimination_order_ends_with_the_class_and_its_cost_is_counted():
    network = random_network(np.random.default_rng(1), "tree")
    data = model_data(network, ColumnFacts())
    assert data["order"][-1] == data["target"]
    assert sorted(data["order"]) == list(range(len(network.nodes)))
    assert data["entries"] == junction_entries(network, data["order"])


def test_only_the_blanket_is_marked():
    network = random_network(np.random.default_rng(2), "class anywhere")
    data = model_data(network, ColumnFacts())
    marked = {node["name"] for node, inside in zip(data["nodes"], data["blanket"], strict=True) if inside}
    assert marked == set(network.markov_blanket(network.target))
