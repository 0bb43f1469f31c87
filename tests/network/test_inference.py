import time
from math import inf, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.data import table as table_module
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.network import compiled as compiled_module
from bayleaf.networks import read_bif
from reference.counting import MISSING, make_table, make_variables
from reference.inference import (
    log_of_sum,
    make_network,
    posterior_by_einsum,
    random_networks,
    slow_log_joint,
    slow_log_probability,
)
from reference.networks import network_path


@st.composite
def networks_with_rows(draw, max_rows: int = 4):
    network = draw(random_networks())
    row = st.tuples(*(st.integers(MISSING, variable.arity - 1) for variable in network.variables))
    return network, draw(st.lists(row, min_size=1, max_size=max_rows))


def table_of(network: BayesNet, rows, n_jobs: int | None = None) -> Table:
    return Table.from_codes(network.variables, rows, n_jobs=n_jobs)


@settings(deadline=None, max_examples=20)
@given(networks_with_rows())
def test_log_likelihood_with_any_missing_values(example):
    network, rows = example
    found = network.log_likelihood(table_of(network, rows))
    np.testing.assert_allclose(found, [slow_log_probability(network, row) for row in rows], atol=1e-12)


@settings(deadline=None, max_examples=20)
@given(networks_with_rows(), st.data())
def test_log_joint_of_any_node(example, data):
    network, rows = example
    query = data.draw(st.integers(0, len(network.nodes) - 1))
    found = network.log_joint(table_of(network, rows).codes, query)
    np.testing.assert_allclose(found, [slow_log_joint(network, row, query) for row in rows], atol=1e-12)


@settings(deadline=None, max_examples=20)
@given(networks_with_rows(max_rows=1), st.data())
def test_posterior_of_any_node(example, data):
    network, (row,) = example
    query = data.draw(st.integers(0, len(network.nodes) - 1))
    evidence = {
        name: network.variable(name).states[code]
        for name, code in zip(network.nodes, row, strict=True)
        if code != MISSING and name != network.nodes[query]
    }
    expected = slow_log_joint(network, row, query)
    if max(expected) == -inf:
        with pytest.raises(ValueError, match="The evidence has probability zero under this network: v"):
            network.posterior(network.nodes[query], evidence)
        return
    found = network.posterior(network.nodes[query], evidence)
    assert tuple(found) == network.variables[query].states
    exact = np.exp(np.array(expected) - log_of_sum(expected))
    np.testing.assert_allclose(list(found.values()), exact, atol=1e-12)
    assert sum(found.values()) == pytest.approx(1)


@pytest.mark.parametrize("arities", [[2, 3, 4, 2, 3, 2], [2, 3, 300, 2, 3, 2]], ids=["uint8", "uint16"])
@pytest.mark.parametrize("query", [None, 0, 2, 5])
def test_rows_together_equal_rows_alone(arities, query):
    rng = np.random.default_rng(1)
    network = make_network(rng, [(), (0,), (0, 1), (2,), (1, 3), (2, 4)], arities, zeros=0.2)
    rows = np.column_stack([rng.integers(0, arity, 600) for arity in arities])
    rows[rng.random(rows.shape) < 0.3] = MISSING
    together = network.compiled(query).log_joint(table_of(network, rows), 1)
    for n_jobs in (2, 5):
        again = network.compiled(query).log_joint(table_of(network, rows), n_jobs)
        assert np.array_equal(together, again)
    for row, values in zip(rows[:100], together, strict=False):
        alone = network.compiled(query).log_joint(table_of(network, [row]), 1)[0]
        assert np.array_equal(values, alone)


