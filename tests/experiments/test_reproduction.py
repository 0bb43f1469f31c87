"""The page of published figures says what the committed files say, and old results are told from new ones."""

import csv
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from reference.committed_results import EXPERIMENTS, ROOT, lines


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(EXPERIMENTS))
    yield importlib.import_module
    for name in ("comparison", "refresh", "reproduction", "spot_check"):
        sys.modules.pop(name, None)


# The page


def test_the_page_is_what_the_committed_results_give(module, capsys):
    assert module("reproduction").main(["--check"]) == 0, capsys.readouterr().out


def test_a_page_that_differs_is_found_out(module, tmp_path, capsys):
    page = tmp_path / "page.md"
    assert module("reproduction").main(["--page", str(page)]) == 0
    page.write_text(page.read_text(encoding="utf-8").replace("covered", "Covered", 1), encoding="utf-8")
    assert module("reproduction").main(["--check", "--page", str(page)]) == 1
    assert "write it again" in capsys.readouterr().out


def test_every_published_cell_is_there_once(module):
    figures = module("comparison").all_figures()
    places = [(each.paper, each.table, each.row, each.column) for each in figures]
    assert len(places) == len(set(places)) == 2295
    assert {place[:2] for place in places} == set(module("reproduction").TABLES)


def test_counts_of_one_table_by_hand(module):
    """Table 2 of Wang and Zhao, read and counted without the module's own readers."""
    ours = {
        (line["dataset"], line["method"]): float(line["mean"])
        for line in lines("fkdb_2015/results/zero_one_loss.csv")
    }
    near = within = covered = 0
    for line in lines("expected/wang_zhao_2015_table2_zero_one_loss.csv"):
        for method in ("NB", "TAN", "RTAN", "KDB", "FKDB"):
            mean, deviation = map(float, line[method].split(" ± "))
            found = ours.get((line["Dataset"], method))
            if found is not None:
                covered += 1
                near += abs(found - mean) <= 0.02 + 1e-12
                within += abs(found - mean) <= 2 * deviation + 1e-12
    figures = [
        each for each in module("comparison").all_figures() if each.paper == "fkdb_2015" and each.table == "2"
    ]
    assert covered == sum(each.ours is not None for each in figures)
    assert near == sum(each.near for each in figures)
    assert within == sum(each.within_deviations for each in figures)


def test_cells_with_the_papers_own_training_are_counted(module):
    """Table 7 of Pernkopf and Bilmes, from the files of the training alone."""
    accuracy = {}
    for line in lines("omi_cr_2010/results/training.csv"):
        accuracy.setdefault((line["dataset"], line["method"]), []).append(100 * float(line["accuracy"]))
    near = {"ours": 0, "as published": 0}
    structures = {method[: -len("-ML")] for _, method in accuracy if method.endswith("-ML")}
    cells = 0
    for line in lines("expected/pernkopf_bilmes_2010_table7_accuracy.csv"):
        for structure in structures:
            if (line["dataset"], f"{structure}-CL, as published") in accuracy:
                cells += 1
                for label in near:
                    values = accuracy[line["dataset"], f"{structure}-CL, {label}"]
                    gap = sum(values) / len(values) - float(line[f"{structure}-CL"].split()[0])
                    near[label] += abs(gap) <= 2 + 1e-9
    figures = [
        each
        for each in module("comparison").all_figures()
        if (each.paper, each.table) == ("omi_cr_2010", "7")
    ]
    figures = [each for each in figures if "CRCL" not in each.column]
    said = module("reproduction").other_training(figures)
    assert f": {cells} cells, of which {near['as published']} are near. With our training" in said
    plain = sum(each.near for each in figures if each.column.endswith("-ML"))
    assert sum(each.near for each in figures) == plain + near["as published"]
    assert (
        f"{near['ours']} of them are, and {plain + near['ours']} of the {len(figures)} cells of the table."
        in said
    )
    assert "Open" not in said


