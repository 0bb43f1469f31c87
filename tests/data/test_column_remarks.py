"""Notes about columns that perhaps should not be used: identifiers that repeat, and columns that say the same."""

import numpy as np
import polars as pl
import pytest

import bayleaf as bl

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)


def remarks(columns):
    return bl.BayesNetClassifier(structure=bl.NaiveBayes()).inspect(pl.DataFrame(columns), Y).remarks


def test_an_identifier_that_repeats_is_noted():
    ids = np.append(np.arange(170), RNG.integers(0, 170, 30))
    found = remarks({"subject_id": ids, "depth": ids, "age": RNG.normal(size=200)})
    assert found[0] == (
        "'subject_id' looks like an identifier that repeats (170 different values in 200 rows): "
        "the type identifier leaves it out"
    )
    assert len(found) == 2  # of depth, that it says the same
    assert remarks({"patient_id": [f"p{k}" for k in ids], "age": RNG.normal(size=200)})[0].startswith(
        "'patient_id'"
    )
    assert remarks({"subject_id": ids % 100, "age": RNG.normal(size=200)}) == []  # half of the rows


@pytest.mark.parametrize(
    "other",
    [
        lambda size: [f"size {k}" for k in size],
        lambda size: 3 - size,
        lambda size: np.where(size == 1, np.nan, size * 2.5),
    ],
)
def test_columns_that_say_the_same_are_noted(other):
    size = RNG.integers(0, 3, 200)
    found = remarks({"age": RNG.normal(size=200), "size": size, "other": other(size)})
    assert found == ["'other' says the same as 'size', one to one"]


def test_measurements_in_two_units_say_the_same():
    cm = RNG.normal(170, 10, 200)
    assert remarks({"cm": cm, "inch": cm / 2.54}) == ["'inch' says the same as 'cm', one to one"]
    assert remarks({"cm": cm, "left": -cm}) == ["'left' says the same as 'cm', one to one"]
    assert remarks({"cm": cm, "other": cm + RNG.normal(size=200)}) == []


def test_one_row_that_differs_is_enough_beyond_the_first_rows_too():
    rng = np.random.default_rng(1)
    size = rng.integers(0, 3, 3000)
    almost = np.append(size[:-1], (size[-1] + 1) % 3)
    X, y = pl.DataFrame({"size": size, "almost": almost, "same": size + 10}), rng.integers(0, 2, 3000)
    schema = bl.BayesNetClassifier().inspect(X, y)
    assert schema.remarks == ["'same' says the same as 'size', one to one"]


def test_fit_and_the_page_tell_them(tmp_path):
    from typer.testing import CliRunner

    from bayleaf.cli.app import app

    size = RNG.integers(0, 3, 200)
    data = tmp_path / "t.csv"
    names = [f"size {k}" for k in size]
    pl.DataFrame({"size": size, "name": names, "age": RNG.normal(size=200), "y": Y}).write_csv(data)
    words = ["fit", str(data), "-t", "y", "-o", str(tmp_path / "m.json")]
    done = CliRunner().invoke(app, words)
    assert "'name' says the same as 'size', one to one" in " ".join(done.output.split())
    bl.load(tmp_path / "m.json").report(path=tmp_path / "m.html")
    assert "says the same as \\u0027size\\u0027" in (tmp_path / "m.html").read_text(encoding="utf-8").replace(
        "'", "\\u0027"
    )
