"""A pool on the command line: fit --pool, and every command that takes its model file."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import bayleaf as bl
from bayleaf.cli import fit
from cli.conftest import people

QUICK = ("--set", "cycles=1", "--set", "seeds=1", "--set", "n_jobs=1")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("people") / "people.csv"
    people().write_csv(path)
    return path


@pytest.fixture(scope="module")
def model(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("pool") / "pool.bayleaf.json"
    frame = pl.read_csv(table)
    bl.NetworkPool(cycles=1, seeds=1, n_jobs=1).fit(frame.drop("status"), frame["status"]).save(path)
    return path


def test_fit_learns_what_python_does(run, table, tmp_path, model):
    path = tmp_path / "pool.bayleaf.json"
    found = run("fit", table, "-t", "status", "-o", path, "--pool", *QUICK)
    assert found.code == 0
    assert "pool(cycles=1, seeds=1, n_jobs=1) fitted to" in found.out
    assert "1 score of many networks" in found.out
    held_out = bl.load(path).out_of_sample_
    assert f"log-loss {held_out.log_loss:.3f}" in " ".join(found.out.split())
    rows = pl.read_csv(table).drop("status")
    np.testing.assert_array_equal(bl.load(path).predict_proba(rows), bl.load(model).predict_proba(rows))
    assert bl.load(path).training_.command[:2] == ("--target", "status")
    assert "--pool" in bl.load(path).training_.command


def test_another_seed_is_another_pool(run, table, tmp_path, model):
    run("fit", table, "-t", "status", "-o", tmp_path / "p.json", "--pool", *QUICK, "--seed", "1")
    assert bl.load(tmp_path / "p.json").random_state == 1


def test_predict_and_its_reasons(run, table, model):
    found = run("predict", model, table, "--explain")
    assert found.code == 0
    lines = found.out.splitlines()
    assert lines[0] == "prediction,P(sick),P(well),reasons"
    assert "against" in lines[1]


def test_explain_evaluate_and_report(run, table, tmp_path, model):
    assert "evidence for" in run("explain", model, table, "--row", "2").out
    assert "Log-loss" in run("evaluate", model, table).out
    assert run("report", model, "--data", table, "-o", tmp_path / "r.html").code == 0
    assert '"pool":{' in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize("command", [("ask", "age"), ("convert", "net.bif")])
def test_what_needs_a_network_is_refused(run, tmp_path, model, command):
    name, *rest = command
    found = run(name, model, *(tmp_path / each if "." in each else each for each in rest))
    assert found.code == 2
    assert "pool of networks in one score" in found.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "NB"), "--method is not for a pool"),
        (("--discretizer", "mdlp"), "--discretizer is not for a pool"),
        (("--forbid", "age->dose"), "--forbid is not for a pool"),
        (("--set", "k=3"), "The pool has no setting 'k'; it has cycles, seeds,"),
        (("--set", "cycles=-1"), "'cycles' parameter of NetworkPool"),
    ],
)
def test_options_that_mean_nothing_are_refused(run, table, tmp_path, options, message):
    found = run("fit", table, "-t", "status", "-o", tmp_path / "p.json", "--pool", *options)
    assert found.code == 2
    assert message in found.err
    assert not list(tmp_path.iterdir())


def test_a_pool_among_methods(run, table):
    found = run("evaluate", table, "-t", "status", "--methods", "NB,pool(cycles=0, seeds=1)", "--cv", "2",
                "--repeats", "1", "--json")  # fmt: skip
    assert found.code == 0
    assert '"pool(cycles=0, seeds=1)"' in found.out


def test_compare_takes_it_beside_other_peers(run, table, monkeypatch):
    monkeypatch.setitem(bl.benchmark.PEERS, "pool", bl.NetworkPool(cycles=0, seeds=1, n_jobs=1))
    found = run("compare", table, "-t", "status", "--methods", "NB,pool", "--cv", "2", "--repeats", "1")
    assert found.code == 0
    assert "pool" in found.out


def test_a_plain_fit_names_the_pool(run, table, tmp_path):
    found = run("fit", table, "-t", "status", "-o", tmp_path / "m.json")
    assert found.out.endswith(
        "Better probabilities with --pool? Many networks in one score; its held-out rows tell.\n"
    )
    assert "--pool" not in run("fit", table, "-t", "status", "-o", tmp_path / "m.json", "-m", "NB").out


def test_somebody_at_a_terminal_learns_what_it_reaches(run, table, tmp_path, monkeypatch):
    monkeypatch.setattr(fit, "out", lambda: Console(force_terminal=True))
    found = run("fit", table, "-t", "status", "-o", tmp_path / "m.json")
    frame = pl.read_csv(table)
    quick = bl.NetworkPool(cycles=1, seeds=1).fit(frame.drop("status"), frame["status"]).out_of_sample_
    own = bl.load(tmp_path / "m.json").out_of_sample_
    said = f"log-loss {quick.log_loss:.3f} from a quick one, {own.log_loss:.3f} from this model"
    shown = " ".join(found.out.split())
    assert said in shown
    assert ("No better probabilities with --pool" in shown) == (quick.log_loss >= own.log_loss)
    for log_loss, word in ((own.log_loss + 0.1, "No better"), (own.log_loss - 0.1, " Better")):
        other = replace(quick, log_loss=log_loss)
        with monkeypatch.context() as patch:
            patch.setattr(bl.NetworkPool, "out_of_sample_", other)
            again = " ".join(run("fit", table, "-t", "status", "-o", tmp_path / "m.json").out.split())
        assert f"{word} probabilities with --pool, many networks in one score: held out" in again
    monkeypatch.setattr(fit, "HINT_VALUES", 10)
    assert "quick" not in run("fit", table, "-t", "status", "-o", tmp_path / "m.json").out


def test_what_to_measure_next_is_not_asked_of_a_pool(refused, table, model):
    assert "a pool has none: leave --next out" in refused("explain", model, table, "--next")
