"""Results kept in the small form are those of the run; comparisons use what all methods have."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from bayleaf.benchmark import CrossValidation, Results, evaluate

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def kept(monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    yield importlib.import_module("kept")
    sys.modules.pop("kept", None)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    return {"a": (rng.normal(size=(40, 2)) + y[:, None], y), "b": (rng.normal(size=(40, 2)), y)}


def run(data, repeats, out, methods=("NB", "majority")):
    known = {"NB": GaussianNB(), "majority": DummyClassifier()}
    chosen = {name: known[name] for name in methods}
    protocol = CrossValidation(folds=4, repeats=repeats)
    evaluate(chosen, data, protocol, ["accuracy", "auc"], out=out, progress=False)
    return Results.read(out)


def test_what_is_kept_is_what_was_measured(kept, data, tmp_path):
    results = run(data, 3, tmp_path / "folds.csv")
    kept.write(results, tmp_path / "kept.csv", {"accuracy": 5, "auc": 4})
    again = kept.read(tmp_path / "kept.csv")
    assert (again.datasets, again.methods) == (results.datasets, results.methods)
    for dataset in results.datasets:
        for method in results.methods:
            for measure, digits in (("accuracy", 5), ("auc", 4)):
                wanted = results.values(measure, dataset, method).round(digits)
                np.testing.assert_array_equal(again.values(measure, dataset, method), wanted)
    assert again.frame.sort("dataset", "method", "repeat", "fold")["fold"].to_list() == [0, 1, 2, 3] * 12
    assert again.dataset_rows() == {"a": 40, "b": 40}


def test_an_interrupted_repetition_is_left_out(kept, data, tmp_path):
    results = run(data, 2, tmp_path / "folds.csv")
    lines = (tmp_path / "folds.csv").read_text().splitlines(keepends=True)
    (tmp_path / "folds.csv").write_text("".join(lines[:-1]))
    kept.write(Results.read(tmp_path / "folds.csv"), tmp_path / "kept.csv", {"accuracy": 5})
    again = kept.read(tmp_path / "kept.csv")
    assert [len(again.values("accuracy", "b", method)) for method in results.methods] == [8, 4]


def test_comparisons_use_the_repetitions_that_all_methods_have(kept, data, tmp_path):
    out = tmp_path / "folds.csv"
    run(data, 3, out, ["NB"])
    run({"a": data["a"]}, 2, out, ["majority"])
    results = Results.read(out)
    both, repetitions = kept.common(results, ["NB", "majority"])
    assert repetitions == {"a": 2}
    assert both.datasets == ("a",)
    assert len(both.values("accuracy", "a", "NB")) == 8
    board = both.scoreboard("accuracy")
    assert board.column("NB")[0] == pytest.approx(results.values("accuracy", "a", "NB")[:8].mean())
    alone, repetitions = kept.common(results, ["NB"])
    assert repetitions == {"a": 3, "b": 3}
    assert len(alone.values("accuracy", "b", "NB")) == 12
