"""The smallest augmented map against all augmented graphs."""

import numpy as np
import pytest
from hypothesis import given, settings

from anb_2021.smallest_map import smallest_augmented_map
from bayleaf.graph import DAG
from reference.graphs import independences, random_parents
from reference.scored_networks import all_augmented


def parameters(parents, arities):
    return sum(
        (arities[node] - 1) * np.prod([arities[j] for j in family]) for node, family in enumerate(parents)
    )


@settings(deadline=None, max_examples=20)
@given(random_parents(min_nodes=4, max_nodes=4))
def test_fewest_parameters_of_all_augmented_maps(parents):
    arities = [2, 3, 2, 2]
    true = independences(parents)
    smallest = min(parameters(graph, arities) for graph in all_augmented(3) if independences(graph) <= true)
    names = ["a", "b", "c", "class"]
    found = smallest_augmented_map(DAG.from_parents(names, parents), "class", arities)
    assert independences(found.parent_indices) <= true
    assert parameters(found.parent_indices, arities) == smallest
    assert all("class" in found.parents(name) for name in names[:-1])


def test_cancer():
    names = ["pollution", "smoker", "cancer", "xray", "dyspnoea"]
    arcs = [("pollution", "cancer"), ("smoker", "cancer"), ("cancer", "xray"), ("cancer", "dyspnoea")]
    found = smallest_augmented_map(DAG(names, arcs), "cancer", [2] * 5)
    between = {frozenset(arc) for arc in found.arcs if "cancer" not in arc}
    assert between == {frozenset(("pollution", "smoker"))}


def test_too_many_features_are_refused():
    names = [f"v{j}" for j in range(20)]
    with pytest.raises(ValueError, match="19 are more than 14"):
        smallest_augmented_map(DAG(names), "v0", [2] * 20)
