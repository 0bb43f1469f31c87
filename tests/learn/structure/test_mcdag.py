"""Minimal class-focused graphs: the space, and the greedy search in it."""

from itertools import combinations

import numpy as np
import pytest

import bayleaf as bl
from all_dags import all_dags
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.structure import MCDAG
from reference.scored_networks import random_table

NAMES = ["a", "b", "c", "class"]


def class_focused(dag: DAG, target: str) -> DAG:
    """Rewrite a graph so that the class has no parents and every arc between features ends in a child of the class.

    The class's parents become a clique and its children. Other arcs into them go, for they do not matter to the class
    once its parents are known, and so do arcs that end outside the class's children. On complete data every class
    posterior that the graph can express, the new one can express too.

    References
    ----------
    B. Mihaljevic, C. Bielza and P. Larranaga. Learning Bayesian network classifiers with completed partially directed
    acyclic graphs. Probabilistic Graphical Models, 2018.

    """
    order = {name: position for position, name in enumerate(dag.topological_order())}
    parents = set(dag.parents(target))
    children = parents | set(dag.children(target))
    clique = {tuple(sorted(pair, key=order.__getitem__)) for pair in combinations(parents, 2)}
    kept = {arc for arc in dag.arcs if arc[1] in children - parents and arc[0] != target}
    arcs = {*kept, *((first, second) for first, second in clique), *((target, child) for child in children)}
    return DAG(dag.nodes, arcs)


def is_class_focused(dag, target):
    children = set(dag.children(target))
    return not dag.parents(target) and all(
        child in children for parent, child in dag.arcs if parent != target
    )


def joint_of(network):
    codes = np.array(np.meshgrid(*[range(2)] * 4, indexing="ij")).reshape(4, -1).T
    table = Table.from_codes(network.variables, codes)
    return np.exp(network.log_likelihood(table)).reshape((2,) * 4)


def with_tables_of(joint, dag, variables):
    """The network over another graph whose tables are the conditionals of a joint distribution."""
    tables = []
    for node, parents in enumerate(dag.parent_indices):
        others = tuple(j for j in range(4) if j not in (*parents, node))
        family = joint.sum(axis=others)
        order = sorted((*parents, node))
        family = np.moveaxis(family, order.index(node), -1)
        tables.append(family / family.sum(axis=-1, keepdims=True))
    return bl.BayesNet(variables, dag, tables, "class")


def test_every_class_posterior_of_a_general_graph_is_in_the_space():
    variables = [Variable(name, ("0", "1")) for name in NAMES]
    rng = np.random.default_rng(0)
    for parents in all_dags(4):
        dag = DAG.from_parents(NAMES, parents)
        tables = [rng.dirichlet([1, 1], size=(2,) * len(family)) for family in parents]
        network = bl.BayesNet(variables, dag, tables, "class")
        focused = class_focused(dag, "class")
        assert is_class_focused(focused, "class")
        rewritten = with_tables_of(joint_of(network), focused, variables)
        assert bl.network.posterior_divergence(network, rewritten, "class") == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_learned_graphs_are_class_focused_and_local_optima(seed):
    table = random_table(np.random.default_rng(seed), 5, 80, target=4)
    dag = MCDAG(price=0.0).learn(table, np.random.default_rng(0))
    assert is_class_focused(dag, "v4")

    def cll(graph):
        tables = bl.MaximumLikelihood().fit(table, graph)
        network = bl.BayesNet(table.variables, graph, tables, "v4")
        joint = network.log_joint(table.codes, 4)
        own = joint[np.arange(table.n_rows), table.codes[:, 4]]
        return float((own - np.logaddexp.reduce(joint, axis=1)).sum())

    here = cll(dag)
    assert here > cll(DAG(dag.nodes)) - 1e-9
    for arc in dag.arcs:
        if arc[0] != "v4":
            assert cll(dag.remove(arc)) < here


def test_solves_exclusive_or_with_help():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (600, 3))
    y = X[:, 0] ^ (X[:, 1] & X[:, 2])
    clf = bl.classifier("MC-DAG", categorical_features=[0, 1, 2]).fit(X, y)
    assert clf.score(X, y) == 1.0


def test_a_price_per_parameter_keeps_noise_out():
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 3, (60, 4)), rng.integers(0, 2, 60)
    X[:, 0] = y
    free, priced = (
        bl.BayesNetClassifier(MCDAG(price=p), categorical_features=range(4)).fit(X, y) for p in (0.0, 5.0)
    )
    assert priced.network_.markov_blanket("class") == ("x0",)
    assert len(free.network_.arcs) >= len(priced.network_.arcs)
    with pytest.raises(ValueError, match="'price' parameter of MCDAG"):
        bl.BayesNetClassifier(MCDAG(price=-1.0)).fit(X, y)


def test_max_parents_and_bad_input():
    table = random_table(np.random.default_rng(0), 5, 80, target=4)
    dag = MCDAG(max_parents=2).learn(table, np.random.default_rng(0))
    assert max(map(len, dag.parent_indices)) <= 2
    with pytest.raises(ValueError, match="'max_parents' parameter of MCDAG"):
        MCDAG(max_parents=0).learn(table, np.random.default_rng(0))
    with pytest.raises(ValueError, match="needs a class"):
        MCDAG().learn(random_table(np.random.default_rng(0), 3, 20), np.random.default_rng(0))
    nowhere = np.array(table.codes, dtype=np.int64)
    nowhere[:, 0] = -1
    with pytest.raises(ValueError, match="MCDAG leaves out rows with missing values, and every row has one"):
        MCDAG().learn(Table.from_codes(table.variables, nowhere, target=4), np.random.default_rng(0))
