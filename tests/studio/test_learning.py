"""Learning in the studio: the same models as without it, kept whatever happens, and stopped at once."""

import asyncio
import json
import os
import shlex
import signal
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("uvicorn")
import polars as pl

import bayleaf as bl
from bayleaf.studio import learning, recipes
from bayleaf.studio.looking import read_labelled_rows
from bayleaf.studio.project import Project, Settings, Wish, project_for
from bayleaf.studio.workbench import Workbench
from cli.conftest import call, people

WISHES = [Wish("dose", "age", True), Wish("age", "smoker", False)]
SETTINGS = [
    ({}, []),
    ({"types": {"age": "category"}, "drop": ["town"], "missing": "available"}, []),
    ({"split": "group", "split_column": "town"}, []),
    ({"loss": {"sick": {"well": 20.0}}, "seed": 3}, WISHES),
]


@pytest.fixture
def project(tmp_path):
    people().write_csv(tmp_path / "people.csv")
    project = project_for(tmp_path / "people.csv")
    project.change(Settings.of({"target": "status"}))
    return project


@pytest.fixture
def only(monkeypatch):
    """Learn by some of the methods alone."""

    def choose(*names):
        chosen = {name: learning.METHODS[name] for name in names}
        monkeypatch.setattr(learning, "METHODS", chosen)

    return choose


def learn(project):
    number, said = project.new_version(), []
    learning.Learning(project.folder, number, said.append).run()
    return number, said


def without_date(path):
    document = json.loads(Path(path).read_text())
    del document["training"]["date"]
    return document


@pytest.mark.parametrize(("given", "wishes"), SETTINGS)
def test_the_lines_give_the_identical_model(project, only, tmp_path, monkeypatch, given, wishes):
    only("network")
    project.change(Settings.of({"target": "status", **given}))
    project.settings = replace(project.settings, loss=given.get("loss"))
    project.wishes = wishes
    project.save()
    number, _ = learn(project)
    own = project.version_folder(number) / "network.bayleaf.json"
    chosen = project.settings, wishes
    monkeypatch.chdir(tmp_path)
    words = shlex.split(recipes.command_line(project, *chosen, "network"))
    assert call(*words[1:]).code == 0
    by_command = without_date("network.bayleaf.json")
    exec(recipes.python_lines(project, *chosen, "network"), {})
    rows = people().drop("status", *given.get("drop", []), *filter(None, [given.get("split_column")]))
    models = [bl.load(path) for path in (own, "network.bayleaf.json")]
    np.testing.assert_array_equal(*(model.predict_proba(rows) for model in models))
    np.testing.assert_array_equal(*(model.predict(rows) for model in models))
    kept = without_date(own)
    kept["training"].pop("cross_validated")
    by_command["training"].pop("cross_validated", None)
    assert kept == by_command


def test_the_lines_give_the_identical_pool(project, only, tmp_path, monkeypatch):
    only("pool")
    monkeypatch.setattr(learning, "FOLDS", 2)
    project.change(Settings.of({"target": "status", "drop": ["age", "town"]}))
    number, _ = learn(project)
    monkeypatch.chdir(tmp_path)
    assert call(*shlex.split(recipes.command_line(project, project.settings, [], "pool"))[1:]).code == 0
    own, other = (
        bl.load(path) for path in (project.version_folder(number) / "pool.bayleaf.json", "pool.bayleaf.json")
    )
    rows = people().select("dose", "smoker")
    np.testing.assert_array_equal(own.predict_proba(rows), other.predict_proba(rows))


def test_the_figures_are_those_of_five_folds_on_the_command_line(project, only, tmp_path, monkeypatch):
    only("network")
    number, _ = learn(project)
    monkeypatch.chdir(tmp_path)
    words = shlex.split(recipes.command_line(project, project.settings, [], "network"))
    assert call(*words[1:], "--cv", "5").code == 0
    expected = bl.load("network.bayleaf.json").training_.cross_validated
    own = bl.load(project.version_folder(number) / "network.bayleaf.json").training_.cross_validated
    assert own.measures == expected.measures
    page = (project.version_folder(number) / "network.html").read_text()
    assert "5 folds: each of the 120 rows by a model that had not seen it" in page


