import warnings
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import bayleaf as bl
from bayleaf.networks import cpt_frame, to_dot, to_networkx, to_pgmpy, to_pyagrum, write_net, write_xmlbif
from reference.random_networks import SHAPES, random_network


@pytest.fixture(params=SHAPES)
def network(request):
    return random_network(np.random.default_rng(4), request.param)


@pytest.fixture
def odd_names():
    a = bl.data.Variable('a "quoted" <name> & more', ("x < 1", 'x "≥" 1', "new\nline"))
    b = bl.data.Variable("b\\c", (True, False), dtype="boolean")
    dag = bl.DAG([a.name, b.name], [(a.name, b.name)])
    return bl.BayesNet([a, b], dag, [[0.2, 0.3, 0.5], [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]]], b.name)


def evidence_of(network):
    rows = network.sample_table(1, 0).codes[0]
    chosen = [i for i in (0, 2, 4) if network.nodes[i] != network.target]
    return {network.nodes[i]: network.variables[i].states[rows[i]] for i in chosen}


def test_xmlbif_holds_every_table_to_the_last_bit(network, tmp_path):
    write_xmlbif(network, tmp_path / "n.xml")
    root = ET.parse(tmp_path / "n.xml").getroot()
    assert [each.text for each in root.iter("OUTCOME")] == [s for v in network.variables for s in v.states]
    for definition, name in zip(root.iter("DEFINITION"), network.nodes, strict=True):
        assert definition.findtext("FOR") == name
        assert tuple(each.text for each in definition.iter("GIVEN")) == network.parents(name)
        numbers = [float(word) for word in definition.findtext("TABLE").split()]
        assert numbers == network.cpt(name).ravel().tolist()


def test_xmlbif_escapes_markup(odd_names, tmp_path):
    write_xmlbif(odd_names, tmp_path / "n.xml")
    root = ET.parse(tmp_path / "n.xml").getroot()
    assert [each.findtext("NAME") for each in root.iter("VARIABLE")] == list(odd_names.nodes)


def test_xml_cannot_hold_control_characters(tmp_path):
    network = bl.BayesNet([bl.data.Variable("a\x00", ("0",))], bl.DAG(["a\x00"]), [[1.0]])
    with pytest.raises(ValueError, match="XML cannot hold"):
        write_xmlbif(network, tmp_path / "n.xml")


def read_pyagrum(path):
    gum = pytest.importorskip("pyagrum")
    return gum, gum.loadBN(str(path))


def test_pyagrum_reads_net_files_to_the_same_posteriors(network, tmp_path):
    if min(variable.arity for variable in network.variables) == 1:
        pytest.skip("pyAgrum's reader of NET files refuses variables with a single state")
    write_net(network, tmp_path / "n.net")
    gum, read = read_pyagrum(tmp_path / "n.net")
    check_pyagrum(gum, read, network)


def test_pyagrum_objects_have_the_same_posteriors(network):
    gum = pytest.importorskip("pyagrum")
    check_pyagrum(gum, to_pyagrum(network), network)


def check_pyagrum(gum, read, network):
    evidence = evidence_of(network)
    inference = gum.LazyPropagation(read)
    inference.setEvidence(evidence)
    for name in network.nodes:
        if name not in evidence:
            expected = list(network.posterior(name, evidence).values())
            np.testing.assert_allclose(inference.posterior(name).toarray(), expected, atol=1e-6)


def test_net_quotes_labels_and_makes_identifiers(odd_names, tmp_path):
    write_net(odd_names, tmp_path / "n.net")
    text = (tmp_path / "n.net").read_text()
    assert "node a__quoted___name____more" in text
    assert 'label = "a \\"quoted\\" <name> & more";' in text
    assert "potential ( b_c | a__quoted___name____more )" in text


def test_pgmpy_objects_have_the_same_posteriors(network):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("pgmpy.models")
        from pgmpy.inference import VariableElimination

        read = to_pgmpy(network)
        assert read.check_model()
        evidence = evidence_of(network)
        for name in network.nodes:
            if name in evidence:
                continue
            factor = VariableElimination(read).query([name], evidence=evidence, show_progress=False)
            expected = network.posterior(name, evidence)
            found = [factor.get_value(**{name: state}) for state in expected]
            np.testing.assert_allclose(found, list(expected.values()), atol=1e-6)


def test_networkx_graphs_keep_arcs_states_and_tables(network):
    pytest.importorskip("networkx")
    graph = to_networkx(network)
    assert set(graph.edges) == set(network.arcs)
    assert graph.graph["target"] == network.target
    for name in network.nodes:
        assert graph.nodes[name]["states"] == network.variable(name).states
        assert graph.nodes[name]["cpt"].tolist() == network.cpt(name).tolist()


def test_dot_names_every_node_and_arc(odd_names):
    text = to_dot(odd_names, {odd_names.arcs[0]: 0.5})
    assert '"a \\"quoted\\" <name> & more" -> "b\\\\c" [penwidth=5.00];' in text
    assert text.count("fillcolor") == 1


def test_tidy_frames_hold_each_probability_once(network):
    everything = cpt_frame(network)
    assert everything.columns == ["node", "given", "state", "probability"]
    assert everything["probability"].to_list() == [p for table in network.tables for p in table.ravel()]
    for name in network.nodes:
        frame = cpt_frame(network, name, backend="pandas")
        assert list(frame.columns) == [*network.parents(name), name, "probability"]
        groups = frame.groupby(list(network.parents(name))) if network.parents(name) else [(None, frame)]
        for _, group in groups:
            assert group["probability"].sum() == pytest.approx(1.0)


def test_a_variable_named_probability_keeps_its_column():
    network = bl.BayesNet(
        [bl.data.Variable("probability", ("0", "1"))], bl.DAG(["probability"]), [[0.5, 0.5]]
    )
    assert cpt_frame(network, "probability").columns == ["probability", "probability_"]
