"""Tables that commands read in batches."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayleaf
from bayleaf._util.whole_files import DataFileError
from bayleaf.cli import predict
from bayleaf.tables.table_batches import read_batches

Run = Callable[..., Any]
Refused = Callable[..., str]


@pytest.fixture
def parts(tmp_path: Path, table: pl.DataFrame) -> list[Path]:
    folder = tmp_path / "parts"
    folder.mkdir()
    paths = [folder / f"part-{number}.parquet" for number in range(3)]
    for number, path in enumerate(paths):
        table[40 * number : 40 * (number + 1)].write_parquet(path)
    return paths


def same(one: Path, other: Path) -> None:
    models = [bayleaf.load(one), bayleaf.load(other)]
    assert models[0].schema_ == models[1].schema_
    for found, expected in zip(*(model.network_.tables for model in models), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_several_files_are_one_table(parts: list[Path], files: Path, run: Run) -> None:
    done = run("fit", *parts, "--target", "status", "-o", files / "parts.json")
    assert done.code == 0, done.err
    assert "fitted to 3 files in" in done.out
    whole = run("fit", files / "people.parquet", "--target", "status", "-o", files / "whole.json")
    facts = [[line for line in each.out.splitlines() if line.startswith("  ")] for each in (done, whole)]
    assert facts[0] == facts[1]  # rows, features, classes
    assert len(facts[0]) > 3
    same(files / "parts.json", files / "whole.json")
    run("fit", parts[0].parent, "--target", "status", "-o", files / "folder.json")
    same(files / "folder.json", files / "whole.json")


def test_stream_forces_and_large_tables_stream_by_themselves(
    files: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    fit_from = bayleaf.BayesNetClassifier.fit_from

    def recorded(self: Any, source: Any, *rest: Any, **settings: Any) -> Any:
        calls.append(source)
        return fit_from(self, source, *rest, **settings, sample_rows=60)

    monkeypatch.setattr(bayleaf.BayesNetClassifier, "fit_from", recorded)
    arguments = ("--target", "status", "-o", files / "m.json", "--method", "TAN")
    run("fit", files / "people.csv", *arguments)
    assert not calls
    done = run("fit", files / "people.csv", *arguments, "--stream")
    assert len(calls) == 1
    assert "cut points from a uniform sample of 60 of 120 rows" in " ".join(done.out.split())
    assert bayleaf.load(files / "m.json").training_.sampled == {"rows read": 120, "cut points": 60}
    monkeypatch.setattr("bayleaf.cli.fit.available_memory", lambda: 8000)
    for name in ("people.csv", "people.parquet"):
        run("fit", files / name, *arguments)
    assert len(calls) == 3


def test_ensembles_learn_from_a_sample(
    parts: list[Path], files: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit_from = bayleaf.AveragedClassifier.fit_from
    monkeypatch.setattr(
        bayleaf.AveragedClassifier, "fit_from", lambda *given, **set: fit_from(*given, **set, sample_rows=60)
    )
    done = run("fit", *parts, "--target", "status", "-o", files / "m.json", "--method", "AODE")
    assert done.code == 0, done.err
    assert "networks from a uniform sample of 60 of 120 rows" in " ".join(done.out.split())
    assert bayleaf.load(files / "m.json").training_.sampled == {"rows read": 120, "networks": 60}


def test_what_is_not_for_batches(parts: list[Path], files: Path, run: Run, refused: Refused) -> None:
    arguments = ("fit", *parts, "--target", "status", "-o", files / "m.json")
    assert "--cv is not for tables that are read in batches" in refused(*arguments, "--cv", "5")
    assert "--require-class is not for tables" in refused(*arguments, "--require-class")
    parts[1].write_bytes(parts[1].read_bytes()[:-50])
    assert "part-1.parquet' is truncated or damaged" in refused(*arguments)
    assert not (files / "m.json").exists()


@pytest.mark.parametrize("output", ["out.parquet", "out.csv", "out.tsv.gz"])
def test_predictions_are_written_in_batches(
    files: Path, model: Path, run: Run, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bayleaf.streams.file_reader.BATCH_ROWS", 50)
    expected = run("predict", model, files / "people.csv", "-o", files / f"expected-{output}")
    totals = []

    class Watched(predict.Steps):
        def __init__(self, description, total=None, **others):
            totals.append(total)
            super().__init__(description, total, **others)

    monkeypatch.setattr(predict, "Steps", Watched)
    done = run("predict", model, files / "people.parquet", "-o", files / output)
    assert totals == [120]
    assert done.code == 0, done.err
    assert "(120 rows)" in done.out
    assert done.err == expected.err
    one, other = (bayleaf.tables.read_data(files / name) for name in (output, f"expected-{output}"))
    assert one.equals(other)


@pytest.mark.parametrize("output", ["out.parquet", "out.csv", "-"])
def test_text_is_read_in_batches(
    files: Path, model: Path, run: Run, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = (files / "people.csv").read_bytes()
    options = ("--keep", "dose,town", "--threshold", "0.9", "--explain")
    expected = run("predict", model, files / "people.csv", *options, "-o", output_of(files, output, 1))
    monkeypatch.setattr("bayleaf.tables.table_batches.PIECE_BYTES", 500)
    assert len(list(read_batches(files / "people.csv"))) > 3
    done = run("predict", model, files / "people.csv", *options, "-o", output_of(files, output, 2))
    assert done.code == 0, done.err
    assert done.err == expected.err
    if output == "-":
        assert done.out == expected.out
        assert run("predict", model, "-", *options, given=content).out == expected.out
    else:
        one, other = (bayleaf.tables.read_data(output_of(files, output, number)) for number in (1, 2))
        assert one.equals(other)


def output_of(folder: Path, output: str, number: int) -> str:
    return output if output == "-" else str(folder / f"{number}-{output}")


def test_a_row_is_numbered_from_the_beginning_of_the_file(
    files: Path, model: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bayleaf.tables.table_batches.PIECE_BYTES", 500)
    lines = (files / "people.csv").read_text().splitlines()
    lines[101] = ",".join(["old", *lines[101].split(",")[1:]])
    (files / "odd.csv").write_text("\n".join(lines))
    said = refused("predict", model, files / "odd.csv", "-o", files / "out.csv")
    assert "'old' in row 101 of" in said
    assert not (files / "out.csv").exists()


def test_parts_of_one_file_have_one_type(tmp_path: Path) -> None:
    parts = [pl.DataFrame({"a": [1.5]}), pl.DataFrame({"a": [2]})]
    predict.write_batches(iter(parts), tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet")["a"].to_list() == [1.5, 2.0]
    with pytest.raises(
        DataFileError, match="Column 'a' is Int64 in the first rows and String later: write CSV"
    ):
        predict.write_batches(iter([parts[1], pl.DataFrame({"a": ["x"]})]), tmp_path / "bad.parquet")
    assert not (tmp_path / "bad.parquet").exists()


def test_a_later_part_keeps_its_fractions_or_is_refused(tmp_path: Path) -> None:
    whole = pl.DataFrame({"a": [1], "b": [None]}, schema={"a": pl.Int64, "b": pl.String})
    exact = pl.DataFrame({"a": [2.0, None], "b": [True, False]})
    predict.write_batches(iter([whole, exact]), tmp_path / "out.parquet")
    assert pl.read_parquet(tmp_path / "out.parquet").rows() == [(1, None), (2, "true"), (None, "false")]
    for later in (1.5, "07"):
        parts = iter([whole, pl.DataFrame({"a": [later], "b": [None]})])
        with pytest.raises(DataFileError, match=r"'a' is Int64 in the first rows and (Float64|String) later"):
            predict.write_batches(parts, tmp_path / "bad.parquet")
    assert not (tmp_path / "bad.parquet").exists()


def test_decimal_commas_are_those_of_the_whole_file(
    files: Path, model: Path, run: Run, table: pl.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = table.with_columns(
        age=pl.Series(["1.234"] * 60 + ["1,5"] * 60), dose=pl.Series(["1,25"] * 119 + ["0,1"])
    )
    odd.write_csv(files / "odd.csv", separator=";")
    content = (files / "odd.csv").read_bytes()
    expected = run("predict", model, files / "odd.csv")
    monkeypatch.setattr("bayleaf.tables.table_batches.PIECE_BYTES", 500)
    assert run("predict", model, files / "odd.csv").out == expected.out
    assert run("predict", model, "-", given=content).out == expected.out


def test_a_half_written_result_is_none(
    files: Path, model: Path, refused: Refused, table: pl.DataFrame
) -> None:
    path = files / "bad.parquet"
    table.write_parquet(path, row_group_size=40, compression="uncompressed")
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 400] = bytes(400)
    path.write_bytes(content)
    assert "bad.parquet' is truncated or damaged" in refused(
        "predict", model, path, "-o", files / "out.parquet"
    )
    assert not (files / "out.parquet").exists()


def test_errors_of_a_later_batch_keep_their_words(tmp_path: Path) -> None:
    def frames():
        yield pl.DataFrame({"a": [1]})
        raise DataFileError("The disk is gone.")

    with pytest.raises(DataFileError, match="The disk is gone"):
        predict.write_batches(frames(), tmp_path / "out.parquet")
    assert list(tmp_path.iterdir()) == []