def test_a_wish_is_kept_and_what_it_costs_is_said(project, only):
    only("network")
    first = project.version(learn(project)[0])
    arcs = {tuple(arc) for arc in first["result"]["arcs"]}
    struck = sorted(arcs)[0]
    project.wishes = [Wish(*struck, must=False)]
    project.save()
    second = project.version(learn(project)[0])
    assert struck not in {tuple(arc) for arc in second["result"]["arcs"]}
    against = second["result"]["against"]
    assert list(struck) in against["lost"]
    assert "log-loss per held-out row" in against["sentence"]
    losses = [
        -np.log(frame.select(pl.col("^P_\\d+$")).to_numpy()[np.arange(120), frame["truth"].to_numpy()])
        for frame in (
            pl.read_csv(project.version_folder(k) / "network.held-out.csv")
            for k in (second["number"], first["number"])
        )
    ]
    assert f"{abs((losses[0] - losses[1]).mean()):.4f}" in against["sentence"]


def test_a_sentence_says_whether_a_lead_may_be_chance():
    truth = [0, 1] * 200
    sure = np.where(np.eye(2)[truth] > 0, 0.9, 0.1)
    fair = np.full((400, 2), 0.5)
    noisy = np.clip(sure + np.random.default_rng(0).normal(0, 0.001, (400, 1)) * [1, -1], 0.01, 0.99)
    outcomes = {
        name: bl.quality.Outcome.of(truth, [0, 1], each)
        for name, each in (("network", sure), ("pool", noisy), ("frequencies", fair))
    }
    said = learning.comparison(outcomes)
    assert "of class frequencies by 0.588 [0.588, 0.588], which is beyond chance" in said
    assert said.count("which may be chance") == 1


@pytest.mark.parametrize(("split", "column"), [("time", "day"), ("group", "ward")])
def test_rows_are_held_out_by_time_and_by_group(tmp_path, split, column):
    days = [f"2024-01-{(7 * k) % 20 + 1:02}" for k in range(20)]
    frame = pl.DataFrame({"day": days, "ward": [k % 7 for k in range(20)], "y": ["a", "b"] * 10})
    frame.write_csv(tmp_path / "t.csv")
    project = project_for(tmp_path / "t.csv")
    project.change(Settings.of({"target": "y", "split": split, "split_column": column}))
    table = read_labelled_rows(project)
    assert ("ward" in table.features.columns) is (split == "time")
    for fold in learning.folds_of(table):
        train, test = frame[column][fold.train], frame[column][fold.test]
        if split == "time":
            assert train.max() < test.min()
        else:
            assert not {*train} & {*test}


def test_a_project_killed_in_the_middle_goes_on_where_it_was(project, monkeypatch):
    """A planted end, harder than kill -9 can time it: right after one method, in the middle of the next."""
    number = project.new_version()
    real = learning.fit_and_predict
    calls = []

    def ends(method, *rest):
        calls.append(type(method).__name__)
        if len(calls) == 8:
            raise SystemExit(9)
        return real(method, *rest)

    monkeypatch.setattr(learning, "METHODS", {k: learning.METHODS[k] for k in ("frequencies", "logistic")})
    monkeypatch.setattr(learning, "fit_and_predict", ends)
    with pytest.raises(SystemExit):
        learning.Learning(project.folder, number, lambda event: None).run()
    again = Project(project.folder)
    assert again.settings == project.settings
    found = again.result(number)
    assert (list(found["methods"]), found["done"]) == (["frequencies"], False)
    learning.Learning(again.folder, number, lambda event: None).run()
    assert calls[8:] == ["Peer"] * 5  # the frequencies are not measured again
    whole = again.result(number)
    assert whole["done"]
    assert whole["methods"]["frequencies"] == found["methods"]["frequencies"]


def test_stop_ends_learning_within_a_second_and_keeps_what_was_done(project):
    """A real process, stopped, and killed with the studio, by whose standard input it lives."""

    async def play():
        bench = Workbench(project)
        await bench.learn(None)
        process = bench._process
        while not project.result(1)["methods"]:
            assert process.returncode is None, project.result(1)
            await asyncio.sleep(0.05)
        start = time.perf_counter()
        await bench.stop()
        stopped = time.perf_counter() - start
        assert bench.running is None
        await bench.learn(1)  # goes on
        second = bench._process
        second.stdin.close()  # as when the studio is killed
        code = await asyncio.wait_for(second.wait(), 30)
        await bench._watch
        return stopped, process.pid, code

    stopped, pid, code = asyncio.run(play())
    assert stopped < 1
    with pytest.raises(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)
    assert code == 3
    result = Project(project.folder).result(1)
    assert result["methods"].keys() >= {"frequencies"}
    assert not result["done"]
