"""Questions to networks, compared with the whole joint distribution of small ones."""

import warnings
from math import inf, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bayleaf as bl
from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.network import inference as query_cost
from bayleaf.networks import read_bif
from reference.asking import information, joint_given, marginal, with_entry
from reference.inference import make_network, posterior_by_einsum, random_networks
from reference.networks import network_path


@st.composite
def questions(draw, max_nodes=6):
    """A network, some evidence (codes by node), and soft evidence."""
    network = draw(random_networks(max_nodes=max_nodes))
    codes, soft = {}, {}
    for node, variable in enumerate(network.variables):
        kind = draw(st.sampled_from(["open", "open", "known", "soft"]))
        if kind == "known":
            codes[node] = draw(st.integers(0, variable.arity - 1))
        elif kind == "soft":
            weights = draw(
                st.lists(
                    st.sampled_from([0.0, 0.2, 1.0, 3.0]), min_size=variable.arity, max_size=variable.arity
                )
            )
            soft[node] = weights if any(weights) else [1.0] * variable.arity
    return network, codes, soft


def named(network, codes, soft=None):
    """The evidence as a user gives it."""
    evidence = {network.nodes[k]: network.variables[k].states[code] for k, code in codes.items()}
    weights = {network.nodes[k]: values for k, values in (soft or {}).items()}
    return evidence, weights


@settings(deadline=None, max_examples=20)
@given(questions())
def test_all_posteriors_and_the_probability_of_the_evidence(question):
    network, codes, soft = question
    joint = joint_given(network, codes, soft)
    evidence, weights = named(network, codes, soft)
    total = joint.sum()
    if total == 0:
        assert network.log_evidence(evidence, soft=weights) == -inf
        if len(codes) < len(network.nodes):
            with pytest.raises(ValueError, match=r"^The evidence has probability zero under this network: "):
                network.posteriors(evidence, soft=weights)
        return
    assert network.log_evidence(evidence, soft=weights) == pytest.approx(log(total), abs=1e-10)
    found = network.posteriors(evidence, soft=weights)
    assert list(found) == [name for name in network.nodes if name not in evidence]
    for name, distribution in found.items():
        node = network.dag.index(name)
        assert tuple(distribution) == network.variables[node].states
        np.testing.assert_allclose(list(distribution.values()), marginal(joint, [node]) / total, atol=1e-12)
        alone = network.posterior(name, evidence, soft=weights)
        np.testing.assert_allclose(list(alone.values()), list(distribution.values()), atol=1e-12)


@settings(deadline=None, max_examples=20)
@given(questions(), st.data())
def test_joint_posteriors_in_any_order(question, data):
    network, codes, soft = question
    unknown = [k for k in range(len(network.nodes)) if k not in codes]
    assume(unknown)
    asked = data.draw(st.permutations(unknown))[: data.draw(st.integers(1, 3))]
    joint = joint_given(network, codes, soft)
    assume(joint.sum() > 0)
    evidence, weights = named(network, codes, soft)
    found = network.joint_posterior([network.nodes[k] for k in asked], evidence, soft=weights)
    expected = marginal(joint, asked) / joint.sum()
    for cell in np.ndindex(expected.shape):
        states = tuple(network.variables[k].states[i] for k, i in zip(asked, cell, strict=True))
        assert found[states] == pytest.approx(expected[cell], abs=1e-12)


@settings(deadline=None, max_examples=20)
@given(questions(), st.data())
def test_most_probable_states(question, data):
    network, codes, soft = question
    unknown = [k for k in range(len(network.nodes)) if k not in codes]
    assume(unknown)
    joint = joint_given(network, codes, soft)
    evidence, weights = named(network, codes, soft)
    asked = data.draw(st.lists(st.sampled_from(unknown), min_size=1, unique=True))
    if joint.sum() == 0:
        with pytest.raises(ValueError, match="probability zero"):
            network.mpe(evidence, soft=weights)
        return
    for nodes, found in [
        (unknown, network.mpe(evidence, soft=weights)),
        (asked, network.map([network.nodes[k] for k in asked], evidence, soft=weights)),
    ]:
        table = marginal(joint, nodes)
        assert list(found.states) == [network.nodes[k] for k in nodes]
        at = tuple(network.variables[k].code(found.states[network.nodes[k]]) for k in nodes)
        assert table[at] == pytest.approx(table.max(), rel=1e-9)
        assert found.probability == pytest.approx(table.max() / joint.sum(), rel=1e-9)


