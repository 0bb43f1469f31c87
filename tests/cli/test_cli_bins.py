"""``--bins``: a target of numbers becomes a few classes, which are named by their numbers."""

import numpy as np
import polars as pl
import pytest

import bayleaf as bl

from .conftest import Run


@pytest.fixture
def houses(tmp_path):
    rng = np.random.default_rng(0)
    rooms = rng.integers(1, 7, 200)
    price = rooms * 50_000 + rng.integers(0, 40_000, 200)
    path = tmp_path / "houses.csv"
    pl.DataFrame(
        {"rooms": rooms, "price": price, "euros": [f"{p:,} €".replace(",", ".") for p in price]}
    ).write_csv(path)
    return path


def test_numbers_become_classes_of_about_as_many_rows(run: Run, houses, tmp_path):
    outcome = run("fit", houses, "-t", "price", "--drop", "euros", "--bins", 4, "-o", tmp_path / "m.json")
    assert outcome.code == 0, outcome.err
    model = bl.load(tmp_path / "m.json")
    price = pl.read_csv(houses)["price"].to_numpy()
    cuts = np.quantile(price, [0.25, 0.5, 0.75])
    assert len(model.classes_) == 4
    assert sorted(model.training_.class_weights) == [50, 50, 50, 50]
    highest = next(label for label in model.classes_ if label.startswith("≥ "))
    assert cuts[2] - 3000 < int(highest.removeprefix("≥ ")) < cuts[2] + 3000
    assert model.predict(pl.DataFrame({"rooms": [6]})).tolist() == [highest]
    assert "--bins" in model.training_.command


def test_money_is_cut_in_its_own_style(run: Run, houses):
    outcome = run("inspect", houses, "-t", "euros", "--drop", "price", "--bins", 3)
    assert outcome.code == 0, outcome.err
    classes = outcome.out.split("3 classes: ")[1].strip().split(", ")
    assert [each[0] for each in classes] == ["1", "≤", "≥"]
    assert all("." in each for each in classes)  # thousands


@pytest.mark.parametrize(
    "words", [["evaluate", "-m", "NB", "--cv", "2", "--repeats", "1"], ["compare", "-m", "NB,TAN"]]
)
def test_measures_are_those_of_the_classes(run: Run, houses, words):
    outcome = run(*words[:1], houses, "-t", "price", "--drop", "euros", "--bins", 2, *words[1:], "--json")
    assert outcome.code == 0, outcome.err
    assert '"accuracy"' in outcome.out.lower()


def test_the_sentence_about_a_wrong_target_names_it(run: Run, houses, tmp_path):
    outcome = run("fit", houses, "-t", "price", "-o", tmp_path / "m.json")
    assert outcome.code == 2
    assert "cut it with --bins 4 into a few classes" in " ".join(outcome.err.split())


def test_texts_cannot_be_cut(run: Run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,kind\n" + "1,red\n2,blue\n" * 10)
    outcome = run("fit", path, "-t", "kind", "--bins", 2, "-o", tmp_path / "m.json")
    assert outcome.code == 2
    assert "holds no numbers, but 'red': --bins is for numbers." in " ".join(outcome.err.split())
