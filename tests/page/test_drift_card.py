"""The page says whether its rows still look like the training rows."""

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.page.assemble import assemble_page, page_data


def rows(n, seed, moved=0.0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    X = pl.DataFrame({"size": rng.normal(y + moved, 1.0, n), "<b>kind": rng.choice(["a", "b"], n)})
    return X, np.where(y, "yes", "no")


@pytest.fixture(scope="module")
def model():
    return bl.BayesNetClassifier(parameters=bl.Shrinkage()).fit(*rows(800, 0))


def test_rows_that_have_changed_are_told_with_labels_and_without(model):
    X, y = rows(300, 1, moved=1.0)
    for labels in (y, None):
        found = page_data(model, X, labels)["drift"]
        assert found["alarm"] is True
        assert "column size" in found["verdict"]
        assert found["lines"][0]["alarm"] is True
        assert found["compared"] >= len(found["lines"])
    assert page_data(model, *rows(300, 2))["drift"]["alarm"] is False


def test_training_rows_and_networks_are_not_compared(model):
    X, y = rows(800, 0)
    assert page_data(model, X, y)["drift"] is None
    assert page_data(model, X, y, cv=2)["drift"] is None
    assert page_data(model)["drift"] is None
    assert page_data(model.network_, X[:50].with_columns(pl.Series("class", y[:50])))["drift"] is None


def test_the_card_is_part_of_the_page(model):
    page = assemble_page(page_data(model, *rows(300, 1, moved=1.0)))
    assert "function driftCard(" in page
    assert "<b>kind" not in page
