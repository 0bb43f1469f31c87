import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.network import BayesNet

RAIN, WET = Variable("rain", ("no", "yes")), Variable("wet", ("no", "yes"))
GRAPH = DAG(["rain", "wet"], [("rain", "wet")])
TABLES = [[0.8, 0.2], [[0.9, 0.1], [0.2, 0.8]]]


def sprinkler(target: str | None = None) -> BayesNet:
    return BayesNet([RAIN, WET], GRAPH, TABLES, target)


def test_what_a_network_says_of_itself():
    network = sprinkler("rain")
    assert network.nodes == ("rain", "wet")
    assert network.arcs == (("rain", "wet"),)
    assert network.parents("wet") == ("rain",)
    assert network.children("rain") == ("wet",)
    assert network.markov_blanket("rain") == ("wet",)
    assert network.variable("wet") is WET
    assert network.cpt("wet").tolist() == TABLES[1]
    assert network.n_parameters == 3
    assert repr(network) == "<BayesNet nodes=2 arcs=1 parameters=3, target='rain'>"


def test_tables_cannot_be_changed():
    network = sprinkler()
    with pytest.raises(ValueError, match="read-only"):
        network.cpt("rain")[0] = 1.0


def test_the_tables_given_are_not_kept():
    given = np.array(TABLES[0])
    network = BayesNet([RAIN, WET], GRAPH, [given, TABLES[1]])
    given[0] = 0.0
    assert network.cpt("rain")[0] == 0.8


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ([[0.8, 0.2]], "The network has 2 nodes but 1 tables"),
        ([[0.8, 0.2], [0.5, 0.5]], r"The table of 'wet' has shape \(2,\); its family needs \(2, 2\)"),
        ([[0.8, 0.3], TABLES[1]], "The table of 'rain' has rows that do not sum to one"),
        ([[1.2, -0.2], TABLES[1]], "The table of 'rain' has entries that are not probabilities"),
        ([[np.nan, 1.0], TABLES[1]], "The table of 'rain' has entries that are not probabilities"),
        ([[np.inf, 1.0], TABLES[1]], "The table of 'rain' has rows that do not sum to one"),
    ],
)
def test_tables_are_checked(tables, message):
    with pytest.raises(ValueError, match=message):
        BayesNet([RAIN, WET], GRAPH, tables)


def test_variables_must_be_the_nodes():
    with pytest.raises(ValueError, match=r"The variables \['wet', 'rain'\] are not the nodes of the graph"):
        BayesNet([WET, RAIN], GRAPH, TABLES)
    with pytest.raises(ValueError, match="Unknown node 'sun'"):
        sprinkler("sun")


def test_pickling():
    network = sprinkler("rain")
    network.posterior("rain", {"wet": "yes"})
    again = pickle.loads(pickle.dumps(network))
    assert again.posterior("rain", {"wet": "yes"}) == network.posterior("rain", {"wet": "yes"})
    assert (again.variables, again.dag, again.target) == (network.variables, network.dag, network.target)


@pytest.mark.parametrize(
    "rows",
    [
        [["yes", "no"], [None, "yes"]],
        np.array([["yes", "no"], [None, "yes"]], dtype=object),
        pd.DataFrame({"wet": ["no", "yes"], "rain": ["yes", None]}),
        pl.DataFrame({"wet": ["no", "yes"], "other": [1, 2], "rain": ["yes", None]}),
        Table.from_codes((RAIN, WET), [[1, 0], [-1, 1]]),
    ],
    ids=["list", "array", "pandas", "polars", "table"],
)
def test_rows_of_any_kind(rows):
    np.testing.assert_allclose(sprinkler().log_likelihood(rows), np.log([0.2 * 0.2, 0.8 * 0.1 + 0.2 * 0.8]))


def test_rows_that_do_not_fit():
    with pytest.raises(ValueError, match=r"The data has no column for the nodes \['rain', 'wet'\]"):
        sprinkler().log_likelihood(pl.DataFrame({"x": ["no"]}))
    with pytest.raises(ValueError, match="The data has 3 columns; the network has 2 nodes"):
        sprinkler().log_likelihood([["no", "no", "no"]])
    with pytest.raises(ValueError, match="The table's variables are not those of the network"):
        sprinkler().log_likelihood(Table.from_codes((WET, RAIN), [[0, 0]]))


def test_few_compiled_forms_are_kept_and_the_one_unused_longest_goes_first():
    names = [f"v{k}" for k in range(12)]
    net = BayesNet([Variable(name, ("0", "1")) for name in names], DAG(names), [[0.25, 0.75]] * 12)
    first = net.compiled(0)
    for query in range(1, 8):
        net.compiled(query)
    assert net.compiled(0) is first
    for query in range(8, 12):
        net.compiled(query)
    assert net.compiled(0) is first
    assert len(net._compiled) == 8
    assert {1, 2, 3, 4}.isdisjoint(net._compiled)
    assert [net.posterior(name)["1"] for name in names] == pytest.approx([0.75] * 12)


def test_a_table_to_read_has_a_line_per_configuration():
    a, b = Variable("1", ("x", "y")), Variable("b", (1, "1", 2))
    network = BayesNet(
        [a, b], DAG(["1", "b"], [("1", "b")]), [[0.5, 0.5], [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]]
    )
    frame = network.table("b")
    assert frame.columns == ["1", "1_", "1__", "2"]  # the parent keeps its name
    assert frame.rows() == [("x", 0.2, 0.3, 0.5), ("y", 0.1, 0.1, 0.8)]
    assert list(network.table("1", backend="pandas").columns) == ["x", "y"]
    with pytest.raises(ValueError, match="Unknown node 'c'"):
        network.table("c")


def test_tables_print_with_names_and_what_is_computed_from_them_is_plain():
    wet = sprinkler().cpt("wet")
    assert str(wet).splitlines()[0] == "P(wet | rain)"
    assert [line.split()[0] for line in str(wet).splitlines()[2:]] == list(map(str, RAIN.states))
    assert str(sprinkler().cpt("rain")).splitlines()[1].split() == list(map(str, RAIN.states))
    for computed in (wet[0], wet * 2, wet.sum(axis=1), wet.round(1), pickle.loads(pickle.dumps(wet))):
        assert repr(computed).startswith("array(")
    assert isinstance(wet[0, 0], float)
    assert isinstance(wet.sum(), float)
    assert wet._repr_html_().startswith("<table><caption>P(wet | rain)</caption><tr><th>rain</th>")


def test_long_tables_are_cut():
    many, two = Variable("many", tuple(f"s{k}" for k in range(50))), Variable("two", ("a", "b"))
    dag = DAG(["many", "two"], [("many", "two")])
    network = BayesNet([many, two], dag, [np.full(50, 0.02), np.full((50, 2), 0.5)])
    assert str(network.cpt("two")).endswith("... and 10 more lines")