def test_rows_with_gaps_are_answered_in_parts_between_which_ctrl_c_is_heard(monkeypatch):
    rng = np.random.default_rng(4)
    network = make_network(rng, [(), (0,), (0, 1), (2,)], [2, 3, 4, 2])
    rows = table_of(network, rng.integers(MISSING, 2, (50, 4)))
    expected = network.log_joint(rows, 0)
    sizes = []
    whole = compiled_module.CompiledNetwork._incomplete

    def watched(self, codes, out, n_jobs):
        sizes.append(len(codes))
        return whole(self, codes, out, n_jobs)

    monkeypatch.setattr(compiled_module, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(compiled_module.CompiledNetwork, "_incomplete", watched)
    np.testing.assert_array_equal(network.log_joint(rows, 0), expected)
    assert len(sizes) > 3
    assert max(sizes) == 7


def test_the_query_column_is_not_read_and_may_be_absent_at_the_end():
    rng = np.random.default_rng(2)
    network = make_network(rng, [(2,), (0, 2), ()], [3, 2, 4])
    rows = np.array([[0, 1, 2], [2, MISSING, 0], [MISSING, MISSING, MISSING]])
    full = network.log_joint(table_of(network, rows).codes, 2)
    rows[:, 2] = [3, 1, 0]
    assert np.array_equal(full, network.log_joint(table_of(network, rows).codes, 2))
    short = Table.from_codes(network.variables[:2], rows[:, :2]).codes
    assert np.array_equal(full, network.log_joint(short, 2))
    with pytest.raises(ValueError, match="The codes have 2 columns; the network has 3 nodes"):
        network.log_joint(short, 0)


def test_no_rows():
    network = make_network(np.random.default_rng(0), [(), (0,)], [2, 3])
    assert network.log_joint(table_of(network, np.empty((0, 2), dtype=int)).codes, 1).shape == (0, 3)


def naive_bayes(rng: np.random.Generator, features: int, classes: int = 3) -> BayesNet:
    return make_network(rng, [(), *[(0,)] * features], [classes, *[4] * features])


def test_a_missing_parent_of_a_thousand_children_does_not_underflow():
    rng = np.random.default_rng(0)
    network = naive_bayes(rng, 1000)
    rows = np.column_stack([np.full(5, MISSING), *(rng.integers(0, 4, 5) for _ in range(1000))])
    by_class = network.log_joint(table_of(network, rows).codes, 0)
    assert by_class.max() < -1000
    expected = [log_of_sum(row) for row in by_class.tolist()]
    np.testing.assert_allclose(network.log_likelihood(table_of(network, rows)), expected, rtol=1e-13)


def test_evidence_that_overrules_what_seemed_certain():
    # 500 features make class 1 more probable by far more than the range of a float; the last one excludes it.
    features = 500
    variables = make_variables([2] * (features + 2))
    likes_one = [[0.999, 0.001], [0.001, 0.999]]
    never_one = [[0.5, 0.5], [1.0, 0.0]]
    names = [variable.name for variable in variables]
    dag = DAG(names, [(names[0], name) for name in names[1:]])
    network = BayesNet(variables, dag, [[0.5, 0.5], *[likes_one] * features, never_one])
    row = [MISSING, *[1] * features, 1]
    found = network.log_likelihood(table_of(network, [row]))[0]
    assert found == pytest.approx(log(0.5) + features * log(0.001) + log(0.5), rel=1e-13)
    assert network.posterior(names[0], dict.fromkeys(names[1:], 1)) == {0: 1.0, 1: 0.0}


@pytest.mark.parametrize("zeros", [0.0, 0.4])
def test_tiny_probabilities_are_exact(zeros):
    rng = np.random.default_rng(5)
    for _ in range(60):
        parents = [(), (0,), (0, 1), (1,), (2, 3), (0, 4), (4, 5)]
        network = make_network(rng, parents, [2, 3, 2, 2, 3, 2, 2], zeros=zeros, smallest=300)
        rows = np.column_stack([rng.integers(0, variable.arity, 4) for variable in network.variables])
        rows[rng.random(rows.shape) < 0.5] = MISSING
        found = network.log_likelihood(table_of(network, rows))
        expected = [slow_log_probability(network, row) for row in rows.tolist()]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_a_chain_of_fifteen_hundred_nodes():
    nodes = 1500
    rng = np.random.default_rng(3)
    variables = make_variables([3] * nodes)
    tables = [np.array([0.2, 0.3, 0.5]), *rng.dirichlet(np.ones(3), size=(nodes - 1, 3))]
    network = BayesNet(
        variables,
        DAG.from_parents([v.name for v in variables], [(), *((i,) for i in range(nodes - 1))]),
        tables,
    )
    row = rng.integers(0, 3, nodes)
    row[rng.random(nodes) < 0.5] = MISSING
    forward = [log(p) for p in tables[0]]
    for node in range(nodes):
        if node:
            table = np.log(tables[node])
            forward = [log_of_sum([forward[a] + table[a, b] for a in range(3)]) for b in range(3)]
        if row[node] != MISSING:
            forward = [value if state == row[node] else -inf for state, value in enumerate(forward)]
    found = network.log_likelihood(table_of(network, [row]))[0]
    assert found == pytest.approx(log_of_sum(forward), rel=1e-12)
    assert found < -745  # the probability itself is no float


def test_barren_nodes_drop_out():
    # A dense network over 40 missing nodes: only the two ancestors of the evidence matter.
    rng = np.random.default_rng(0)
    parents = [tuple(range(max(0, node - 4), node)) for node in range(40)]
    network = make_network(rng, parents, [3] * 40)
    joint = network.tables[0][:, None] * network.tables[1]
    posterior = network.posterior("v0", {"v1": 2})
    np.testing.assert_allclose(list(posterior.values()), joint[:, 2] / joint[:, 2].sum())
    assert network.log_likelihood(table_of(network, [[MISSING] * 40]))[0] == 0.0


def test_a_network_too_dense_to_sum_out_is_refused(monkeypatch):
    monkeypatch.setattr(compiled_module, "LARGEST_FACTOR", 50)
    network = make_network(np.random.default_rng(0), [(), (), (), (), (0, 1, 2, 3)], [3, 3, 3, 3, 2])
    with pytest.raises(ValueError, match="needs a table of about 81 entries, more than the limit"):
        network.log_joint(table_of(network, [[MISSING, MISSING, MISSING, MISSING, 1]]), 0)


def test_evidence_is_checked():
    network = make_network(np.random.default_rng(0), [(), (0,)], [2, 2])
    with pytest.raises(ValueError, match="'v0' is both the query and evidence"):
        network.posterior("v0", {"v0": 1})
    with pytest.raises(ValueError, match="Unknown node 'x'; the nodes are 'v0', 'v1'"):
        network.posterior("v0", {"x": 1})
    with pytest.raises(ValueError, match="'v1' has no state 'yes'; its states are 0, 1"):
        network.posterior("v0", {"v1": "yes"})


def test_numeric_evidence_by_number_or_label():
    age, risk = Variable.numeric("age", [18, 65]), Variable("risk", ("low", "high"))
    network = BayesNet(
        [age, risk],
        DAG(["age", "risk"], [("age", "risk")]),
        [[0.2, 0.5, 0.3], [[0.9, 0.1], [0.8, 0.2], [0.5, 0.5]]],
    )
    by_number = network.posterior("risk", {"age": np.int64(40)})
    assert (
        by_number
        == network.posterior("risk", {"age": "(18, 65]"})
        == network.posterior("risk", {"age": 65.0})
    )
    assert by_number["high"] == pytest.approx(0.2)


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
def test_missing_evidence_is_not_known(missing):
    age, risk = Variable.numeric("age", [18, 65]), Variable("risk", ("low", "high"))
    town = Variable("town", ("Bath", "Ely"))
    network = BayesNet(
        [age, risk, town],
        DAG(["age", "risk", "town"], [("age", "risk"), ("town", "risk")]),
        [
            [0.2, 0.5, 0.3],
            [[[0.9, 0.1], [0.8, 0.2]], [[0.7, 0.3], [0.6, 0.4]], [[0.5, 0.5], [0.3, 0.7]]],
            [0.4, 0.6],
        ],
    )
    assert network.posterior("risk", {"age": missing, "town": "Ely"}) == network.posterior(
        "risk", {"town": "Ely"}
    )
    assert network.posterior("risk", {"age": missing, "town": missing}) == network.posterior("risk")
    assert network.posterior("risk", {"risk": missing}) == network.posterior("risk")
    with pytest.raises(ValueError, match="'height'"):
        network.posterior("risk", {"height": missing})


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        ("asia", {}),
        ("asia", {"xray": "yes", "dysp": "yes"}),
        ("asia", {"asia": "yes", "either": "no"}),
        ("alarm", {}),
        ("alarm", {"HRBP": "HIGH", "BP": "LOW", "EXPCO2": "ZERO"}),
        ("child", {"LowerBodyO2": "<5", "GruntingReport": "yes"}),
    ],
)
def test_published_networks_against_one_contraction(name, evidence):
    network = read_bif(network_path(name))
    for query in network.nodes:
        if query not in evidence:
            found = list(network.posterior(query, evidence).values())
            np.testing.assert_allclose(found, posterior_by_einsum(network, query, evidence), atol=1e-12)


