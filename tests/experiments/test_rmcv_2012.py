"""The experiment's data sets are those of the paper, its report reads the published tables, its checks hold."""

import importlib
import itertools
import os
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.benchmark import Results
from reference.climbing import neighbours

ROOT = Path(__file__).parents[2]
HERE = ROOT / "experiments" / "rmcv_2012"
DATA = Path(os.environ.get("BAYLEAF_DATA", ROOT.parent / "shared" / "data"))
needs_data = pytest.mark.skipif(not (DATA / "SCHEMA.json").is_file(), reason=f"no data folder at {DATA}")
MODULES = (
    "data_sets",
    "datafolder",
    "compared",
    "kept",
    "report",
    "checks",
    "run",
    "speedup",
    "times",
    "zeros",
)


@pytest.fixture
def module(monkeypatch):
    for name in MODULES:
        sys.modules.pop(name, None)
    monkeypatch.syspath_prepend(str(HERE.parent))
    monkeypatch.syspath_prepend(str(HERE))
    yield importlib.import_module
    for name in MODULES:
        sys.modules.pop(name, None)


def test_published_tables_are_read_with_signs_and_without_the_misprint(module):
    report = module("report")
    accuracy = report.published_accuracy()
    assert accuracy["Letter"]["RMHO (NBC)"] == 81.65
    assert report.published("table11_runtime_s")["Letter"]["RMHO (NBC)"] > 1000
    assert accuracy["Tic-Tac-Toe"]["RMCV (NBC)"] == 89.98
    p = report.published("table7_p")
    assert p["Australian"]["MDL (NBC)"] == -0.914
    assert np.signbit(p["Letter"]["TAN"])
    lost = [np.signbit(row["TAN"]) and abs(row["TAN"]) <= 0.05 for row in p.values()]
    assert sum(lost) == 3  # printed: 13.64 % of 22
    assert len(report.published("table10_p")) == 14


@needs_data
def test_data_sets_without_a_remark_have_the_published_size(module):
    published = {
        "Australian": (690, 14, 2),
        "Breast": (683, 9, 2),
        "Corral": (128, 6, 2),
        "Crx": (653, 15, 2),
    }
    published |= {"Flare": (1389, 10, 8), "Glass": (214, 9, 6), "Glass2": (163, 9, 2), "Hayes": (160, 4, 3)}
    published |= {
        "Heart": (270, 13, 2),
        "Hepatitis": (80, 19, 2),
        "Iris": (150, 4, 3),
        "Voting": (232, 16, 2),
    }
    published |= {"Lymphography": (148, 18, 4), "Mofn": (1324, 10, 2), "Tic-Tac-Toe": (958, 9, 2)}
    published |= {"Vehicle": (846, 18, 4), "Pima": (768, 8, 2)}
    sets = {each.paper: each for each in module("data_sets").DATA_SETS}
    for name, wanted in published.items():
        X, y = sets[name].load()
        assert (X.height, X.width, y.n_unique()) == wanted, name


def test_zeros_stay_zeros_and_the_first_class_wins_where_none_is_left(module):
    frame = pl.DataFrame({"x": list("aabbc"), "z": list("uvuvu")}).cast(pl.Enum(list("abcuv")))
    y = pl.Series("y", ["no", "no", "yes", "yes", "yes"])
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.MaximumLikelihood()).fit(frame, y)
    training = clf.learn_table(frame, y)
    rows = pl.DataFrame(
        [list(pair) for pair in itertools.product("abc", "uv")], schema=["x", "z"], orient="row"
    )
    best, none = module("checks").with_zeros(clf, training, clf.encode(rows.cast(frame.schema)).codes)
    # P(x = a | yes) = 0 and P(x = b or c | no) = 0: one class is left on every row.
    assert (best.tolist(), none.tolist()) == ([0, 0, 1, 1, 1, 1], [False] * 6)
    unseen = pl.DataFrame({"x": ["a"], "z": ["a"]}, schema=frame.schema)
    best, none = module("checks").with_zeros(clf, training, clf.encode(unseen).codes)
    assert (best.tolist(), none.tolist()) == ([0], [True])


@needs_data
def test_a_run_goes_on_where_it_stopped_and_its_tables_come_from_the_kept_file(tmp_path, module, monkeypatch):
    command = [
        str(HERE / "run.py"),
        "--out",
        str(tmp_path),
        "--only",
        "Iris",
        "Corral",
        "Hayes",
    ]
    command += ["--methods", "RMCV (NBC)", "NBC", "CT", "--repetitions"]
    monkeypatch.setattr(sys, "argv", [*command, "1"])
    module("run").main()
    first = (tmp_path / "folds.csv").read_text().splitlines()
    monkeypatch.setattr(sys, "argv", [*command, "2"])
    module("run").main()
    second = (tmp_path / "folds.csv").read_text().splitlines()
    assert second[: len(first)] == first
    assert len(second) == 1 + 2 * 3 * 3 * 5
    results = Results.read(tmp_path / "folds.csv")
    assert results.errors.is_empty()
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    mean = 100 * results.values("accuracy", "Corral", "NBC").round(5).mean()  # as kept
    assert f"{mean:.1f} / 87.0" in text
    assert "Table 8 (b)" in text
    monkeypatch.setattr(sys, "argv", [*command[:3], "--tables"])
    module("run").main()
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == text


