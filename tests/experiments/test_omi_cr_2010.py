"""The experiment on discriminative k-trees: problems, data sets, steps that resume, tables from committed results."""

import csv
import importlib
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
HERE = ROOT / "experiments" / "omi_cr_2010"
RESULTS = HERE / "results"
DATA = Path(os.environ.get("BAYLEAF_DATA", ROOT.parent / "shared" / "data"))
needs_data = pytest.mark.skipif(not (DATA / "SCHEMA.json").is_file(), reason=f"no data folder at {DATA}")


@pytest.fixture
def module(monkeypatch):
    """Import modules of the experiment, and forget them: other experiments have modules of the same names."""
    monkeypatch.syspath_prepend(str(HERE.parent))
    monkeypatch.syspath_prepend(str(HERE))
    before = set(sys.modules)
    yield importlib.import_module
    for name in {path.stem for path in HERE.glob("*.py")} | {"datafolder"}:
        if name not in before:
            sys.modules.pop(name, None)


# Problems


def test_section_3_has_uniform_features_and_one_telling_dependence(module):
    X, c = module("problems").section_3(200_000, np.random.default_rng(0))
    for label in (0, 1):
        own = X[c == label]
        assert own.mean(axis=0) == pytest.approx([0.5] * 3, abs=0.01)
        assert (own[:, 0] == own[:, 1]).mean() == pytest.approx(0.75, abs=0.01)
    # X3 = X1: 0.3 + 0.5 x 0.75 + 0.2 x 0.5 in class 1, 0.5 x 0.75 + 0.2 x 0.5 in class 2.
    agree = [(X[c == label, 0] == X[c == label, 2]).mean() for label in (0, 1)]
    assert agree == pytest.approx([0.775, 0.475], abs=0.01)


