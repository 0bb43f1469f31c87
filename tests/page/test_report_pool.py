"""The page of a pool: its data."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from bayleaf.page import shown_networks as pools
from bayleaf.page.assemble import page_data
from bayleaf.page.learned import how_learned


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"colour": rng.choice(["red", "green", None], 200), "size": rng.normal(size=200)})
    X["name"] = [f"row {k}" for k in range(200)]
    y = pd.Series(np.where((X["colour"] == "red") ^ (X["size"] > 0.3), "yes", "no"), name="answer")
    return X, y


@pytest.fixture(scope="module")
def pool(data):
    with pytest.warns(UserWarning, match="name"):
        return bl.NetworkPool(cycles=1, seeds=2, n_jobs=1).fit(*data)


def test_rows_come_with_reasons_that_add_up(pool, data, tmp_path):
    pool.report(*data, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert len(text) < 600_000
    block = json.loads(re.search(r'id="model-data">(.*?)</script>', text, flags=re.DOTALL).group(1))
    nodes, rows = block["nodes"], block["pool"]["rows"]
    assert [node["name"] for node in nodes] == ["colour", "size", "answer"]
    assert 50 < len(rows) <= pools.MOST_ROWS
    probabilities = pool.predict_proba(data[0])
    for row in rows:
        number = row["row"] - 1
        assert row["truth"] == data[1][number]
        assert row["probabilities"] == probabilities[number].tolist()
        assert row["prior"] + sum(term[2] for term in row["terms"]) == pytest.approx(row["total"])
        odds = np.log(probabilities[number][row["first"]] / probabilities[number][row["second"]])
        assert row["total"] == pytest.approx(odds)
        for node, state, _, measured in row["terms"]:
            label = nodes[node]["states"][state]
            if nodes[node]["name"] == "colour":
                assert label == data[0]["colour"][number]
                assert measured is None
            else:
                assert measured == pytest.approx(data[0]["size"][number])
                assert re.match("≤ |> |.+ – ", label)


def test_weights_of_features_and_columns(pool):
    page = page_data(pool)
    shown = page["pool"]
    assert shown["evidence"] == pool.mean_evidence_[:2].tolist()
    assert [line[0] for line in page["columns"]] == ["colour", "size", "name", "answer"]
    assert shown["rows"] == []


def test_figures_are_those_of_the_pool(pool, data):
    values = {each["name"]: each["value"] for each in page_data(pool, *data)["quality"]["measures"]}
    assert values["Accuracy"] == pytest.approx(pool.score(*data))


def test_many_features_come_with_fewer_rows(pool, data, monkeypatch):
    monkeypatch.setattr(pools, "MOST_REASONS", 12)
    assert len(page_data(pool, *data)["pool"]["rows"]) <= 5


def test_how_it_was_learned(pool):
    learned = how_learned(pool)
    assert learned["structure"] == "NetworkPool"
    scores = dict(learned["scores"])
    assert scores["Scores that are averaged"] == "2"
    assert scores["On 200 training rows, held out"].startswith("log-loss ")
    assert ["Features in the networks", "2 (1 numeric, 1 categorical)"] in learned["data"]
    assert learned["unused"] == ["name"]
    assert any("Left out as identifiers" in each for each in learned["warnings"])
    assert "clf = bl.NetworkPool(cycles=1, seeds=2, n_jobs=1)" in learned["python"]
