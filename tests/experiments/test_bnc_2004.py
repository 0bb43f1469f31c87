"""The experiment's data sets are those of Friedman et al., one command makes tables and figures."""

import csv
import importlib
import os
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
HERE = ROOT / "experiments" / "bnc_2004"
DATA = Path(os.environ.get("BAYLEAF_DATA", ROOT.parent / "shared" / "data"))
needs_data = pytest.mark.skipif(not (DATA / "SCHEMA.json").is_file(), reason=f"no data folder at {DATA}")
MODULES = ("data_sets", "datafolder", "friedman_smoothing", "report", "kept", "run")


@pytest.fixture
def module(monkeypatch):
    for name in MODULES:
        sys.modules.pop(name, None)
    monkeypatch.syspath_prepend(str(HERE.parent))
    monkeypatch.syspath_prepend(str(HERE))
    yield importlib.import_module
    for name in MODULES:
        sys.modules.pop(name, None)


@needs_data
def test_rows_and_splits_are_those_of_the_published_list(module):
    sets = {each.name: each for each in module("data_sets").DATA_SETS}
    path = ROOT / "experiments" / "expected" / "pernkopf_bilmes_2010_table6_datasets.csv"
    with path.open(encoding="utf-8") as file:
        published = {line["dataset"].lower(): line for line in csv.DictReader(file)}
    assert sets.keys() == published.keys()
    for name, line in published.items():
        if name == "letter":
            continue  # takes a second to read
        rows = sets[name].load()[1].len()
        if line["test"] == "CV-5":
            assert (sets[name].train_rows, rows) == (None, int(line["train"])), name
        else:
            assert (sets[name].train_rows, rows) == (
                int(line["train"]),
                int(line["train"]) + int(line["test"]),
            )


def test_published_errors_are_those_of_the_same_classifiers(module):
    errors = module("report").published_errors()
    assert errors["mofn-3-7-10", "NB"] == pytest.approx((13.57, 1.07))
    assert errors["letter", "TAN-ELR"] == pytest.approx((11.72, 0.45))


@needs_data
def test_one_command_makes_tables_tests_and_figures(tmp_path, module, monkeypatch):
    command = [str(HERE / "run.py"), "--out", str(tmp_path), "--only", "corral", "--jobs", "1"]
    monkeypatch.setattr(sys, "argv", [*command, "--repetitions", "1"])
    module("run").main()
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| BNC-2P than NB |" in text
    figures = {path.name for path in tmp_path.glob("*.png")}
    assert figures >= {"figure1_log_loss.png", "figure2_zero_one_loss_laplace.png"}
    with (tmp_path / "folds.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 17 * 5
    assert not [line["error"] for line in lines if line["error"]]


@needs_data
def test_more_parents_are_tabulated(tmp_path, module, monkeypatch):
    monkeypatch.setattr(
        sys, "argv", [str(HERE / "run.py"), "--out", str(tmp_path), "--only", "corral", "--parents"]
    )
    module("run").main()
    assert "| CLL, Laplace, mean of 1" in (tmp_path / "README.md").read_text(encoding="utf-8")
    with (tmp_path / "parents_kept.csv").open(encoding="utf-8") as file:
        methods = {line["method"] for line in csv.DictReader(file)}
    assert methods == {f"BNC-{n}P{ending}" for n in (2, 3, 4) for ending in ("", ", Laplace")}


def test_friedman_smoothing_draws_towards_the_frequencies_of_the_node(module):
    estimate = module("friedman_smoothing").FriedmanSmoothing(5.0)
    rows = [(0, 0)] * 6 + [(0, 1)] * 2 + [(1, 1)] * 4  # parent, node
    counts = np.zeros((3, 2))
    for parent, node in rows:
        counts[parent, node] += 1
    share = [sum(node == k for _, node in rows) / len(rows) for k in (0, 1)]
    for parent in range(3):
        own = [node for p, node in rows if p == parent]
        # Friedman et al.: alpha times the family's frequency and 1 - alpha times the node's.
        alpha = len(own) / (len(own) + 5)
        for k in (0, 1):
            frequency = own.count(k) / len(own) if own else 0.0
            expected = alpha * frequency + (1 - alpha) * share[k]
            assert estimate.estimate(counts)[parent, k] == pytest.approx(expected)
    assert estimate.estimate(np.array([3.0, 0.0])) == pytest.approx([1, 0], abs=1e-4)
    assert estimate.estimate(np.array([3.0, 0.0]))[1] > 0