@pytest.mark.parametrize(("name", "seconds"), [("andes", 5.0), ("barley", 30.0)])
def test_large_published_networks_answer_quickly(name, seconds):
    network = read_bif(network_path(name))
    codes = network.sample_table(1, random_state=3).codes[0]
    leaves = [node for node in network.nodes if not network.children(node)]
    evidence = {
        leaf: network.variable(leaf).states[codes[network.dag.index(leaf)]]
        for leaf in leaves[: len(leaves) // 2]
    }
    start = time.perf_counter()
    posterior = network.posterior(network.nodes[0], evidence)
    assert time.perf_counter() - start < seconds
    assert sum(posterior.values()) == pytest.approx(1)


def test_codes_are_checked_once_at_most(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 5)), rng.integers(0, 2, 60)
    X[rng.random(X.shape) < 0.1] = np.nan
    X = pd.DataFrame(X, columns=list("abcde"))
    clf = bl.BayesNetClassifier().fit(X, y)
    checks = []
    check = table_module.check_code_range
    monkeypatch.setattr(
        table_module, "check_code_range", lambda *args: checks.append(args[0].shape) or check(*args)
    )
    for ask in (clf.predict, clf.predict_log_proba, clf.explain):
        checks.clear()
        ask(X)
        assert checks.count((60, 5)) <= 1
    table = clf.encode(X)
    checks.clear()
    clf.network_.log_joint(table.codes, 5)
    assert checks == [(60, 5)]


def test_a_table_of_other_variables_is_refused():
    network = bl.BayesNetClassifier(bl.NaiveBayes()).fit([["a"], ["b"]], [0, 1]).network_
    with pytest.raises(ValueError, match="A column of the table has 3 states; its node 'x0' has 2"):
        network.log_joint(make_table([[0, 1]], [3, 2]), 1)
    with pytest.raises(ValueError, match="The codes have 3 columns; the network has 2 nodes"):
        network.log_joint(make_table([[0, 1, 0]], [2, 2, 2]), 1)