def test_a_tree_draws_rows_from_the_distribution_that_it_states(module):
    rng = np.random.default_rng(1)
    tree = module("problems").Tree.random(3, 3, rng)
    codes = tree.sample(200_000, rng)
    every = np.stack(np.meshgrid(*[np.arange(3)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    stated = np.exp(tree.log_likelihood(every))
    assert stated.sum() == pytest.approx(1)
    drawn = np.bincount(codes @ [9, 3, 1], minlength=27) / len(codes)
    assert drawn == pytest.approx(stated, abs=0.005)


def test_section_6_4_has_the_published_rows_and_the_true_model_is_best(module):
    problems = module("problems")
    rng = np.random.default_rng(2)
    truth = problems.ConfusedTrees.random(5, rng)
    X, c = truth.sample(rng)
    assert X.shape == (75_000, 5)
    assert np.bincount(c).tolist() == [25_000, 12_500, 12_500, 12_500, 12_500]
    assert X.max() == 9
    likelihoods = [tree.log_likelihood(X) for tree in truth.own]
    assert (truth.best_class(X) == c).mean() > (np.argmax(likelihoods, axis=0) == c).mean()
    other = problems.ConfusedTrees.random(5, np.random.default_rng(2), same_tables=False)
    assert other.confusing[0].parents == other.own[0].parents
    assert not np.array_equal(other.confusing[0].tables[0], other.own[0].tables[0])


# Data sets


def published(table):
    with (ROOT / "experiments" / "expected" / f"pernkopf_bilmes_2010_{table}.csv").open(
        encoding="utf-8"
    ) as file:
        return list(csv.DictReader(file))


@needs_data
def test_data_sets_have_the_published_sizes_or_a_remark(module):
    data_sets = module("data_sets")
    lines = published("table6_datasets")
    assert [line["dataset"] for line in lines] == [each.paper for each in data_sets.UCI]
    for line, each in zip(lines, data_sets.UCI, strict=True):
        X, y = each.load()
        training = int(line["train"])
        test = 0 if line["test"] == "CV-5" else int(line["test"])
        assert each.training == (training if test else None), each.paper
        assert len(y) == training + test, each.paper
        same = (X.shape[1], y.n_unique()) == (int(line["features"]), int(line["classes"]))
        assert same or each.remark, each.paper


@needs_data
def test_intervals_of_letter_are_nearly_those_of_the_authors(module):
    X, y = module("data_sets").BY_NAME["LETTER"].load()
    table = module("encoding").training_table(X[:15_000], y[:15_000])
    with np.load(DATA / "letter-roth.npz") as arrays:  # their training rows are others
        theirs = arrays["x_tr_fold1"].max(axis=0).astype(int)
    apart = np.abs(table.arities[:-1] - theirs)
    assert apart.max() <= 2
    assert (apart == 0).sum() >= 10


@needs_data
def test_diabetes_and_pima_are_the_same_rows_in_other_folds(module):
    by_name = module("data_sets").BY_NAME
    (one, _), (other, target) = by_name["DIABETES"].load(), by_name["PIMA"].load()
    assert one.equals(other)
    splits = [by_name[name].protocol.split(target.to_numpy(), 0, 0).test for name in ("DIABETES", "PIMA")]
    assert set(splits[0]) != set(splits[1])


# Steps


def test_finished_steps_are_not_done_again_and_a_broken_step_leaves_nothing(module, tmp_path):
    run_steps = module("steps").run_steps
    done = []

    def work(size):
        done.append(size)
        if size == 3 and done.count(3) == 1:
            raise KeyboardInterrupt
        return [{"method": name, "value": size * weight} for name, weight in (("a", 1), ("b", 2))]

    steps = [{"size": size} for size in (1, 2, 3, 4)]
    with pytest.raises(KeyboardInterrupt):
        run_steps(tmp_path / "x.csv", "test", steps, work)
    assert len((tmp_path / "x.csv").read_text().splitlines()) == 1 + 2 * 2
    run_steps(tmp_path / "x.csv", "test", steps, work)
    assert done == [1, 2, 3, 3, 4]
    lines = module("steps").read(tmp_path / "x.csv")
    assert [(line["size"], line["method"], line["value"]) for line in lines][-2:] == [
        ("4", "a", "4"),
        ("4", "b", "8"),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


@needs_data
def test_one_command_evaluates_a_data_set_and_goes_on_where_it_stopped(tmp_path, module, monkeypatch):
    command = [str(HERE / "run.py"), "uci", "report", "--only", "IRIS", "--jobs", "1", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", command)
    monkeypatch.setenv("PYTHONWARNINGS", "")  # the command sets it
    module("run").main()
    content = (tmp_path / "uci.csv").read_text()
    with (tmp_path / "uci.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert len({line["method"] for line in lines}) * 5 == len(lines) >= 20 * 5
    assert not [line["error"] for line in lines if line["error"]]
    kept = content.splitlines(keepends=True)[:40]
    (tmp_path / "uci.csv").write_text("".join(kept) + kept[-1][:25])  # killed while it wrote a line
    module("run").main()
    again = (tmp_path / "uci.csv").read_text().splitlines()
    assert again[:40] == [line.rstrip("\n") for line in kept]
    assert len(again) == len(content.splitlines())


def test_an_unknown_part_is_named(module, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(HERE / "run.py"), "section9"])
    with pytest.raises(SystemExit) as found:
        module("run").main()
    assert found.value.code == 2
    assert "there is no part 'section9'; the parts are section3" in capsys.readouterr().err


# Tables


def test_weights_of_the_average_are_the_papers(module):
    published_tables = module("published")
    table = published_tables.read("table7_accuracy")
    printed = table.pop("AVERAGE")
    for method, value in printed.items():
        own = {name: row[method] for name, row in table.items()}
        assert published_tables.weighted(own) == pytest.approx(value, abs=0.0051)


def test_min_and_max_of_random_orders_go_by_training_accuracy(module, tmp_path):
    (tmp_path / "random_orders.csv").write_text(
        "dataset,fold,order,training_right,test_right,test_rows\n"
        "IRIS,0,0,90,9,10\nIRIS,0,1,95,8,10\nIRIS,1,0,70,6,10\nIRIS,1,1,60,10,10\n"
    )
    found = module("accuracy_tables").random_orders(tmp_path)["IRIS"]
    assert found["mean"] == pytest.approx((75 + 90) / 2)
    assert found["min"] == pytest.approx((90 + 100) / 2)
    assert found["max"] == pytest.approx((80 + 60) / 2)
    assert found["orders"] == 2


def test_tables_show_nothing_for_what_was_not_run(module, tmp_path):
    module("report").write(tmp_path)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| NB-ML                 | – / 81.50 | – / 83.73 | – / 87.10 |" in text
    assert "Table 4" not in text
    assert not list(tmp_path.glob("*.png"))


def test_tables_have_the_papers_training_where_it_was_run(module):
    tables = module("accuracy_tables")
    found, ours = tables.read(RESULTS), tables.trained_our_way(RESULTS)
    trained = {}
    for name in ("training.csv", "training_inside.csv"):
        for line in module("steps").read(RESULTS / name):
            trained.setdefault((line["method"], line["dataset"]), []).append(100 * float(line["accuracy"]))
    published_cells = 0
    for method, by_set in found.items():
        for dataset, value in by_set.items():
            lines = trained.get((f"{method}, as published", dataset))
            published_cells += lines is not None
            wanted = ours[method][dataset] if lines is None else sum(lines) / len(lines)
            assert value == pytest.approx(wanted, abs=1e-9), (method, dataset)
    assert published_cells == sum(method.endswith("as published") for method, _ in trained)
    assert found["NB-CL"]["MNIST"] == ours["NB-CL"]["MNIST"]


def test_a_table_says_which_training_it_has(module):
    said = module("accuracy_tables").training_of
    sets = ("IRIS", "HEART")
    both = {"IRIS": 1.0, "HEART": 1.0}
    trained = {"NB-CL": both, "TAN-OMI-CRCL-ML": {"IRIS": 1.0}}
    assert said(("NB-ML", "NB-CL"), trained, sets) == "CL training: as in the paper."
    assert said(("NB-CL", "TAN-OMI-CRCL-ML"), trained, sets) == (
        "CL training: as in the paper; ours for TAN-OMI-CRCL-ML on HEART."
    )
    assert said(("NB-CL", "TAN-CR-CL"), trained, sets, digits=True) == (
        "CL training: as in the paper; ours for TAN-CR-CL on all UCI sets; all on MNIST and USPS."
    )
    assert said(("NB-ML", "TAN-CR-CL"), trained, sets) == "CL training: ours."


def test_an_arrow_points_to_the_better_classifier(module):
    arrow = module("accuracy_tables")._arrow
    names = ("IRIS", "HEART", "GLASS", "VOTE")
    better = dict(zip(names, (90.0, 81.0, 70.5, 95.0), strict=True))
    worse = dict(zip(names, (88.0, 80.0, 69.0, 93.2), strict=True))
    accuracy = {"a": worse, "b": better, "c": {"IRIS": 1.0}}
    assert arrow(accuracy, "a", "b").startswith("⇑ 0.00")
    assert arrow(accuracy, "b", "a").startswith("⇐ 0.00")
    assert arrow(accuracy, "a", "c") == "–"


def test_committed_tables_follow_from_the_committed_results(module, tmp_path):
    for file in RESULTS.glob("*.csv"):
        shutil.copy(file, tmp_path)
    module("report").write(tmp_path)
    made = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert made == (RESULTS / "README.md").read_text(encoding="utf-8")
    for number in (1, 2, 4, 5, 7, 8, 11, 13):
        assert f"## Table {number}:" in made
    figures = {path.name for path in tmp_path.glob("*.png")}
    assert figures == {path.name for path in RESULTS.glob("*.png")}
    assert {"section3.png", "section63.png", "section64.png", "missing_letter.png"} <= figures


def test_the_docs_show_the_committed_figures(module):
    tables = module("accuracy_tables")
    page = (ROOT / "docs" / "discriminative.md").read_text(encoding="utf-8")
    ours = tables.trained_our_way(RESULTS)
    assert tables.overview(ours) in page
    assert tables.gains(ours) in page
    assert tables.with_missing_features(RESULTS) in page


def test_committed_results_find_the_arc_that_matters_by_discriminative_search_only(module):
    lines = module("steps").read(RESULTS / "section3.csv")
    at_1000 = {line["method"]: int(line["joins_x1_x3"]) for line in lines if line["rows"] == "1000"}
    for name in ("TAN-OMI-CR-ML", "TAN-CR-ML", "TAN-SuperParent-ML", "TAN-OMI-CL-ML"):
        assert at_1000[name] >= 90, name
    assert at_1000["TAN-CMI-ML"] <= 5
