"""The experiment's data sets are those of Friedman et al., one command makes tables and figures."""

import csv
import importlib
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = ROOT / "experiments" / "bnc_2004"
DATA = Path(os.environ.get("BAYLEAF_DATA", ROOT.parent / "shared" / "data"))
needs_data = pytest.mark.skipif(not (DATA / "SCHEMA.json").is_file(), reason=f"no data folder at {DATA}")
MODULES = ("data_sets", "datafolder", "report", "kept", "run")


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
    command = [str(HERE / "run.py"), "--out", str(tmp_path), "--only", "iris", "corral", "--jobs", "1"]
    monkeypatch.setattr(sys, "argv", [*command, "--repetitions", "1"])
    module("run").main()
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| BNC-2P than NB |" in text
    figures = {path.name for path in tmp_path.glob("*.png")}
    assert figures >= {"figure1_log_loss.png", "figure2_zero_one_loss_laplace.png"}
    with (tmp_path / "folds.csv").open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 2 * 17 * 5
    assert not [line["error"] for line in lines if line["error"]]
