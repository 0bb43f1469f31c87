"""bayleaf evaluate: the numbers of the library, resumable, and never mixed with those of other data."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bayleaf
from bayleaf.benchmark import CrossValidation, Results, evaluate

Run = Callable[..., Any]
Refused = Callable[..., str]


def test_the_table_has_the_numbers_of_the_library(files: Path, run: Run, table: pl.DataFrame) -> None:
    arguments = ["-t", "status", "-m", "nb,TAN", "--cv", "3", "--repeats", "2", "--seed", "5"]
    outcome = run("evaluate", files / "people.csv", *arguments)
    methods = {name: bayleaf.classifier(name) for name in ("NB", "TAN")}
    protocol = CrossValidation(folds=3, repeats=2, stratified=True, seed=5)
    expected = evaluate(methods, {"people": (table.drop("status"), table["status"])}, protocol)
    assert outcome.code == 0
    assert "people (120 rows)" in outcome.out
    assert "6 test folds (stratified 3-fold cross-validation, 2 repeats, seed 5)" in " ".join(
        outcome.out.split()
    )
    lines = {line.split()[0]: line for line in outcome.out.splitlines() if line.split()}
    for measure in ("accuracy", "log_loss", "brier", "auc"):
        for row in expected.spread(measure).iter_rows(named=True):
            assert f"{row['mean']:.3f} ± {row['deviation']:.3f}" in lines[row["method"]]


def test_json(files: Path, run: Run) -> None:
    outcome = run("evaluate", files / "people.csv", "-t", "status", "--cv", "2", "--repeats", "1", "--json")
    document = json.loads(outcome.out)
    assert document["protocol"] == {"folds": 2, "repeats": 1, "stratified": True, "seed": 0}
    assert document["datasets"]["people"]["rows"] == 120
    accuracy = document["datasets"]["people"]["methods"]["default"]["accuracy"]
    assert accuracy.keys() == {"mean", "deviation", "folds", "failed", "reason"}
    assert 0.5 < accuracy["mean"] < 1


def test_results_are_kept_and_not_computed_again(
    files: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["evaluate", files / "people.csv", "-t", "status", "--cv", "2", "--out", files / "a" / "b"]
    first = run(*arguments, "--repeats", "1")
    assert first.code == 0, first
    folder = files / "a" / "b"
    names = ["data.json", "evaluation.md", "evaluation.tex", "results.csv"]
    assert sorted(path.name for path in folder.iterdir()) == names
    assert Results.read(folder / "results.csv").frame.height == 4
    assert Results.read(folder / "results.csv").methods == ("default", "NB")  # where none are named
    assert "| NB " in (folder / "evaluation.md").read_text()
    with monkeypatch.context() as patch:
        patch.setattr(bayleaf.BayesNetClassifier, "fit", lambda *args: pytest.fail("fitted again"))
        assert run(*arguments, "--repeats", "1").out == first.out
    assert run(*arguments, "--repeats", "2").code == 0
    assert Results.read(folder / "results.csv").frame.height == 8


def test_results_of_other_data_or_options_are_refused(files: Path, run: Run, refused: Refused) -> None:
    arguments = ["evaluate", files / "people.csv", "-t", "status", "--out", files / "r", "--repeats", "1"]
    assert run(*arguments, "--cv", "2").code == 0
    assert "from other data, another target or other columns" in refused(
        *arguments, "--cv", "2", "--drop", "age"
    )
    assert "made with the protocol 'stratified 2-fold" in refused(*arguments, "--cv", "3")
    assert "made with other parameters" in refused(*arguments, "--cv", "2", "--discretizer", "median")
    (files / "people.csv").write_text((files / "people.csv").read_text().replace("Bath", "York"))
    assert "from other data" in refused(*arguments, "--cv", "2")


def test_a_folder_keeps_its_tables_and_takes_more(
    files: Path, run: Run, refused: Refused, table: pl.DataFrame
) -> None:
    table.write_csv(files / "other.csv")
    arguments = ["-t", "status", "--cv", "2", "--repeats", "1", "-o", files / "r"]
    assert run("evaluate", files / "people.csv", *arguments).code == 0
    before = {path.name: path.read_bytes() for path in (files / "r").iterdir()}
    message = refused("evaluate", files / "other.csv", *arguments)
    assert "holds results of 'people', which is not among the tables of this call: name all tables" in message
    assert {path.name: path.read_bytes() for path in (files / "r").iterdir()} == before
    assert run("evaluate", files / "people.csv", files / "other.csv", *arguments).code == 0
    report = (files / "r" / "evaluation.md").read_text()
    assert "people" in report
    assert "other" in report


def test_the_last_line_names_the_files_that_were_written(files: Path, run: Run, table: pl.DataFrame) -> None:
    table.write_csv(files / "other.csv")
    for folder, tables in (("one", ["people.csv"]), ("two", ["people.csv", "other.csv"])):
        paths = [files / name for name in tables]
        arguments = ["-t", "status", "--cv", "2", "--repeats", "1", "-m", "NB,TAN,KDB", "-o", files / folder]
        line = run("evaluate", *paths, *arguments).out.splitlines()[-1]
        named = set(line.partition(": ")[2].split(", "))
        assert named == {path.name for path in (files / folder).iterdir()} - {"data.json"}
        assert any(name.endswith(".png") for name in named) == (folder == "two")


def test_several_data_sets_get_a_comparison(files: Path, run: Run, table: pl.DataFrame) -> None:
    table.rename({"status": "health"}).write_csv(files / "other.csv")
    paths = [files / "people.csv", files / "other.csv"]
    arguments = ["-t", "status", "-t", "health", "--cv", "2", "--repeats", "1", "-o", files / "r"]
    outcome = run("evaluate", *paths, *arguments)
    assert outcome.code == 0, outcome
    for part in (
        "accuracy",
        "log-loss",
        "Brier score",
        "AUC",
        "Comparison",
        "Average rank",
        "Wins/draws/losses",
    ):
        assert part in outcome.out
    assert "## Comparison" in (files / "r" / "evaluation.md").read_text()


def test_number_columns_as_categories(files: Path, run: Run) -> None:
    arguments = ["evaluate", files / "people.csv", "-t", "status", "--cv", "2", "--repeats", "1", "--json"]
    plain = json.loads(run(*arguments).out)
    as_categories = json.loads(run(*arguments, "--categorical", "age").out)
    everything = json.loads(run(*arguments, "--categorical", "all").out)
    size = [
        each["datasets"]["people"]["methods"]["NB"]["n_parameters"]["mean"] for each in (plain, as_categories)
    ]
    assert size[0] < size[1]
    # As a category, a dose of its own in every row is an identifier.
    without = json.loads(run(*arguments, "--categorical", "all", "--drop", "dose").out)
    results = [each["datasets"]["people"]["methods"]["NB"]["n_parameters"] for each in (everything, without)]
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "statsu"], "has no column 'statsu'. Did you mean 'status'?"),
        (["-t", "status", "-m", "NB,nope"], "There is no method 'nope'."),
        (["-t", "status", "-m", ","], "Give at least one method, such as NB"),
        (["-t", "status", "-m", "NB,RMCV(folds=0)"], "The 'folds' parameter of CrossValidatedRisk must be"),
        (["-t", "status", "-m", "NB, KDB(k=-3)"], "The 'k' parameter of KDB must be an int"),
        (["-t", "status", "--cv", "100"], "has too few rows for 100 folds: its largest class has"),
        (["-t", "status", "--cv", "1"], "See 'bayleaf evaluate --help'."),
        (["-t", "status", "-t", "status"], "Give --target once, or once for each of the 1 tables. Got 2."),
        (["-t", "status", "--drop", "none"], "has no column 'none'"),
        (["-t", "status", "--categorical", "none"], "has no column 'none'"),
    ],
)
def test_bad_options(files: Path, refused: Refused, arguments: list[str], message: str) -> None:
    assert message in refused("evaluate", files / "people.csv", *arguments, "--out", files / "r")
    assert not (files / "r").exists()


def test_types_say_what_columns_are(files: Path, run: Run, refused: Refused) -> None:
    call = [
        "evaluate",
        files / "people.csv",
        "-t",
        "status",
        "-m",
        "NB",
        "--cv",
        "2",
        "--repeats",
        "1",
        "--json",
    ]

    def accuracy(*more: str) -> float:
        return float(
            json.loads(run(*call, *more).out)["datasets"]["people"]["methods"]["NB"]["accuracy"]["mean"]
        )

    assert accuracy("--types", "dose=identifier,age=number") == accuracy("--drop", "dose") != accuracy()
    assert "--types is about the columns of one table" in refused(
        "evaluate", files / "people.csv", files / "people.parquet", "-t", "status", "--types", "age=number"
    )


def test_a_method_that_never_works_is_an_error(files: Path, run: Run) -> None:
    outcome = run("evaluate", files / "people.csv", "-t", "status", "-m", "NB, RMCV(folds=80)", "--cv", "2")
    assert outcome.code == 2
    assert "'RMCV(NBC)(folds=80)' failed in every fold:" in outcome.err
    assert "80 folds need at least 80 rows, and the table has 60" in outcome.err


@pytest.fixture
def picky(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the last of four fits fail: in one of two folds of the second method."""
    fit, calls = bayleaf.BayesNetClassifier.fit, []

    def fails(self: Any, *data: Any) -> Any:
        calls.append(self)
        if len(calls) == 4:
            raise RuntimeError("not these rows")
        return fit(self, *data)

    monkeypatch.setattr(bayleaf.BayesNetClassifier, "fit", fails)


