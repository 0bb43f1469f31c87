"""Model cards: what the model knows, figures by group, and a front matter that other programs can read."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml

import bayleaf as bl
from bayleaf.page.model_card import card_text


def rows(n: int = 300) -> tuple[pl.DataFrame, list[str]]:
    rng = np.random.default_rng(3)
    sick = rng.random(n) < 0.3
    frame = pl.DataFrame(
        {
            "fever": np.where(rng.random(n) < np.where(sick, 0.9, 0.2), "yes", "no"),
            "ward|<b>": rng.choice(["a", "b"], n),
        }
    )
    return frame, np.where(sick, "flu", "none").tolist()


def fitted() -> bl.BayesNetClassifier:
    X, y = rows()
    model = bl.BayesNetClassifier().fit(X, y)
    return model.describe(title="Is it the flu?", descriptions={"fever": "At home, 38.5 or more."})


def head(card: str) -> Any:
    _, front, _ = card.split("---\n", 2)
    return yaml.safe_load(front)


def test_a_card_from_a_file_says_the_same(tmp_path: Path) -> None:
    model = fitted()
    model.save(tmp_path / "m.json")
    model.card(tmp_path / "card.md")
    card = (tmp_path / "card.md").read_text()
    assert card == card_text(bl.load(tmp_path / "m.json"))
    assert "# Is it the flu?" in card
    assert "At home, 38.5 or more." in card
    counts = [f"| {label} | {rows()[1].count(label)} |" for label in ("flu", "none")]
    assert all(line in card for line in counts)
    assert f"| accuracy | {model.out_of_sample_.accuracy:.3f} |" in card
    metrics = head(card)["model-index"][0]["results"][0]["metrics"]
    assert metrics[0] == {
        "type": "log_loss",
        "name": "Log-loss",
        "value": round(model.out_of_sample_.log_loss, 4),
    }


def test_names_of_columns_are_no_marks() -> None:
    card = card_text(fitted())
    assert r"ward\|\<b\>" in card
    assert "<b>" not in card.replace(r"\<b\>", "")


def test_figures_by_group_are_those_of_the_rows(tmp_path: Path) -> None:
    model = fitted()
    X, y = rows(400)
    sex = ["f" if k % 3 else "m" for k in range(400)]
    told: list[str | None] = [*y[:390], *[None] * 10]
    card = card_text(model, X.with_columns(pl.Series("sex", sex)), told, by=["sex", "ward|<b>"])
    right = (model.predict(X)[:390] == np.array(y[:390]))[np.array(sex[:390]) == "m"]
    assert f"| m | {len(right)} | {right.mean():.3f} " in card
    assert "By ward" in card
    assert head(card)["model-index"][0]["results"][0]["dataset"]["name"] == "rows that were given"


def test_models_without_figures_say_so() -> None:
    X, y = rows()
    plain = bl.BayesNetClassifier(parameters=bl.Shrinkage()).fit(X, y)
    assert "Not known: its learners hold out no rows" in card_text(plain)
    assert head(card_text(plain))["model-index"][0]["results"] == []
    plain.cross_validate(X, y, 3)
    card = card_text(plain)
    assert "Cross-validated on 300 training rows, 3 folds" in card
    for several in (
        bl.NetworkPool(cycles=1, seeds=1),
        bl.AveragedClassifier(),
        bl.BaggedClassifier(n_estimators=2),
    ):
        assert "## Limits" in card_text(several.fit(X, y))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"by": ["sex"]}, "Figures by group need rows"),
        ({"by": "sex"}, "a list of columns"),
        (
            {"X": rows()[0], "y": rows()[1], "by": ["fevr"]},
            "no column 'fevr' to group by. Did you mean 'fever'",
        ),
        ({"y": rows()[1]}, "X is missing"),
        (
            {"X": rows()[0].with_row_index("n"), "y": rows()[1], "by": ["n"]},
            "'n' has 300 values, more than 50 groups",
        ),
    ],
)
def test_wrong_cards_are_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        card_text(fitted(), **more)


def test_figures_on_training_rows_are_not_those_of_new_rows() -> None:
    rng = np.random.default_rng(7)
    X, y = pl.DataFrame({"size": rng.normal(size=200)}), rng.choice(["no", "yes"], 200).tolist()
    model = bl.BayesNetClassifier().fit(X, y)
    with pytest.warns(
        UserWarning, match="These rows were used to fit: the figures are optimistic. Give rows"
    ):
        card = card_text(model, X, y)
    assert "These rows were used to fit: the figures are optimistic." in card
    dataset = head(card)["model-index"][0]["results"][0]["dataset"]
    assert dataset["name"] == "training rows, held out in fit"
    new = pl.DataFrame({"size": rng.normal(size=200)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        card = card_text(model, new, y)
    assert "used to fit" not in card
    assert head(card)["model-index"][0]["results"][0]["dataset"]["name"] == "rows that were given"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a few may be equal by chance
        card = card_text(model, pl.concat([X[:4], new[4:]]), y)
    assert "4 of these 200 rows (2%) were used to fit" in card
    assert head(card)["model-index"][0]["results"][0]["dataset"]["name"] == "rows that were given"
