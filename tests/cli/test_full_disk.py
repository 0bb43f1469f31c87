"""A disk without room: one sentence with the file and the space it needs, and nothing half written."""

import errno
import io
import json
import re
import resource
from contextlib import contextmanager

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf._util import whole_files
from bayleaf._util.whole_files import FullDiskError, atomic_write, write_text
from cli.conftest import call

ROOM = 3000  # bytes


@contextmanager
def little_room(size=ROOM):
    """Let no file grow beyond a size: the system refuses it as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A table, and a model of it, both larger than there is room for."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    table = pl.DataFrame({**{f"x{j}": y + rng.normal(size=400) for j in range(5)}, "y": y})
    table.write_csv(folder / "table.csv")
    bl.BayesNetClassifier(bl.NaiveBayes(), bl.Dirichlet()).fit(table.drop("y"), table["y"]).save(
        folder / "m.json"
    )
    return folder


REFUSED = (
    r"Error: Cannot write '{}': files may not be so large here\. The file needs (more than )?[\d,.]+ \w+\. Make "
    r"room, or write it to another disk\."
)
COMMANDS = {
    "model": "fit {table} --target y -o {out}.json",
    "packed model": "fit {table} --target y -o {out}.json.gz",
    "parquet": "predict {model} {table} --out {out}.parquet",
    "predictions": "predict {model} {table} --out {out}.csv",
    "page": "report {model} -o {out}.html",
    "query": "sql {model} --table t -o {out}.sql",
    "network": "convert {model} {out}.bif",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_file_that_a_command_writes(command, place, tmp_path):
    words = COMMANDS[command].format(table=place / "table.csv", model=place / "m.json", out=tmp_path / "out")
    path = words.split()[-1]
    (tmp_path / path).write_text("what was there before")
    with little_room(1000):
        found = call(*words.split())
    assert found.code == 2, found.err
    error = found.err.splitlines()[-1]
    assert re.fullmatch(REFUSED.format(re.escape(path)), error), error
    assert [each.read_text() for each in tmp_path.iterdir()] == ["what was there before"]


def evaluate(place, folder, *more):
    return call(
        "evaluate", place / "table.csv", "--target", "y", "-m", "NB", "--repeats", 1, "--out", folder, *more
    )


@pytest.mark.parametrize("room", [10, 200, 300])
def test_an_evaluation_without_a_result_leaves_no_folder(room, place, tmp_path):
    with little_room(room):
        found = evaluate(place, tmp_path / "found")
    name = "data.json" if room == 10 else "results.csv"
    assert found.code == 2
    assert re.match(REFUSED.format(tmp_path / "found" / name), found.err), found.err
    assert list(tmp_path.iterdir()) == []


def test_an_evaluation_with_some_results_goes_on_later(place, tmp_path):
    whole = tmp_path / "whole"
    assert evaluate(place, whole).code == 0
    lines = (whole / "results.csv").read_bytes().splitlines(keepends=True)
    with little_room(sum(map(len, lines[:3])) + 20):
        found = evaluate(place, tmp_path / "found")
    assert found.code == 2
    assert "results.csv': files may not be so large here." in found.err
    assert found.err.endswith(
        "results are kept in '" + str(tmp_path / "found") + "': the same call goes on from there.\n"
    )
    kept = (tmp_path / "found" / "results.csv").read_bytes()
    assert kept.count(b"\n") == 3
    assert evaluate(place, tmp_path / "found").code == 0
    assert (tmp_path / "found" / "results.csv").read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])
    assert (tmp_path / "found" / "results.csv").read_bytes().count(b"\n") == len(lines)


class Full(io.BytesIO):
    """A file on a full disk: what is written to it, or only what is left when it is closed, has no room."""

    at_the_end = False

    def write(self, data):
        if not self.at_the_end:
            raise OSError(errno.ENOSPC, "No space left on device")
        return len(data)

    def flush(self):
        if self.at_the_end:
            raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("at_the_end", [False, True])
@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_a_full_disk(name, at_the_end, tmp_path, monkeypatch):
    monkeypatch.setattr(Full, "at_the_end", at_the_end)
    monkeypatch.setattr(whole_files, "open", lambda *_: Full(), raising=False)
    monkeypatch.setattr(
        whole_files.shutil, "disk_usage", lambda _: whole_files.shutil._ntuple_diskusage(9, 8, 10_240)
    )
    with pytest.raises(FullDiskError) as caught:
        write_text(tmp_path / name, "x" * 20_480)
    needed = "20 KiB" if name == "a.txt" else "61 bytes"
    found = (
        f"Cannot write '{tmp_path / name}': the disk is full. The file needs {needed}, and 10 KiB are free. Make "
        "room, or write it to another disk."
    )
    assert str(caught.value) == found
    assert list(tmp_path.iterdir()) == []
    assert isinstance(caught.value, OSError)
    assert isinstance(caught.value, ValueError)


def test_other_errors_stay_what_they_are(tmp_path):
    with pytest.raises(OSError, match=r"^broken$") as caught, atomic_write(tmp_path / "a"):
        raise OSError("broken")
    assert not isinstance(caught.value, FullDiskError)


def test_a_model_is_written_where_there_is_room_again(place, tmp_path):
    model = bl.load(place / "m.json")
    with little_room(), pytest.raises(FullDiskError, match="needs"):
        model.save(tmp_path / "m.json")
    model.save(tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())["format"] == "bayleaf"
