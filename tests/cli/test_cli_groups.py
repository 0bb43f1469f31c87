"""Groups of rows and times in fit, evaluate and compare."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayleaf

Run = Callable[..., Any]
Refused = Callable[..., str]


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    who = np.repeat(rng.permutation(40), 5)
    marks, sick = rng.integers(0, 6, (40, 5)), rng.integers(0, 2, 40)
    frame = pl.DataFrame({f"m{j}": [f"v{mark}" for mark in marks[who, j]] for j in range(5)})
    frame = frame.with_columns(
        pl.Series("patient", [f"P{each}" for each in who]),
        pl.Series("day", [f"{1 + k // 10}.3.2024" for k in range(200)]),
        pl.Series("state", np.where(sick[who] == 1, "sick", "well")),
    )
    path = tmp_path / "visits.csv"
    frame.write_csv(path)
    return path


def test_fit_names_blocks_and_times_and_takes_groups(visits: Path, run: Run) -> None:
    model = visits.parent / "m.json"
    plain = run("fit", visits, "-t", "state", "-o", model)
    assert "Blocks" in plain.out
    assert "patient" in plain.out
    assert "--groups" in plain.out
    assert "rows share times" in plain.out
    grouped = run("fit", visits, "-t", "state", "-o", model, "--groups", "patient", "--cv", "4")
    assert grouped.code == 0, grouped.err
    assert "none of the 40 groups was parted" in " ".join(grouped.out.split())
    assert "Blocks" not in grouped.out
    assert "see --cv" in " ".join(plain.out.split())
    assert "optimistic on so few rows, see below" in " ".join(grouped.out.split())
    fitted = bayleaf.load(model)
    assert "patient" not in [column.name for column in fitted.schema_.columns]
    assert fitted.training_.cross_validated.value("Accuracy") < 0.7


def test_evaluate_and_compare_by_groups_and_time(visits: Path, run: Run) -> None:
    few = ("-t", "state", "-m", "NB,TAN", "--cv", "3", "--repeats", "1")
    found = {}
    for name, more in {"plain": ("--drop", "patient"), "grouped": ("--groups", "patient")}.items():
        document = json.loads(run("evaluate", visits, *few, *more, "--json").out)
        found[name] = document["datasets"]["visits"]["methods"]["TAN"]["accuracy"]["mean"]
    assert document["protocol"]["groups"] == 40
    assert found["grouped"] < 0.65 < 0.75 < found["plain"]
    timed = run("evaluate", visits, *few, "--time", "day")
    assert "3 test folds (in the order of time" in " ".join(timed.out.split())
    compared = run("compare", visits, *few, "--groups", "patient")
    assert "40 groups of rows that are not parted" in " ".join(compared.out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("evaluate", "--groups", "patiant"), "has no column 'patiant'. Did you mean 'patient'"),
        (("evaluate", "--groups", "patient", "--time", "day"), "give --groups or --time"),
        (("compare", "--time", "m1"), "time must be numbers, dates or times"),
        (("fit", "-o", "m.json", "--time", "day"), "give --cv too"),
        (("evaluate", "--groups", "day", "--cv", "50"), "too few groups for 50 folds: 20"),
    ],
)
def test_wrong_groups_are_refused(
    visits: Path, refused: Refused, arguments: tuple[str, ...], message: str
) -> None:
    command, *more = arguments
    assert message in refused(command, visits, "-t", "state", *more)


def test_values_that_folds_lack_are_named_once(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    rows = [f"P{k // 4},{k % 7},w{rng.integers(40)},{'ab'[rng.integers(2)]}" for k in range(120)]
    (tmp_path / "d.csv").write_text("\n".join(["zip,x,word,c", *rows]))
    for command in (
        ("evaluate", "-m", "NB,TAN", "--repeats", "2"),
        ("fit", "-m", "NB", "-o", tmp_path / "m.json"),
    ):
        found = run(command[0], tmp_path / "d.csv", "-t", "c", "--cv", "10", *command[1:])
        assert found.code == 0, found.err
        said = [line for line in found.err.splitlines() if "Held-out rows have values" in line]
        assert len(said) == 1, found.err
        assert "of column 'word'" in said[0]
        assert "not seen in fit" not in found.err
        assert "more like these" not in found.err


def test_warnings_and_notes_name_the_options_of_the_command(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    reasons = ["was late", "came back broken", "lost on the way", "nobody at home again"]
    rows = [
        f"k{k}a,parcel {k} {reasons[k % 4]},P{k // 4},{k if k % 9 else 'n.d.'},{'ab'[k % 2]}"
        for k in range(120)
    ]
    (tmp_path / "d.csv").write_text("\n".join(["key,the remark,zip,x,c", *rows]))
    shown = " ".join(run("inspect", tmp_path / "d.csv", "-t", "c").out.split())
    assert "see --groups of fit and evaluate" in shown
    assert '--types "the remark=text"' in shown
    found = run("evaluate", tmp_path / "d.csv", "-t", "c", "-m", "NB", "--cv", "3", "--repeats", "1").err
    assert "(--types COLUMN=category keeps it)" in found
    assert '--types "the remark=text" makes features' in found
    assert "use --missing-values or --types." in found
    for python in ("identifiers=", "column_types", "missing_values", "groups="):
        assert python not in shown + found


def test_fit_assesses_in_the_order_of_time(visits: Path, run: Run) -> None:
    model = visits.parent / "m.json"
    done = run("fit", visits, "-t", "state", "-o", model, "--time", "day", "--cv", "4", "--drop", "patient")
    assert done.code == 0, done.err
    assert "4 folds: accuracy" in " ".join(done.out.split())
    assert bayleaf.load(model).training_.cross_validated.rows == 160