@settings(deadline=None, max_examples=20)
@given(questions(max_nodes=5))
def test_mutual_information_given_evidence(question):
    network, codes, _ = question
    unknown = [k for k in range(len(network.nodes)) if k not in codes]
    assume(len(unknown) > 1)
    joint = joint_given(network, codes)
    assume(joint.sum() > 0)
    evidence, _ = named(network, codes)
    first = network.nodes[unknown[0]]
    found = network.mutual_information(first, evidence=evidence)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert set(found) == {network.nodes[k] for k in unknown[1:]}
    for k in unknown[1:]:
        expected = information(marginal(joint, [unknown[0], k]))
        assert found[network.nodes[k]] == pytest.approx(expected, abs=1e-9)
        assert network.mutual_information(first, network.nodes[k], evidence) == pytest.approx(
            expected, abs=1e-9
        )


@settings(deadline=None, max_examples=20)
@given(questions(max_nodes=4), st.data())
def test_sensitivity_to_every_entry_of_a_table(question, data):
    network, codes, _ = question
    unknown = [k for k in range(len(network.nodes)) if k not in codes]
    assume(unknown and joint_given(network, codes).sum() > 1e-9)
    asked, varied = data.draw(st.sampled_from(unknown)), data.draw(st.integers(0, len(network.nodes) - 1))
    state = data.draw(st.integers(0, network.variables[asked].arity - 1))
    evidence, _ = named(network, codes)
    frame = network.sensitivity(
        network.nodes[asked], network.variables[asked].states[state], network.nodes[varied], evidence
    )
    table = network.tables[varied]
    assert frame["probability"].to_list() == table.ravel().tolist()
    for line, at in zip(frame.iter_rows(named=True), np.ndindex(table.shape), strict=True):
        assert line["posterior"] == pytest.approx(
            marginal(joint_given(network, codes), [asked])[state] / joint_given(network, codes).sum(),
            abs=1e-9,
        )
        for x in (0.2, 0.7) if table.shape[-1] > 1 else ():
            tables = list(network.tables)
            tables[varied] = with_entry(table, at, x)
            joint = joint_given(BayesNet(network.variables, network.dag, tables), codes)
            if joint.sum() > 1e-9:
                expected = marginal(joint, [asked])[state] / joint.sum()
                below = line["gamma"] * x + line["delta"]
                assert below == pytest.approx(joint.sum() / joint_given(network, codes).sum(), rel=1e-8)
                assert (line["alpha"] * x + line["beta"]) / below == pytest.approx(expected, abs=1e-8)
        x, step = line["probability"], 1e-7
        curve = [
            (line["alpha"] * z + line["beta"]) / (line["gamma"] * z + line["delta"]) for z in (x, x + step)
        ]
        assert line["derivative"] == pytest.approx((curve[1] - curve[0]) / step, rel=1e-3, abs=1e-4)


@settings(deadline=None, max_examples=20)
@given(questions(max_nodes=5), st.integers(0, 1000))
def test_rows_drawn_given_evidence_have_its_distribution(question, seed):
    network, codes, soft = question
    joint = joint_given(network, codes, soft)
    evidence, weights = named(network, codes, soft)
    if joint.sum() == 0:
        with pytest.raises(ValueError, match="probability zero"):
            network.sample(3, 0, evidence=evidence, soft=weights)
        return
    rows = network.sample_table(4000, seed, evidence=evidence, soft=weights).codes
    counts = np.zeros(joint.shape)
    np.add.at(counts, tuple(rows.T.astype(int)), 1)
    expected = joint / joint.sum()
    assert counts[expected == 0].sum() == 0
    assert abs(counts / len(rows) - expected).max() < 6 * 0.5 / np.sqrt(len(rows))


@settings(deadline=None, max_examples=20)
@given(questions(max_nodes=5), st.integers(0, 1000))
def test_likelihood_weighting_comes_near(question, seed):
    network, codes, soft = question
    unknown = [k for k in range(len(network.nodes)) if k not in codes]
    joint = joint_given(network, codes, soft)
    assume(unknown and joint.sum() > 0.01)
    evidence, weights = named(network, codes, soft)
    rows = network.weighted_sample(20_000, evidence, soft=weights, random_state=seed)
    assume(rows.effective_sample_size > 500)
    near = 6 * 0.5 / np.sqrt(rows.effective_sample_size)
    for k in unknown:
        expected = marginal(joint, [k]) / joint.sum()
        assert abs(np.array(list(rows.posterior(network.nodes[k]).values())) - expected).max() < near
    assert rows.log_evidence == pytest.approx(
        log(joint.sum()), abs=8 / np.sqrt(rows.effective_sample_size) + 0.2
    )


