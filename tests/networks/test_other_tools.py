"""Files of models with numeric features in other libraries: the same names, states and posteriors."""

import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris

import bayleaf as bl
from bayleaf.networks import with_plain_names, write_bif, write_net, write_xmlbif
from bayleaf.networks.network_formats import identifiers

EVIDENCE = {"petal width": 1.6, "sepal length": 5.0}


@pytest.fixture(scope="module")
def iris():
    bunch = load_iris()
    X = pl.DataFrame(bunch.data, schema=["sepal length", "sepal width", "petal length", "petal width"])
    return bl.BayesNetClassifier().fit(X, pl.Series("species", bunch.target_names[bunch.target])).network_


# How a file is written, and what its reader makes of names and states.
WAYS = {
    "n.bif": (lambda network, path: write_bif(with_plain_names(network), path), with_plain_names),
    "n.bifxml": (write_xmlbif, lambda network: network),
    "n.net": (write_net, None),
}


def expected(network, file):
    """Nodes and states as another library sees them, by our names."""
    shown = WAYS[file][1]
    if shown is None:
        states = [variable.states for variable in network.variables]
        return dict(zip(network.nodes, zip(identifiers(network.nodes), states, strict=True), strict=True))
    other = shown(network)
    return {
        name: (variable.name, variable.states)
        for name, variable in zip(network.nodes, other.variables, strict=True)
    }


def seen(network, names):
    """The evidence in the words of another library."""
    return {
        names[name][0]: names[name][1][network.variable(name).code(value)] for name, value in EVIDENCE.items()
    }


@pytest.mark.parametrize("file", WAYS)
def test_pyagrum_reads_numeric_models(iris, tmp_path, file):
    gum = pytest.importorskip("pyagrum")
    WAYS[file][0](iris, tmp_path / file)
    read = gum.loadBN(str(tmp_path / file))
    names = expected(iris, file)
    assert read.names() == {name for name, _ in names.values()}
    for name, states in names.values():
        assert read.variable(name).labels() == states
    inference = gum.LazyPropagation(read)
    inference.setEvidence(seen(iris, names))
    for name, distribution in iris.posteriors(EVIDENCE).items():
        found = inference.posterior(names[name][0]).toarray()
        np.testing.assert_allclose(found, list(distribution.values()), atol=1e-6)


@pytest.mark.parametrize("file", ["n.bif", "n.bifxml"])
def test_pgmpy_reads_numeric_models(iris, tmp_path, file):
    with warnings.catch_warnings(action="ignore"):
        readwrite = pytest.importorskip("pgmpy.readwrite")
        from pgmpy.inference import VariableElimination

        WAYS[file][0](iris, tmp_path / file)
        reader = readwrite.BIFReader if file == "n.bif" else readwrite.XMLBIFReader
        read = reader(str(tmp_path / file)).get_model()
        names = expected(iris, file)
        for name, states in names.values():
            assert tuple(read.get_cpds(name).state_names[name]) == states
        for name, distribution in iris.posteriors(EVIDENCE).items():
            other, states = names[name]
            factor = VariableElimination(read).query([other], evidence=seen(iris, names), show_progress=False)
            found = [factor.get_value(**{other: state}) for state in states]
            np.testing.assert_allclose(found, list(distribution.values()), atol=1e-6)


@pytest.mark.parametrize(("file", "read"), [("n.bif", bl.read_bif), ("n.bifxml", bl.networks.read_xmlbif)])
def test_what_pyagrum_writes_is_read(iris, tmp_path, file, read):
    gum = pytest.importorskip("pyagrum")
    plain = with_plain_names(iris)
    gum.saveBN(bl.networks.to_pyagrum(plain), str(tmp_path / file), True)  # may write le_0_8 for le_0.8
    again = read(tmp_path / file)
    for name in plain.nodes:
        states = [state.replace(".", "_") for state in again.variable(name).states]
        assert states == [state.replace(".", "_") for state in plain.variable(name).states]
        np.testing.assert_allclose(
            list(again.posterior(name).values()), list(plain.posterior(name).values()), atol=1e-5
        )


def test_plain_names_are_distinct_words():
    a = bl.data.Variable.numeric("2 a", [-1.5, 1e-5, 1e30])
    b = bl.data.Variable("2-a", ("x y", "x_y", "", "1"))
    c = bl.data.Variable.numeric("2_a", [])
    net = bl.BayesNet([a, b, c], bl.DAG(["2 a", "2-a", "2_a"]), [[0.25] * 4, [0.25] * 4, [1.0]], "2-a")
    plain = with_plain_names(net)
    assert plain.nodes == ("s2_a", "s2-a", "s2_a_2")
    assert plain.target == "s2-a"
    assert plain.variables[0].states == ("le_-1.5", "gt_-1.5_le_0.00001", "gt_0.00001_le_1e30", "gt_1e30")
    assert plain.variables[1].states == ("x_y", "x_y_2", "s", "s1")
    assert plain.variables[2].states == ("any",)
