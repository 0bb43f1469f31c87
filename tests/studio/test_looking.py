"""How the studio shows a table, and how it says that rows to score are read."""

import re
import subprocess
import sys

import polars as pl
import pytest

import bayleaf as bl
from bayleaf.studio.learning import Learning
from bayleaf.studio.looking import reading_report, table_data
from bayleaf.studio.project import TABLES, Project, Settings, Wish, project_for, uploaded_name
from cli.conftest import call, people


@pytest.fixture
def project(tmp_path):
    people().write_csv(tmp_path / "people.csv")
    return project_for(tmp_path / "people.csv")


@pytest.mark.parametrize("target", [None, "status"])
def test_the_lines_are_those_of_inspect(project, target, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    project.change(Settings.of({"target": target, "types": {"age": "category"}, "drop": ["town"]}))
    data = table_data(project)
    words = ["--types", "age=category", "--drop", "town", *(["-t", target] if target else [])]
    said = call("inspect", project.table_path, *words).out
    shown = [column for column in data["columns"] if column["read_as"] not in ("class", "left out")]
    assert [column["column"] for column in shown] == [
        n for n in ("age", "dose", "smoker", "status") if n != target
    ]
    for column in shown:
        assert column["read_as"] in said
        assert column["states"] in said
    assert data["columns"][0]["chosen"] == "category"


def test_a_column_shows_its_gaps_examples_and_a_picture(project):
    by_name = {column["column"]: column for column in table_data(project)["columns"]}
    dose = people()["dose"]
    assert by_name["dose"]["missing"] == dose.null_count() / len(dose)
    assert sum(count for _, count in by_name["dose"]["bars"]) == len(dose.drop_nulls())
    assert {label for label, _ in by_name["town"]["bars"]} == {"Bath", "Wells", "Ely"}
    assert by_name["town"]["why"] == "text, 3 different values"


@pytest.mark.parametrize(
    ("name", "problem"), [("dose", "holds numbers"), ("town", None), ("one", "the same value in all rows")]
)
def test_a_target_that_is_no_class_is_said(tmp_path, name, problem):
    people().with_columns(one=1).write_csv(tmp_path / "p.csv")
    project = project_for(tmp_path / "p.csv")
    project.change(Settings.of({"target": name}))
    found = table_data(project)["classes"]["problem"]
    assert (found is None) if problem is None else (problem in found)


def test_advice_names_twins_and_texts_that_repeat_nothing(tmp_path):
    frame = people().with_columns(again=pl.col("dose"), remark=pl.Series([f"text {k}!" for k in range(120)]))
    frame = frame.with_columns(
        pl.when(pl.int_range(120) % 40 == 0).then(pl.lit("x")).otherwise("remark").alias("remark")
    )
    frame.write_csv(tmp_path / "p.csv")
    advised = {each["column"]: each["text"] for each in table_data(project_for(tmp_path / "p.csv"))["advice"]}
    assert "again says the same as dose in every row" in advised["again"]


def test_rows_to_score_are_reported_column_by_column():
    model = bl.BayesNetClassifier().fit(people().drop("status"), people()["status"])
    rows = pl.DataFrame(
        {"age": ["31", "n.d.", None, "old"], "town": ["Bath", "Rome", "Ely", None], "dose": [1.0, 2, 3, 4]}
    )
    report = {line["column"]: line for line in reading_report(model, rows)}
    assert (report["age"]["unread"], report["age"]["examples"]) == (1, ["old"])
    assert (report["town"]["unknown"], report["town"]["empty"], report["town"]["examples"]) == (
        1,
        1,
        ["Rome"],
    )
    assert report["dose"]["read"] == 4
    assert report["smoker"]["absent"] is True


def test_a_project_is_opened_as_it_was_left(project):
    project.change(Settings.of({"target": "status", "drop": ["town"]}))
    project.wishes = [Wish("age", "dose", True)]
    project.save()
    again = Project(project.folder)
    assert (again.settings, again.wishes, again.data) == (project.settings, project.wishes, project.data)


def test_another_table_forgets_the_settings_of_the_last(project, tmp_path):
    project.change(Settings.of({"target": "status"}))
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    project.use(tmp_path / "other.csv")
    assert project.settings == Settings()


def test_a_table_that_changed_keeps_its_settings_but_its_versions_do_not_go_on(project):
    project.change(Settings.of({"target": "status"}))
    number = project.new_version()
    people(130).write_csv(project.table_path)
    for again in (project_for(project.folder), project_for(project.table_path)):
        assert again.settings.target == "status"
        assert again.data.sha256 != project.data.sha256
    with pytest.raises(ValueError, match="not the one that this version began with"):
        Learning(project.folder, number, print)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nothing.csv", "No such file"),
        ("model.pkl", "is no table, model file or project"),
        ("full", "is not a project"),
    ],
)
def test_what_is_no_project_is_refused(tmp_path, monkeypatch, path, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.pkl").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.txt").write_text("")
    with pytest.raises((ValueError, OSError), match=said):
        project_for(tmp_path / path)


def test_only_the_ending_of_a_name_is_kept():
    assert uploaded_name("C:\\temp\\..\\Patients.XLSX", "data") == ("Patients.XLSX", "data.xlsx")
    assert uploaded_name("a.csv.gz", "rows") == ("a.csv.gz", "rows.csv.gz")


def test_the_studio_takes_every_table_that_can_be_read():
    with pytest.raises(bl.tables.DataFileError, match="does not tell its format") as caught:
        bl.tables.read_data(__file__)
    assert set(re.findall(r"\.\w+", str(caught.value).partition("should end in")[2])) - {".gz"} == {*TABLES}


def test_the_studio_opens_before_it_loads_what_reads_tables():
    script = "import sys, bayleaf.studio.workbench as w; w.Project('p').name; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"numpy", "polars", "sklearn", "bayleaf.data"} & {*done.stdout.split()}


def test_an_arrow_file_is_read_either_way(tmp_path):
    people().write_ipc(tmp_path / "a.arrow")
    people().write_ipc_stream(tmp_path / "b.arrow")
    for name in ("a.arrow", "b.arrow"):
        assert bl.tables.read_data(tmp_path / name).equals(people())
    (tmp_path / "c.arrow").write_bytes(b"ARROW1 and then nothing")
    with pytest.raises(bl.tables.DataFileError, match="is truncated or damaged"):
        bl.tables.read_data(tmp_path / "c.arrow")
