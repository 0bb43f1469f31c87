"""The experiment runs by its one command and resumes; its data sets are those of the paper, or say why not."""

import csv
import importlib
import math
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from bayleaf.benchmark import CrossValidation, evaluate
from fkdb_2015.ratios import ratio_plot, total_ratios, zero_one_loss_ratio

ROOT = Path(__file__).parents[2]
HERE = ROOT / "experiments" / "fkdb_2015"
DATA = Path(os.environ.get("BAYLEAF_DATA", ROOT.parent / "shared" / "data"))
needs_data = pytest.mark.skipif(not (DATA / "SCHEMA.json").is_file(), reason=f"no data folder at {DATA}")


@pytest.fixture
def data_sets(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE.parent))
    monkeypatch.syspath_prepend(str(HERE))
    yield importlib.import_module("data_sets")
    for name in {path.stem for path in HERE.glob("*.py")} | {"datafolder"}:
        sys.modules.pop(name, None)


def published(table):
    with (ROOT / "experiments" / "expected" / f"wang_zhao_2015_{table}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_line_of_the_published_table_has_a_data_set(data_sets):
    names = [line["Dataset"] for line in published("table2_zero_one_loss")]
    assert [each.paper for each in data_sets.DATA_SETS] == names
    assert [each.paper for each in data_sets.DATA_SETS if each.slug is None] == ["Localization"]


@needs_data
def test_data_sets_without_a_note_have_the_published_size(data_sets):
    for line, each in zip(published("table1_datasets"), data_sets.DATA_SETS, strict=True):
        rows = int(line["# Instance"].replace(",", ""))
        if each.deviation or rows > 20_000:
            continue
        X, y = each.load()
        found = (X.height, X.width, y.n_unique())
        wanted = (rows, int(line["Attribute"]), int(line["Class"]))
        assert found == wanted or each.remark, each.paper


@needs_data
def test_one_command_makes_the_tables_and_goes_on_where_it_stopped(tmp_path, data_sets, monkeypatch):
    command = [str(HERE / "run.py"), "--out", str(tmp_path), "--jobs", "1", "--no-variants"]
    command += ["--only", "Haberman’s Survival"]
    monkeypatch.setattr(sys, "argv", command)
    importlib.import_module("run").main()
    with (tmp_path / "folds.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 8 * 10
    assert not [line["error"] for line in lines if line["error"]]
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| mean \\|difference\\|, all sets (1)" in text
    assert {path.name for path in tmp_path.glob("zlr*.png")} >= {"zlr_fkdb_nb.png", "zlr_fkdb_kdb.png"}

    content = (tmp_path / "folds.csv").read_text()
    kept = content.splitlines(keepends=True)[:50]
    (tmp_path / "folds.csv").write_text("".join(kept) + kept[-1][:30])  # killed while it wrote a line
    importlib.import_module("run").main()
    again = (tmp_path / "folds.csv").read_text().splitlines()
    assert again[:50] == [line.rstrip("\n") for line in kept]
    assert len(again) == len(content.splitlines())
    with (tmp_path / "folds.csv").open() as file:
        losses = {
            (li["dataset"], li["method"], li["fold"]): li["zero_one_loss"] for li in csv.DictReader(file)
        }
    assert losses == {(li["dataset"], li["method"], li["fold"]): li["zero_one_loss"] for li in lines}


def test_zero_one_loss_ratio_at_zero():
    assert zero_one_loss_ratio([0.0, 0.1, 0.0], [0.0, 0.0, 0.1]).tolist() == [1.0, math.inf, 0.0]


def test_total_loss_ratio_weighs_folds_by_rows():
    X, y = load_iris(return_X_y=True)
    results = evaluate(
        {"NB": GaussianNB(), "majority": DummyClassifier()}, {"iris": (X, y)}, CrossValidation(7)
    )
    wrong = {}
    for method, model in (("NB", GaussianNB()), ("majority", DummyClassifier())):
        splits = [CrossValidation(7).split(y, 0, fold) for fold in range(7)]
        wrong[method] = sum(
            (model.fit(X[s.train], y[s.train]).predict(X[s.test]) != y[s.test]).sum() for s in splits
        )
    assert total_ratios(results, "NB", "majority")["iris"] == pytest.approx(wrong["NB"] / wrong["majority"])


def test_ratio_plot_counts_the_parts():
    ratios = {"a": 0.5, "b": 1.0, "c": np.inf, "d": 0.9, "e": 0.0}
    rows = {"a": 100, "b": 5000, "c": 200, "d": 90000, "e": 4177}
    figure = ratio_plot(ratios, rows, "FKDB", "NB", large=4177)
    figure.draw_without_rendering()
    words = sorted(text.get_text() for text in figure.axes[0].texts if "better" in text.get_text())
    assert words == ["FKDB better: 1", "FKDB better: 2", "FKDB not better: 1", "FKDB not better: 1"]
