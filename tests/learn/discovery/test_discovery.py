"""Networks without a class: what is learned, from what, and how often arcs are found again."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.data import TableReader
from bayleaf.networks import read_bif
from reference.networks import network_path


def chain(rows=600, seed=0):
    """a -> b -> c with a number behind c, and a coin that has nothing to do with them."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = np.where(rng.random(rows) < 0.85, a, 1 - a)
    c = np.where(rng.random(rows) < 0.85, b, 1 - b)
    return pl.DataFrame(
        {
            "a": np.array(["no", "yes"])[a],
            "b": b.astype(bool),
            "c": c,
            "size": c * 3.0 + rng.normal(size=rows),
            "coin": rng.integers(0, 2, rows),
        }
    )


def skeleton(dag):
    return {frozenset(arc) for arc in dag.arcs}


@pytest.mark.parametrize(
    "structure", [None, bl.Exact(bl.BIC()), bl.HillClimbing(), bl.HillClimbing(bl.MDL())]
)
def test_the_arcs_of_a_chain_are_found(structure):
    net = bl.learn_network(chain(), structure)
    assert skeleton(net.dag) == {frozenset(pair) for pair in ("ab", "bc")} | {frozenset(("c", "size"))}
    assert net.target is None
    assert len(net.variable("size").cuts) == 4
    assert net.variable("b").states == (False, True)
    assert list(net.posterior("c", {"size": 4.0}).values())[-1] > 0.9


def test_every_kind_of_input_gives_the_same_network():
    frame = chain()
    net = bl.learn_network(frame)
    for data in (frame.to_pandas(), frame.to_arrow()):
        again = bl.learn_network(data)
        assert again.arcs == net.arcs
        for mine, other in zip(net.tables, again.tables, strict=True):
            np.testing.assert_array_equal(mine, other)
    array = bl.learn_network(frame.select("c", "size", "coin").to_numpy())
    assert array.nodes == ("x0", "x1", "x2")
    assert bl.learn_network(TableReader(missing="available").learn_without_class(frame)).arcs == net.arcs


def test_tables_are_those_of_bdeu():
    frame = chain().select("a", "b")
    net = bl.learn_network(frame)
    (parent,) = net.parents(net.arcs[0][1])
    child = net.arcs[0][1]
    counts = frame.group_by(parent, child).len().sort(parent, child)["len"].to_numpy().reshape(2, 2)
    np.testing.assert_allclose(net.cpt(child), (counts + 0.25) / (counts.sum(axis=1, keepdims=True) + 0.5))


def test_missing_values():
    frame = chain().with_columns(
        pl.when(pl.Series(np.random.default_rng(1).random(600) > 0.2)).then(pl.col("b")).alias("b")
    )
    for missing, states in (("available", 2), ("state", 3), ("drop", 2), ("impute", 2)):
        net = bl.learn_network(frame, missing=missing)
        assert net.variable("b").arity == states
        assert frozenset(("b", "c")) in skeleton(net.dag)
    with pytest.raises(ValueError, match="Every row has a missing value: missing='drop' leaves none"):
        bl.learn_network(pl.DataFrame({"a": [None, "x"], "b": ["y", None]}), missing="drop")
    with pytest.raises(ValueError, match="'missing' parameter of learn_network"):
        bl.learn_network(frame, missing="auto")


def test_weights_count_as_rows_do():
    frame = chain(200)
    weights = np.arange(200) % 3
    twice = frame[np.repeat(np.arange(200), weights).tolist()]
    cuts = bl.Cuts({"size": [1.5]}, others=bl.MedianSplit())
    weighted = bl.learn_network(frame, sample_weight=weights, discretizer=cuts)
    repeated = bl.learn_network(twice, discretizer=cuts)
    assert weighted.arcs == repeated.arcs
    for mine, other in zip(weighted.tables, repeated.tables, strict=True):
        np.testing.assert_allclose(mine, other)


def test_identifiers_are_left_out():
    frame = chain().with_columns(pl.Series("id", [f"row{k}" for k in range(600)]))
    with pytest.warns(bl.data.IdentifierWarning, match="'id' is left out"):
        net = bl.learn_network(frame)
    assert "id" not in net.nodes


def test_what_cannot_be_learned_says_why():
    with pytest.raises(ValueError, match="needs a class"):
        bl.learn_network(chain(), bl.TAN())
    with pytest.raises(ValueError, match="MDLP cuts numbers by a class, and there is none"):
        bl.learn_network(chain(), discretizer=bl.MDLP())
    with pytest.raises(TypeError, match="structure must be a structure learner"):
        bl.learn_network(chain(), "hc")
    with pytest.raises(ValueError, match="'samples' parameter of arc_strengths"):
        bl.arc_strengths(chain(), samples=0)


def test_published_networks_are_found_again():
    truth = read_bif(network_path("child"))
    found = bl.learn_network(truth.sample_table(5000, 0))
    assert found.dag.cpdag().shd(truth.dag.cpdag()) <= 2


def test_strengths_are_shares_of_bootstrap_samples():
    frame = bl.arc_strengths(chain(), bl.HillClimbing(), samples=20)
    strong = {frozenset(row[:2]) for row in frame.iter_rows() if row[2] == 1.0}
    assert {frozenset("ab"), frozenset("bc"), frozenset(("c", "size"))} <= strong
    assert frame["strength"].is_sorted(descending=True)
    assert frame["direction"].min() >= 0.5
    assert not any("coin" in row[:2] and row[2] > 0.5 for row in frame.iter_rows())
    again = bl.arc_strengths(chain(), bl.HillClimbing(), samples=20, backend="pandas")
    pd.testing.assert_frame_equal(again, frame.to_pandas(), check_dtype=False)


class Fixed:
    """A learner that returns one graph after the other."""

    def __init__(self, dags):
        self.dags = iter(dags)

    def learn(self, table, rng):
        return next(self.dags)


def test_strengths_and_directions_by_hand():
    names = ["a", "b", "c"]
    collider = bl.DAG(names, [("a", "c"), ("b", "c")])  # both arcs are compelled
    line = bl.DAG(names, [("c", "b"), ("b", "a")])  # could all point the other way
    data = pl.DataFrame({"a": [0, 1, 0, 1], "b": [0, 0, 1, 1], "c": [0, 1, 1, 0]})
    frame = bl.arc_strengths(data, Fixed([collider, collider, collider, line]), samples=4)
    assert frame.rows() == [
        ("b", "c", 1.0, 3.5 / 4),
        ("a", "c", 0.75, 1.0),
        ("a", "b", 0.25, 0.5),
    ]