@pytest.mark.usefixtures("picky")
def test_a_method_that_fails_in_a_fold_has_no_figures_but_a_reason(files: Path, run: Run) -> None:
    call = ("evaluate", files / "people.csv", "-t", "status", "-m", "NB,TAN", "--cv", "2", "--repeats", "1")
    outcome = run(*call, "-o", files / "r")
    reason = "TAN failed in 1 of 2 folds of people: RuntimeError: not these rows."
    assert outcome.code == 0
    assert "TAN failed failed failed failed" in " ".join(outcome.out.split())
    (line,) = (line for line in outcome.out.splitlines() if line.split()[:1] == ["NB"])
    assert line.count("±") == 4
    for text in (outcome.out, (files / "r" / "evaluation.md").read_text()):
        assert reason in " ".join(text.split())
    found = json.loads(run(*call, "-o", files / "r", "--json").out)["datasets"]["people"]["methods"]
    assert found["TAN"]["accuracy"] == {
        "mean": None,
        "deviation": None,
        "folds": 2,
        "failed": 1,
        "reason": "RuntimeError: not these rows",
    }
    assert found["NB"]["accuracy"]["reason"] is None


def test_tables_are_shown_where_a_method_fails_on_each(
    files: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit, calls = bayleaf.BayesNetClassifier.fit, []

    def fails(self: Any, X: Any, y: Any) -> Any:
        calls.extend([self] if isinstance(self.structure, bayleaf.TAN) else [])
        if isinstance(self.structure, bayleaf.TAN) and len(calls) % 2:  # in the first fold of two
            raise RuntimeError("not these rows")
        return fit(self, X, y)

    monkeypatch.setattr(bayleaf.BayesNetClassifier, "fit", fails)
    (files / "again.csv").write_bytes((files / "people.csv").read_bytes())
    tables = (files / "people.csv", files / "again.csv")
    outcome = run("evaluate", *tables, "-t", "status", "-m", "NB,TAN", "--cv", "2", "--repeats", "1")
    assert outcome.code == 0, outcome.err
    assert "TAN failed in" in outcome.out
    assert "Comparison" not in outcome.out


def test_bad_data_and_places(files: Path, refused: Refused) -> None:
    data = files / "people.csv"
    bad = files / "bad.csv"
    bad.write_text("age,status\n1,well\n2,well\n")
    assert "needs at least two classes" in refused("evaluate", data, bad, "-t", "status")
    assert "There is no file" in refused("evaluate", files / "none.csv", "-t", "status")
    assert "Two tables are named 'people'" in refused("evaluate", data, files / "people.tsv", "-t", "status")
    assert "it is a file." in refused("evaluate", data, "-t", "status", "-o", bad)


def test_foreign_files_in_the_folder_of_results_are_left_alone(files: Path, refused: Refused) -> None:
    folder = files / "foreign"
    folder.mkdir()
    call = ("evaluate", files / "people.csv", "-t", "status", "-o", folder)
    (folder / "results.csv").write_text("year,profit\n2024,100\n2025,250")
    assert "is not a result table of bayleaf" in refused(*call)
    assert (folder / "results.csv").read_text() == "year,profit\n2024,100\n2025,250"
    assert [path.name for path in folder.iterdir()] == ["results.csv"]
    (folder / "results.csv").unlink()
    for damaged in ("{", "[1]", '{"people": 3}'):
        (folder / "data.json").write_text(damaged)
        assert "is damaged, or not a file of bayleaf" in refused(*call)
        assert (folder / "data.json").read_text() == damaged


def test_results_of_the_same_file_read_otherwise_are_not_mixed(
    files: Path, run: Run, refused: Refused
) -> None:
    call = (
        "evaluate",
        files / "people.csv",
        "-t",
        "status",
        "--cv",
        "2",
        "--repeats",
        "1",
        "-o",
        files / "r",
    )
    assert run(*call).code == 0
    for more in (("--decimal", "comma"), ("--missing-values", "Ely")):
        assert "from other data, another target or other columns" in refused(*call, *more)
    assert run(*call).code == 0
