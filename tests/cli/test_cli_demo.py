"""bayleaf demo: it runs, says what it wrote, and what it wrote is usable."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer

import bayleaf
from bayleaf.benchmark import CrossValidation
from bayleaf.cli import demo

Run = Callable[..., Any]
PICTURES = ["evidence.png", "network.png", "reliability.png"]


def smaller() -> Any:
    """The data of the demo with a third of their columns and half of their rows."""
    bunch = load_breast_cancer()
    bunch.data, bunch.target, bunch.feature_names = (
        bunch.data[::2, :10],
        bunch.target[::2],
        bunch.feature_names[:10],
    )
    return bunch


def test_demo(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(demo, "load_breast_cancer", smaller)
    monkeypatch.setattr(demo, "PROTOCOL", CrossValidation(folds=2, stratified=True))
    monkeypatch.setattr(demo, "REMOVED", (0.0, 0.5))
    monkeypatch.setattr(bayleaf, "NetworkPool", partial(bayleaf.NetworkPool, cycles=0, seeds=1))
    boosting = partial(demo.HistGradientBoostingClassifier, max_iter=5)
    monkeypatch.setattr(demo, "HistGradientBoostingClassifier", boosting)
    monkeypatch.setattr(demo, "RandomForestClassifier", partial(demo.RandomForestClassifier, n_estimators=5))
    folder = tmp_path / "new" / "demo"
    outcome = run("demo", "--out", folder)
    assert outcome.code == 0, outcome.err
    assert outcome.err == ""
    written = sorted(path.name for path in folder.iterdir())
    tables = ["evaluation.md", "known.csv", "model.bayleaf.json", "new.csv", "predictions.csv", "report.html"]
    assert written == sorted([*tables, *PICTURES])
    assert all(name in outcome.out for name in written)
    methods = ["One network", "Pool", "Logistic", "RandomForest", "HistGradientBoosting"]
    assert all(name in (folder / "evaluation.md").read_text() for name in methods)
    for name in PICTURES:
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
    new = pl.read_csv(folder / "new.csv").drop("diagnosis")
    predictions = pl.read_csv(folder / "predictions.csv")
    expected = bayleaf.load(folder / "model.bayleaf.json").predict_proba(new)
    np.testing.assert_array_equal(predictions.select("P(benign)", "P(malignant)").to_numpy(), expected)
    assert (
        run("predict", folder / "model.bayleaf.json", folder / "new.csv").out
        == (folder / "predictions.csv").read_text()
    )


def test_the_demo_says_where_the_network_pays_from_its_own_numbers() -> None:
    losses = {"0%": (0.12, 0.08), "50%": (0.16, 0.17), "70%": (0.2, 0.2)}
    said = demo._where_better({removed: np.array(each) for removed, each in losses.items()})
    assert said == (
        "By log-loss, logistic regression with imputed means is as good or better at 0%, 70%; the network's way pays "
        "at 50%."
    )
    table, reading = demo.remove_values(demo.load_data())
    assert [row[0] for row in table.rows] == ["0%", "30%", "50%", "70%", "90%", "the 10 'worst' columns"]
    assert "the network's way pays at 50%" in reading


def test_demo_refuses_a_file_as_folder(tmp_path: Path, run: Run) -> None:
    (tmp_path / "f").write_text("x")
    outcome = run("demo", "--out", tmp_path / "f")
    assert outcome.code == 2
    assert outcome.err.endswith("it is a file.\n")


def test_without_matplotlib_there_are_no_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bayleaf.cli.demo import draw

    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    draw(tmp_path, None, None, 0, None)  # type: ignore[arg-type]
    assert "matplotlib is not installed: pip install 'bayleaf[plot]'." in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
