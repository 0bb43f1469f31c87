"""The page of an ensemble: its data."""

import base64
import json
import re

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from bayleaf.page import shown_networks as part
from bayleaf.page.assemble import page_data
from bayleaf.page.learned import how_learned
from bayleaf.page.shown_networks import (
    ColumnFacts,
    common_graph,
    ensemble_data,
    on_all_nodes,
    table_precision,
)
from reference.counted import counted


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"f{j}": rng.choice(list("abc"), 250) for j in range(6)})
    X["f1"] = X["f0"].where(rng.random(250) < 0.8, X["f1"])
    y = pd.Series(np.where((X["f0"] == "a") ^ (X["f2"] == "b"), "yes", "no"), name="answer")
    return X.mask(rng.random(X.shape) < 0.05), y


@pytest.fixture(scope="module")
def rtan(data):
    return bl.classifier("RTAN", n_estimators=5, random_state=0).fit(*data)


def test_every_member_reaches_the_page_with_its_tables(rtan, data, tmp_path):
    rtan.report(*data, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert len(text) < 1_500_000
    block = json.loads(re.search(r'id="model-data">(.*?)</script>', text, flags=re.DOTALL).group(1))
    for member, model in zip(block["ensemble"]["members"], rtan.estimators_, strict=True):
        numbers = np.frombuffer(base64.b64decode(member["tables"]), dtype="<f8")
        assert numbers.tolist() == [p for table in model.network_.tables for p in table.ravel().tolist()]
        assert member["parents"] == [list(parents) for parents in model.network_.dag.parent_indices]


def test_figures_are_those_of_the_ensemble(rtan, data):
    values = {each["name"]: each["value"] for each in page_data(rtan, *data)["quality"]["measures"]}
    assert values["Accuracy"] == pytest.approx(rtan.score(*data))


def test_arcs_that_most_networks_have(rtan):
    networks = [model.network_ for model in rtan.estimators_]
    drawn = common_graph(networks, [0.0] * len(networks[0].nodes))
    skeletons = [
        {frozenset((p, c)) for c, parents in enumerate(network.dag.parent_indices) for p in parents}
        for network in networks
    ]
    everywhere = {edge for skeleton in skeletons for edge in skeleton}
    expected = {
        e: sum(e in s for s in skeletons) / 5 for e in everywhere if sum(e in s for s in skeletons) >= 3
    }
    assert {frozenset((arc["from"], arc["to"])): arc["strength"] for arc in drawn["arcs"]} == pytest.approx(
        expected
    )


def test_common_arcs_never_form_a_cycle():
    variables = [bl.data.Variable(name, ("0", "1")) for name in ("a", "b", "c", "class")]
    names = [variable.name for variable in variables]
    cycle = [("a", "b"), ("b", "c"), ("c", "a")]

    def network(arcs):
        dag = bl.DAG(names, arcs)
        shapes = [(2,) * (len(parents) + 1) for parents in dag.parent_indices]
        return bl.BayesNet(variables, dag, [np.full(shape, 0.5) for shape in shapes], "class")

    networks = [network([arc for arc in cycle if arc != left]) for left in cycle]
    drawn = common_graph(networks, [0.0] * 4)
    assert len(drawn["arcs"]) == 3
    assert {arc["strength"] for arc in drawn["arcs"]} == {2 / 3}


def test_members_without_a_feature_say_so(data):
    member = counted(selector=bl.MMPC())
    ensemble = bl.BaggedClassifier(member, 4, random_state=0).fit(*data)
    found = ensemble_data(ensemble, ColumnFacts())["ensemble"]["members"]
    names = [variable.name for variable in ensemble.schema_.variables]
    for each, model in zip(found, ensemble.estimators_, strict=True):
        assert {names[i] for i in each["absent"]} == set(names) - set(model.network_.nodes)
        whole = on_all_nodes(model.network_, ensemble.schema_.variables)
        evidence = {"f0": "a", "f2": "b", "f5": "c"}
        inside = {name: state for name, state in evidence.items() if name in model.network_.nodes}
        assert whole.posterior("answer", evidence) == pytest.approx(
            model.network_.posterior("answer", inside)
        )
    assert any(each["absent"] for each in found)


def test_tables_that_do_not_fit_are_written_shorter_or_left_out(rtan, monkeypatch):
    networks = [model.network_ for model in rtan.estimators_]
    entries = sum(table.size for network in networks for table in network.tables)
    assert table_precision(networks) == "<f8"
    monkeypatch.setattr(part, "MOST_BYTES", entries * 8)
    short = ensemble_data(rtan, ColumnFacts())["ensemble"]
    assert (short["precision"], short["note"]) == ("<f4", None)
    monkeypatch.setattr(part, "MOST_BYTES", entries * 4)
    bare = ensemble_data(rtan, ColumnFacts())["ensemble"]
    assert not any("tables" in member for member in bare["members"])
    assert f"The tables of the 5 networks have {entries:,} entries: too many for a page" in bare["note"]


def test_of_very_many_members_some_are_drawn(rtan, monkeypatch):
    monkeypatch.setattr(part, "MOST_DRAWN_NODES", 16)
    found = ensemble_data(rtan, ColumnFacts())["ensemble"]
    assert sum("arcs" in member for member in found["members"]) == 2
    assert ["wide" in member for member in found["members"]] == [True, True, False, False, False]
    assert all("tables" in member for member in found["members"])


def test_how_learned_tells_of_the_ensemble(rtan, data):
    learned = how_learned(rtan)
    assert learned["method"] == "RTAN(n_estimators=5)"
    assert learned["references"][0] == ["method: RTAN(n_estimators=5)", "Ma & Shi 2004"]
    assert any("Friedman" in text for _, text in learned["references"])
    assert ["Networks", "5"] in learned["scores"]
    assert ["Training rows", "250"] in learned["data"]
    assert [label for label, _ in learned["classes"]] == ["no", "yes"]
    assert sum(weight for _, weight in learned["classes"]) == 250


def test_a_loaded_ensemble_has_the_same_page(rtan, data, tmp_path):
    rtan.save(tmp_path / "m.json")
    first, again = page_data(rtan, *data), page_data(bl.load(tmp_path / "m.json"), *data)
    for page in (first, again):
        page["learned"].pop("written")
        page["learned"].pop("python")
        page["learned"].pop("settings")
    assert first == again


def test_costs_that_votes_weigh_reach_the_page(data):
    member = counted(loss=[[0, 1], [10, 0]])
    votes, mean = (
        bl.BaggedClassifier(member, 3, vote, random_state=0).fit(*data) for vote in ("majority", "average")
    )
    assert ensemble_data(votes, ColumnFacts())["ensemble"]["costs"] == [[0, 1], [10, 0]]
    assert page_data(votes)["costs"] is None
    assert page_data(mean)["costs"] == [[0, 1], [10, 0]]
    assert page_data(counted(loss=[[0, 1], [10, 0]]).fit(*data))["costs"] == [[0, 1], [10, 0]]