def test_cells_trained_our_way_for_want_of_the_papers_training_are_named(module):
    figures = [
        each
        for each in module("comparison").all_figures()
        if (each.paper, each.table) == ("omi_cr_2010", "7") and "CRCL" in each.column
    ]
    done = {(line["dataset"], line["method"]) for line in lines("omi_cr_2010/results/training_inside.csv")}
    left = [
        f"{each.column} on {each.row}"
        for each in figures
        if (each.row, f"{each.column}, as published") not in done
    ]
    said = module("reproduction").other_training(figures)
    assert f": {len(figures) - len(left)} cells, of which" in said
    assert said.endswith(f" Open, and trained our way above: {', '.join(left)}." if left else "our training.")


def test_explanations_are_found_by_pattern_and_the_rest_is_open(module):
    reproduction, comparison = module("reproduction"), module("comparison")
    known = [{"paper": "p", "table": "*", "row": "Glass*", "column": "K2 *", "explanation": "intervals"}]
    figure = comparison.Figure("p", "1", "Glass2", "K2 (NBC)", 1.0, None, 2.0)
    assert reproduction.explanation(figure, known) == "intervals"
    assert (
        reproduction.explanation(comparison.Figure("p", "1", "Iris", "K2 (NBC)", 1.0, None, 2.0), known)
        == "open"
    )


def test_printed_cells_are_read(module):
    printed = module("comparison").printed
    assert printed("86.14 (2.3)") == (86.14, 2.3)
    assert printed("0.438 ± 0.268") == (0.438, 0.268)
    assert printed("85.11") == (85.11, None)


# Old and new code


def test_sources_and_results_of_the_refresher_exist(module):
    for results, sources in module("refresh").USES.items():
        assert (EXPERIMENTS / results).exists(), results
        for source in sources:
            assert (ROOT / source).exists(), source


def test_code_counts_and_comments_do_not(module):
    digest, changed = module("refresh").code_digest, module("refresh").changed
    plain = "def f():\n    return 1\n"
    said = '"""Module."""\n\n\ndef f():\n    """Say one."""\n    return 1  # one\n'
    assert digest("a.py", plain) == digest("a.py", said)
    assert digest("a.py", plain) != digest("a.py", plain.replace("1", "2"))
    assert digest("a.cpp", "int x; // one\n") == digest("a.cpp", "int  x; /* two */")
    then = {"a.py": plain, "b.py": plain}
    now = {"a.py": said, "b.py": plain.replace("1", "2"), "c.py": plain}
    assert changed(("a.py", "b.py", "c.py"), then.get, now.get) == ["b.py", "c.py"]


def test_a_file_is_as_old_as_its_oldest_figures(module, monkeypatch):
    refresh = module("refresh")
    old, new, header = ("a" * 40, "b" * 40, "c" * 40)
    blame = (
        f"{header} 1 1 1\ncommitter-time 0\n\tdataset,method\n"
        f"{new} 2 2 1\ncommitter-time 1700000000\n\t{old} 5 5\n"
        f"{old} 3 3 2\ncommitter-time 1600000000\n\tiris,NB\n{old} 4 4\n\tiris,TAN\n"
    )
    monkeypatch.setattr(refresh, "git", lambda *arguments: blame)
    assert refresh.made_by("x.csv") == (old, "2020-09-13")
    monkeypatch.setattr(refresh, "git", lambda *arguments: None)
    assert refresh.made_by("x.csv") is None


def test_figures_are_compared_cell_by_cell(module, tmp_path):
    spot_check = module("spot_check")
    (tmp_path / "kept.csv").write_text(
        "dataset,method,folds,accuracy,auc\niris,NB,2,0.9 0.8,nan nan\niris,TAN,2,0.9 0.7,nan nan\n"
    )
    (tmp_path / "again.csv").write_text(
        "dataset,method,folds,accuracy,auc\niris,NB,1,0.9,nan\niris,TAN,2,0.9 0.75,nan 0.5\n"
    )
    kept, again = (
        spot_check.figures(tmp_path / name, ("accuracy", "auc")) for name in ("kept.csv", "again.csv")
    )
    assert kept["iris", "NB", "accuracy 1"] == 0.8
    assert spot_check.differing(kept, again) == [
        "iris, TAN, accuracy 1: 0.75 instead of 0.7",
        "iris, TAN, auc 1: 0.5 instead of nan",
    ]