def test_times_are_of_five_fits_and_what_is_there_is_not_measured_again(module, tmp_path):
    class Corner:
        paper = "Corner"
        loads = 0

        def load(self):
            Corner.loads += 1
            side = ["a", "b"] * 10
            return pl.DataFrame({"x": side}), pl.Series("y", side)

    path = tmp_path / "times.csv"
    path.write_text("dataset,method,rows,folds,fit_seconds\nCorner,NBC,20,1,9.9\nOther,CT,7,1,0.5\n")
    models = {"NBC": bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace())}
    times = module("times")
    assert times.measure(models, [Corner()], path) == 5
    assert times.measure(models, [Corner()], path) == 0
    assert Corner.loads == 1
    by_name = {(line["dataset"], line["method"]): line for line in pl.read_csv(path).iter_rows(named=True)}
    seconds = [float(value) for value in by_name["Corner", "NBC"]["fit_seconds"].split()]
    assert len(seconds) == 5
    assert max(seconds) < 9
    assert by_name["Other", "CT"]["fit_seconds"] == "0.5"
    assert module("kept").read(path).spread("fit_seconds").height == 2


def test_the_plain_search_tries_the_neighbours_and_ends_as_low_as_ours(module):
    speedup = module("speedup")
    rng = np.random.default_rng(4)
    hidden = rng.integers(0, 3, 90)
    codes = np.stack([(hidden + rng.integers(0, 2, 90)) % 3 for _ in range(4)], axis=1)
    names = ("a", "b", "c", "class")
    variables = tuple(bl.data.Variable(name, (0, 1, 2), None, "integer") for name in names)
    table = bl.data.Table.from_codes(variables, codes, target=3)
    start = ((3,), (3,), (3,), ())
    graph = bl.DAG.from_parents(names, start)
    expected = {tuple(map(tuple, other.parent_indices)) for _, other in neighbours(graph)}
    assert set(speedup.neighbours(start)) == expected
    fold = np.arange(90) % 4
    found, tried = speedup.plain_search(table, start, fold)
    assert tried > len(expected)
    reached = speedup.plain_risk(table, found, fold)
    assert reached < speedup.plain_risk(table, start, fold)
    assert all(speedup.plain_risk(table, other, fold) >= reached for other in speedup.neighbours(found))


def slow_risk(rows, fold, parents, arities):
    """Share of rows that are misclassified by products of relative frequencies of the other folds, zeros and all."""
    target, wrong = len(arities) - 1, 0
    for row, own in zip(rows, fold, strict=True):
        others = [other for other, k in zip(rows, fold, strict=True) if k != own]
        best, most = 0, 0.0
        for c in range(arities[target]):
            guess = [*row[:target], c]
            product = 1.0
            for node, family in enumerate(parents):
                same = [other for other in others if all(other[j] == guess[j] for j in family)]
                hits = sum(other[node] == guess[node] for other in same)
                product *= hits / len(same) if same else 0.0
            if product > most * (1 + 1e-9):
                best, most = c, product
        wrong += best != row[target]
    return wrong / len(rows)


def test_searches_with_zeros_equal_the_slow_risk(module):
    zeros = module("zeros")
    rng = np.random.default_rng(2)
    hidden = rng.integers(0, 3, 40)
    codes = np.stack([(hidden + rng.integers(0, 2, 40)) % 3 for _ in range(4)], axis=1)
    names = ("a", "b", "c", "class")
    variables = tuple(bl.data.Variable(name, (0, 1, 2), None, "integer") for name in names)
    table = bl.data.Table.from_codes(variables, codes, target=3)
    fold = np.arange(40) % 4
    start = ((3,), (3,), (3,), ())
    evaluator = zeros.ZerosEvaluator(table, bl.DAG.from_parents(names, start), fold)
    rows, arities = codes.tolist(), [3] * 4
    assert evaluator.value == pytest.approx(-slow_risk(rows, fold, start, arities))
    changes = [{0: (1, 3)}, {1: ()}, {0: (1, 2, 3), 1: (2, 3)}, {3: (0,), 0: ()}]
    scores = evaluator.change_scores(changes)
    for change, score in zip(changes, scores, strict=True):
        after = tuple(change.get(node, family) for node, family in enumerate(start))
        assert score == pytest.approx(-slow_risk(rows, fold, after, arities))
    evaluator.commit(changes[2])
    assert evaluator.value == pytest.approx(scores[2])
    learned = bl.HillClimbing(zeros.ZerosKept(), "naive").learn(table, rng)
    assert learned.nodes == names