def test_an_estimate_says_when_few_rows_count():
    network = make_network(np.random.default_rng(0), [(), (0,)], [2, 2])
    rare = BayesNet(network.variables, network.dag, [[0.999, 0.001], [[1.0, 0.0], [0.0, 1.0]]])
    evidence = {"v1": rare.variables[1].states[1]}
    with pytest.warns(UserWarning, match=r"Of 20,000 weighted rows only about \d+ count"):
        found = rare.posterior("v0", evidence, approximate=20_000, random_state=1)
    assert list(found.values()) == pytest.approx([0.0, 1.0])
    with pytest.raises(ValueError, match="None of 3 weighted rows agrees with the evidence"):
        rare.posteriors(evidence, approximate=3, random_state=1)
    with pytest.raises(ValueError, match="must be an int in the range"):
        rare.posterior("v0", evidence, approximate=0)


@pytest.fixture
def garden():
    rain, sprinkler = Variable("rain", ("no", "yes")), Variable("sprinkler", ("off", "on"))
    wet = Variable("wet", ("no", "yes"))
    dag = DAG(["rain", "sprinkler", "wet"], [("rain", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")])
    tables = [
        [0.8, 0.2],
        [[0.6, 0.4], [0.99, 0.01]],
        [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]],
    ]
    return BayesNet([rain, sprinkler, wet], dag, tables, target="wet")


def test_an_intervention_cuts_the_arcs_into_its_nodes(garden):
    changed = garden.do({"sprinkler": "on", "wet": None})
    assert changed.arcs == (("rain", "wet"), ("sprinkler", "wet"))
    assert changed.target == "wet"
    assert changed.posterior("rain") == pytest.approx({"no": 0.8, "yes": 0.2})
    assert changed.posterior("wet")["yes"] == pytest.approx(0.8 * 0.9 + 0.2 * 0.99)
    # Seeing is not doing.
    assert garden.posterior("rain", {"sprinkler": "on"})["yes"] < 0.01
    with pytest.raises(TypeError, match="'states' parameter of do"):
        garden.do("sprinkler")


def test_numbers_and_missing_values_as_evidence():
    age, ill = Variable.numeric("age", [18, 65]), Variable("ill", ("no", "yes"))
    net = BayesNet(
        [age, ill],
        DAG(["age", "ill"], [("age", "ill")]),
        [[0.2, 0.5, 0.3], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]],
    )
    assert net.posteriors({"age": 70})["ill"]["yes"] == pytest.approx(0.7)
    assert net.map(["ill"], {"age": 17.5}).probability == pytest.approx(0.9)
    for nothing in (None, float("nan"), pd.NA):
        assert list(net.posteriors({"age": nothing})) == ["age", "ill"]
    assert set(net.sample(50, 0, evidence={"age": 70})["age"].to_list()) == {"(65, inf)"}


def test_soft_evidence_by_label_or_in_order(garden):
    by_label = garden.posterior("rain", soft={"wet": {"yes": 3, "no": 1}})
    assert by_label == garden.posterior("rain", soft={"wet": [1, 3]})
    assert by_label == pytest.approx(garden.posterior("rain", soft={"wet": [2, 6]}))
    sure = garden.posterior("rain", soft={"wet": [0, 1]})
    assert sure == pytest.approx(garden.posterior("rain", {"wet": "yes"}))


def test_what_is_refused_says_why(garden):
    with pytest.raises(ValueError, match="'wet' is both the query and evidence"):
        garden.joint_posterior(["rain", "wet"], {"wet": "no"})
    with pytest.raises(
        ValueError, match=r"joint_posterior needs the names of one or more different nodes. Got \[\]"
    ):
        garden.joint_posterior([])
    with pytest.raises(ValueError, match="one or more different nodes"):
        garden.map(["rain", "rain"])
    with pytest.raises(ValueError, match="has no weight for 'no': give one to every state"):
        garden.posteriors(soft={"wet": {"yes": 1}})
    with pytest.raises(ValueError, match="must be 2 weights, one per state, or a mapping"):
        garden.posteriors(soft={"wet": [1, 2, 3]})
    with pytest.raises(ValueError, match="must be 2 weights"):
        garden.posteriors(soft={"wet": "much"})
    for weights in ([0, 0], [-1, 1], [np.nan, 1], [np.inf, 1]):
        with pytest.raises(ValueError, match="must be weights, zero or more, not all of them 0"):
            garden.posteriors(soft={"wet": weights})
    with pytest.raises(ValueError, match="Unknown node 'snow'"):
        garden.mpe({"snow": "yes"})
    with pytest.raises(TypeError, match="'evidence' parameter of posteriors"):
        garden.posteriors("wet")


def test_separation_and_blankets_by_name(garden):
    assert not garden.d_separated("rain", "wet", given="sprinkler")
    assert garden.do({"sprinkler": "on"}).d_separated("rain", "sprinkler")
    assert garden.markov_blanket("rain") == ("sprinkler", "wet")


def test_the_cost_is_said_beforehand_and_too_much_refused(monkeypatch):
    arities = [3] * 12
    parents = [()] * 11 + [tuple(range(11))]
    network = make_network(np.random.default_rng(0), parents, arities)
    assert network.query_cost().largest == 3**12
    assert network.query_cost(names=["v0"]).total == 3.0  # everything else sums to one
    seen = {"v11": network.variables[11].states[0]}
    assert network.query_cost(seen, ["v0", "v1"]).total == 3.0**11
    assert network.query_cost().exact
    monkeypatch.setattr(query_cost, "MOST_ENTRIES", 1000)
    assert not network.query_cost().exact
    said = r"^The exact answer needs tables of [58](\.3)?e\+05 entries in all \(the limit is 1e\+03\)"
    for ask in (network.posteriors, network.mpe):
        with pytest.raises(ValueError, match=said):
            ask()
    for ask in (lambda: network.posterior("v0", seen), lambda: network.sample(1, 0, evidence=seen)):
        with pytest.raises(ValueError, match=r"entries in all .* approximate=10_000"):
            ask()
    assert sum(network.posterior("v0", seen, approximate=5000, random_state=0).values()) == pytest.approx(1)


def test_numbers_beyond_the_range_of_a_float():
    # 500 features make one class more probable by far more than the range of a float; the last one excludes it.
    features = 500
    names = ["c", *(f"x{k}" for k in range(features + 1))]
    variables = [Variable(name, ("0", "1")) for name in names]
    dag = DAG(names, [("c", name) for name in names[1:]])
    tables = [[0.5, 0.5], *[[[0.999, 0.001], [0.001, 0.999]]] * features, [[0.5, 0.5], [1.0, 0.0]]]
    network = BayesNet(variables, dag, tables)
    evidence = dict.fromkeys(names[1:-1], "1")
    soft = {names[-1]: [0.0, 2.0]}
    assert network.posteriors(evidence, soft=soft)["c"] == {"0": 1.0, "1": 0.0}
    expected = log(0.5) + features * log(0.001) + log(0.5)
    assert network.log_evidence(evidence | {names[-1]: "1"}) == pytest.approx(expected, rel=1e-12)
    assert network.log_evidence(evidence, soft=soft) == pytest.approx(expected + log(2), rel=1e-12)
    assert network.joint_posterior([names[-1], "c"], evidence, soft=soft)["1", "0"] == pytest.approx(1)
    assert network.mpe(evidence, soft=soft).states == {"c": "0", names[-1]: "1"}
    assert set(network.sample(20, 0, evidence=evidence, soft=soft)["c"].to_list()) == {"0"}
    frame = network.sensitivity("c", "1", "x0", evidence)
    assert frame["posterior"].to_list() == pytest.approx([1.0] * 4)
    with pytest.raises(ValueError, match="so improbable that the table of 'x500' cannot be varied"):
        network.sensitivity("c", "0", names[-1], evidence | {names[-1]: "1"})
    certain = BayesNet(variables, dag, [[0.0, 1.0], *tables[1:]])
    with pytest.raises(ValueError, match="probability zero"):
        certain.sensitivity("c", "0", "x0", evidence | {names[-1]: "1"})


@pytest.mark.parametrize("name", ["alarm", "child"])
def test_published_networks(name):
    network = read_bif(network_path(name))
    row = network.sample(1, 3).row(0, named=True)
    evidence = {node: row[node] for node in list(network.nodes)[::4]}
    found = network.posteriors(evidence)
    for node in list(found)[:6]:
        expected = posterior_by_einsum(network, node, evidence)
        np.testing.assert_allclose(list(found[node].values()), expected, atol=1e-10)
    best = network.mpe(evidence)
    everything = evidence | best.states
    log_best = network.log_evidence(everything)
    assert best.probability == pytest.approx(np.exp(log_best - network.log_evidence(evidence)))
    for node in list(best.states)[:8]:  # no single change makes it more probable
        for state in network.variable(node).states:
            assert network.log_evidence(everything | {node: state}) <= log_best + 1e-9


def test_a_classifiers_network_can_be_asked():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] + X[:, 1] > 0, "up", "down")
    model = bl.BayesNetClassifier().fit(X, y)
    with warnings.catch_warnings(action="error"):
        given = {"x0": 2.0, "x1": 1.5}
        assert model.network_.map(["class"], given).states == {"class": "up"}