def test_samples_are_of_committed_results_and_name_their_sets(module):
    spot_check, uses = module("spot_check"), module("refresh").USES
    for results, sample in spot_check.SAMPLES.items():
        assert results in uses
        assert sample.sets or sample.what, results
        found = spot_check.figures(EXPERIMENTS / results, sample.measures)
        assert {key[0] for key in found} >= set(sample.sets), results
        with (EXPERIMENTS / results).open(encoding="utf-8", newline="") as file:
            fields = sum(
                len(spot_check.NUMBER.findall(line[measure]))
                for line in csv.DictReader(file)
                for measure in sample.measures
            )
        assert len(found) == fields, f"{results}: figures of different things have the same name"
        command = sample.command("x", "elsewhere")
        assert set(sample.sets) < set(command)
        assert any(part.startswith("elsewhere") for part in command)


def test_a_record_speaks_of_the_results_and_the_code_it_was_made_with(module):
    refresh = module("refresh")
    results = "bnc_2004/results/kept.csv"
    line = {
        "digest of results": refresh.digest((EXPERIMENTS / results).read_text(encoding="utf-8")),
        "digest of code": refresh.code(results),
        "figures": "9",
        "equal": "8",
        "sample": "iris",
        "day": "2000-01-01",
    }
    said = "8 of 9 repeated figures are equal (iris, 2000-01-01)"
    assert refresh.spot_checked(results, {results: line}) == said
    assert refresh.spot_checked(results, {}) == "no figure repeated since"
    older = line | {"digest of code": "0"}
    assert refresh.spot_checked(results, {results: older}) == f"{said}, by code that has changed since"
    other = line | {"digest of results": "0"}
    assert refresh.spot_checked(results, {results: other}) == "no figure repeated since"


def test_a_check_runs_the_sample_elsewhere_and_keeps_the_record(module, monkeypatch, tmp_path, capsys):
    spot_check, results = module("spot_check"), "bnc_2004/results/kept.csv"

    def one_figure_otherwise(command, **settings):
        assert {"iris", "corral"} < set(command)
        changed = (
            (EXPERIMENTS / results)
            .read_text(encoding="utf-8")
            .replace("iris,NB,150,5,", "iris,NB,150,5,9", 1)
        )
        (Path(command[-1]) / "kept.csv").write_text(changed, encoding="utf-8")
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(spot_check.subprocess, "run", one_figure_otherwise)
    monkeypatch.setattr(spot_check, "RECORDS", tmp_path / "records.csv")
    (found,) = spot_check.check(results, "now")
    assert found.startswith("iris, NB, 150, log_loss 0: 90")
    record = spot_check.records()[results]
    assert int(record["equal"]) == int(record["figures"]) - 1 > 0
    assert record["digest of code"] == "now"
    assert found in capsys.readouterr().out


def test_the_kept_records_are_of_results_with_a_sample(module):
    spot_check = module("spot_check")
    for results, line in spot_check.records().items():
        assert line["sample"] == spot_check.SAMPLES[results].shown
        assert 0 <= int(line["equal"]) <= int(line["figures"])


def test_every_file_of_results_has_a_sample_or_holds_seconds(module):
    refresh = module("refresh")
    assert set(refresh.USES) == set(module("spot_check").SAMPLES) | set(refresh.TIMES)
    assert refresh.spot_checked(refresh.TIMES[0], {}) == "seconds, which cannot be compared"


def test_a_failing_experiment_is_heard(module, monkeypatch):
    spot_check = module("spot_check")
    said = "\n".join(f"line {number}" for number in range(40))

    def fails(command, **settings):
        return subprocess.CompletedProcess(command, 3, "", said)

    monkeypatch.setattr(spot_check.subprocess, "run", fails)
    with pytest.raises(SystemExit, match=r"run\.py .* ended with exit code 3:\n  line 25\n(.*\n)*  line 39$"):
        spot_check.check("bnc_2004/results/kept.csv", "now")
