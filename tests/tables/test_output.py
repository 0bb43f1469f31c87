"""Writing tables: what is written is read back, and nothing is ever half-written."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bayleaf._util.whole_files import DataFileError, check_output, is_packed
from bayleaf.tables import prediction_frame, read_data, write_predictions, write_table

TABLE = pl.DataFrame({"n": [1, None], "x": [0.1 + 0.2, 1e-300], "b": [True, False], "s": ['a, "b"', "c\td"]})


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.TSV", "a.parquet", "a.pq"])
def test_tables_come_back(tmp_path: Path, name: str) -> None:
    write_table(TABLE, tmp_path / name)
    assert read_data(tmp_path / name).equals(TABLE, null_equal=True)
    assert [path.name for path in tmp_path.iterdir()] == [name]


TEXT_NAMES = ["a.csv", "a.tsv", "a.tab", "a.txt", "a.data"]
MARKED = ["P(a,b)", "P(c;d)", "tab\there", 'a "quote"', "P(e|f)", "plain"]


@pytest.mark.parametrize("name", [*TEXT_NAMES, *(f"{name}.gz" for name in TEXT_NAMES)])
def test_names_with_marks_that_separate_come_back(tmp_path: Path, name: str) -> None:
    whole = pl.DataFrame({column: [0.25, 0.5, float(k)] for k, column in enumerate(MARKED)})
    for frame in (whole, *(whole.select(column) for column in MARKED)):
        write_table(frame, tmp_path / name)
        assert read_data(tmp_path / name).equals(frame)
    assert is_packed(name) == (tmp_path / name).read_bytes().startswith(b"\x1f\x8b")


def test_a_quoted_name_does_not_decide_what_separates(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('"P(a,b)";x\n1;2\n')
    assert read_data(tmp_path / "a.csv").to_dict(as_series=False) == {"P(a,b)": [1], "x": [2]}


def test_predictions_have_a_column_per_class(tmp_path: Path) -> None:
    write_predictions(tmp_path / "p.csv", np.array([False, True]), np.array([True]), np.array([[0.25, 0.75]]))
    assert (tmp_path / "p.csv").read_text() == "prediction,P(false),P(true)\ntrue,0.25,0.75\n"
    frame = prediction_frame([1, 2], [2, 1], [[0.4, 0.6], [0.9, 0.1]])
    assert frame.to_dict(as_series=False) == {"prediction": [2, 1], "P(1)": [0.4, 0.9], "P(2)": [0.6, 0.1]}


def test_unwritable_places_leave_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder.csv").mkdir()
    for name, message in [
        ("no/such/a.csv", r"the folder '.*such' does not exist\.$"),
        ("folder.csv", r"it is a folder\.$"),
        ("file/a.csv", r"is not a folder\.$"),
        ("a.xlsx", r"Cannot tell the format of '.*a\.xlsx' by its name: use one of \.csv, "),
    ]:
        with pytest.raises(DataFileError, match=message):
            write_table(TABLE, tmp_path / name)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder.csv"]


def test_no_permission_is_said_before_work_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(DataFileError, match=r"no permission to write into the folder '.*'\.$"):
        check_output(tmp_path / "a.csv")


def test_a_failure_while_writing_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")

    def disk_full(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_csv", disk_full)
    with pytest.raises(DataFileError, match=r"^Cannot write '.*a\.csv': the disk is full\. Make room, or "):
        write_table(TABLE, path)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]
